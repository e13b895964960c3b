/* network.c - networks of images as models: what they take, how their training begins, and what they make of images. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "compute/dense.h"
#include "nn/kind.h"
#include "nn/loop.h"
#include "nn/weights.h"

static const normalisation normalisations[] = {
    {"imagenet", {0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}},
    {"half", {0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}},
    {"none", {0, 0, 0}, {1, 1, 1}},
};

const normalisation *normalisation_find(const char *name)
{
    for (size_t i = 0; i < sizeof normalisations / sizeof *normalisations; i++)
        if (strcmp(normalisations[i].name, name) == 0)
            return &normalisations[i];
    return NULL;
}

/* A program that runs the model, for whoever comes first; another who comes meanwhile compiles its own. */
struct network_reader {
    atomic_flag busy;
    program *compiled;
    program_options how;
    bool loaded; /* it has the model's values */
};

static gbv_status no_images(const char *kind, gbv_error *error)
{
    return error_set(
        error, GBV_BAD_INPUT,
        "the model %s takes images, which the rows are not known to be: give a folder of images, an IDX or "
        "CIFAR file, or an array of rows x height x width or rows x channels x height x width",
        kind);
}

gbv_status model_create_network(const model_kind *kind, net_options options, gbv_image_shape images,
                                const char *normalise, gbv_model **model, gbv_error *error)
{
    gbv_model *m = memory_zeroed(1, sizeof *m);
    gbv_status status = GBV_OK;
    size_t wanted = kind->image_channels;
    *model = NULL;
    if (!m)
        return error_out_of_memory(error, "a model");
    if (!images.height || !images.width || !images.channels)
        status = no_images(kind->name, error);
    else if (wanted && images.channels != wanted && images.channels != 1)
        status = error_set(error, GBV_BAD_INPUT, "the model %s takes images of 1 or %zu channels; these have %zu",
                           kind->name, wanted, images.channels);
    if (status != GBV_OK)
        goto done;
    strncpy(m->kind, kind->name, sizeof m->kind - 1);
    m->outputs = options.outputs;
    m->inputs = images.channels * images.height * images.width;
    m->input = (extent){wanted ? wanted : images.channels, images.height, images.width};
    m->normalise = normalisation_find(normalise);
    m->classes = memory_array(m->outputs, sizeof *m->classes);
    m->reader = memory_zeroed(1, sizeof *m->reader);
    options.channels = m->input.channels;
    if (!m->classes || !m->reader) {
        status = error_out_of_memory(error, "a model");
        goto done;
    }
    for (size_t k = 0; k < m->outputs; k++)
        m->classes[k] = (int32_t)k;
    if ((status = net_create(kind->name, &options, &m->net, error)) == GBV_OK)
        status = net_values_create(m->net, &m->values, error);
done:
    if (status == GBV_OK)
        *model = m;
    else
        gbv_model_free(m);
    return status;
}

void network_free(gbv_model *model)
{
    if (model->reader)
        program_free(model->reader->compiled);
    free(model->reader);
    net_values_free(&model->values);
    net_free(model->net);
    free(model->curve);
    free(model->note);
}

gbv_status network_create(const sample *data, const gbv_model_options *options, size_t outputs, gbv_model **model,
                          gbv_error *error)
{
    const model_kind *kind = model_kind_find(options->model);
    gbv_model_options resolved = gbv_model_resolve(options, data->rows);
    weights_description file = {0};
    gbv_status status = options->pretrained ? weights_describe(options->pretrained, &file, error) : GBV_OK;
    if (status != GBV_OK)
        return status;
    net_options how = {.outputs = outputs, .dropout = options->dropout, .stride_in_first = file.stride_in_first};
    if ((status = model_create_network(kind, how, sample_shape(data), resolved.normalise, model, error)) == GBV_OK)
        (*model)->backend = backend_find(options->backend);
    return status;
}

/* Random numbers, and over them those of a file. */
static gbv_status begin(const fit_task *task, gbv_model *model, gbv_error *error)
{
    const gbv_model_options *o = task->options;
    weights_report report = {0};
    sentence told = {0};
    net_initialise(model->net, o->seed, task->subject, task->how->draw, &model->values);
    if (!o->pretrained)
        return GBV_OK;
    gbv_status status = weights_load(model->net, o->pretrained, &model->values, &report, error);
    if (status == GBV_OK)
        weights_report_tell(&report, model->net, o->pretrained, &told);
    weights_report_free(&report);
    if (status == GBV_OK && told.length && !(model->note = strdup(told.text)))
        status = error_out_of_memory(error, "a model");
    return status;
}

static gbv_status open_policy(const fit_task *task, const gbv_model_options *options, training_policy **policy,
                              gbv_error *error)
{
    training_policy_options how = {.name = options->policy,
                                   .variant = options->policy_variant,
                                   .rows = task->data->rows,
                                   .shape = sample_shape(task->data),
                                   .bytes = sample_is_bytes(task->data),
                                   .seed = options->seed,
                                   .subject = task->subject,
                                   .draw = task->how->draw};
    return training_policy_open(&how, policy, error);
}

/* For the model's history, and what the user should know. */
static gbv_status record_policy(const training_policy *policy, gbv_model *model, gbv_error *error)
{
    sentence told = {0};
    snprintf(model->policy_variant, sizeof model->policy_variant, "%s", policy->variant);
    memcpy(model->policy_sha256, policy->sha256, sizeof model->policy_sha256);
    if (!policy->note)
        return GBV_OK;
    sentence_add(&told, "%s%s%s", model->note ? model->note : "", model->note ? "; " : "", policy->note);
    free(model->note);
    model->note = strdup(told.text);
    return model->note ? GBV_OK : error_out_of_memory(error, "a model");
}

static gbv_status fit(const fit_task *task, gbv_model *model, gbv_error *error)
{
    gbv_model_options options = gbv_model_resolve(task->options, task->data->rows);
    loop_task training = {
        .fit = task,
        .options = &options,
        .net = model->net,
        .values = &model->values,
        .rows = {.data = task->data, .normalise = model->normalise, .in = model->input, .threads = options.threads},
        .decay = options.weight_decay,
        .decay_all = true,
        .model = model};
    gbv_status status = open_policy(task, &options, &training.policy, error);
    if (status == GBV_OK)
        status = begin(task, model, error);
    if (status == GBV_OK)
        status = loop_train(&training, error);
    if (status == GBV_OK && training.policy)
        status = record_policy(training.policy, model, error);
    model->curve = training.curve;
    model->trained_threads = training.threads;
    model->curve_count = training.epochs_done;
    model->best_epoch = training.best_epoch;
    training_policy_free(training.policy);
    return status;
}

enum { MOST_BATCH = 64, FEWEST_BATCH = 8, MOST_NUMBERS = 1 << 21 };

/* Any size will do: the maps are averaged before the last layer. */
static gbv_status check_images(const gbv_model *model, gbv_image_shape shape, gbv_error *error)
{
    if (!shape.height)
        return no_images(model->kind, error);
    if (shape.channels != model->net->channels && shape.channels != 1)
        return error_set(error, GBV_BAD_INPUT,
                         "the images have %zu channels, those of the %s model %zu: for folders use --color %s",
                         shape.channels, model->kind, model->net->channels, model->net->channels == 1 ? "gray" : "rgb");
    return GBV_OK;
}

static gbv_status open_reader(struct network_reader *r, const gbv_model *model, const program_options *how,
                              gbv_error *error)
{
    if (r->compiled && (r->how.backend != how->backend || r->how.batch != how->batch ||
                        r->how.threads != how->threads || memcmp(&r->how.in, &how->in, sizeof how->in) != 0)) {
        program_free(r->compiled);
        r->compiled = NULL;
        r->loaded = false;
    }
    r->how = *how;
    gbv_status status = r->compiled ? GBV_OK : program_compile(model->net, how, &r->compiled, error);
    if (status == GBV_OK && !(r->loaded && model->settled)) {
        program_load(r->compiled, &model->values);
        r->loaded = true;
    }
    return status;
}

static void widen(const float *from, size_t count, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (double)from[i];
}

/* Writes what was asked for of the first `count` rows of a batch that starts at row `first`. */
static gbv_status write_batch(const gbv_model *model, const program *p, const readout *out, size_t first, size_t count,
                              double *logits, gbv_error *error)
{
    size_t outputs = model->outputs, features = model->net->feature_count;
    widen(program_logits(p), count * outputs, logits);
    for (size_t i = 0; i < count * outputs; i++)
        if (!isfinite(logits[i]))
            return error_set(error, GBV_BAD_INPUT,
                             "row %zu takes the model out of the range of numbers: its pixels are too large",
                             out->before + first + i / outputs + 1);
    if (out->logits)
        memcpy(out->logits + first * outputs, logits, count * outputs * sizeof *logits);
    if (out->features)
        widen(program_features(p), count * features, out->features + first * features);
    if (out->probabilities) {
        dense_softmax_rows(logits, count, outputs);
        memcpy(out->probabilities + first * outputs, logits, count * outputs * sizeof *logits);
    }
    return GBV_OK;
}

size_t model_readout_batch(const gbv_model *model, gbv_image_shape shape)
{
    size_t most = MOST_NUMBERS / extent_count((extent){model->net->channels, shape.height, shape.width});
    return most > MOST_BATCH ? MOST_BATCH : most < FEWEST_BATCH ? FEWEST_BATCH : most;
}

gbv_status network_read_out(const gbv_model *model, const sample *data, const readout *out, arena *scratch,
                            gbv_error *error)
{
    gbv_image_shape shape = sample_shape(data);
    gbv_status status = data->rows ? check_images(model, shape, error) : GBV_OK;
    if (status != GBV_OK || data->rows == 0)
        return status;
    extent in = {model->net->channels, shape.height, shape.width};
    size_t threads = out->threads ? out->threads : 1, batch = model_readout_batch(model, shape);
    batch = batch < data->rows ? batch : data->rows;
    feed images = {.data = data,
                   .normalise = model->normalise,
                   .in = in,
                   .threads = threads,
                   .choose = out->choose,
                   .choosing = out->choosing,
                   .noise = out->noise,
                   .before = out->before};
    program_options how = {
        .backend = model->backend ? model->backend : backend_find(NULL), .batch = batch, .in = in, .threads = threads};
    size_t *rows = arena_array(scratch, batch, sizeof *rows);
    double *logits = arena_array(scratch, model->outputs, batch * sizeof *logits);
    if (!rows || !logits || !feed_open(&images, batch, scratch))
        return error_out_of_memory(error, "using a model");
    struct network_reader own = {0}, *reader = atomic_flag_test_and_set(&model->reader->busy) ? &own : model->reader;
    status = open_reader(reader, model, &how, error);
    for (size_t first = 0; first < data->rows && status == GBV_OK; first += batch) {
        size_t count = data->rows - first < batch ? data->rows - first : batch;
        for (size_t i = 0; i < batch; i++)
            rows[i] = i < count ? first + i : i - count;
        images.visit = out->before + first;
        if (out->ask && out->ask(out->asking, first)) {
            status = error_set(error, GBV_INTERRUPTED, "interrupted");
            break;
        }
        if ((status = feed_batch(&images, reader->compiled, rows, batch, error)) == GBV_OK) {
            double began = clock_seconds();
            program_forward(reader->compiled, 0);
            if (out->forward_seconds)
                *out->forward_seconds += clock_seconds() - began;
            status = write_batch(model, reader->compiled, out, first, count, logits, error);
        }
    }
    if (reader == &own)
        program_free(own.compiled);
    else
        atomic_flag_clear(&reader->busy);
    return status;
}

#define NETWORK(kind, channels, what, ...)                                                                             \
    extern const model_kind model_##kind;                                                                              \
    const model_kind model_##kind = {.name = #kind,                                                                    \
                                     .summary = what,                                                                  \
                                     .feature_space = "pooled features of the network",                                \
                                     .of_images = true,                                                                \
                                     .image_channels = channels,                                                       \
                                     .defaults = {__VA_ARGS__},                                                        \
                                     .fit = fit}

#define RESNET(kind, layers)                                                                                           \
    NETWORK(kind, 3, "ResNet of " layers " layers for images, best from pretrained weights", .epochs = 10,             \
            .steps = 100, .batch = 32, .learning_rate = 1e-3, .pretrained_rate = 1e-4, .optimizer = "adam",            \
            .schedule = "paper", .held_out = 0.1, .normalise = "imagenet")

/* 8 epochs over the 60,000 images of Fashion-MNIST: 92 % of the test set, 6: 91.5 %. On 1,000 images 300 steps do as
 * well as 600 without label noise and better with it (78.8 and 78.5 %; at noise 0.4 65 and 62 %). */
NETWORK(cnn, 0, "a small convolutional network for images of about 28 to 64 pixels", .epochs = 8, .steps = 300,
        .batch = 64, .learning_rate = 3e-3, .pretrained_rate = 1e-3, .optimizer = "adam", .schedule = "linear",
        .held_out = 0.1, .normalise = "half");
RESNET(resnet18, "18");
RESNET(resnet34, "34");
RESNET(resnet50, "50");
