/* ledger_history.c - the batches that stand, with a point for every source in each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "value/store/ledger_state.h"
#include "value/strategies.h"

typedef struct historian {
    gbv_ledger *ledger;
    gbv_error *error;
    const gbv_history_options *options;
    gbv_history *history;
    int64_t *numbers; /* of the batches, those left out included */
    size_t number_count;
    text_table names;                    /* of all sources */
    size_t first, count;                 /* of the sources that are read */
    bool *used;                          /* each of them: it has a point */
    double *posterior, *batch_posterior; /* batches x count, from the first batch on: for strategies; NULL: no need */
} historian;

static gbv_status out_of_memory(gbv_error *error)
{
    return error_out_of_memory(error, "the history");
}

static gbv_status find_batches(historian *h)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    size_t capacity = 0;
    gbv_status status =
        ledger_prepare(h->ledger, "SELECT number FROM record WHERE " STANDING " ORDER BY number", &statement, h->error);
    while (status == GBV_OK && (status = ledger_next(h->ledger, statement, &row, h->error)) == GBV_OK && row) {
        if (!memory_grow(&h->numbers, &capacity, h->number_count + 1, sizeof *h->numbers))
            status = out_of_memory(h->error);
        else
            h->numbers[h->number_count++] = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    size_t last = h->options->last;
    h->history->batch_count = last && last < h->number_count ? last : h->number_count;
    h->history->first_batch = h->number_count - h->history->batch_count;
    return status;
}

/* Of a source the first of its kinds counts, in the order of flag_kind_at(). */
static void mark_flagged(historian *h, const ledger_settings *settings, size_t batch)
{
    const char *kind, *summary;
    for (size_t k = 0; flag_kind_at(k, &kind, &summary); k++)
        for (size_t i = 0; i < settings->flagged_count[k]; i++) {
            const char *name = settings->flagged[k][i];
            size_t place = text_table_find(&h->names, name, strlen(name)) - h->first; /* TEXT_NONE stays beyond all */
            if (place < h->count && !h->history->points[place * h->history->batch_count + batch].flag)
                h->history->points[place * h->history->batch_count + batch].flag = kind;
        }
}

static gbv_status read_batch(historian *h, sqlite3_stmt *statement, size_t place)
{
    gbv_history_batch *batch = &h->history->batches[place];
    bool row = false;
    ledger_settings settings = {0};
    gbv_status status = ledger_next(h->ledger, statement, &row, h->error);
    if (status != GBV_OK)
        return status;
    const char *name = row ? (const char *)sqlite3_column_text(statement, 0) : NULL,
               *line = row ? (const char *)sqlite3_column_text(statement, 2) : NULL;
    const unsigned char *hash = row ? sqlite3_column_blob(statement, 3) : NULL;
    if (!name || !line || !hash || sqlite3_column_bytes(statement, 3) != DIGEST)
        return ledger_damaged(h->ledger, h->error, "a record is incomplete");
    status = settings_read(h->ledger, line, &settings, h->error);
    mark_flagged(h, &settings, place);
    *batch = settings.about;
    settings.about = (gbv_history_batch){.leavers = batch->leavers};
    settings_free(&settings);
    batch->time = sqlite3_column_int64(statement, 1);
    digest_write(hash, batch->hash);
    if (status == GBV_OK && !(batch->name = strdup(name)))
        status = out_of_memory(h->error);
    return status;
}

static gbv_status read_batches(historian *h)
{
    gbv_history *history = h->history;
    sqlite3_stmt *statement = NULL;
    history->batches = memory_zeroed(history->batch_count, sizeof *history->batches);
    gbv_status status =
        history->batches ? ledger_prepare(h->ledger, "SELECT name, time, settings, hash FROM record WHERE number = ?",
                                          &statement, h->error)
                         : out_of_memory(h->error);
    for (size_t t = 0; t < history->batch_count && status == GBV_OK; t++) {
        sqlite3_reset(statement);
        sqlite3_bind_int64(statement, 1, h->numbers[history->first_batch + t]);
        status = read_batch(h, statement, t);
    }
    sqlite3_finalize(statement);
    return status;
}

static gbv_status read_names(historian *h)
{
    ledger_state state;
    gbv_status status = state_load(h->ledger, 0, &state, h->error);
    if (status != GBV_OK)
        return status;
    h->names = state.names;
    state.names = (text_table){0};
    state_free(&state);
    const char *wanted = h->options->source;
    size_t index = wanted ? text_table_find(&h->names, wanted, strlen(wanted)) : 0;
    if (wanted && index == TEXT_NONE)
        return error_set(h->error, GBV_BAD_INPUT, "%s: has no source '%.200s': gbv history names them all",
                         h->ledger->path, wanted);
    h->first = index;
    h->count = wanted ? 1 : h->names.count;
    return GBV_OK;
}

static gbv_history_point absent_point(void)
{
    return (gbv_history_point){.score = NAN,
                               .deviation = NAN,
                               .batch_posterior = NAN,
                               .prior = NAN,
                               .posterior = NAN,
                               .posterior_interval = {NAN, NAN},
                               .z = NAN,
                               .cusum = NAN};
}

static gbv_history_point shown_point(const ledger_point *from)
{
    gbv_history_point point = {.present = point_is_present(from),
                               .rows = from->rows,
                               .score = from->score,
                               .deviation = from->deviation,
                               .batch_posterior = from->batch_posterior,
                               .prior = from->prior,
                               .posterior = exp(from->log_weight),
                               .posterior_interval = {from->low, from->high},
                               .z = from->z,
                               .cusum = from->cusum,
                               .alarm = from->alarm};
    if (from->hashed)
        digest_write(from->sha256, point.sha256);
    return point;
}

/* The points of one batch; of one that is left out only the weights, for strategies. */
static gbv_status read_points(historian *h, sqlite3_stmt *statement, size_t batch)
{
    gbv_history *history = h->history;
    bool row = false;
    gbv_status status = GBV_OK;
    sqlite3_reset(statement);
    sqlite3_bind_int64(statement, 1, h->numbers[batch]);
    if (h->options->source)
        sqlite3_bind_int64(statement, 2, (int64_t)h->first + 1);
    while (status == GBV_OK && (status = ledger_next(h->ledger, statement, &row, h->error)) == GBV_OK && row) {
        cell cells[POINT_CELLS];
        ledger_point point = {0};
        size_t place = (size_t)sqlite3_column_int64(statement, 0) - 1 - h->first;
        for (int i = 0; i < POINT_CELLS; i++)
            cells[i] = cell_column(statement, i + 1);
        if (place >= h->count || !point_from_cells(cells, &point))
            return ledger_damaged(h->ledger, h->error, "a point of record %lld is none", (long long)h->numbers[batch]);
        if (h->posterior) {
            h->posterior[batch * h->count + place] = exp(point.log_weight);
            h->batch_posterior[batch * h->count + place] = point.batch_posterior;
        }
        if (batch < history->first_batch)
            continue;
        h->used[place] = true;
        gbv_history_point *shown = &history->points[place * history->batch_count + batch - history->first_batch];
        const char *flag = shown->flag;
        *shown = shown_point(&point);
        shown->flag = flag;
    }
    return status;
}

static gbv_status make_points(historian *h)
{
    gbv_history *history = h->history;
    size_t cells = 0;
    if (!__builtin_mul_overflow(h->count, history->batch_count, &cells))
        history->points = memory_array(cells, sizeof *history->points);
    h->used = memory_zeroed(h->count, sizeof *h->used);
    if (!history->points || !h->used)
        return out_of_memory(h->error);
    for (size_t i = 0; i < cells; i++)
        history->points[i] = absent_point();
    return GBV_OK;
}

static gbv_status read_all_points(historian *h)
{
    gbv_history *history = h->history;
    sqlite3_stmt *statement = NULL;
    size_t all_cells = 0;
    bool weighed = h->options->strategies && *h->options->strategies;
    if (weighed && !__builtin_mul_overflow(h->count, h->number_count, &all_cells)) {
        h->posterior = memory_array(all_cells, sizeof *h->posterior);
        h->batch_posterior = memory_array(all_cells, sizeof *h->batch_posterior);
        for (size_t i = 0; i < all_cells && h->posterior && h->batch_posterior; i++)
            h->posterior[i] = h->batch_posterior[i] = NAN;
    }
    if (weighed && (!h->posterior || !h->batch_posterior))
        return out_of_memory(h->error);
    gbv_status status =
        ledger_prepare(h->ledger,
                       h->options->source ? "SELECT source, " POINT_COLUMNS " FROM point WHERE id = ?1 << 32 | ?2"
                                          : "SELECT source, " POINT_COLUMNS " FROM point WHERE " POINTS_OF_RECORD,
                       &statement, h->error);
    for (size_t t = weighed ? 0 : history->first_batch; t < h->number_count && status == GBV_OK; t++)
        status = read_points(h, statement, t);
    sqlite3_finalize(statement);
    return status;
}

/* Those that have a point; the one that was asked for in any case. */
static gbv_status keep_used(historian *h)
{
    gbv_history *history = h->history;
    size_t batches = history->batch_count;
    if (!(history->names = memory_array(h->count, sizeof *history->names)))
        return out_of_memory(h->error);
    for (size_t place = 0; place < h->count; place++) {
        if (!h->used[place] && !h->options->source)
            continue;
        size_t kept = history->source_count;
        if (!(history->names[kept] = strdup(h->names.texts[h->first + place])))
            return out_of_memory(h->error);
        memmove(history->points + kept * batches, history->points + place * batches, batches * sizeof *history->points);
        history->source_count++;
    }
    return GBV_OK;
}

static gbv_status add_strategy(historian *h, const strategy *s)
{
    gbv_history *history = h->history;
    strategy_input input = {.batch_count = h->number_count,
                            .source_count = h->count,
                            .batch_posterior = h->batch_posterior,
                            .posterior = h->posterior};
    for (size_t i = 0; i < history->strategy_count; i++)
        if (strcmp(history->strategies[i].name, s->name) == 0)
            return GBV_OK;
    double *weights = memory_array(h->number_count * h->count, sizeof *weights);
    gbv_strategy *grown = realloc(history->strategies, (history->strategy_count + 1) * sizeof *grown);
    double *shown = memory_array(history->batch_count * history->source_count, sizeof *shown);
    if (grown)
        history->strategies = grown;
    if (!weights || !grown || !shown) {
        free(weights);
        free(shown);
        return out_of_memory(h->error);
    }
    if (h->count)
        s->weigh(&input, weights);
    for (size_t t = 0; t < history->batch_count; t++)
        for (size_t place = 0, kept = 0; place < h->count; place++)
            if (h->used[place] || h->options->source)
                shown[t * history->source_count + kept++] = weights[(history->first_batch + t) * h->count + place];
    free(weights);
    history->strategies[history->strategy_count++] =
        (gbv_strategy){.name = s->name, .summary = s->summary, .posterior = shown};
    return GBV_OK;
}

static gbv_status add_strategies(historian *h)
{
    const char *list = h->options->strategies ? h->options->strategies : "";
    gbv_status status = GBV_OK;
    while (status == GBV_OK && *(list += strspn(list, ", "))) {
        size_t length = strcspn(list, ", ");
        char name[64] = "";
        if (length < sizeof name)
            memcpy(name, list, length);
        list += length;
        const strategy *s = strategy_find(name);
        if (s)
            status = add_strategy(h, s);
        else if (strcmp(name, "all") == 0)
            for (size_t i = 0; strategy_at(i) && status == GBV_OK; i++)
                status = add_strategy(h, strategy_at(i));
        else
            status = error_set(h->error, GBV_USAGE, "there is no strategy \"%.64s\": `gbv list strategies` names them",
                               name);
    }
    return status;
}

gbv_status gbv_ledger_history(gbv_ledger *ledger, const gbv_history_options *options, gbv_history **history,
                              gbv_error *error)
{
    static const gbv_history_options everything;
    historian h = {.ledger = ledger, .error = error, .options = options ? options : &everything};
    *history = NULL;
    if (!(h.history = calloc(1, sizeof *h.history)) || !(h.history->path = strdup(ledger->path))) {
        free(h.history);
        return out_of_memory(error);
    }
    gbv_status status = ledger_begin_reading(ledger, error);
    if (status == GBV_OK && !ledger->database)
        status = error_set(error, GBV_BAD_INPUT, "%s: has no batches yet: gbv update adds the first", ledger->path);
    if (status == GBV_OK)
        status = find_batches(&h);
    if (status == GBV_OK)
        status = read_names(&h);
    if (status == GBV_OK)
        status = make_points(&h);
    if (status == GBV_OK)
        status = read_batches(&h); /* which mark the points that are flagged */
    if (status == GBV_OK)
        status = read_all_points(&h);
    ledger_end_reading(ledger);
    if (status == GBV_OK)
        status = keep_used(&h);
    if (status == GBV_OK)
        status = add_strategies(&h);
    text_table_free(&h.names);
    free(h.numbers);
    free(h.used);
    free(h.posterior);
    free(h.batch_posterior);
    if (status == GBV_OK)
        *history = h.history;
    else
        gbv_history_free(h.history);
    return status;
}

void gbv_history_free(gbv_history *history)
{
    if (!history)
        return;
    for (size_t t = 0; history->batches && t < history->batch_count; t++)
        history_batch_free(&history->batches[t]);
    for (size_t s = 0; s < history->source_count; s++)
        free(history->names[s]);
    for (size_t i = 0; i < history->strategy_count; i++)
        free(history->strategies[i].posterior);
    free(history->batches);
    free(history->names);
    free(history->points);
    free(history->strategies);
    free(history->path);
    free(history);
}
