/* train.c - the final model as the public door gives it: checked, named and with its history. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/plan.h"
#include "data/feature_names.h"
#include "nn/final.h"
#include "nn/kind.h"

static gbv_status check_weights(const gbv_sources *sources, const double *weights, gbv_error *error)
{
    bool positive = false;
    for (size_t s = 0; s < sources->count; s++) {
        if (!isfinite(weights[s]) || weights[s] < 0)
            return error_set(error, GBV_USAGE,
                             "source '%s' has the weight %g; weights must be finite and not negative: correct it",
                             sources->items[s].name, weights[s]);
        positive |= weights[s] > 0;
    }
    return positive ? GBV_OK
                    : error_set(error, GBV_USAGE, "every source has weight zero: give at least one a positive weight");
}

static gbv_status name_classes(gbv_model *model, const class_table *classes, gbv_error *error)
{
    char **names = memory_zeroed(model->outputs, sizeof *names);
    bool all = names != NULL;
    for (size_t z = 0; z < model->outputs && all; z++)
        all = (names[z] = strdup(classes->names[model->classes[z]])) != NULL;
    if (all) {
        model->class_names = names;
        return GBV_OK;
    }
    for (size_t z = 0; names && z < model->outputs; z++)
        free(names[z]);
    free(names);
    return error_out_of_memory(error, "a model");
}

static void record_option(void *context, const char *name, const char *text, double number)
{
    json_writer *json = context;
    if (text)
        json_text(json, name, text);
    else
        json_number(json, name, number);
}

/* Of a network: how its training went. */
static void record_training(json_writer *json, const gbv_model *model)
{
    json_count(json, "threads", model->trained_threads);
    if (*model->policy_variant)
        json_text(json, "policy_variant", model->policy_variant);
    if (*model->policy_sha256)
        json_text(json, "policy_sha256", model->policy_sha256);
    if (model->note)
        json_text(json, "note", model->note);
    json_count(json, "best_epoch", model->best_epoch);
    json_begin_array(json, "curve");
    for (size_t e = 0; e < model->curve_count; e++) {
        json_begin_object(json, NULL);
        json_number(json, "loss", model->curve[e].loss);
        if (isfinite(model->curve[e].held_out_loss)) {
            json_number(json, "held_out_loss", model->curve[e].held_out_loss);
            json_number(json, "held_out_accuracy", model->curve[e].held_out_accuracy);
        }
        json_end(json);
    }
    json_end(json);
}

/* How the model was made, for whoever finds the file. */
static gbv_status record_history(gbv_model *model, const gbv_sources *sources, const double *weights,
                                 const gbv_model_options *options, gbv_error *error)
{
    size_t rows = 0;
    json_line line;
    json_writer *json = &line.json;
    if (!json_line_open(&line))
        return error_out_of_memory(error, "a model");
    for (size_t s = 0; s < sources->count; s++)
        rows += !weights || weights[s] > 0 ? sources->items[s].row_count : 0;
    json_begin_object(json, NULL);
    model_options_tell(options, rows, record_option, json);
    if (model->hidden || model->net)
        json_count(json, "seed", options->seed);
    if (model->net)
        record_training(json, model);
    json_text(json, "weights", weights ? "per source" : "pooled");
    json_begin_array(json, "sources");
    for (size_t s = 0; s < sources->count; s++) {
        json_begin_object(json, NULL);
        json_text(json, "name", sources->items[s].name);
        json_count(json, "rows", sources->items[s].row_count);
        if (weights)
            json_number(json, "weight", weights[s]);
        json_end(json);
    }
    json_end(json);
    json_end(json);
    model->history = json_line_close(&line);
    return model->history ? GBV_OK : error_out_of_memory(error, "a model");
}

/* Sources that were trained on together have their features in one order; the first one's names serve all. */
static gbv_status name_features(gbv_model *model, const gbv_dataset *dataset, gbv_error *error)
{
    char *const *names = dataset_feature_names(dataset);
    if (!names)
        return GBV_OK;
    if (!(model->feature_names = memory_zeroed(model->inputs, sizeof *model->feature_names)))
        return error_out_of_memory(error, "a model");
    for (size_t i = 0; i < model->inputs; i++)
        if (!(model->feature_names[i] = strdup(names[i])))
            return error_out_of_memory(error, "a model");
    return GBV_OK;
}

/* How the files of an image folder became the images that a network was trained on. */
static void record_preprocessing(gbv_model *model, const gbv_sources *sources)
{
    for (size_t s = 0; s < sources->count && model->net && !model->resize; s++)
        if (sources->items[s].dataset->images) {
            model->resize = sources->items[s].dataset->resize;
            model->crop = sources->items[s].dataset->crop;
        }
}

/* Whoever hears of an epoch is shown a model that can be evaluated: it has its names then. */
typedef struct naming {
    const gbv_model_options *asked;
    const class_table *classes;
} naming;

static void tell_epoch(void *context, const gbv_epoch *epoch)
{
    const naming *n = context;
    gbv_model *model = (gbv_model *)epoch->model; /* made by gbv_train, which names it in the end anyway */
    if (model->class_names || name_classes(model, n->classes, NULL) == GBV_OK)
        n->asked->on_epoch(n->asked->context, epoch);
}

static bool ask(void *context, const char *stage, size_t done, size_t total)
{
    const naming *n = context;
    return n->asked->progress && n->asked->progress(n->asked->context, stage, done, total);
}

gbv_status gbv_train(const gbv_sources *sources, const double *weights, const gbv_model_options *options,
                     gbv_model **model, gbv_error *error)
{
    gbv_model_options defaults = gbv_model_defaults();
    class_table classes = {0};
    arena scratch = {0};
    gbv_error own;
    *model = NULL;
    if (!options)
        options = &defaults;
    if (!error)
        error = &own;
    gbv_status status = model_options_check(options, error);
    plan p = plan_begin(options->threads);
    gbv_model_options planned = *options;
    naming named = {.asked = options, .classes = &classes};
    planned.threads = p.threads;
    planned.progress = ask;
    planned.on_epoch = options->on_epoch ? tell_epoch : NULL;
    planned.context = &named;
    const model_kind *kind = status == GBV_OK ? model_kind_find(options->model) : NULL;
    if (kind && kind->of_images && !planned.threads_per_model)
        planned.threads_per_model = p.threads;
    if (status == GBV_OK && sources->count == 0)
        status = error_set(error, GBV_USAGE, "there are no sources to train on: give at least one");
    if (status == GBV_OK && weights)
        status = check_weights(sources, weights, error);
    if (status == GBV_OK && sources_fit(NULL, sources, &classes, NULL, NULL, error) > 0)
        status = error->status;
    if (status == GBV_OK)
        status = final_fit(&(final_data){.sources = sources, .classes = &classes}, weights, &planned, &(refit){0},
                           &scratch, model, error);
    if (status == GBV_OK && !(*model)->class_names)
        status = name_classes(*model, &classes, error);
    if (status == GBV_OK)
        record_preprocessing(*model, sources);
    if (status == GBV_OK && !(*model)->net)
        status = name_features(*model, sources->items[0].dataset, error);
    if (status == GBV_OK)
        status = record_history(*model, sources, weights, options, error);
    if (status != GBV_OK) {
        gbv_model_free(*model);
        *model = NULL;
    }
    plan_end(p);
    arena_free(&scratch);
    class_table_free(&classes);
    return status;
}
