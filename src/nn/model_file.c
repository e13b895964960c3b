/* model_file.c - a trained model as a safetensors file, in PyTorch's order (outputs x inputs), and back. */
#include "nn/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/output.h"
#include "nn/kind.h"
#include "nn/network_file.h"
#include "nn/safetensors.h"

static char *texts_as_json(char *const *texts, size_t count)
{
    json_line line;
    if (!json_line_open(&line))
        return NULL;
    json_begin_array(&line.json, NULL);
    for (size_t i = 0; i < count; i++)
        json_text(&line.json, NULL, texts[i]);
    json_end(&line.json);
    return json_line_close(&line);
}

/* The arrays of a model of rows: at most four. */
static tensor *row_tensors(const gbv_model *model, size_t *count)
{
    size_t hidden = model->hidden, into_output = hidden ? hidden : model->inputs;
    tensor *tensors = memory_array(4, sizeof *tensors);
    *count = 0;
    if (!tensors)
        return NULL;
    if (hidden) {
        tensors[(*count)++] = (tensor){"hidden.weight", NULL, model->hidden_weights, 2, {hidden, model->inputs}, true};
        tensors[(*count)++] = (tensor){"hidden.bias", NULL, model->hidden_bias, 1, {hidden}, false};
    }
    tensors[(*count)++] =
        (tensor){hidden ? "output.weight" : "weight", NULL, model->weights, 2, {model->outputs, into_output}, true};
    tensors[(*count)++] = (tensor){hidden ? "output.bias" : "bias", NULL, model->bias, 1, {model->outputs}, false};
    return tensors;
}

gbv_status gbv_model_write(const gbv_model *model, const char *path, gbv_error *error)
{
    output_file output;
    size_t count = 0, text_count = 0;
    if (!model->class_names)
        return error_set(error, GBV_USAGE, "the model has no class names: only models of gbv_train can be written");
    tensor *tensors = model->net ? network_tensors(model) : row_tensors(model, &count);
    char *classes = texts_as_json(model->class_names, model->outputs),
         *features = model->feature_names ? texts_as_json(model->feature_names, model->inputs) : NULL,
         *preprocessing = model->net ? network_preprocessing(model) : NULL;
    bool whole = tensors && classes && (features || !model->feature_names) && (preprocessing || !model->net);
    gbv_status status = whole ? output_open(path, &output, error) : error_out_of_memory(error, "a model");
    if (status == GBV_OK) {
        metadata texts[8];
        texts[text_count++] = (metadata){"format", "pt"}; /* the order of the arrays is PyTorch's */
        texts[text_count++] = (metadata){"gbv", gbv_version()};
        texts[text_count++] = (metadata){"model", model->kind};
        texts[text_count++] = (metadata){"classes", classes};
        texts[text_count++] = (metadata){"history", model->history ? model->history : "{}"};
        if (features)
            texts[text_count++] = (metadata){"features", features};
        if (model->net)
            texts[text_count++] = (metadata){"preprocessing", preprocessing};
        if (model->net && network_stride_in_first(model->net))
            texts[text_count++] = (metadata){"stride_in", "1x1"};
        if (safetensors_write(output.stream, tensors, model->net ? model->net->tensor_count : count, texts,
                              text_count)) {
            status = output_commit(&output, error);
        } else {
            output_abandon(&output);
            status = error_out_of_memory(error, "a model");
        }
    }
    free(tensors);
    free(classes);
    free(features);
    free(preprocessing);
    return status;
}

/* Reads a tensor of outputs x inputs into a block of inputs x outputs. */
static gbv_status read_transposed(const safetensors *file, const char *name, size_t outputs, size_t inputs,
                                  const char *of, double *to, gbv_error *error)
{
    double *from = memory_array(outputs, inputs * sizeof *from);
    gbv_status status = from ? safetensors_doubles(file, name, 2, (size_t[]){outputs, inputs}, of, from, error)
                             : error_out_of_memory(error, "a model");
    for (size_t i = 0; i < outputs && status == GBV_OK; i++)
        for (size_t j = 0; j < inputs; j++)
            to[j * outputs + i] = from[i * inputs + j];
    free(from);
    return status;
}

/* A list of `count` texts of the metadata under `key`; the model frees it. */
static gbv_status read_texts(const safetensors *file, const char *key, size_t count, char ***texts, gbv_error *error)
{
    const char *text = safetensors_metadata(file, key);
    json_t *list = text ? json_loads(text, 0, NULL) : NULL;
    gbv_status status = GBV_OK;
    if (!json_is_array(list) || json_array_size(list) != count)
        status = error_set(error, GBV_BAD_INPUT, "%s: its metadata do not name %zu %s: train the model again",
                           file->path, count, key);
    else if (!(*texts = memory_zeroed(count, sizeof **texts)))
        status = error_out_of_memory(error, "a model");
    for (size_t i = 0; i < count && status == GBV_OK; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name)
            status = error_set(error, GBV_BAD_INPUT, "%s: number %zu of the %s in its metadata is no text", file->path,
                               i + 1, key);
        else if (!((*texts)[i] = strdup(name)))
            status = error_out_of_memory(error, "a model");
    }
    json_decref(list);
    return status;
}

/* A linear layer whose weight is there with two axes, neither of them empty. */
static gbv_status find_layer(const safetensors *file, const char *name, const char *of, tensor_view *weight,
                             gbv_error *error)
{
    if (safetensors_find(file, name, weight) && weight->axes == 2 && weight->count > 0)
        return GBV_OK;
    return error_set(error, GBV_BAD_INPUT, "%s: its tensors are not those of %s: '%s' is missing or no matrix",
                     file->path, of, name);
}

static gbv_status read_linear_layers(const safetensors *file, const model_kind *kind, gbv_model **model,
                                     gbv_error *error)
{
    bool deep = kind->has_hidden_layer;
    tensor_view weight, hidden = {0};
    char of[40];
    snprintf(of, sizeof of, "a model of the kind %s", kind->name);
    gbv_status status = find_layer(file, deep ? "output.weight" : "weight", of, &weight, error);
    if (status == GBV_OK && deep)
        status = find_layer(file, "hidden.weight", of, &hidden, error);
    if (status != GBV_OK)
        return status;
    size_t outputs = weight.shape[0], width = hidden.shape[0], inputs = deep ? hidden.shape[1] : weight.shape[1];
    gbv_model *m = *model = model_create(kind, inputs, width, outputs);
    if (!m)
        return error_out_of_memory(error, "a model");
    status = read_transposed(file, weight.name, outputs, deep ? width : inputs, of, m->weights, error);
    if (status == GBV_OK)
        status = safetensors_doubles(file, deep ? "output.bias" : "bias", 1, &outputs, of, m->bias, error);
    if (status == GBV_OK && deep)
        status = read_transposed(file, hidden.name, width, inputs, of, m->hidden_weights, error);
    if (status == GBV_OK && deep)
        status = safetensors_doubles(file, "hidden.bias", 1, &width, of, m->hidden_bias, error);
    return status;
}

/* `pretrained`: a network of images of this kind (NULL: any), which need not have a head. */
typedef struct wish {
    bool pretrained;
    const char *kind;
} wish;

static gbv_status build(const safetensors *file, wish w, gbv_model **model, gbv_error *error)
{
    const char *kind_name = safetensors_metadata(file, "model"), *history = safetensors_metadata(file, "history");
    const model_kind *kind = kind_name && !w.pretrained ? model_kind_find(kind_name) : NULL;
    gbv_status status = kind && !kind->of_images ? read_linear_layers(file, kind, model, error)
                                                 : network_from_file(file, w.kind, !w.pretrained, model, error);
    if (status == GBV_OK && (!(*model)->net || safetensors_metadata(file, "classes")))
        status = read_texts(file, "classes", (*model)->outputs, &(*model)->class_names, error);
    if (status == GBV_OK && !(*model)->net && safetensors_metadata(file, "features"))
        status = read_texts(file, "features", (*model)->inputs, &(*model)->feature_names, error);
    if (status == GBV_OK && history && !((*model)->history = strdup(history)))
        status = error_out_of_memory(error, "a model");
    return status;
}

static gbv_status parse_and_build(const unsigned char *bytes, size_t size, const char *path, wish w, gbv_model **model,
                                  gbv_error *error)
{
    safetensors file;
    gbv_status status = safetensors_parse(bytes, size, path, &file, error);
    if (status != GBV_OK)
        return status;
    status = build(&file, w, model, error);
    safetensors_free(&file);
    if (status != GBV_OK) {
        gbv_model_free(*model);
        *model = NULL;
    }
    return status;
}

gbv_status model_from_bytes(const unsigned char *bytes, size_t size, const char *path, gbv_model **model,
                            gbv_error *error)
{
    *model = NULL;
    return parse_and_build(bytes, size, path, (wish){0}, model, error);
}

static gbv_status read_path(const char *path, wish w, gbv_model **model, gbv_error *error)
{
    mapped_file file;
    *model = NULL;
    gbv_status status = mapped_file_open(path, &file, error);
    if (status == GBV_OK)
        status = parse_and_build(file.bytes, file.size, path, w, model, error);
    mapped_file_close(&file);
    return status;
}

gbv_status gbv_model_read(const char *path, gbv_model **model, gbv_error *error)
{
    return read_path(path, (wish){0}, model, error);
}

gbv_status gbv_model_read_pretrained(const char *path, const char *kind, gbv_model **model, gbv_error *error)
{
    return read_path(path, (wish){.pretrained = true, .kind = kind}, model, error);
}
