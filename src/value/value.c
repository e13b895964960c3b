/* value.c - the one loop over sources: fit m_s (phi), read it out on the target set (varphi), score (T), weigh (P). */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "problem/problem.h"
#include "value/posterior.h"
#include "value/record.h"
#include "value/result.h"
#include "value/valuation.h"

gbv_value_options gbv_value_defaults(void)
{
    return (gbv_value_options){.measure = "leep", .model = gbv_model_defaults(), .tau = 1};
}

/* Which piece of the readout a measure is given as "features". Some compare outputs, as the authors' program does: mmd
 * those on reference and source rows, ETran in its `code` form. */
static bool measures_outputs(const valuation *v)
{
    return strcmp(v->measure->name, "mmd") == 0 ||
           (strncmp(v->measure->name, "etran", strlen("etran")) == 0 && strcmp(v->variant, "code") == 0);
}

static const char *feature_space(const valuation *v)
{
    if (measures_outputs(v) || !(v->measure->needs & GBV_NEEDS_FEATURES))
        return "probabilities of m_s";
    return model_feature_space(v->options->model.model);
}

/* D* as doubles once, because every source's model reads it. */
static gbv_status prepare_reference(valuation *v, gbv_error *error)
{
    const gbv_dataset *d = v->reference;
    size_t columns = d->features.columns;
    v->reference_rows = memory_array(d->row_count, columns * sizeof(double));
    if (!v->reference_rows)
        return error_out_of_memory(error, "the reference");
    sample_part given = {.features = d->features, .rows = d->row_index, .count = d->row_count};
    sample whole = {.parts = &given, .part_count = 1, .rows = d->row_count, .columns = columns};
    const double *block = sample_block_f64(&whole, 0, d->row_count, v->reference_rows);
    v->reference_part = (sample_part){.features = gbv_matrix_f64(block, d->row_count, columns),
                                      .labels = d->labels,
                                      .count = d->row_count,
                                      .row_weight = 1};
    v->reference_sample =
        (sample){.parts = &v->reference_part, .part_count = 1, .rows = d->row_count, .columns = columns};
    return GBV_OK;
}

static double standard_error_of_mean(const double *terms, size_t count)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        mean += terms[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (terms[i] - mean) * (terms[i] - mean);
    return count > 1 ? sqrt(squares / (double)(count - 1) / (double)count) : NAN;
}

static gbv_status read_out(const valuation *v, const gbv_model *model, size_t index, const sample *target,
                           arena *scratch, gbv_measure_input *input, gbv_error *error)
{
    size_t features = model_feature_count(model), outputs = model->outputs;
    bool outputs_only = measures_outputs(v);
    bool wants_features = (v->measure->needs & GBV_NEEDS_FEATURES) && !outputs_only;
    readout out = {.probabilities = arena_array(scratch, target->rows, outputs * sizeof(double))};
    if (wants_features)
        out.features = arena_array(scratch, target->rows, features * sizeof(double));
    int32_t *column_class = arena_array(scratch, outputs, sizeof *column_class);
    if (!out.probabilities || (wants_features && !out.features) || !column_class)
        return error_out_of_memory(error, "the readout of a model");
    gbv_status status = model_read_out(model, target, &out, scratch, error);
    if (status != GBV_OK)
        return status;
    for (size_t z = 0; z < outputs; z++)
        column_class[z] = (size_t)model->classes[z] < v->classes.reference_count ? model->classes[z] : -1;
    *input = (gbv_measure_input){.rows = target->rows,
                                 .labels = v->reference->labels,
                                 .class_count = v->classes.reference_count,
                                 .probabilities = gbv_matrix_f64(out.probabilities, target->rows, outputs),
                                 .column_class = column_class,
                                 .threads = v->given.model->threads,
                                 .fast = v->options->fast};
    if (wants_features)
        input->features = gbv_matrix_f64(out.features, target->rows, features);
    else if (outputs_only)
        input->features = input->probabilities;
    if (v->measure->needs & GBV_NEEDS_SOURCE_FEATURES) {
        sample_part part;
        sample rows = problem_source_sample(&v->given, index, &part);
        readout own = {.probabilities = arena_array(scratch, rows.rows, outputs * sizeof(double))};
        if (!own.probabilities)
            return error_out_of_memory(error, "the readout of a source");
        if ((status = model_read_out(model, &rows, &own, scratch, error)) != GBV_OK)
            return status;
        input->source_features = gbv_matrix_f64(own.probabilities, rows.rows, outputs);
    }
    return GBV_OK;
}

static gbv_status score_source(const valuation *v, size_t index, arena *scratch, gbv_source_result *out,
                               gbv_error *error)
{
    gbv_model *model = NULL;
    gbv_measure_input input;
    const sample *target = v->problem->varphi(&v->given, index);
    out->score = out->standard_error = NAN;
    gbv_status status = v->problem->phi(&v->given, index, scratch, &model, error);
    if (status == GBV_OK)
        status = read_out(v, model, index, target, scratch, &input, error);
    double *terms = status == GBV_OK ? arena_array(scratch, target->rows, sizeof *terms) : NULL;
    if (status == GBV_OK && !terms)
        status = error_out_of_memory(error, "the scores of reference rows");
    if (status == GBV_OK)
        status = gbv_measure("accuracy", NULL, &input, &out->agreement, NULL, error);
    if (status == GBV_OK)
        status = gbv_measure(v->measure->name, *v->variant ? v->variant : NULL, &input, &out->score, terms, error);
    if (status == GBV_OK) {
        out->score_status = out->score == -INFINITY ? GBV_SCORE_MINUS_INFINITY : GBV_SCORE_OK;
        out->standard_error = standard_error_of_mean(terms, target->rows);
    } else if (status == GBV_UNDEFINED) {
        out->score = NAN;
        out->score_status = GBV_SCORE_UNDEFINED;
    }
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
            gbv_status status = score_source(v, i, &scratch, &result->sources[i], &own);
            bool fatal = status != GBV_OK && !(status == GBV_UNDEFINED && v->options->undefined_as_zero);
            w.done++;
#pragma omp critical(gbv_value_report)
            if (fatal && i < failed_index) {
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

static gbv_status check_options(valuation *v, gbv_error *error)
{
    const gbv_value_options *o = v->options;
    gbv_status status = gbv_measure_choose(o->measure, o->variant, v->variant, error);
    v->measure = gbv_measure_find(o->measure);
    if (status == GBV_OK)
        status = model_options_check(&o->model, error);
    if (status != GBV_OK)
        return status;
    if (v->sources->count == 0)
        return error_set(error, GBV_USAGE, "there are no sources: give at least one with --source NAME=FILE");
    if ((status = posterior_check_tau(o->tau_mode, o->tau, error)) != GBV_OK)
        return status;
    if (o->prior_mode == GBV_PRIOR_GIVEN && !o->prior)
        return error_set(error, GBV_USAGE, "the prior is to be given, but no numbers were");
    if (!v->reference->labels)
        return error_set(error, GBV_BAD_INPUT, "%s: the reference has no labels, which scoring needs",
                         v->reference->name);
    return GBV_OK;
}

/* The class names, and what is odd about each source, before anything is trained. */
static void keep_warning(void *context, bool warning, size_t source_index, const char *sentence)
{
    gbv_result *result = context;
    if (!warning)
        return;
    if (source_index < result->source_count) {
        gbv_source_result *s = &result->sources[source_index];
        text_list_add(&s->warnings, &s->warning_count, sentence);
    } else
        text_list_add(&result->warnings, &result->warning_count, sentence);
}

static gbv_status weigh(const valuation *v, gbv_result *result, gbv_error *error)
{
    size_t count = result->source_count;
    const gbv_value_options *o = v->options;
    double *scores = memory_array(3 * count, sizeof *scores), *prior = scores + count, *posterior = prior + count;
    size_t *rows = memory_array(count, sizeof *rows);
    gbv_status status = GBV_OK;
    bool only_prior = false;
    if (!scores || !rows) {
        status = error_out_of_memory(error, "the posterior");
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        scores[i] = result->sources[i].score;
        rows[i] = result->sources[i].rows;
        prior[i] = o->prior_mode == GBV_PRIOR_GIVEN  ? o->prior[i]
                   : o->prior_mode == GBV_PRIOR_ROWS ? (double)rows[i]
                                                     : 1;
    }
    gbv_posterior_options how = {.tau_mode = o->tau_mode, .tau = o->tau, .undefined_as_zero = o->undefined_as_zero};
    if ((status = gbv_posterior(scores, prior, count, &how, posterior, &only_prior, error)) != GBV_OK)
        goto done;
    result->tau_mode = o->tau_mode;
    result->tau_inverse = posterior_inverse_tau(o->tau_mode, o->tau, count);
    result->tau = result->tau_inverse > 0 ? 1 / result->tau_inverse : INFINITY;
    double prior_sum = 0, largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, prior[i]);
    for (size_t i = 0; i < count; i++)
        prior_sum += prior[i] /= largest;
    for (size_t i = 0; i < count; i++) {
        gbv_source_result *s = &result->sources[i];
        s->prior = prior[i] / prior_sum;
        s->posterior = posterior[i];
        s->row_weight = posterior[i] / (double)s->rows;
    }
    posterior_summary summary = posterior_summarise(posterior, rows, count);
    result->entropy = summary.entropy;
    result->effective_sources = summary.effective_sources;
    result->effective_rows = summary.effective_rows;
    if (!record_ranks(result) ||
        (only_prior &&
         !result_warn(result, "no source with a positive prior has a finite score: the weights are the prior")))
        status = error_out_of_memory(error, "the result");
    if (status == GBV_OK && o->tau_curve)
        status = record_tau_curve(result, scores, prior, o->undefined_as_zero, error);
done:
    free(scores);
    free(rows);
    return status;
}

gbv_status gbv_value(const gbv_dataset *reference, const gbv_sources *sources, const gbv_value_options *options,
                     gbv_result **result, gbv_error *error)
{
    gbv_value_options defaults = gbv_value_defaults();
    valuation v = {.reference = reference, .sources = sources, .options = options ? options : &defaults};
    *result = NULL;
    gbv_result *made = NULL;
    plan p = plan_begin(v.options->model.threads);
    gbv_status status = check_options(&v, error);
    if (status != GBV_OK)
        goto done;
    status = GBV_FAILED;
    if (!(made = result_create(sources->count)) || !record_names(made, &v)) {
        error_out_of_memory(error, "the result");
        goto done;
    }
    if (sources_fit(reference, sources, &v.classes, keep_warning, made, error) > 0) {
        status = error ? error->status : GBV_BAD_INPUT;
        goto done;
    }
    if ((status = prepare_reference(&v, error)) != GBV_OK)
        goto done;
    v.problem = problem_find(sources->from_table ? "annotator" : "vendor");
    v.threads = p.threads;
    v.given = (problem_case){.reference = &v.reference_sample, .sources = sources, .classes = &v.classes};
    v.feature_space = feature_space(&v);
    status = score_all(&v, made, error);
    if (status == GBV_OK)
        status = weigh(&v, made, error);
    if (status == GBV_OK && !record_run(made, &v))
        status = error_out_of_memory(error, "the result");
done:
    plan_end(p);
    class_table_free(&v.classes);
    free(v.reference_rows);
    if (status == GBV_OK)
        *result = made;
    else
        gbv_result_free(made);
    return status;
}

gbv_status gbv_value_files(const char *reference_path, const char *const *names, const char *const *paths,
                           size_t source_count, const gbv_value_options *options, gbv_result **result, gbv_error *error)
{
    gbv_dataset *reference = NULL;
    gbv_sources *sources = gbv_sources_create();
    *result = NULL;
    gbv_status status =
        sources ? gbv_dataset_read(reference_path, NULL, &reference, error) : error_out_of_memory(error, "the sources");
    for (size_t i = 0; i < source_count && status == GBV_OK; i++)
        status = gbv_sources_add_file(sources, names[i], paths[i], NULL, error);
    if (status == GBV_OK)
        status = gbv_value(reference, sources, options, result, error);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    return status;
}
