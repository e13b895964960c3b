/* score.c - the one loop over sources: fit m_s (phi), read it out on the target set (varphi), score it in every way
 * (T); then the methods that look at the data themselves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "measure/measure.h"
#include "value/backbone.h"
#include "value/confusion.h"
#include "value/method/pool.h"
#include "value/pieces.h"
#include "value/shared_rows.h"
#include "value/source_model.h"
#include "value/valuation.h"
#include "value/watch.h"

/* Memory of one worker: that of a fit, and that of one readout. */
typedef struct worker {
    arena fitting, reading;
    double *terms; /* a number per row of the largest target */
    watch *watch;
    double model_seconds, *seconds;
    size_t models_trained, models_found, models_lost; /* found in the cache; trained, but not kept there */
} worker;

static double standard_error_of_mean(const double *terms, size_t count)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        mean += terms[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (terms[i] - mean) * (terms[i] - mean);
    return count > 1 ? sqrt(squares / (double)(count - 1) / (double)count) : NAN;
}

/* A draw on which the measure has no value is undefined, which stops nothing. */
static gbv_status pass_over(const scoring *by, gbv_status status, double *parts)
{
    if (status != GBV_UNDEFINED && status != GBV_BAD_INPUT)
        return status;
    for (size_t i = 0; i < by->part_count; i++)
        parts[i] = NAN;
    return GBV_OK;
}

/* The draws that need no other model: on folds and on resampled rows. */
static gbv_status score_resampled(const scoring *by, const target *t, const gbv_model_options *model,
                                  const gbv_measure_input *input, double *parts, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t f = 0; f < by->draws.folds && status == GBV_OK; f++) {
        double *of_fold = parts + (draws_folds(&by->draws) + f) * by->part_count;
        status =
            measure_rows(by->info->name, scoring_variant(by), input, t->fold_rows[f], t->fold_count[f], of_fold, error);
        status = pass_over(by, status, of_fold);
    }
    if (status == GBV_OK && by->draws.replicates)
        status = measure_replicates(by->info->name, scoring_variant(by), input, &t->resampled, model->progress,
                                    model->context, parts + draws_replicates(&by->draws) * by->part_count, error);
    return status;
}

static gbv_status score_by(const valuation *v, size_t m, size_t index, size_t target_index, const pieces *p, worker *w,
                           gbv_score *out, gbv_error *error)
{
    const scoring *by = &v->scorings[m];
    const target *t = &v->targets[target_index];
    gbv_measure_input input = pieces_input(p, by);
    gbv_error own;
    double *parts = scoring_parts(v, by, index, target_index), begun = clock_seconds();
    gbv_status status = scoring_check(v, by, &own);
    if (status == GBV_OK)
        status = scoring_check_source(v, by, index, &own);
    if (status == GBV_OK)
        status = measure_parts(by->info->name, scoring_variant(by), &input, parts, w->terms, &own);
    if (status == GBV_OK && !valuation_is_crowd(v))
        out->standard_error = standard_error_of_mean(w->terms, input.rows);
    if (status == GBV_OK)
        status = score_resampled(by, t, v->given.model, &input, parts, &own);
    w->seconds[m] += clock_seconds() - begun;
    if (status == GBV_OK)
        return GBV_OK;
    for (size_t i = 0; i < by->draws.count * by->part_count; i++)
        parts[i] = NAN;
    /* Only the first way of scoring can stop the run by what a source is. Judged by others, a source may do without
     * some of them. */
    bool undefined = status == GBV_UNDEFINED || (m > 0 && (status == GBV_USAGE || status == GBV_BAD_INPUT));
    if (undefined && !out->reason && !(out->reason = strdup(own.message)))
        return error_out_of_memory(error, "the result");
    if (undefined && (m > 0 || v->options->undefined_as_zero || valuation_is_crowd(v)))
        return GBV_OK;
    *error = own;
    return status;
}

static gbv_status score_model(const valuation *v, const gbv_model *model, size_t index, worker *w, gbv_result *result,
                              gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t t = 0; t < v->target_count && status == GBV_OK; t++) {
        pieces p;
        if (v->targets[t].source == index)
            continue;
        arena_reset(&w->reading);
        status = pieces_read(v, v->scoring_count, model, index, &v->targets[t], &w->reading, &p, error);
        if (status == GBV_OK && v->reference && v->targets[t].labels)
            status = confusion_judge(&result->sources[index], &p.shared, v->source_count, error);
        for (size_t m = 0; m < v->scoring_count && status == GBV_OK; m++)
            if (v->scorings[m].info)
                status = score_by(v, m, index, t, &p, w, &result->measures[m].scores[index], error);
    }
    return status;
}

static gbv_status fit_model(const valuation *v, size_t index, const refit *how, worker *w, gbv_model **model,
                            gbv_error *error)
{
    double begun = clock_seconds();
    model_origin origin;
    arena_reset(&w->fitting);
    gbv_status status = source_model(v, index, how, &w->fitting, model, &origin, error);
    w->model_seconds += clock_seconds() - begun;
    if (status == GBV_OK) {
        ++*(origin == MODEL_FOUND ? &w->models_found : &w->models_trained);
        w->models_lost += origin == MODEL_NOT_KEPT;
    }
    return status;
}

/* Models of resampled rows of the source, on all rows of the targets, by the first way of scoring. */
static gbv_status score_refits(const valuation *v, const gbv_model *first, size_t index, worker *w, gbv_error *error)
{
    const scoring *by = &v->scorings[0];
    fit_shape shape = {0};
    refit how = {.start = first, .shape = &shape, .rough = true};
    gbv_status status = GBV_OK;
    for (size_t r = 0; r < by->draws.refits && status == GBV_OK; r++) {
        gbv_model *model = NULL;
        how.draw = (uint32_t)r + 1;
        status = fit_model(v, index, &how, w, &model, error);
        for (size_t t = 0; t < v->target_count && status == GBV_OK; t++) {
            pieces p;
            double *parts = scoring_parts(v, by, index, t) + (draws_refits(&by->draws) + r) * by->part_count;
            if (v->targets[t].source == index)
                continue;
            arena_reset(&w->reading);
            if ((status = pieces_read(v, 1, model, index, &v->targets[t], &w->reading, &p, error)) != GBV_OK)
                break;
            gbv_measure_input input = pieces_input(&p, by);
            double begun = clock_seconds();
            status = measure_parts(by->info->name, scoring_variant(by), &input, parts, w->terms, error);
            status = pass_over(by, status, parts);
            w->seconds[0] += clock_seconds() - begun;
        }
        gbv_model_free(model);
        watch_count(w->watch);
    }
    fit_shape_free(&shape);
    return status;
}

static gbv_status score_source(const valuation *v, size_t index, worker *w, gbv_result *result, gbv_error *error)
{
    gbv_model *model = NULL;
    bool fitted = !v->sources->items[index].probabilities;
    gbv_status status = fitted ? fit_model(v, index, &(refit){0}, w, &model, error) : GBV_OK;
    if (status == GBV_OK)
        status = score_model(v, model, index, w, result, error);
    watch_count(w->watch);
    if (status == GBV_OK && fitted && v->scorings[0].info)
        status = score_refits(v, model, index, w, error);
    arena_reset(&w->fitting);
    if (status == GBV_OK)
        status = shared_rows_hash(v, index, &w->fitting, error);
    if (v->models)
        v->models[index] = model;
    else
        gbv_model_free(model);
    return status;
}

static bool worker_open(worker *w, const valuation *v, watch *seen)
{
    size_t most = 0;
    for (size_t t = 0; t < v->target_count; t++)
        most = v->targets[t].rows.rows > most ? v->targets[t].rows.rows : most;
    *w = (worker){.terms = memory_array(most, sizeof *w->terms),
                  .watch = seen,
                  .seconds = memory_zeroed(v->scoring_count, sizeof *w->seconds)};
    return w->terms && w->seconds;
}

/* What it measured is added up; the order may differ from run to run, and so may the seconds. */
static void worker_close(worker *w, valuation *v)
{
#pragma omp critical(gbv_value_report)
    {
        size_t bytes = arena_bytes(&w->fitting) + arena_bytes(&w->reading);
        v->worker_bytes = bytes > v->worker_bytes ? bytes : v->worker_bytes;
        v->model_seconds += w->model_seconds;
        v->models_trained += w->models_trained;
        v->models_found += w->models_found;
        v->models_lost += w->models_lost;
        for (size_t m = 0; w->seconds && m < v->scoring_count; m++)
            v->scorings[m].seconds += w->seconds[m];
    }
    arena_free(&w->fitting);
    arena_free(&w->reading);
    free(w->terms);
    free(w->seconds);
}

/* A source that is given as probabilities counts as one fit, too. */
static size_t fits_of(const valuation *v, size_t index)
{
    bool refitted = !v->sources->items[index].probabilities && v->scorings[0].info;
    return 1 + (refitted ? v->scorings[0].draws.refits : 0);
}

/* Sources are scored side by side. Each worker has its own memory and error; the failure of the lowest-numbered source
 * is the one reported, so that the message does not depend on who was faster. */
gbv_status score_models(valuation *v, gbv_result *result, gbv_error *error)
{
    size_t count = v->source_count, failed_index = SIZE_MAX;
    gbv_status failed = GBV_OK;
    size_t mine = 0;
    watch seen = {.asked = &v->options->model, .stage = "models"}; /* its pieces are fits */
    atomic_size_t scored = 0;
    for (size_t i = 0; i < count; i++)
        if (valuation_owns(v, i)) {
            seen.total += fits_of(v, i);
            mine++;
        }
    /* One source alone may use all threads itself. */
    gbv_model_options model = v->options->model;
    int workers = (int)plan_fits(v->threads, model.threads_per_model, mine);
    model.threads = workers > 1 ? 1 : v->threads;
    watch_over(&model, &seen);
    v->given.model = &model;
#pragma omp parallel num_threads(workers)
    {
        worker w;
        gbv_error own;
        bool open = worker_open(&w, v, &seen);
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < count; i++) {
            if (seen.stop || !valuation_owns(v, i))
                continue;
            gbv_status status = open ? score_source(v, i, &w, result, &own) : error_out_of_memory(&own, "the scores");
            scored++;
#pragma omp critical(gbv_value_report)
            if (status != GBV_OK && i < failed_index) {
                failed_index = i;
                failed = error_prefix(&own, status, "source '%s': ", result->sources[i].name);
                if (error)
                    *error = own;
            }
        }
        worker_close(&w, v);
    }
    v->given.model = NULL;
    if (seen.stop)
        failed = error_set(error, GBV_INTERRUPTED, "interrupted after %zu of %zu sources", scored, mine);
    return failed;
}

/* A method that looks at the data scores all sources at once. Only the first can stop the run. */
static gbv_status score_data(valuation *v, size_t m, gbv_result *result, gbv_error *error)
{
    scoring *by = &v->scorings[m];
    double begun = clock_seconds();
    gbv_error own;
    gbv_status status = scoring_check(v, by, &own);
    for (size_t i = 0; i < v->source_count && status == GBV_OK; i++)
        status = scoring_check_source(v, by, i, &own);
    if (status == GBV_OK && by->method->needs & METHOD_NEEDS_ROWS && !v->pool)
        status = pool_create(v, &v->pool, &own);
    if (status == GBV_OK)
        status = by->method->score(v, by, &own);
    by->seconds += clock_seconds() - begun;
    bool passed_over = m > 0 && (status == GBV_UNDEFINED || status == GBV_USAGE || status == GBV_BAD_INPUT);
    if (status != GBV_OK && !passed_over && error)
        *error = own;
    for (size_t i = 0; i < v->source_count && passed_over; i++)
        if (!(result->measures[m].scores[i].reason = strdup(own.message)))
            return error_out_of_memory(error, "the result");
    return passed_over ? GBV_OK : status;
}

static bool wants_backbone(const valuation *v)
{
    bool wanted = false;
    for (size_t m = 0; m < v->scoring_count; m++)
        wanted |= v->scorings[m].info ? v->scorings[m].features == FEATURES_OF_BACKBONE
                                      : (v->scorings[m].method->needs & METHOD_NEEDS_ROWS) != 0;
    for (size_t i = 0; i < v->source_count; i++) /* which such methods pass over or refuse */
        wanted &= !v->sources->items[i].probabilities;
    return wanted && backbone_is_there(&v->options->model);
}

gbv_status score_methods(valuation *v, gbv_result *result, gbv_error *error)
{
    gbv_status status = !v->backbone && wants_backbone(v) ? backbone_create(v, &v->backbone, error) : GBV_OK;
    for (size_t m = 0; m < v->scoring_count && status == GBV_OK; m++)
        if (!v->scorings[m].info)
            status = score_data(v, m, result, error);
    return status;
}

gbv_status score_sources(valuation *v, gbv_result *result, gbv_error *error)
{
    for (size_t i = 0; i < v->source_count; i++)
        result->sources[i].agreement = NAN;
    for (size_t m = 0; m < v->scoring_count; m++)
        for (size_t i = 0; i < v->source_count; i++)
            result->measures[m].scores[i].standard_error = NAN;
    gbv_status status = wants_backbone(v) ? backbone_create(v, &v->backbone, error) : GBV_OK;
    if (status == GBV_OK)
        status = score_models(v, result, error);
    return status == GBV_OK ? score_methods(v, result, error) : status;
}
