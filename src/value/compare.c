/* compare.c - several methods over the same models, and the final models that their weights give. */
#include <gbv/compare.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/plan.h"
#include "base/sentence.h"
#include "data/overlap.h"
#include "value/correlation.h"
#include "value/forecast.h"
#include "value/purchase.h"
#include "value/record.h"
#include "value/result.h"
#include "value/valuation.h"
#include "value/verdict.h"

enum { SEEDS = 5, MOST_SEEDS = 10000 };

gbv_compare_options gbv_compare_defaults(void)
{
    gbv_compare_options options = {.value = gbv_value_defaults(), .seeds = SEEDS};
    options.value.replicates = 0;
    return options;
}

/* One run of gbv_compare. */
typedef struct comparing {
    const gbv_dataset *reference;
    const gbv_sources *sources;
    const gbv_compare_options *options;
    class_table classes;
    test_set test;
    sample_part reference_rows; /* to be trained on; without rows: they have no labels */
    gbv_model **models;
    gbv_comparison *out;
} comparing;

static bool is_labelled(const comparing *c)
{
    return c->reference && !c->options->value.unlabelled && c->reference->labels;
}

/* Every method that may have something to say about such sources. */
static gbv_status default_methods(const comparing *c, sentence *list, gbv_error *error)
{
    overlap shared = {0};
    gbv_status status = GBV_OK;
    if (c->classes.count)
        status = overlap_find(c->sources, is_labelled(c) ? c->reference : NULL, &c->classes, &shared, error);
    for (size_t i = 0; status == GBV_OK && method_at(i); i++)
        if (method_has_items(method_at(i), shared.shared_items, shared.gold_items))
            sentence_add(list, "%s%s", list->length ? "," : "", method_at(i)->name);
    overlap_free(&shared);
    return status;
}

/* The classes that all work with, before anything is fitted. */
static gbv_status match_classes(comparing *c, gbv_error *error)
{
    gbv_error own;
    if (c->sources->count == 0)
        return GBV_OK; /* which gbv_value has a sentence for */
    size_t problems = !c->reference || is_labelled(c)
                          ? sources_fit(c->reference, c->sources, &c->classes, NULL, NULL, &own)
                          : sources_fit_unlabelled(c->reference, c->sources, &c->classes, NULL, NULL, &own);
    if (problems && error)
        *error = own;
    return problems ? own.status : GBV_OK;
}

/* What can be said against the test set before anything is fitted. */
static gbv_status open_test(comparing *c, gbv_error *error)
{
    const gbv_compare_options *o = c->options;
    if (!o->test || c->sources->count == 0)
        return GBV_OK;
    if (o->seeds < 2 || o->seeds > MOST_SEEDS)
        return error_set(error, GBV_USAGE,
                         "final models are to be trained %zu time%s; a standard error takes 2 to %d seeds: 5 serve "
                         "most uses",
                         o->seeds, o->seeds == 1 ? "" : "s", MOST_SEEDS);
    for (size_t i = 0; i < c->sources->count; i++)
        if (c->sources->items[i].probabilities)
            return error_set(error, GBV_USAGE,
                             "source '%s' is given as probabilities and has no rows to train final models on: leave "
                             "out the test set, or give the source's sample",
                             c->sources->items[i].name);
    if (is_labelled(c))
        c->reference_rows =
            sample_part_of(c->reference, c->reference->row_index, c->reference->row_count, c->reference->labels, NULL);
    return test_set_open(o->test, c->sources, &c->classes, &c->test, error);
}

/* What compare adds to the record of the valuation. */
static bool record_comparison(const comparing *c, const char *methods)
{
    gbv_result *r = c->out->result;
    if (!result_add_option(r, "methods", "%s", methods))
        return false;
    return !c->options->test ||
           (result_add_option(r, "seeds", "%zu", c->options->seeds) && record_test(r, c->options->test) &&
            test_set_warn(&c->test, c->reference, c->sources, r) &&
            (!is_labelled(c) || text_list_add(&r->reference_uses, &r->reference_use_count,
                                              "baselines: reference-only and reference+P(s) are trained on it")));
}

/* The options of the valuation; `list` holds the default methods as long as they are needed. */
static gbv_status value_options(const comparing *c, sentence *list, gbv_value_options *options, gbv_error *error)
{
    *options = c->options->value;
    options->shard = options->shards = 0; /* every model is needed here */
    if ((options->method = c->options->methods))
        return GBV_OK;
    gbv_status status = default_methods(c, list, error);
    options->method = list->text;
    return status;
}

static gbv_status value_by_all(comparing *c, gbv_error *error)
{
    sentence list = {0};
    gbv_value_options options;
    double begun = clock_seconds();
    gbv_status status = value_options(c, &list, &options, error);
    if (status == GBV_OK)
        status = value_keeping_models(c->reference, c->sources, &options, c->models, &c->out->result, error);
    if (status == GBV_OK && !record_comparison(c, options.method))
        status = error_out_of_memory(error, "the comparison");
    c->out->value_seconds = clock_seconds() - begun;
    return status;
}

static gbv_status name_methods(gbv_comparison *out, gbv_error *error)
{
    const gbv_result *r = out->result;
    if (!(out->methods = memory_zeroed(r->measure_count, sizeof *out->methods)))
        return error_out_of_memory(error, "the comparison");
    out->method_count = r->measure_count;
    for (size_t m = 0; m < r->measure_count; m++) {
        const gbv_measure_result *by = &r->measures[m];
        bool named = strcmp(by->measure, by->method) != 0 && *by->measure;
        sentence label = {0};
        sentence_add(&label, "%s%s%s%s%s", by->method, named ? " " : "", named ? by->measure : "",
                     *by->variant ? " " : "", by->variant);
        out->methods[m] = (gbv_method_comparison){.label = strdup(label.text),
                                                  .trained = {.accuracy = NAN, .standard_error = NAN},
                                                  .pearson = NAN,
                                                  .spearman = NAN,
                                                  .kendall = NAN};
        if (!out->methods[m].label)
            return error_out_of_memory(error, "the comparison");
    }
    return GBV_OK;
}

/* The test accuracy of each m_s. */
static gbv_status judge_models(const comparing *c, size_t threads, gbv_error *error)
{
    size_t count = c->sources->count, failed_index = SIZE_MAX;
    int workers = (int)plan_workers(threads, count);
    double *accuracy = c->out->source_accuracy = memory_array(count, sizeof *accuracy);
    gbv_status failed = GBV_OK;
    if (!accuracy)
        return error_out_of_memory(error, "the comparison");
#pragma omp parallel for num_threads(workers) schedule(dynamic)
    for (size_t i = 0; i < count; i++) {
        arena scratch = {0};
        gbv_error own;
        gbv_status status = test_set_judge(&c->test, c->models[i], &scratch, &accuracy[i], &own);
        arena_free(&scratch);
#pragma omp critical(gbv_compare_report)
        if (status != GBV_OK && i < failed_index) {
            failed_index = i;
            failed = status;
            if (error)
                *error = own;
        }
    }
    return failed;
}

/* How far the weights of each method go with what its models can do. `weights` has room for one per source. */
static gbv_status correlate(const comparing *c, double *weights, gbv_error *error)
{
    const gbv_result *r = c->out->result;
    const double *accuracy = c->out->source_accuracy;
    gbv_status status = GBV_OK;
    for (size_t m = 0; m < r->measure_count && status == GBV_OK; m++) {
        gbv_method_comparison *out = &c->out->methods[m];
        if (isnan(r->measures[m].effective_sources))
            continue;
        for (size_t i = 0; i < r->source_count; i++)
            weights[i] = r->measures[m].scores[i].posterior;
        out->pearson = correlation_pearson(weights, accuracy, r->source_count);
        status = correlation_spearman(weights, accuracy, r->source_count, &out->spearman, error);
        if (status == GBV_OK)
            status = correlation_kendall(weights, accuracy, r->source_count, &out->kendall, error);
    }
    return status;
}

/* The source that the first method likes best, the first given where several are equal. */
static size_t best_source(const gbv_result *r)
{
    size_t best = 0;
    for (size_t i = 1; i < r->source_count; i++)
        if (r->sources[i].posterior > r->sources[best].posterior)
            best = i;
    return best;
}

/* Names the baselines, says which cannot be tried, and fills the weights of the others (sources, then reference). */
static gbv_status make_baselines(const comparing *c, double *const weights[BASELINE_COUNT], gbv_error *error)
{
    static const char *const words[BASELINE_COUNT][2] = {
        {"reference-only", "the reference alone, nothing bought"},
        {"pooled", "every row of every source alike"},
        {"best-source-only", "the source that the first method ranks first"},
        {"reference+P(s)", "the first method's weights, and the reference like the best source"},
    };
    gbv_comparison *out = c->out;
    const gbv_result *r = out->result;
    size_t best = best_source(r), count = r->source_count;
    if (!(out->baselines = memory_zeroed(BASELINE_COUNT, sizeof *out->baselines)))
        return error_out_of_memory(error, "the baselines");
    out->baseline_count = BASELINE_COUNT;
    for (size_t b = 0; b < BASELINE_COUNT; b++) {
        gbv_baseline *baseline = &out->baselines[b];
        bool trains_on_reference = b == BASELINE_REFERENCE || b == BASELINE_REFERENCE_TOO;
        *baseline = (gbv_baseline){.name = strdup(words[b][0]),
                                   .summary = strdup(words[b][1]),
                                   .trained = {.accuracy = NAN, .standard_error = NAN}};
        const char *detail = trains_on_reference && !is_labelled(c)
                                 ? "not tried: there is no reference with labels to train on"
                             : b == BASELINE_BEST_SOURCE   ? r->sources[best].name
                             : b == BASELINE_REFERENCE_TOO ? out->methods[0].label
                                                           : NULL;
        if (!baseline->name || !baseline->summary || (detail && !(baseline->detail = strdup(detail))))
            return error_out_of_memory(error, "the baselines");
    }
    for (size_t i = 0; i < count; i++) {
        weights[BASELINE_POOLED][i] = (double)r->sources[i].rows;
        weights[BASELINE_BEST_SOURCE][i] = i == best;
        weights[BASELINE_REFERENCE_TOO][i] = r->sources[i].posterior;
    }
    weights[BASELINE_REFERENCE][count] = 1;
    weights[BASELINE_REFERENCE_TOO][count] = r->sources[best].posterior;
    return GBV_OK;
}

/* One list of weights more to be trained, and where its accuracies go. */
static gbv_status add_purchase(const comparing *c, double *weights, gbv_trained *trained, purchase *list, size_t *count,
                               gbv_error *error)
{
    if (!(trained->accuracies = memory_array(c->options->seeds, sizeof(double))))
        return error_out_of_memory(error, "the final models");
    list[(*count)++] = (purchase){.weights = weights, .accuracies = trained->accuracies};
    return GBV_OK;
}

/* Final models by every method that has weights, then by the baselines. */
static gbv_status train_all(const comparing *c, size_t threads, gbv_error *error)
{
    gbv_comparison *out = c->out;
    const gbv_result *r = out->result;
    size_t ways = r->measure_count + BASELINE_COUNT, width = r->source_count + 1, count = 0;
    double *room = memory_zeroed(ways, width * sizeof *room), *of_baseline[BASELINE_COUNT];
    purchase *list = memory_array(ways, sizeof *list);
    gbv_status status = room && list ? GBV_OK : error_out_of_memory(error, "the final models");
    for (size_t b = 0; b < BASELINE_COUNT; b++)
        of_baseline[b] = room + (r->measure_count + b) * width;
    if (status == GBV_OK)
        status = correlate(c, room, error);
    if (status == GBV_OK)
        status = make_baselines(c, of_baseline, error);
    for (size_t m = 0; m < r->measure_count && status == GBV_OK; m++) {
        for (size_t i = 0; i < r->source_count; i++)
            room[m * width + i] = r->measures[m].scores[i].posterior;
        if (!isnan(r->measures[m].effective_sources))
            status = add_purchase(c, room + m * width, &out->methods[m].trained, list, &count, error);
    }
    for (size_t b = 0; b < BASELINE_COUNT && status == GBV_OK; b++)
        if (is_labelled(c) || (b != BASELINE_REFERENCE && b != BASELINE_REFERENCE_TOO))
            status = add_purchase(c, of_baseline[b], &out->baselines[b].trained, list, &count, error);
    gbv_model_options model = c->options->value.model;
    model.threads = threads;
    purchase_task task = {.data = {.sources = c->sources,
                                   .classes = &c->classes,
                                   .reference = is_labelled(c) ? &c->reference_rows : NULL},
                          .test = &c->test,
                          .seeds = c->options->seeds,
                          .model = &model};
    if (status == GBV_OK)
        status = purchases_train(&task, list, count, error);
    free(room);
    free(list);
    return status;
}

static void summarise(gbv_trained *trained, size_t seeds)
{
    if (trained->accuracies)
        mean_and_error(trained->accuracies, seeds, &trained->accuracy, &trained->standard_error);
}

static gbv_status judge_purchases(const comparing *c, gbv_error *error)
{
    gbv_comparison *out = c->out;
    double begun = clock_seconds();
    out->seeds = c->options->seeds;
    out->test_rows = c->test.rows.rows;
    plan p = plan_begin(c->options->value.model.threads);
    gbv_status status = judge_models(c, p.threads, error);
    if (status == GBV_OK)
        status = train_all(c, p.threads, error);
    plan_end(p);
    for (size_t m = 0; m < out->method_count && status == GBV_OK; m++)
        summarise(&out->methods[m].trained, out->seeds);
    for (size_t b = 0; b < out->baseline_count && status == GBV_OK; b++)
        summarise(&out->baselines[b].trained, out->seeds);
    out->training_seconds = clock_seconds() - begun;
    return status;
}

static gbv_status open_comparison(comparing *c, gbv_error *error)
{
    gbv_status status = match_classes(c, error);
    return status == GBV_OK ? open_test(c, error) : status;
}

static void close_comparison(comparing *c)
{
    test_set_close(&c->test);
    class_table_free(&c->classes);
}

/* Linear final models stop early and start from each other: measured on the demonstration, each takes this share of
 * what a first fit on as many rows does. */
static const double FINAL_FIT_SHARE = 0.06;

/* Adds the final models to what the valuation would take. */
static gbv_status plan_purchases(const comparing *c, const char *methods, gbv_plan *expected, gbv_error *error)
{
    size_t ways = BASELINE_COUNT + 1, fits;
    for (const char *m = methods; *m; m++)
        ways += *m == ',';
    fits = ways * c->options->seeds;
    const gbv_model_options *model = &c->options->value.model;
    double seconds = (double)fits * forecast_fit(expected, model, expected->rows + expected->reference_rows) /
                     (double)expected->workers;
    if (strcmp(model->model, "linear") == 0)
        seconds *= FINAL_FIT_SHARE;
    char *text;
    if (asprintf(&text, "%sthen final models on all rows, %zu ways %zu times: about %.1f s more\n", expected->text,
                 ways, c->options->seeds, seconds) < 0)
        return error_out_of_memory(error, "the plan");
    free(expected->text);
    expected->text = text;
    expected->seconds += seconds;
    expected->fits += fits;
    return GBV_OK;
}

gbv_status gbv_compare_plan(const gbv_dataset *reference, const gbv_sources *sources,
                            const gbv_compare_options *options, gbv_plan **plan_made, gbv_error *error)
{
    gbv_compare_options defaults = gbv_compare_defaults();
    comparing c = {.reference = reference, .sources = sources, .options = options ? options : &defaults};
    sentence list = {0};
    gbv_value_options value;
    *plan_made = NULL;
    gbv_status status = open_comparison(&c, error);
    if (status == GBV_OK)
        status = value_options(&c, &list, &value, error);
    if (status == GBV_OK)
        status = gbv_value_plan(reference, sources, &value, plan_made, error);
    if (status == GBV_OK && c.options->test)
        status = plan_purchases(&c, value.method, *plan_made, error);
    if (status != GBV_OK) {
        gbv_plan_free(*plan_made);
        *plan_made = NULL;
    }
    close_comparison(&c);
    return status;
}

gbv_status gbv_compare(const gbv_dataset *reference, const gbv_sources *sources, const gbv_compare_options *options,
                       gbv_comparison **comparison, gbv_error *error)
{
    gbv_compare_options defaults = gbv_compare_defaults();
    comparing c = {.reference = reference, .sources = sources, .options = options ? options : &defaults};
    *comparison = NULL;
    c.models = memory_zeroed(sources->count, sizeof *c.models);
    c.out = memory_zeroed(1, sizeof *c.out);
    gbv_status status = c.models && c.out ? open_comparison(&c, error) : error_out_of_memory(error, "the comparison");
    if (status == GBV_OK)
        status = value_by_all(&c, error);
    if (status == GBV_OK)
        status = name_methods(c.out, error);
    if (status == GBV_OK && c.options->test)
        status = judge_purchases(&c, error);
    if (status == GBV_OK)
        status = verdict_give(c.out, error);
    for (size_t i = 0; c.models && i < sources->count; i++)
        gbv_model_free(c.models[i]);
    free(c.models);
    close_comparison(&c);
    if (status == GBV_OK)
        *comparison = c.out;
    else
        gbv_comparison_free(c.out);
    return status;
}

void gbv_comparison_free(gbv_comparison *comparison)
{
    if (!comparison)
        return;
    for (size_t m = 0; m < comparison->method_count; m++) {
        free(comparison->methods[m].label);
        free(comparison->methods[m].trained.accuracies);
    }
    for (size_t b = 0; b < comparison->baseline_count; b++) {
        free(comparison->baselines[b].name);
        free(comparison->baselines[b].summary);
        free(comparison->baselines[b].detail);
        free(comparison->baselines[b].trained.accuracies);
    }
    gbv_result_free(comparison->result);
    free(comparison->methods);
    free(comparison->baselines);
    free(comparison->source_accuracy);
    free(comparison->sentence);
    free(comparison);
}
