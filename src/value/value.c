/* value.c - the valuation from its options to its result: what is asked for is checked, then the sources are scored
 * (score.c), weighed (weigh.c) and recorded (record.c). */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "value/flags.h"
#include "value/posterior.h"
#include "value/record.h"
#include "value/result.h"
#include "value/valuation.h"

gbv_value_options gbv_value_defaults(void)
{
    return (gbv_value_options){.measure = "leep", .model = gbv_model_defaults(), .tau = 1};
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

static gbv_status check_options(valuation *v, gbv_error *error)
{
    const gbv_value_options *o = v->options;
    gbv_status status = valuation_choose(v, error);
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
    for (size_t i = 0; o->prior_mode == GBV_PRIOR_ROWS && i < v->sources->count; i++)
        if (v->sources->items[i].probabilities)
            return error_set(error, GBV_USAGE,
                             "source '%s' is given as probabilities and has no rows, which the prior is to follow: use "
                             "a uniform or a given prior",
                             v->sources->items[i].name);
    if (!v->reference->labels)
        return error_set(error, GBV_BAD_INPUT, "%s: the reference has no labels, which scoring needs",
                         v->reference->name);
    return GBV_OK;
}

/* The class names, and what is odd about each source, before anything is trained. */
static void keep_warning(void *context, fit_finding finding, size_t source_index, const char *sentence)
{
    gbv_result *result = context;
    if (finding == FIT_PROBLEM)
        return;
    if (source_index < result->source_count) {
        gbv_source_result *s = &result->sources[source_index];
        if (finding == FIT_ONE_CLASS)
            flag_add(s, FLAG_ONE_CLASS, "%s", sentence);
        else
            text_list_add(&s->warnings, &s->warning_count, sentence);
    } else
        text_list_add(&result->warnings, &result->warning_count, sentence);
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
    if (!(made = result_create(sources->count)) || !record_names(made, &v) || !record_measures(made, &v)) {
        error_out_of_memory(error, "the result");
        goto done;
    }
    if (sources_fit(reference, sources, &v.classes, keep_warning, made, error) > 0) {
        status = error ? error->status : GBV_BAD_INPUT;
        goto done;
    }
    status = GBV_OK;
    for (size_t i = 0; i < sources->count && status == GBV_OK; i++)
        status = scoring_check(&v, &v.measures[0], i, error);
    if (status != GBV_OK || (status = prepare_reference(&v, error)) != GBV_OK)
        goto done;
    v.problem = problem_find(sources->from_table ? "annotator" : "vendor");
    v.threads = p.threads;
    v.given = (problem_case){.reference = &v.reference_sample, .sources = sources, .classes = &v.classes};
    status = score_sources(&v, made, error);
    if (status == GBV_OK)
        status = weigh_sources(&v, made, error);
    if (status == GBV_OK && !record_run(made, &v))
        status = error_out_of_memory(error, "the result");
    if (status == GBV_OK && made->measure_count == 1)
        result_forget_measures(made); /* it is the result itself */
done:
    plan_end(p);
    valuation_forget(&v);
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
