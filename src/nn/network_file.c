#include "nn/network_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "nn/kind.h"
#include "nn/weights.h"

enum { IMAGENET_RESIZE = 256, IMAGENET_SIDE = 224, MOST_CHANNELS = 3, MOST_SIDE = 1 << 24 };

tensor *network_tensors(const gbv_model *model)
{
    const net *n = model->net;
    tensor *tensors = memory_zeroed(n->tensor_count, sizeof *tensors);
    for (size_t i = 0; i < n->tensor_count && tensors; i++) {
        const net_tensor *t = &n->tensors[i];
        tensors[i] =
            (tensor){.name = t->name,
                     .floats = (t->statistic ? model->values.statistics : model->values.parameters) + t->offset,
                     .axes = t->axes};
        memcpy(tensors[i].shape, t->shape, sizeof t->shape);
    }
    return tensors;
}

/* A float as the decimal number that it was written as: 0.485, not 0.48500001430511475. */
static void write_decimals(json_writer *json, const char *key, const float numbers[3])
{
    json_begin_array(json, key);
    for (size_t c = 0; c < 3; c++) {
        char text[32];
        snprintf(text, sizeof text, "%.6g", (double)numbers[c]);
        json_number(json, NULL, strtod(text, NULL));
    }
    json_end(json);
}

char *network_preprocessing(const gbv_model *model)
{
    json_line line;
    json_writer *json = &line.json;
    if (!json_line_open(&line))
        return NULL;
    json_begin_object(json, NULL);
    json_count(json, "resize", model->resize);
    json_count(json, "crop", model->crop);
    json_count(json, "channels", model->inputs / (model->input.height * model->input.width));
    json_count(json, "height", model->input.height);
    json_count(json, "width", model->input.width);
    json_text(json, "normalise", model->normalise->name);
    write_decimals(json, "mean", model->normalise->mean);
    write_decimals(json, "std", model->normalise->deviation);
    json_end(json);
    return json_line_close(&line);
}

bool network_stride_in_first(const net *n)
{
    for (size_t i = 0; i < n->layer_count; i++)
        if (strcmp(n->layers[i].name, "layer2.0.conv1") == 0)
            return n->layers[i].convolution.kernel == 1 && n->layers[i].convolution.stride == 2;
    return false;
}

/* What the metadata say of the images, or what is usual for weights that others trained. */
typedef struct preprocessing {
    gbv_image_shape shape;
    size_t resize, crop;
    const char *normalise;
} preprocessing;

static bool read_count(const json_t *object, const char *key, size_t least, size_t most, size_t *count)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < (json_int_t)least ||
        json_integer_value(value) > (json_int_t)most)
        return false;
    *count = (size_t)json_integer_value(value);
    return true;
}

/* `normalise` stays in the table of normalisations. */
static gbv_status read_preprocessing(const safetensors *file, size_t channels, preprocessing *p, gbv_error *error)
{
    *p = (preprocessing){.shape = {.height = IMAGENET_SIDE, .width = IMAGENET_SIDE, .channels = channels},
                         .resize = IMAGENET_RESIZE,
                         .crop = IMAGENET_SIDE,
                         .normalise = "imagenet"};
    const char *text = safetensors_metadata(file, "preprocessing");
    if (!text)
        return GBV_OK;
    json_t *object = json_loads(text, 0, NULL);
    const char *name = json_string_value(json_object_get(object, "normalise"));
    const normalisation *normalise = name ? normalisation_find(name) : NULL;
    bool good = normalise && read_count(object, "resize", 0, MOST_SIDE, &p->resize) &&
                read_count(object, "crop", 0, MOST_SIDE, &p->crop) &&
                read_count(object, "height", 1, MOST_SIDE, &p->shape.height) &&
                read_count(object, "width", 1, MOST_SIDE, &p->shape.width) &&
                read_count(object, "channels", 1, MOST_CHANNELS, &p->shape.channels);
    json_decref(object);
    if (!good)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: the preprocessing in its metadata is damaged or of another version: train the model "
                         "again",
                         file->path);
    p->normalise = normalise->name;
    return GBV_OK;
}

/* Whether the file is for such a net, and its head, too: sizes that a file claims are not believed before memory is
 * asked for. */
static gbv_status check_description(const safetensors *file, const model_kind *kind, bool needs_head,
                                    const weights_description *d, gbv_error *error)
{
    net *small;
    gbv_status status = weights_check_kind(d, kind->name, file->path, error);
    if (status == GBV_OK && needs_head && d->outputs == 0)
        status = error_set(error, GBV_BAD_INPUT,
                           "%s: has no head (fc.weight), so it knows no classes: train one (gbv train --pretrained), "
                           "or use its features (gbv features --pretrained)",
                           file->path);
    if (status == GBV_OK)
        status = net_create(kind->name, &(net_options){.channels = 1, .outputs = 1}, &small, error);
    if (status != GBV_OK)
        return status;
    if (d->outputs && d->features != small->feature_count)
        status = error_set(error, GBV_BAD_INPUT,
                           "%s: its head takes %zu features, where a %s has %zu: it is for another network", file->path,
                           d->features, kind->name, small->feature_count);
    net_free(small);
    return status;
}

/* The classes of weights that others trained are numbers. */
static gbv_status number_classes(gbv_model *model, gbv_error *error)
{
    if (!(model->class_names = memory_zeroed(model->outputs, sizeof *model->class_names)))
        return error_out_of_memory(error, "a model");
    for (size_t k = 0; k < model->outputs; k++)
        if (asprintf(&model->class_names[k], "%zu", k) < 0) {
            model->class_names[k] = NULL;
            return error_out_of_memory(error, "a model");
        }
    return GBV_OK;
}

gbv_status network_from_file(const safetensors *file, const char *wanted, bool needs_head, gbv_model **model,
                             gbv_error *error)
{
    weights_description d;
    preprocessing p;
    *model = NULL;
    gbv_status status = weights_describe_file(file, &d, error);
    if (status != GBV_OK)
        return status;
    const model_kind *kind = model_kind_find(wanted ? wanted : d.kind);
    if (wanted && (!kind || !kind->of_images))
        return error_set(error, GBV_USAGE, "'%s' is no network of images: choose cnn, resnet18, resnet34 or resnet50",
                         wanted);
    if (!kind || !kind->of_images)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is not a model of gbv, and its tensors are not those of a resnet18, resnet34 or "
                         "resnet50: give other weights",
                         file->path);
    status = check_description(file, kind, needs_head, &d, error);
    if (status == GBV_OK)
        status = read_preprocessing(file, d.channels ? d.channels : 3, &p, error);
    if (status != GBV_OK)
        return status;
    net_options how = {.outputs = d.outputs ? d.outputs : 1, .stride_in_first = d.stride_in_first};
    status = model_create_network(kind, how, p.shape, p.normalise, model, error);
    if (status != GBV_OK)
        return error_prefix(error, status == GBV_FAILED ? GBV_FAILED : GBV_BAD_INPUT, "%s: ", file->path);
    (*model)->resize = p.resize;
    (*model)->crop = p.crop;
    (*model)->settled = true;
    status = weights_load_file((*model)->net, file, &(*model)->values, NULL, error);
    if (status == GBV_OK && d.outputs && !safetensors_metadata(file, "classes"))
        status = number_classes(*model, error);
    return status;
}

gbv_status gbv_model_run_with(gbv_model *model, const char *name, size_t threads, gbv_error *error)
{
    const backend *found = backend_find(name);
    if (!found)
        return error_set(error, GBV_USAGE, "there is no backend '%s' in this build: choose auto, cpu or reference",
                         name);
    model->backend = found;
    model->threads = threads;
    return GBV_OK;
}

/* Images that were no files had the size that they had. */
void gbv_model_prepare_images(const gbv_model *model, gbv_read_options *options)
{
    if (!model->net)
        return;
    extent in = model->input;
    if (!options->resize && !options->crop) {
        bool square = in.height == in.width;
        options->resize = model->resize ? model->resize : square ? in.height : 0;
        options->crop = model->crop ? model->crop : options->resize;
    }
    if (options->color == GBV_COLOR_AUTO)
        options->color = model->inputs == in.height * in.width ? GBV_COLOR_GRAY : GBV_COLOR_RGB;
}
