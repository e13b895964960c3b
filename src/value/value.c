/* value.c - the valuation from its options to its result: what is asked for is checked, then the sources are scored
 * (score.c), weighed (weigh.c) and recorded (record.c). */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "nn/kind.h"
#include "nn/weights.h"
#include "value/backbone.h"
#include "value/flags.h"
#include "value/method/pool.h"
#include "value/posterior.h"
#include "value/record.h"
#include "value/result.h"
#include "value/shard.h"
#include "value/shared_rows.h"
#include "value/valuation.h"

enum { REPLICATES = 200 };

gbv_value_options gbv_value_defaults(void)
{
    return (gbv_value_options){.method = "gbv",
                               .model = gbv_model_defaults(),
                               .tau_mode = GBV_TAU_OWN,
                               .tau = 1,
                               .replicates = REPLICATES,
                               .refits = GBV_OWN_REFITS};
}

/* Without a reference every source must have rows for the others to be judged by. */
static gbv_status check_without_reference(const valuation *v, gbv_error *error)
{
    for (size_t i = 0; i < v->sources->count; i++)
        if (v->sources->items[i].probabilities)
            return error_set(error, GBV_USAGE,
                             "source '%s' is given as probabilities of the reference's rows, and there is no "
                             "reference: give one, or the source's sample",
                             v->sources->items[i].name);
    return GBV_OK;
}

static bool has_given_prior(const gbv_value_options *o)
{
    return o->prior_mode == GBV_PRIOR_GIVEN || o->prior_mode == GBV_PRIOR_LEDGER;
}

static gbv_status check_prior(const valuation *v, gbv_error *error)
{
    const gbv_value_options *o = v->options;
    if (has_given_prior(o) && !o->prior)
        return error_set(error, GBV_USAGE, "the prior is to be given, but no numbers were");
    for (size_t i = 0; o->prior_mode == GBV_PRIOR_ROWS && i < v->sources->count; i++)
        if (v->sources->items[i].probabilities)
            return error_set(error, GBV_USAGE,
                             "source '%s' is given as probabilities and has no rows, which the prior is to follow: use "
                             "a uniform or a given prior",
                             v->sources->items[i].name);
    return has_given_prior(o) ? posterior_check_prior(o->prior, v->sources->count, error) : GBV_OK;
}

/* Before anything is read or trained; whether its numbers are sound is seen when they are loaded. */
static gbv_status check_pretrained(const gbv_model_options *o, gbv_error *error)
{
    weights_description about;
    if (!backbone_is_there(o))
        return GBV_OK;
    gbv_status status = weights_describe(o->pretrained, &about, error);
    return status == GBV_OK ? weights_check_kind(&about, o->model, o->pretrained, error) : status;
}

static gbv_status check_options(valuation *v, gbv_error *error)
{
    const gbv_value_options *o = v->options;
    gbv_status status = valuation_choose(v, error);
    if (status == GBV_OK)
        status = model_options_check(&o->model, error);
    if (status == GBV_OK)
        status = check_pretrained(&o->model, error);
    if (status == GBV_OK && o->model.checkpoint)
        status = error_set(error, GBV_USAGE, "a checkpoint keeps one training, that of gbv_train: leave it out");
    if (status == GBV_OK && o->model.policy)
        status = error_set(error, GBV_USAGE,
                           "a policy changes the images of the final training: leave it out here, and give it to "
                           "gbv_train (gbv train --policy)");
    if (status != GBV_OK)
        return status;
    if (v->sources->count == 0)
        return error_set(error, GBV_USAGE, "there are no sources: give at least one with --source NAME=FILE");
    if ((status = draws_check(o, error)) == GBV_OK)
        status = posterior_check_tau(v->scorings[0].tau_mode, v->scorings[0].tau, error);
    if (status == GBV_OK)
        status = check_prior(v, error);
    if (status == GBV_OK && !v->reference)
        status = check_without_reference(v, error);
    if (status == GBV_OK)
        status = temperature_check(v, error);
    if (status == GBV_OK && o->shards)
        status = shard_check(v, error);
    return status == GBV_OK ? scoring_check(v, &v->scorings[0], error) : status;
}

typedef struct found {
    gbv_result *result;
    bool of_images; /* the models are networks */
} found;

/* The class names, and what is odd about each source, before anything is trained. */
static void keep_warning(void *context, fit_finding finding, size_t source_index, const char *what)
{
    const found *f = context;
    gbv_result *result = f->result;
    if (finding == FIT_PROBLEM || (finding == FIT_RAW_PIXELS && f->of_images))
        return;
    if (source_index < result->source_count) {
        gbv_source_result *s = &result->sources[source_index];
        if (finding == FIT_ONE_CLASS)
            flag_add(s, FLAG_ONE_CLASS, "%s", what);
        else
            text_list_add(&s->warnings, &s->warning_count, what);
    } else
        text_list_add(&result->warnings, &result->warning_count, what);
}

/* Whether the sources fit the reference and each other, and what their labels are called. */
static gbv_status match_sources(valuation *v, gbv_result *result, gbv_error *error)
{
    gbv_error own;
    found f = {result, model_kind_find(v->options->model.model)->of_images};
    bool labelled = v->reference && !v->options->unlabelled;
    size_t problems = labelled || !v->reference
                          ? sources_fit(v->reference, v->sources, &v->classes, keep_warning, &f, &own)
                          : sources_fit_unlabelled(v->reference, v->sources, &v->classes, keep_warning, &f, &own);
    if (problems) {
        if (error)
            *error = own;
        return own.status;
    }
    v->class_count = labelled ? v->classes.reference_count : v->classes.count;
    return GBV_OK;
}

gbv_status valuation_prepare(valuation *v, gbv_result *result, gbv_error *error)
{
    gbv_status status = match_sources(v, result, error);
    if (status == GBV_OK)
        status = overlap_find(v->sources, v->options->unlabelled ? NULL : v->reference, &v->classes, &v->shared, error);
    if (status == GBV_OK)
        status = valuation_add_beside(v, error);
    if (status == GBV_OK && !record_measures(result, v))
        status = error_out_of_memory(error, "the result");
    for (size_t i = 0; i < v->sources->count && status == GBV_OK; i++)
        status = scoring_check_source(v, &v->scorings[0], i, error);
    if (status != GBV_OK)
        return status;
    v->problem = problem_find(v->sources->from_table ? "annotator" : "vendor");
    v->given = (problem_case){.sources = v->sources, .classes = &v->classes};
    status = targets_create(v, error);
    for (size_t t = 0; t < v->target_count && status == GBV_OK; t++)
        result->reference_rows += v->targets[t].rows.rows;
    if (status == GBV_OK)
        status = valuation_make_room(v, error);
    if (status == GBV_OK) /* again, now that it is known which items are shared */
        status = scoring_check(v, &v->scorings[0], error);
    return status == GBV_OK ? targets_resample(v, error) : status;
}

gbv_status valuation_score(valuation *v, gbv_result *result, gbv_error *error)
{
    gbv_status status = valuation_prepare(v, result, error);
    if (status == GBV_OK && !record_run(result, v))
        status = error_out_of_memory(error, "the result");
    if (status == GBV_OK && v->before_scoring)
        status = v->before_scoring(v->context, result, error);
    if (status == GBV_OK)
        status = score_sources(v, result, error);
    result->models_trained = v->models_trained;
    result->models_found = v->models_found;
    result->models_lost = v->models_lost;
    return status;
}

static gbv_status make_prior(valuation *v, gbv_error *error)
{
    const gbv_value_options *o = v->options;
    if (!(v->prior = memory_array(v->source_count, sizeof *v->prior)))
        return error_out_of_memory(error, "the prior");
    for (size_t i = 0; i < v->source_count; i++)
        v->prior[i] = has_given_prior(o)                ? o->prior[i]
                      : o->prior_mode == GBV_PRIOR_ROWS ? (double)v->sources->items[i].row_count
                                                        : 1;
    return GBV_OK;
}

gbv_status valuation_open(valuation *v, gbv_result **result, gbv_error *error)
{
    gbv_status status = check_options(v, error);
    if (status == GBV_OK && (!(*result = result_create(v->source_count)) || !record_names(*result, v)))
        status = error_out_of_memory(error, "the result");
    return status == GBV_OK ? make_prior(v, error) : status;
}

gbv_status valuation_weigh(valuation *v, gbv_result *result, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t m = 0; m < v->scoring_count && status == GBV_OK; m++)
        if (v->scorings[m].info)
            status = combine_scores(v, &v->scorings[m], error);
    if (status == GBV_OK)
        status = choose_temperatures(v, result, error);
    if (status == GBV_OK)
        status = weigh_sources(v, result, error);
    if (status == GBV_OK)
        status = shared_rows_warn(v, result, error);
    if (status == GBV_OK && !record_warnings(result))
        status = error_out_of_memory(error, "the result");
    if (status == GBV_OK && result->measure_count == 1 && !v->models)
        result_forget_measures(result); /* it is the result itself */
    return status;
}

void valuation_close(valuation *v)
{
    pool_free(v->pool);
    backbone_free(v->backbone);
    overlap_free(&v->shared);
    targets_free(v);
    valuation_forget(v);
    class_table_free(&v->classes);
    free(v->prior);
}

gbv_status valuation_run(valuation *v, gbv_result **result, gbv_error *error)
{
    gbv_result *made = NULL;
    *result = NULL;
    if (v->options->shards)
        return error_set(error, GBV_USAGE, "a shard gives a part, not a result: use gbv_value_part and gbv_merge");
    plan p = plan_begin(v->options->model.threads);
    v->threads = p.threads;
    v->source_count = v->sources->count;
    gbv_status status = valuation_open(v, &made, error);
    if (status == GBV_OK)
        status = valuation_score(v, made, error);
    if (status == GBV_OK)
        status = valuation_weigh(v, made, error);
    plan_end(p);
    valuation_close(v);
    if (status == GBV_OK)
        *result = made;
    else
        gbv_result_free(made);
    return status;
}

gbv_status value_keeping_models(const gbv_dataset *reference, const gbv_sources *sources,
                                const gbv_value_options *options, gbv_model **models, gbv_result **result,
                                gbv_error *error)
{
    gbv_value_options defaults = gbv_value_defaults();
    valuation v = {
        .reference = reference, .sources = sources, .options = options ? options : &defaults, .models = models};
    return valuation_run(&v, result, error);
}

gbv_status gbv_value(const gbv_dataset *reference, const gbv_sources *sources, const gbv_value_options *options,
                     gbv_result **result, gbv_error *error)
{
    return value_keeping_models(reference, sources, options, NULL, result, error);
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
