/* score.c - the one loop over sources: fit m_s (phi), read it out on the target set (varphi), score it by every measure
 * (T). */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "measure/measure.h"
#include "value/flags.h"
#include "value/valuation.h"

static double standard_error_of_mean(const double *terms, size_t count)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        mean += terms[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (terms[i] - mean) * (terms[i] - mean);
    return count > 1 ? sqrt(squares / (double)(count - 1) / (double)count) : NAN;
}

/* All that any measure may be given of one source. */
typedef struct pieces {
    gbv_measure_input shared; /* labels, probabilities and what their columns are */
    gbv_matrix features;      /* of the model, when a measure wants them */
    gbv_matrix own_outputs;   /* the model's probabilities of the source's own rows, when a measure wants them */
} pieces;

static bool any_measure(const valuation *v, unsigned needs, bool reads_outputs)
{
    for (size_t i = 0; i < v->measure_count; i++)
        if (v->measures[i].info->needs & needs && v->measures[i].reads_outputs == reads_outputs)
            return true;
    return false;
}

static gbv_measure_input shared_input(const valuation *v, gbv_matrix probabilities, const int32_t *column_class)
{
    return (gbv_measure_input){.rows = probabilities.rows,
                               .labels = v->reference->labels,
                               .class_count = v->classes.reference_count,
                               .probabilities = probabilities,
                               .column_class = column_class,
                               .threads = v->given.model->threads,
                               .fast = v->options->fast};
}

static gbv_status read_out(const valuation *v, const gbv_model *model, size_t index, const sample *target,
                           arena *scratch, pieces *out, gbv_error *error)
{
    size_t features = model_feature_count(model), outputs = model->outputs;
    bool wants_features = any_measure(v, GBV_NEEDS_FEATURES, false);
    readout on_target = {.probabilities = arena_array(scratch, target->rows, outputs * sizeof(double))};
    if (wants_features)
        on_target.features = arena_array(scratch, target->rows, features * sizeof(double));
    int32_t *column_class = arena_array(scratch, outputs, sizeof *column_class);
    if (!on_target.probabilities || (wants_features && !on_target.features) || !column_class)
        return error_out_of_memory(error, "the readout of a model");
    gbv_status status = model_read_out(model, target, &on_target, scratch, error);
    if (status != GBV_OK)
        return status;
    for (size_t z = 0; z < outputs; z++)
        column_class[z] = (size_t)model->classes[z] < v->classes.reference_count ? model->classes[z] : -1;
    out->shared = shared_input(v, gbv_matrix_f64(on_target.probabilities, target->rows, outputs), column_class);
    if (wants_features)
        out->features = gbv_matrix_f64(on_target.features, target->rows, features);
    if (any_measure(v, GBV_NEEDS_SOURCE_FEATURES, true)) {
        sample_part part;
        sample rows = problem_source_sample(&v->given, index, &part);
        readout own = {.probabilities = arena_array(scratch, rows.rows, outputs * sizeof(double))};
        if (!own.probabilities)
            return error_out_of_memory(error, "the readout of a source");
        if ((status = model_read_out(model, &rows, &own, scratch, error)) != GBV_OK)
            return status;
        out->own_outputs = gbv_matrix_f64(own.probabilities, rows.rows, outputs);
    }
    return GBV_OK;
}

/* The readout of a model that was fitted elsewhere; rows that the reference skips are skipped. */
static gbv_status take_probabilities(const valuation *v, const source *s, arena *scratch, pieces *out, gbv_error *error)
{
    const gbv_matrix *given = &s->dataset->features;
    size_t rows = v->reference->row_count, columns = given->columns;
    sample_part part = {.features = *given, .rows = v->reference->row_index, .count = rows};
    sample used = {.parts = &part, .part_count = 1, .rows = rows, .columns = columns};
    double *values = arena_array(scratch, rows, columns * sizeof *values);
    int32_t *column_class = arena_array(scratch, columns, sizeof *column_class);
    if (!values || !column_class)
        return error_out_of_memory(error, "the probabilities of a source");
    for (size_t z = 0; z < columns; z++)
        column_class[z] = source_column_class(s, &v->classes, z);
    out->shared =
        shared_input(v, gbv_matrix_f64(sample_block_f64(&used, 0, rows, values), rows, columns), column_class);
    return GBV_OK;
}

/* How often m_s says what the reference says, where any of its classes is the reference's. */
static gbv_status judge_agreement(const pieces *p, gbv_source_result *out, gbv_error *error)
{
    out->agreement = NAN;
    for (size_t z = 0; z < p->shared.probabilities.columns; z++)
        if (p->shared.column_class[z] >= 0) {
            gbv_status status = gbv_measure("accuracy", NULL, &p->shared, &out->agreement, NULL, error);
            return status == GBV_OK ? flag_chance(out, &p->shared, error) : status;
        }
    return GBV_OK;
}

/* `terms` holds a number per reference row. */
static gbv_status score_by(const valuation *v, size_t m, size_t index, const pieces *p, double *terms, gbv_score *out,
                           gbv_error *error)
{
    const scoring *by = &v->measures[m];
    gbv_measure_input input = p->shared;
    gbv_error own;
    input.features = by->reads_outputs ? input.probabilities : p->features;
    input.source_features = p->own_outputs;
    double *parts = by->parts + index * by->part_count;
    gbv_status status = scoring_check(v, by, index, &own);
    if (status == GBV_OK)
        status = measure_parts(by->info->name, scoring_variant(by), &input, parts, terms, &own);
    out->standard_error = status == GBV_OK ? standard_error_of_mean(terms, input.rows) : NAN;
    if (status == GBV_OK)
        return GBV_OK;
    for (size_t i = 0; i < by->part_count; i++)
        parts[i] = NAN;
    /* Only the first measure can stop the run by what a source is. */
    bool undefined = status == GBV_UNDEFINED || (m > 0 && (status == GBV_USAGE || status == GBV_BAD_INPUT));
    if (undefined && !(out->reason = strdup(own.message)))
        return error_out_of_memory(error, "the result");
    if (undefined && (m > 0 || v->options->undefined_as_zero))
        return GBV_OK;
    *error = own;
    return status;
}

static gbv_status score_source(const valuation *v, size_t index, arena *scratch, gbv_result *result, gbv_error *error)
{
    gbv_model *model = NULL;
    pieces p = {0};
    const source *s = &v->sources->items[index];
    gbv_source_result *out = &result->sources[index];
    const sample *target = v->problem->varphi(&v->given, index);
    gbv_status status = GBV_OK;
    if (s->probabilities)
        status = take_probabilities(v, s, scratch, &p, error);
    else if ((status = v->problem->phi(&v->given, index, scratch, &model, error)) == GBV_OK)
        status = read_out(v, model, index, target, scratch, &p, error);
    double *terms = status == GBV_OK ? arena_array(scratch, p.shared.rows, sizeof *terms) : NULL;
    if (status == GBV_OK && !terms)
        status = error_out_of_memory(error, "the scores of reference rows");
    if (status == GBV_OK)
        status = judge_agreement(&p, out, error);
    for (size_t m = 0; m < v->measure_count && status == GBV_OK; m++)
        status = score_by(v, m, index, &p, terms, &result->measures[m].scores[index], error);
    const char *reason = result->measures[0].scores[index].reason;
    if (status == GBV_OK && reason &&
        !flag_add(out, FLAG_UNDEFINED, "source '%s' has no score and gets no weight: %s", out->name, reason))
        status = error_out_of_memory(error, "the result");
    gbv_model_free(model);
    return status;
}

/* Asks the caller whether to go on: after each source, and from inside a fit, which may take long. */
typedef struct watch {
    const gbv_model_options *asked;
    atomic_size_t done;
    atomic_bool stop;
    size_t total;
} watch;

static bool keep_watch(void *context, const char *stage, size_t done, size_t total)
{
    (void)stage, (void)done, (void)total;
    watch *w = context;
    if (w->stop || !w->asked->progress)
        return w->stop;
#pragma omp critical(gbv_value_watch)
    if (w->asked->progress(w->asked->context, "sources", w->done, w->total))
        w->stop = true;
    return w->stop;
}

/* Sources are scored side by side. Each worker has its own memory and error; the failure of the lowest-numbered source
 * is the one reported, so that the message does not depend on who was faster. */
static gbv_status score_all(valuation *v, gbv_result *result, gbv_error *error)
{
    size_t count = v->sources->count, failed_index = SIZE_MAX;
    gbv_status failed = GBV_OK;
    watch w = {.asked = &v->options->model, .total = count};
    /* One source alone may use all threads itself. */
    gbv_model_options model = v->options->model;
    int workers = (int)plan_workers(v->threads, count);
    model.threads = workers > 1 ? 1 : v->threads;
    model.progress = keep_watch;
    model.context = &w;
    v->given.model = &model;
#pragma omp parallel num_threads(workers)
    {
        arena scratch = {0};
        gbv_error own;
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < count; i++) {
            if (w.stop)
                continue;
            arena_reset(&scratch);
            gbv_status status = score_source(v, i, &scratch, result, &own);
            w.done++;
#pragma omp critical(gbv_value_report)
            if (status != GBV_OK && i < failed_index) {
                failed_index = i;
                failed = error_prefix(&own, status, "source '%s': ", result->sources[i].name);
                if (error)
                    *error = own;
            }
            keep_watch(&w, NULL, 0, 0);
        }
        arena_free(&scratch);
    }
    v->given.model = NULL;
    if (w.stop)
        failed = error_set(error, GBV_INTERRUPTED, "interrupted after %zu of %zu sources", w.done, count);
    return failed;
}

/* The scores of a joint measure exist only now that every source has given its parts. */
static gbv_status combine(const scoring *m, gbv_measure_result *out, size_t count, gbv_error *error)
{
    double *scores = memory_array(count, sizeof *scores);
    if (!scores)
        return error_out_of_memory(error, "the scores");
    gbv_status status = measure_combine(m->info->name, scoring_variant(m), m->parts, count, scores, error);
    for (size_t i = 0; i < count && status == GBV_OK; i++) {
        out->scores[i].score = scores[i];
        out->scores[i].score_status = isnan(scores[i])         ? GBV_SCORE_UNDEFINED
                                      : scores[i] == -INFINITY ? GBV_SCORE_MINUS_INFINITY
                                                               : GBV_SCORE_OK;
    }
    free(scores);
    return status;
}

gbv_status score_sources(valuation *v, gbv_result *result, gbv_error *error)
{
    gbv_status status = score_all(v, result, error);
    for (size_t m = 0; m < v->measure_count && status == GBV_OK; m++)
        status = combine(&v->measures[m], &result->measures[m], result->source_count, error);
    return status;
}
