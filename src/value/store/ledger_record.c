#include "value/store/ledger_record.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "base/json.h"
#include "report/result_words.h"
#include "value/result.h"

static void write_texts(json_writer *json, const char *key, char *const *texts, size_t count)
{
    json_begin_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_text(json, NULL, texts[i]);
    json_end(json);
}

/* Left out where nobody is flagged. */
static void write_flags(json_writer *json, const ledger_settings *settings)
{
    const char *kind, *summary;
    size_t all = 0;
    for (size_t k = 0; k < FLAG_KINDS; k++)
        all += settings->flagged_count[k];
    if (!all)
        return;
    json_begin_object(json, "flags");
    for (size_t k = 0; flag_kind_at(k, &kind, &summary); k++)
        if (settings->flagged_count[k])
            write_texts(json, kind, settings->flagged[k], settings->flagged_count[k]);
    json_end(json);
}

char *settings_write(const ledger_settings *settings)
{
    json_line line;
    json_writer *json = &line.json;
    const gbv_history_batch *b = &settings->about;
    char seed[24];
    if (!json_line_open(&line))
        return NULL;
    snprintf(seed, sizeof seed, "%" PRIu64, b->seed); /* beyond what a number of JSON is sure to hold */
    json_begin_object(json, NULL);
    json_text(json, "gbv", b->version);
    json_text(json, "method", b->method);
    json_text(json, "measure", b->measure);
    json_text(json, "variant", b->variant);
    json_text(json, "model", b->model);
    json_text(json, "tau_mode", tau_mode_words[settings->tau_mode]);
    json_number(json, "tau", b->tau);
    json_number(json, "forgetting", b->forgetting);
    json_number(json, "alarm_batches", b->alarm_batches);
    json_number(json, "alarm_threshold", b->alarm_threshold);
    json_text(json, "seed", seed);
    json_count(json, "replicates", b->replicates);
    json_count(json, "refits", b->refits);
    json_count(json, "reference_rows", b->reference_rows);
    json_text(json, "reference_sha256", b->reference_sha256);
    json_count(json, "reference_batches", b->reference_batches);
    json_number(json, "effective_sources", b->effective_sources);
    json_count(json, "present", b->present);
    json_count(json, "newcomers", b->newcomers);
    write_texts(json, "leavers", settings->leavers, b->leavers);
    json_count(json, "sources", settings->sources);
    json_count(json, "worlds", settings->worlds);
    json_text(json, "worlds_sha256", settings->worlds_sha256);
    write_texts(json, "changes", b->changes, b->change_count);
    write_texts(json, "warnings", b->warnings, b->warning_count);
    write_flags(json, settings);
    json_begin_object(json, "options");
    for (size_t i = 0; i < settings->option_count; i++)
        json_text(json, settings->options[i].name, settings->options[i].value);
    json_end(json);
    json_end(json);
    return json_line_close(&line);
}

/* After the first failure every further read does nothing. */
typedef struct reader {
    const json_t *root;
    const char *bad; /* the first key that will not do */
    bool out_of_memory;
} reader;

static const char *get_text(reader *r, const char *key)
{
    const char *text = json_string_value(json_object_get(r->root, key));
    if (!text && !r->bad)
        r->bad = key;
    return text ? text : "";
}

static char *copy_text(reader *r, const char *key)
{
    char *copy = strdup(get_text(r, key));
    r->out_of_memory |= !copy;
    return copy;
}

static double get_number(reader *r, const char *key)
{
    const json_t *value = json_object_get(r->root, key);
    if (!json_is_number(value) && !r->bad)
        r->bad = key;
    return json_number_value(value);
}

static size_t get_count(reader *r, const char *key)
{
    const json_t *value = json_object_get(r->root, key);
    if ((!json_is_integer(value) || json_integer_value(value) < 0) && !r->bad)
        r->bad = key;
    return (size_t)json_integer_value(value);
}

static void get_digest(reader *r, const char *key, char hexadecimal[65])
{
    const char *text = get_text(r, key);
    unsigned char ignored[DIGEST];
    if (*text && !digest_read(text, ignored)) {
        r->bad = r->bad ? r->bad : key;
        text = "";
    }
    memcpy(hexadecimal, text, strlen(text) + 1);
}

static void get_texts(reader *r, const char *key, char ***texts, size_t *count)
{
    const json_t *list = json_object_get(r->root, key);
    if (!json_is_array(list) && !r->bad)
        r->bad = key;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text && !r->bad)
            r->bad = key;
        r->out_of_memory |= text && !text_list_add(texts, count, text);
    }
}

static void get_flags(reader *r, ledger_settings *settings)
{
    reader flags = {.root = json_object_get(r->root, "flags")};
    const char *kind, *summary;
    for (size_t k = 0; flag_kind_at(k, &kind, &summary); k++)
        if (json_object_get(flags.root, kind))
            get_texts(&flags, kind, &settings->flagged[k], &settings->flagged_count[k]);
    if ((flags.bad || (flags.root && !json_is_object(flags.root))) && !r->bad)
        r->bad = "flags";
    r->out_of_memory |= flags.out_of_memory;
}

void settings_set_reference_kind(ledger_settings *settings, const char *kind)
{
    snprintf(settings->about.reference_kind, sizeof settings->about.reference_kind, "%s", kind);
}

static void get_options(reader *r, ledger_settings *settings)
{
    json_t *options = json_object_get(r->root, "options"), *value;
    const char *name;
    if (!json_is_object(options) && !r->bad)
        r->bad = "options";
    settings->options = calloc(json_object_size(options) + 1, sizeof *settings->options);
    r->out_of_memory |= !settings->options;
    json_object_foreach(options, name, value)
    {
        if (!json_is_string(value) && !r->bad)
            r->bad = "options";
        if (r->bad || r->out_of_memory)
            return;
        gbv_option_record *option = &settings->options[settings->option_count++];
        option->name = strdup(name);
        option->value = strdup(json_string_value(value));
        if (strcmp(name, "reference") == 0)
            settings_set_reference_kind(settings, json_string_value(value));
        r->out_of_memory |= !option->name || !option->value;
    }
}

static void get_tau_mode(reader *r, ledger_settings *settings)
{
    const char *word = get_text(r, "tau_mode");
    for (size_t i = 0; i < TAU_MODES; i++)
        if (strcmp(word, tau_mode_words[i]) == 0) {
            settings->tau_mode = (gbv_tau_mode)i;
            return;
        }
    r->bad = r->bad ? r->bad : "tau_mode";
}

gbv_status settings_read(const gbv_ledger *ledger, const char *line, ledger_settings *settings, gbv_error *error)
{
    json_error_t problem;
    json_t *root = json_loads(line, JSON_REJECT_DUPLICATES, &problem);
    reader r = {.root = root};
    gbv_history_batch *b = &settings->about;
    char *end = NULL;
    *settings = (ledger_settings){0};
    b->version = copy_text(&r, "gbv");
    b->method = copy_text(&r, "method");
    b->measure = copy_text(&r, "measure");
    b->variant = copy_text(&r, "variant");
    b->model = copy_text(&r, "model");
    get_tau_mode(&r, settings);
    b->tau = get_number(&r, "tau");
    b->forgetting = get_number(&r, "forgetting");
    b->alarm_batches = get_number(&r, "alarm_batches");
    b->alarm_threshold = get_number(&r, "alarm_threshold");
    b->seed = strtoull(get_text(&r, "seed"), &end, 10);
    b->replicates = get_count(&r, "replicates");
    b->refits = get_count(&r, "refits");
    b->reference_rows = get_count(&r, "reference_rows");
    get_digest(&r, "reference_sha256", b->reference_sha256);
    b->reference_batches = get_count(&r, "reference_batches");
    b->effective_sources = get_number(&r, "effective_sources");
    b->present = get_count(&r, "present");
    b->newcomers = get_count(&r, "newcomers");
    get_texts(&r, "leavers", &settings->leavers, &b->leavers);
    settings->sources = get_count(&r, "sources");
    settings->worlds = get_count(&r, "worlds");
    get_digest(&r, "worlds_sha256", settings->worlds_sha256);
    get_texts(&r, "changes", &b->changes, &b->change_count);
    get_texts(&r, "warnings", &b->warnings, &b->warning_count);
    get_flags(&r, settings);
    settings_set_reference_kind(settings, "labelled");
    get_options(&r, settings);
    if (!r.bad && (!(b->tau > 0) || !(b->forgetting > 0 && b->forgetting <= 1)))
        r.bad = b->tau > 0 ? "forgetting" : "tau";
    json_decref(root);
    if (r.out_of_memory)
        return error_out_of_memory(error, "the ledger");
    return r.bad ? ledger_damaged(ledger, error, "the settings of a batch have no usable \"%s\"", r.bad) : GBV_OK;
}

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

void history_batch_free(gbv_history_batch *batch)
{
    char *texts[] = {batch->name, batch->version, batch->method, batch->measure, batch->variant, batch->model};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    free_texts(batch->changes, batch->change_count);
    free_texts(batch->warnings, batch->warning_count);
    *batch = (gbv_history_batch){0};
}

void settings_free(ledger_settings *settings)
{
    free_texts(settings->leavers, settings->about.leavers);
    for (size_t i = 0; i < settings->option_count; i++) {
        free(settings->options[i].name);
        free(settings->options[i].value);
    }
    free(settings->options);
    for (size_t k = 0; k < FLAG_KINDS; k++)
        free_texts(settings->flagged[k], settings->flagged_count[k]);
    history_batch_free(&settings->about);
    *settings = (ledger_settings){0};
}

void point_to_cells(const ledger_point *point, cell cells[POINT_CELLS])
{
    bool present = point_is_present(point);
    cell all[POINT_CELLS] = {present ? cell_integer((int64_t)point->rows) : cell_null(),
                             cell_real(point->score),
                             cell_real(point->deviation),
                             cell_real(point->batch_prior),
                             cell_real(point->batch_posterior),
                             cell_real(point->prior),
                             cell_real(point->log_weight),
                             cell_real(point->low),
                             cell_real(point->high),
                             cell_real(point->z),
                             cell_real(point->cusum),
                             isnan(point->z) ? cell_null() : cell_integer(point->alarm),
                             cell_blob(point->hashed ? point->sha256 : NULL, DIGEST)};
    memcpy(cells, all, sizeof all);
}

bool point_from_cells(const cell cells[POINT_CELLS], ledger_point *point)
{
    *point = (ledger_point){.source = point->source,
                            .rows = cells[0].integer > 0 ? (size_t)cells[0].integer : 0,
                            .score = cell_get_real(&cells[1]),
                            .deviation = cell_get_real(&cells[2]),
                            .batch_prior = cell_get_real(&cells[3]),
                            .batch_posterior = cell_get_real(&cells[4]),
                            .prior = cell_get_real(&cells[5]),
                            .log_weight = cell_get_real(&cells[6]),
                            .low = cell_get_real(&cells[7]),
                            .high = cell_get_real(&cells[8]),
                            .z = cell_get_real(&cells[9]),
                            .cusum = cell_get_real(&cells[10]),
                            .alarm = (int)cells[11].integer,
                            .hashed = cells[12].type == SQLITE_BLOB};
    if (point->hashed && cells[12].size != DIGEST)
        return false;
    if (point->hashed)
        memcpy(point->sha256, cells[12].bytes, DIGEST);
    return cells[0].integer >= 0 && point->prior >= 0 && point->prior <= 1 && !isnan(point->log_weight) &&
           point->alarm >= -1 && point->alarm <= 1 && point_is_present(point) == (cells[0].type == SQLITE_INTEGER);
}

static bool is_text(const cell *value)
{
    return value->type == SQLITE_TEXT && strlen(value->bytes) == value->size;
}

bool record_from_cells(const cell cells[RECORD_CELLS], ledger_record *record)
{
    if (!is_text(&cells[1]) || !is_text(&cells[3]) || !is_text(&cells[6]))
        return false;
    *record = (ledger_record){.number = cells[0].integer,
                              .undo = strcmp(cells[1].bytes, "undo") == 0,
                              .undoes = cells[2].integer,
                              .name = cells[3].bytes,
                              .time = cells[4].integer,
                              .reference = cells[5].bytes,
                              .settings = cells[6].bytes};
    return (record->undo || strcmp(cells[1].bytes, "batch") == 0) &&
           record->undo == (cells[2].type == SQLITE_INTEGER) &&
           (cells[5].type == SQLITE_NULL || cells[5].size == DIGEST);
}

static gbv_status insert_record(gbv_ledger *ledger, const cell cells[RECORD_CELLS], const unsigned char hash[DIGEST],
                                gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    cell last = cell_blob(hash, DIGEST);
    gbv_status status = ledger_prepare(ledger, "INSERT INTO record (" RECORD_COLUMNS ", hash) VALUES (?,?,?,?,?,?,?,?)",
                                       &statement, error);
    if (status == GBV_OK) {
        for (int i = 0; i < RECORD_CELLS; i++)
            cell_bind(statement, i + 1, &cells[i]);
        cell_bind(statement, RECORD_CELLS + 1, &last);
        status = ledger_run(ledger, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

static gbv_status insert_points(gbv_ledger *ledger, int64_t record, const ledger_point *points, size_t count,
                                gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    cell cells[POINT_CELLS];
    gbv_status status = ledger_prepare(
        ledger, "INSERT INTO point (id, " POINT_COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &statement, error);
    for (size_t p = 0; p < count && status == GBV_OK; p++) {
        point_to_cells(&points[p], cells);
        sqlite3_bind_int64(statement, 1, point_id(record, points[p].source));
        for (int i = 0; i < POINT_CELLS; i++)
            cell_bind(statement, i + 2, &cells[i]);
        status = ledger_run(ledger, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

static gbv_status move_head(gbv_ledger *ledger, const ledger_record *record, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    gbv_status status = ledger_prepare(ledger, "UPDATE ledger SET records = ?, head = ?", &statement, error);
    if (status == GBV_OK) {
        sqlite3_bind_int64(statement, 1, record->number);
        sqlite3_bind_blob(statement, 2, record->hash, DIGEST, SQLITE_STATIC);
        status = ledger_run(ledger, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

gbv_status record_insert(gbv_ledger *ledger, ledger_record *record, const ledger_point *points, size_t point_count,
                         char *const *names, const unsigned char previous[DIGEST], gbv_error *error)
{
    cell cells[RECORD_CELLS] = {cell_integer(record->number),
                                cell_text(record->undo ? "undo" : "batch"),
                                record->undo ? cell_integer(record->undoes) : cell_null(),
                                cell_text(record->name),
                                cell_integer(record->time),
                                cell_blob(record->reference, DIGEST),
                                cell_text(record->settings)};
    cell of_point[POINT_CELLS];
    chain c = chain_open(previous);
    for (int i = 0; i < RECORD_CELLS; i++)
        chain_add(&c, &cells[i]);
    for (size_t p = 0; p < point_count; p++) {
        cell source[] = {cell_integer((int64_t)points[p].source), cell_text(names[points[p].source - 1])};
        chain_add(&c, &source[0]);
        chain_add(&c, &source[1]);
        point_to_cells(&points[p], of_point);
        for (int i = 0; i < POINT_CELLS; i++)
            chain_add(&c, &of_point[i]);
    }
    if (!chain_close(&c, record->hash))
        return error_set(error, GBV_FAILED, "the hash of a batch could not be made: the system's library refuses");
    gbv_status status = insert_record(ledger, cells, record->hash, error);
    if (status == GBV_OK)
        status = insert_points(ledger, record->number, points, point_count, error);
    return status == GBV_OK ? move_head(ledger, record, error) : status;
}
