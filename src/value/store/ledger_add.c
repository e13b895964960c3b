#include "value/store/ledger_add.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "value/resamples.h"
#include "value/result.h"
#include "value/store/ledger_step.h"

static const double LEVEL = 0.9, NORMAL_QUANTILE = 1.6448536269514722; /* which half of LEVEL lies below */
static const double COLLAPSED = 1.05;                                  /* effective sources */
enum { WORTH_THREADS = 100000 };                                       /* resampled scores; fewer take a ms or so */
enum { REFERENCE_USES = 12 };                                          /* after which a new one is advised */

/* One batch on its way into the ledger. */
typedef struct folding {
    gbv_ledger *ledger;
    const gbv_result *result;
    const ledger_request *request;
    size_t threads;
    ledger_state state;
    ledger_settings settings;
    continual_source *before; /* of all sources, those to come included */
    size_t known_before;      /* sources */
    size_t *given;            /* which source of the result each delivery is */
    step_room room;
    const double **resamples;
    ledger_step step;
    float *worlds; /* NULL: unknown */
    ledger_point *points;
    size_t point_count;
    size_t *point_of; /* each source that is in */
    bool even_prior;  /* every delivery's is the same */
} folding;

static gbv_status out_of_memory(gbv_error *error)
{
    return error_out_of_memory(error, "the batch");
}

static gbv_status make_room(folding *f, gbv_error *error)
{
    size_t given = f->result->source_count, all = f->state.names.count + given;
    f->before = memory_array(all, sizeof *f->before);
    f->given = memory_array(given, sizeof *f->given);
    f->resamples = memory_array(given, sizeof *f->resamples);
    f->points = memory_array(all, sizeof *f->points);
    f->point_of = memory_array(all, sizeof *f->point_of);
    return step_room_create(&f->room, given, f->request->options->leaver_count) && f->before && f->given &&
                   f->resamples && f->points && f->point_of
               ? GBV_OK
               : out_of_memory(error);
}

static void folding_free(folding *f)
{
    void *blocks[] = {f->before, f->given, f->resamples, f->worlds, f->points, f->point_of};
    step_room_free(&f->room);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
    settings_free(&f->settings);
    state_free(&f->state);
}

/* With the choice of the source's own rows in it, where models were fitted again. */
static double deviation_of_score(const gbv_source_result *s)
{
    return (s->score_interval[1] - s->score_interval[0]) / 2 / NORMAL_QUANTILE;
}

/* The kinds alone: their sentences have numbers of the sample. */
static bool keep_flags(ledger_settings *settings, const gbv_source_result *s)
{
    const char *kind, *summary;
    bool kept = true;
    for (size_t k = 0; flag_kind_at(k, &kind, &summary); k++)
        for (size_t i = 0; i < s->flag_count; i++)
            if (strcmp(s->flags[i].kind, kind) == 0)
                kept &= text_list_add(&settings->flagged[k], &settings->flagged_count[k], s->name);
    return kept;
}

/* A ledger's weights are no prior of the batch alone. */
static double prior_of_delivery(const folding *f, size_t given)
{
    if (f->request->prior)
        return f->request->prior[given];
    return settings_have_option(&f->settings, "prior", "ledger") ? 1 : f->result->sources[given].prior;
}

static gbv_status take_delivery(folding *f, size_t given, gbv_error *error)
{
    const gbv_source_result *s = &f->result->sources[given];
    size_t index = text_table_find(&f->state.names, s->name, strlen(s->name)), i = f->step.count;
    bool in = index != TEXT_NONE && f->state.sources[index].in;
    if (isnan(s->score))
        return settings_warn(&f->settings, "source '%s' has no score in this batch and counts as absent%s", s->name,
                             in ? ": it keeps its weight" : "; it has not entered yet")
                   ? GBV_OK
                   : out_of_memory(error);
    if (s->score == -INFINITY && !(in && f->state.sources[index].log_weight == -INFINITY) &&
        !settings_warn(&f->settings,
                       "source '%s' scores minus infinity: its weight is gone for good, whatever it delivers later",
                       s->name))
        return out_of_memory(error);
    if (index == TEXT_NONE && (index = text_table_add(&f->state.names, s->name, strlen(s->name))) == TEXT_NONE)
        return out_of_memory(error);
    if (!keep_flags(&f->settings, s))
        return out_of_memory(error);
    f->settings.about.newcomers += !in;
    f->given[i] = given;
    f->room.scores[i] = s->score;
    f->room.deviations[i] = deviation_of_score(s);
    f->room.deliveries[i] =
        (continual_delivery){.source = index, .prior = prior_of_delivery(f, given), .score = s->score};
    f->step.count++;
    return GBV_OK;
}

/* Priors of those who have a score, on a scale of one. */
static void scale_priors(folding *f)
{
    double sum = 0;
    f->even_prior = true;
    for (size_t i = 0; i < f->step.count; i++) {
        sum += f->room.deliveries[i].prior;
        f->even_prior = f->even_prior && f->room.deliveries[i].prior == f->room.deliveries[0].prior;
    }
    for (size_t i = 0; i < f->step.count; i++)
        f->room.deliveries[i].prior =
            f->even_prior || !(sum > 0) ? 1 / (double)f->step.count : f->room.deliveries[i].prior / sum;
}

static gbv_status take_deliveries(folding *f, gbv_error *error)
{
    const gbv_update_options *o = f->request->options;
    gbv_status status = GBV_OK;
    f->known_before = f->state.names.count;
    for (size_t i = 0; i < f->result->source_count && status == GBV_OK; i++)
        status = take_delivery(f, i, error);
    if (status != GBV_OK)
        return status;
    if (f->step.count == 0)
        return error_set(error, GBV_UNDEFINED, "no source of batch '%.200s' has a score: there is nothing to fold in",
                         o->batch);
    scale_priors(f);
    for (size_t i = 0; i < o->leaver_count; i++)
        f->room.leavers[i] = text_table_find(&f->state.names, o->leavers[i], strlen(o->leavers[i]));
    f->settings.sources = f->state.names.count;
    f->settings.about.present = f->step.count;
    f->settings.about.alarm_threshold = drift_threshold(f->settings.about.alarm_batches * (double)f->step.count);
    f->step = (ledger_step){.leavers = f->room.leavers,
                            .leaver_count = o->leaver_count,
                            .deliveries = f->room.deliveries,
                            .scores = f->room.scores,
                            .deviations = f->room.deviations,
                            .count = f->step.count,
                            .tau = f->settings.about.tau,
                            .forgetting = f->settings.about.forgetting,
                            .alarm_threshold = f->settings.about.alarm_threshold};
    return GBV_OK;
}

static gbv_status report_outcome(const folding *f, step_outcome outcome, gbv_error *error)
{
    switch (outcome) {
    case STEP_DONE:
        return GBV_OK;
    case STEP_LEAVER_HAS_ALL:
        return error_set(error, GBV_FAILED,
                         "%s: a source that is said to leave has all the weight, and nobody is left to take it: let it "
                         "leave in a batch after one in which others score",
                         f->ledger->path);
    case STEP_NO_WEIGHT:
        return error_set(error, GBV_UNDEFINED,
                         "no source of batch '%.200s' that has any weight has a score above minus infinity: there is "
                         "nothing to fold in",
                         f->request->options->batch);
    default:
        return out_of_memory(error);
    }
}

/* Worlds go on where the batches before had as many, and this one too. */
static gbv_status fold_worlds(folding *f, gbv_error *error)
{
    const gbv_certainty *c = &f->result->certainty;
    size_t room = f->result->source_count - (f->state.names.count - f->known_before), count = c->resample_count;
    bool resampled = c->resamples && count > 0, warned = true;
    gbv_status status = GBV_OK;
    if (f->state.last) {
        bool had = f->state.settings.worlds > 0;
        status = state_worlds(f->ledger, &f->state, room, &f->worlds, error);
        if (status != GBV_OK)
            return status;
        const char *why = !resampled   ? had ? "this batch comes without resampled scores" : NULL
                          : !had       ? "batches before came without resampled scores"
                          : !f->worlds ? "those of the batches that were undone are not kept"
                          : f->state.settings.worlds != count
                              ? "the batch before had another number of resampled scores"
                              : NULL;
        bool already = !had && f->state.settings.about.replicates; /* it was said then */
        if (why) {
            warned = already ||
                     settings_warn(&f->settings, "the accumulated weights have no intervals from here on: %s", why);
            free(f->worlds);
            f->worlds = NULL;
            return warned ? GBV_OK : out_of_memory(error);
        }
    } else if (resampled) {
        size_t numbers;
        if (__builtin_mul_overflow(f->state.names.count + room, count, &numbers) ||
            !(f->worlds = memory_array(numbers, sizeof *f->worlds)))
            return out_of_memory(error);
        for (size_t i = 0; i < numbers; i++)
            f->worlds[i] = -INFINITY;
    }
    if (!f->worlds || !resampled)
        return GBV_OK;
    for (size_t i = 0; i < f->step.count; i++)
        f->resamples[i] = c->resamples + f->given[i] * count;
    f->settings.worlds = count;
    return report_outcome(
        f, step_worlds(&f->step, f->before, f->state.names.count, f->resamples, count, f->worlds, f->threads), error);
}

static gbv_status fold(folding *f, gbv_error *error)
{
    size_t count = f->state.names.count;
    memcpy(f->before, f->state.sources, count * sizeof *f->before);
    gbv_status status = report_outcome(f, step_weigh(&f->step, f->room.scores, f->state.sources, count), error);
    if (status == GBV_OK)
        status = report_outcome(f, step_weigh_alone(&f->step, f->room.batch_posterior), error);
    if (status == GBV_OK)
        status = report_outcome(f, step_judge_drift(&f->step, f->state.drift, f->room.findings), error);
    return status == GBV_OK ? fold_worlds(f, error) : status;
}

/* Of the sample that the source delivered: its file, or that of its annotations. */
static void hash_of_sample(const gbv_result *result, const gbv_source_result *s, ledger_point *point)
{
    size_t input = s->input;
    while (input < result->input_count && result->inputs[input].role &&
           strcmp(result->inputs[input].role, "items") == 0)
        input++;
    point->hashed = input < result->input_count && digest_read(result->inputs[input].sha256, point->sha256);
}

/* A source's interval is known as long as every score of it had one. */
static void fill_points(folding *f)
{
    for (size_t s = 0; s < f->state.names.count; s++)
        if (f->state.sources[s].in) {
            f->point_of[s] = f->point_count;
            f->points[f->point_count++] = (ledger_point){.source = s + 1,
                                                         .score = NAN,
                                                         .deviation = NAN,
                                                         .batch_prior = NAN,
                                                         .batch_posterior = NAN,
                                                         .prior = f->state.sources[s].prior,
                                                         .log_weight = f->state.sources[s].log_weight,
                                                         .low = NAN,
                                                         .high = NAN,
                                                         .z = NAN,
                                                         .cusum = NAN};
        }
    for (size_t i = 0; i < f->step.count; i++) {
        const gbv_source_result *s = &f->result->sources[f->given[i]];
        size_t index = f->room.deliveries[i].source;
        ledger_point *point = &f->points[f->point_of[index]];
        point->rows = s->rows;
        point->score = f->room.scores[i];
        point->deviation = f->room.deviations[i];
        point->batch_prior = f->even_prior ? NAN : f->room.deliveries[i].prior;
        point->batch_posterior = f->room.batch_posterior[i];
        point->z = f->room.findings[i].z;
        point->cusum = f->room.findings[i].cusum;
        point->alarm = f->room.findings[i].alarm;
        hash_of_sample(f->result, s, point);
        f->state.known[index] =
            (f->state.known[index] || !f->before[index].in) && (!isnan(point->deviation) || !isfinite(point->score));
    }
}

/* A quantile of weights, from their logarithms, which are in the same order. */
static double weight_at(double *log_weights, size_t count, double share)
{
    quantile_place q = quantile_find(log_weights, count, share);
    return exp(q.below) + q.part * (exp(q.above) - exp(q.below));
}

static gbv_status fill_intervals(folding *f, gbv_error *error)
{
    size_t count = f->settings.worlds, workers = plan_workers(f->threads, f->point_count);
    double *values = memory_array(count, workers * sizeof *values);
    if (!values)
        return out_of_memory(error);
#pragma omp parallel for num_threads((int)workers) if (workers > 1 && count)
    for (size_t p = 0; p < f->point_count; p++) {
        ledger_point *point = &f->points[p];
        double *own = values + (workers > 1 && count ? (size_t)omp_get_thread_num() : 0) * count;
        if (!count || !f->state.known[point->source - 1])
            continue;
        for (size_t r = 0; r < count; r++)
            own[r] = f->worlds[(point->source - 1) * count + r];
        point->low = weight_at(own, count, (1 - LEVEL) / 2);
        point->high = weight_at(own, count, (1 + LEVEL) / 2);
    }
    free(values);
    return GBV_OK;
}

/* How often the reference has served so far. */
static gbv_status count_uses(folding *f, const unsigned char *reference, size_t *uses, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    ledger_settings settings = {0};
    bool row = false;
    *uses = 0;
    gbv_status status = ledger_prepare(
        f->ledger, "SELECT settings FROM record WHERE reference = ? AND " STANDING " ORDER BY number DESC LIMIT 1",
        &statement, error);
    if (status == GBV_OK) {
        sqlite3_bind_blob(statement, 1, reference, DIGEST, SQLITE_STATIC);
        status = ledger_next(f->ledger, statement, &row, error);
    }
    if (row) {
        const char *line = (const char *)sqlite3_column_text(statement, 0);
        status = line ? settings_read(f->ledger, line, &settings, error) : out_of_memory(error);
        *uses = settings.about.reference_batches;
    }
    settings_free(&settings);
    sqlite3_finalize(statement);
    return status;
}

static gbv_status warn(folding *f, gbv_error *error)
{
    gbv_history_batch *b = &f->settings.about;
    size_t in = 0;
    bool ok = true;
    for (size_t s = 0; s < f->state.names.count; s++)
        in += f->state.sources[s].in;
    b->effective_sources = state_effective_sources(&f->state);
    if (b->reference_batches > REFERENCE_USES)
        ok = settings_warn(&f->settings,
                           "this reference has scored %zu batches: what sources are chosen by it fits it ever better; "
                           "take another one (--allow-change reference)",
                           b->reference_batches);
    if (b->forgetting == 1 && in > 1 && b->effective_sources < COLLAPSED)
        ok = ok &&
             settings_warn(&f->settings,
                           "the accumulated weights amount to %.3g sources: nothing is ever forgotten, so that one "
                           "that changes could not catch up for long; --forgetting 0.9 has a memory of ten batches "
                           "(--allow-change forgetting)",
                           b->effective_sources);
    return ok ? GBV_OK : out_of_memory(error);
}

static gbv_status insert_sources(folding *f, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    gbv_status status = ledger_prepare(f->ledger, "INSERT INTO source VALUES (?, ?)", &statement, error);
    for (size_t s = f->known_before; s < f->state.names.count && status == GBV_OK; s++) {
        sqlite3_bind_int64(statement, 1, (int64_t)s + 1);
        sqlite3_bind_text(statement, 2, f->state.names.texts[s], -1, SQLITE_STATIC);
        status = ledger_run(f->ledger, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

static gbv_status forget_worlds(folding *f, int64_t record, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    gbv_status status = ledger_prepare(f->ledger, "DELETE FROM worlds WHERE record NOT IN (?, ?)", &statement, error);
    if (status == GBV_OK) {
        sqlite3_bind_int64(statement, 1, f->state.last);
        sqlite3_bind_int64(statement, 2, record);
        status = ledger_run(f->ledger, statement, error);
    }
    sqlite3_finalize(statement);
    return status;
}

/* Those of the batch before stay, so that this one can be undone. Older ones go afterwards: pages that become free and
 * are used again in the same transaction would all go through the journal. */
static gbv_status insert_worlds(folding *f, int64_t record, gbv_error *error)
{
    sqlite3_stmt *statement = NULL;
    gbv_status status = GBV_OK;
    if (f->settings.worlds)
        status = ledger_prepare(f->ledger, "INSERT INTO worlds VALUES (?, ?, ?)", &statement, error);
    if (status == GBV_OK && f->settings.worlds) {
        sqlite3_bind_int64(statement, 1, record);
        sqlite3_bind_int64(statement, 2, (int64_t)f->settings.worlds);
        int bound = sqlite3_bind_blob64(statement, 3, f->worlds,
                                        f->state.names.count * f->settings.worlds * sizeof *f->worlds, SQLITE_STATIC);
        status = bound == SQLITE_OK ? ledger_run(f->ledger, statement, error) : ledger_failure(f->ledger, bound, error);
    }
    sqlite3_finalize(statement);
    return status == GBV_OK ? forget_worlds(f, record, error) : status;
}

static gbv_status write_batch(folding *f, gbv_error *error)
{
    const gbv_update_options *o = f->request->options;
    unsigned char reference[DIGEST];
    ledger_record record = {.number = f->state.records + 1, .name = o->batch, .time = o->time ? o->time : time(NULL)};
    gbv_status status = GBV_OK;
    if (digest_read(f->settings.about.reference_sha256, reference)) {
        record.reference = reference;
        status = count_uses(f, reference, &f->settings.about.reference_batches, error);
        f->settings.about.reference_batches++;
    }
    if (status == GBV_OK)
        status = rules_warn_of_repeats(f->ledger, &f->state, f->points, f->point_count, &f->settings, error);
    if (status == GBV_OK)
        status = warn(f, error);
    if (status == GBV_OK && f->settings.worlds &&
        !hash_sha256(f->worlds, f->state.names.count * f->settings.worlds * sizeof *f->worlds,
                     f->settings.worlds_sha256))
        status = error_set(error, GBV_FAILED, "the hash of the resampled weights could not be made");
    char *settings = status == GBV_OK ? settings_write(&f->settings) : NULL;
    if (status == GBV_OK && !settings)
        status = out_of_memory(error);
    record.settings = settings;
    if (status == GBV_OK)
        status = insert_sources(f, error);
    if (status == GBV_OK)
        status =
            record_insert(f->ledger, &record, f->points, f->point_count, f->state.names.texts, f->state.head, error);
    if (status == GBV_OK)
        status = state_write_drift(f->ledger, f->state.drift, f->state.names.count, error);
    if (status == GBV_OK)
        status = insert_worlds(f, record.number, error);
    free(settings);
    return status;
}

static gbv_status check_names(folding *f, gbv_error *error)
{
    const gbv_result *r = f->result;
    const char **names = memory_array(r->source_count, sizeof *names);
    if (!names)
        return out_of_memory(error);
    for (size_t i = 0; i < r->source_count; i++)
        names[i] = r->sources[i].name;
    gbv_status status = rules_check_names(f->ledger, &f->state, f->request->options, names, r->source_count, error);
    free(names);
    return status;
}

gbv_status ledger_add(gbv_ledger *ledger, const gbv_result *result, const ledger_request *request, size_t threads,
                      gbv_error *error)
{
    folding f = {.ledger = ledger, .result = result, .request = request};
    gbv_status status = ledger_begin(ledger, error);
    if (status != GBV_OK)
        return status;
    plan p = plan_begin(threads);
    f.threads = result->certainty.resample_count > WORTH_THREADS / (result->source_count + 1) ? p.threads : 1;
    status = state_load(ledger, result->source_count, &f.state, error);
    if (status == GBV_OK && request->head && memcmp(request->head, f.state.head, DIGEST) != 0)
        status = error_set(error, GBV_FAILED, "%s: another update came first; nothing was changed: run it again",
                           ledger->path);
    if (status == GBV_OK)
        status = check_names(&f, error);
    if (status == GBV_OK)
        status = rules_settle(ledger, &f.state, request, result, true, &f.settings, error);
    if (status == GBV_OK)
        status = make_room(&f, error);
    if (status == GBV_OK)
        status = take_deliveries(&f, error);
    if (status == GBV_OK)
        status = fold(&f, error);
    if (status == GBV_OK) {
        fill_points(&f);
        status = fill_intervals(&f, error);
    }
    if (status == GBV_OK)
        status = write_batch(&f, error);
    folding_free(&f);
    plan_end(p);
    if (status == GBV_OK)
        return ledger_commit(ledger, error);
    ledger_rollback(ledger);
    return status;
}

gbv_status gbv_ledger_add(gbv_ledger *ledger, const gbv_result *result, const gbv_update_options *options,
                          gbv_error *error)
{
    gbv_status status = rules_check_options(options, result->tau_mode, error);
    if (status == GBV_OK)
        status = ledger_check_writable(ledger, error);
    ledger_request request = {.options = options, .tau_mode = result->tau_mode, .tau = result->tau};
    return status == GBV_OK ? ledger_add(ledger, result, &request, 0, error) : status;
}
