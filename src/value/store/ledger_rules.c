#include "value/store/ledger_rules.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/sentence.h"
#include "base/text.h"
#include "value/result.h"

static const double USUAL_FORGETTING = 1, USUAL_ALARM_BATCHES = 12;

/* Options of a run that leave its scores comparable, or that are compared elsewhere. */
static const char *const IGNORED[] = {"tau",
                                      "prior",
                                      "undefined",
                                      "join",
                                      "control",
                                      "show_emails",
                                      "allow_overlap",
                                      "class_map",
                                      "class_map_sha256",
                                      "backend",
                                      "threads_per_model",
                                      "reference",
                                      "intervals",
                                      "refits",
                                      "fast"};

static const char *option_of(const ledger_settings *settings, const char *name, const char *otherwise)
{
    for (size_t i = 0; i < settings->option_count; i++)
        if (strcmp(settings->options[i].name, name) == 0)
            return settings->options[i].value;
    return otherwise;
}

bool settings_have_option(const ledger_settings *settings, const char *name, const char *value)
{
    return strcmp(option_of(settings, name, ""), value) == 0;
}

static bool has_no_reference(const ledger_settings *s)
{
    return strncmp(s->about.reference_kind, "none", strlen("none")) == 0;
}

static void describe_reference(const ledger_settings *s, sentence *text)
{
    const char *kind = s->about.reference_kind;
    if (has_no_reference(s))
        sentence_add(text, "%s", kind);
    else
        sentence_add(text, "%.16s (%zu rows, %s)",
                     *s->about.reference_sha256 ? s->about.reference_sha256 : "from memory", s->about.reference_rows,
                     kind);
}

static void describe_measure(const ledger_settings *s, sentence *text)
{
    const char *parts[] = {s->about.method, s->about.measure, s->about.variant};
    for (size_t i = 0; i < 3; i++)
        if (*parts[i])
            sentence_add(text, "%s%.100s", i ? " " : "", parts[i]);
    if (strcmp(option_of(s, "fast", "false"), "true") == 0)
        sentence_add(text, " in single precision");
}

static bool is_ignored(const char *name)
{
    for (size_t i = 0; i < sizeof IGNORED / sizeof *IGNORED; i++)
        if (strcmp(name, IGNORED[i]) == 0)
            return true;
    return false;
}

static void describe_model(const ledger_settings *s, sentence *text)
{
    sentence_add(text, "%.100s", s->about.model);
    for (size_t i = 0; i < s->option_count; i++)
        if (!is_ignored(s->options[i].name))
            sentence_add(text, ", %.60s %.200s", s->options[i].name, s->options[i].value);
}

static void describe_forgetting(const ledger_settings *s, sentence *text)
{
    char number[NUMBER_TEXT];
    sentence_add(text, "%s", number_format(s->about.forgetting, number));
}

static void describe_alarms(const ledger_settings *s, sentence *text)
{
    char number[NUMBER_TEXT];
    sentence_add(text, "one false alarm in %s batches", number_format(s->about.alarm_batches, number));
}

static void describe_seed(const ledger_settings *s, sentence *text)
{
    sentence_add(text, "%" PRIu64, s->about.seed);
}

static void describe_intervals(const ledger_settings *s, sentence *text)
{
    sentence_add(text, "%.100s", option_of(s, "intervals", "off"));
    if (option_of(s, "refits", NULL))
        sentence_add(text, " with %.100s refits", option_of(s, "refits", ""));
}

static void describe_tau(const ledger_settings *s, sentence *text)
{
    char number[NUMBER_TEXT];
    sentence_add(text, "%s", number_format(s->about.tau, number));
}

/* What a batch has in common with the one before, unless it is named in `allow`. */
typedef struct subject {
    const char *word;
    void (*describe)(const ledger_settings *settings, sentence *text);
} subject;

static const subject SUBJECTS[] = {{"reference", describe_reference},
                                   {"measure", describe_measure},
                                   {"model", describe_model},
                                   {"tau", describe_tau},
                                   {"forgetting", describe_forgetting},
                                   {"alarms", describe_alarms},
                                   {"seed", describe_seed},
                                   {"intervals", describe_intervals}};
enum { SUBJECT_COUNT = sizeof SUBJECTS / sizeof *SUBJECTS };

/* The next word of a list separated by commas; false at its end. */
static bool next_word(const char **list, const char **word, size_t *length)
{
    *list += strspn(*list, ", ");
    *word = *list;
    *length = strcspn(*list, ", ");
    *list += *length;
    return *length > 0;
}

static bool is_word(const char *word, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

static bool is_allowed(const gbv_update_options *options, const char *wanted)
{
    const char *list = options->allow ? options->allow : "", *word;
    size_t length;
    while (next_word(&list, &word, &length))
        if (is_word(word, length, wanted))
            return true;
    return false;
}

static gbv_status check_allow(const char *allow, gbv_error *error)
{
    const char *list = allow ? allow : "", *word;
    size_t length;
    while (next_word(&list, &word, &length)) {
        size_t i = 0;
        while (i < SUBJECT_COUNT && !is_word(word, length, SUBJECTS[i].word))
            i++;
        if (i == SUBJECT_COUNT)
            return error_set(error, GBV_USAGE,
                             "\"%.*s\" is nothing that may be allowed to change: it is one of reference, measure, "
                             "model, tau, forgetting, alarms, seed, intervals",
                             (int)(length < 64 ? length : 64), word);
    }
    return GBV_OK;
}

gbv_status rules_check_options(const gbv_update_options *options, gbv_tau_mode tau_mode, gbv_error *error)
{
    if (!options || !options->batch || !*options->batch)
        return error_set(error, GBV_USAGE, "the batch has no name: give it one, such as the month it came in");
    if (!text_is_utf8(options->batch, strlen(options->batch)))
        return error_set(error, GBV_USAGE, "the batch's name is not valid UTF-8: give it another");
    for (const char *c = options->batch; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            return error_set(error, GBV_USAGE, "the batch's name holds a control character (byte %zu): give it another",
                             (size_t)(c - options->batch) + 1);
    if (isnan(options->forgetting) || options->forgetting < 0 || options->forgetting > 1)
        return error_set(error, GBV_USAGE, "forgetting is %g; it must be above 0 and at most 1, which forgets nothing",
                         options->forgetting);
    if (!isfinite(options->alarm_batches) || options->alarm_batches < 0)
        return error_set(error, GBV_USAGE, "there is to be one false alarm in %g batches; it must be a number above 0",
                         options->alarm_batches);
    if (tau_mode == GBV_TAU_CODE)
        return error_set(
            error, GBV_USAGE,
            "a ledger adds up scores as they are, and tau code standardises those of each batch: use quick "
            "or a value");
    return check_allow(options->allow, error);
}

static gbv_status check_batch_name(gbv_ledger *ledger, const gbv_update_options *options, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool there = false;
    if (!ledger->database)
        return GBV_OK;
    gbv_status status = ledger_prepare(ledger, "SELECT 1 FROM record WHERE name = ? AND " STANDING, &statement, error);
    if (status == GBV_OK) {
        sqlite3_bind_text(statement, 1, options->batch, -1, SQLITE_STATIC);
        status = ledger_next(ledger, statement, &there, error);
    }
    sqlite3_finalize(statement);
    if (status == GBV_OK && there)
        status =
            error_set(error, GBV_FAILED,
                      "%s: batch '%.200s' is there already, and counts once: name this one differently, or take the "
                      "last one back with gbv ledger undo",
                      ledger->path, options->batch);
    return status;
}

static gbv_status check_leavers(gbv_ledger *ledger, const ledger_state *state, const gbv_update_options *options,
                                const text_table *given, gbv_error *error)
{
    for (size_t i = 0; i < options->leaver_count; i++) {
        const char *name = options->leavers[i];
        size_t index = text_table_find(&state->names, name, strlen(name));
        if (text_table_find(given, name, strlen(name)) != TEXT_NONE)
            return error_set(error, GBV_FAILED,
                             "source '%.200s' is said to leave and delivers in the same batch: one or the other", name);
        if (index == TEXT_NONE || !state->sources[index].in)
            return error_set(error, GBV_FAILED,
                             "%s: source '%.200s' is said to leave, and is not in: gbv history names those who are",
                             ledger->path, name);
    }
    return GBV_OK;
}

gbv_status rules_check_names(gbv_ledger *ledger, const ledger_state *state, const gbv_update_options *options,
                             const char *const *names, size_t count, gbv_error *error)
{
    text_table given = {0};
    gbv_status status = check_batch_name(ledger, options, error);
    for (size_t i = 0; i < count && status == GBV_OK; i++) {
        size_t length = strlen(names[i]);
        if (!length || !text_is_utf8(names[i], length))
            status = error_set(error, GBV_BAD_INPUT, "the name of source %zu is %s: give it another", i + 1,
                               length ? "not valid UTF-8" : "empty");
        else if (text_table_add(&given, names[i], length) == TEXT_NONE)
            status = error_out_of_memory(error, "the names of the sources");
        else if (given.count != i + 1)
            status = error_set(error, GBV_BAD_INPUT, "source '%.200s' is there twice in one batch: name them apart",
                               names[i]);
    }
    if (status == GBV_OK)
        status = check_leavers(ledger, state, options, &given, error);
    text_table_free(&given);
    return status;
}

/* A rule that gave the ledger its tau gives it no other later, however many sources there are then. */
bool rules_tau_stays(const ledger_state *state, const gbv_update_options *options, gbv_tau_mode tau_mode, double tau)
{
    if (!state->last)
        return false;
    if (tau_mode == GBV_TAU_OWN)
        return true;
    if (tau_mode == GBV_TAU_FIXED)
        return tau == state->settings.about.tau;
    return tau_mode == state->settings.tau_mode && !is_allowed(options, "tau");
}

/* Folders may be named after people, and a ledger is handed around. */
static const char *without_folder(const gbv_option_record *option)
{
    bool is_file = strcmp(option->name, "pretrained") == 0 || strcmp(option->name, "class_map") == 0;
    const char *slash = is_file ? strrchr(option->value, '/') : NULL;
    return slash ? slash + 1 : option->value;
}

static bool copy_options(const gbv_result *run, ledger_settings *settings)
{
    if (!(settings->options = calloc(run->option_count + 1, sizeof *settings->options)))
        return false;
    for (size_t i = 0; i < run->option_count; i++) {
        gbv_option_record *option = &settings->options[settings->option_count++];
        option->name = strdup(run->options[i].name);
        option->value = strdup(without_folder(&run->options[i]));
        if (!option->name || !option->value)
            return false;
    }
    return true;
}

/* The files that make the reference stand before those of the sources. One is known by its own hash, several by that of
 * their hashes. */
static bool hash_reference(const gbv_result *run, char hexadecimal[65])
{
    size_t count = run->input_count;
    hash_stream hash = hash_open();
    bool known = true;
    for (size_t s = 0; s < run->source_count; s++)
        count = run->sources[s].input < count ? run->sources[s].input : count;
    for (size_t i = 0; i < count; i++) {
        known = known && *run->inputs[i].sha256;
        hash_add(&hash, run->inputs[i].sha256, strlen(run->inputs[i].sha256));
    }
    bool hashed = hash_close(&hash, hexadecimal);
    if (count == 1)
        memcpy(hexadecimal, run->inputs[0].sha256, 65);
    else if (!count || !known)
        *hexadecimal = '\0';
    return hashed;
}

static gbv_status describe_run(const ledger_state *state, const ledger_request *request, const gbv_result *run,
                               ledger_settings *settings, gbv_error *error)
{
    const gbv_update_options *o = request->options;
    const gbv_history_batch *last = &state->settings.about;
    gbv_history_batch *b = &settings->about;
    *b = (gbv_history_batch){.version = strdup(gbv_version()),
                             .method = strdup(run->method),
                             .measure = strdup(run->measure),
                             .variant = strdup(run->variant),
                             .model = strdup(run->model),
                             .seed = run->seed,
                             .replicates = run->certainty.replicates,
                             .refits = run->certainty.refits,
                             .reference_rows = run->reference_rows,
                             .forgetting = o->forgetting > 0 ? o->forgetting
                                           : state->last     ? last->forgetting
                                                             : USUAL_FORGETTING,
                             .alarm_batches = o->alarm_batches > 0 ? o->alarm_batches
                                              : state->last        ? last->alarm_batches
                                                                   : USUAL_ALARM_BATCHES};
    if (!b->version || !b->method || !b->measure || !b->variant || !b->model || !copy_options(run, settings))
        return error_out_of_memory(error, "the ledger");
    settings_set_reference_kind(settings, option_of(settings, "reference", "labelled"));
    if (request->reference_sha256)
        snprintf(b->reference_sha256, sizeof b->reference_sha256, "%s", request->reference_sha256);
    else if (!has_no_reference(settings) && !hash_reference(run, b->reference_sha256))
        return error_set(error, GBV_FAILED, "the hash of the reference could not be made");
    for (size_t i = 0; i < o->leaver_count; i++)
        if (!text_list_add(&settings->leavers, &b->leavers, o->leavers[i]))
            return error_out_of_memory(error, "the ledger");
    return GBV_OK;
}

/* The first batch's tau is for all. */
static gbv_status settle_tau(const gbv_ledger *ledger, const ledger_state *state, const ledger_request *request,
                             const gbv_result *run, bool scored, ledger_settings *settings, gbv_error *error)
{
    bool stays = rules_tau_stays(state, request->options, request->tau_mode, request->tau);
    const char *asked = option_of(settings, "tau", "");
    settings->tau_mode = stays ? state->settings.tau_mode : run->tau_mode;
    settings->about.tau = stays ? state->settings.about.tau : scored ? run->tau : 1;
    if (!stays && !scored && state->last && !is_allowed(request->options, "tau"))
        return error_set(error, GBV_FAILED,
                         "%s: its tau is %g, and weights by another do not go on from it: leave --tau "
                         "out, or allow the change (--allow-change tau)",
                         ledger->path, state->settings.about.tau);
    if (!stays && (scored ? !isfinite(run->tau) : strcmp(asked, "quick") == 0 && run->source_count < 2))
        return error_set(
            error, GBV_FAILED, "%s: %s, and a ledger keeps the tau of its first batch: give it with --tau VALUE",
            ledger->path,
            strcmp(asked, "auto") == 0
                ? "tau auto found that weighing the sources alike predicts no worse, which is an infinite tau"
                : "quick tau goes by the number of sources and is infinite for one alone");
    return GBV_OK;
}

gbv_status rules_settle(const gbv_ledger *ledger, const ledger_state *state, const ledger_request *request,
                        const gbv_result *run, bool scored, ledger_settings *settings, gbv_error *error)
{
    *settings = (ledger_settings){0};
    gbv_status status = describe_run(state, request, run, settings, error);
    if (status == GBV_OK)
        status = settle_tau(ledger, state, request, run, scored, settings, error);
    for (size_t i = 0; i < SUBJECT_COUNT && status == GBV_OK && state->last; i++) {
        sentence before = {0}, now = {0}, change = {0};
        if (!scored && SUBJECTS[i].describe == describe_tau)
            continue;
        SUBJECTS[i].describe(&state->settings, &before);
        SUBJECTS[i].describe(settings, &now);
        if (strcmp(before.text, now.text) == 0)
            continue;
        if (!is_allowed(request->options, SUBJECTS[i].word))
            return error_set(error, GBV_FAILED,
                             "%s: %s: %.200s in the batch before, '%.100s', and %.200s in this one; keep it as it was, "
                             "or allow the change (--allow-change %s)",
                             ledger->path, SUBJECTS[i].word, before.text, state->last_name, now.text, SUBJECTS[i].word);
        sentence_add(&change, "%s: %.400s became %.400s", SUBJECTS[i].word, before.text, now.text);
        if (!text_list_add(&settings->about.changes, &settings->about.change_count, change.text))
            status = error_out_of_memory(error, "the ledger");
    }
    return status;
}

gbv_status rules_warn_of_repeats(gbv_ledger *ledger, const ledger_state *state, const ledger_point *points,
                                 size_t count, ledger_settings *settings, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    size_t repeated = 0;
    gbv_status status =
        ledger_prepare(ledger, "SELECT 1 FROM point WHERE id = ?1 << 32 | ?2 AND sha256 = ?3", &statement, error);
    for (size_t i = 0; i < count && status == GBV_OK; i++) {
        bool there = false;
        if (!points[i].hashed)
            continue;
        sqlite3_bind_int64(statement, 1, state->last);
        sqlite3_bind_int64(statement, 2, (int64_t)points[i].source);
        sqlite3_bind_blob(statement, 3, points[i].sha256, DIGEST, SQLITE_STATIC);
        status = ledger_next(ledger, statement, &there, error);
        sqlite3_reset(statement);
        repeated += there;
    }
    sqlite3_finalize(statement);
    if (status == GBV_OK && repeated &&
        !settings_warn(settings,
                       "%zu of %zu sources delivered the very file of the batch before, '%.100s', which now counts "
                       "twice: take this batch back with gbv ledger undo unless that is meant",
                       repeated, settings->about.present, state->last_name))
        status = error_out_of_memory(error, "the ledger");
    return status;
}

bool settings_warn(ledger_settings *settings, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return false;
    bool kept = text_list_add(&settings->about.warnings, &settings->about.warning_count, text);
    free(text);
    return kept;
}
