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
#include "nn/safetensors.h"

static char *texts_as_json(char *const *texts, size_t count)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return NULL;
    json_writer json = json_open(stream);
    json.compact = true;
    json_begin_array(&json, NULL);
    for (size_t i = 0; i < count; i++)
        json_text(&json, NULL, texts[i]);
    json_end(&json);
    if (fclose(stream) != 0 || !text) {
        free(text);
        return NULL;
    }
    text[strcspn(text, "\n")] = '\0';
    return text;
}

gbv_status gbv_model_write(const gbv_model *model, const char *path, gbv_error *error)
{
    output_file output;
    if (!model->class_names)
        return error_set(error, GBV_USAGE, "the model has no class names: only models of gbv_train can be written");
    char *classes = texts_as_json(model->class_names, model->outputs),
         *features = model->feature_names ? texts_as_json(model->feature_names, model->inputs) : NULL;
    gbv_status status = classes && (features || !model->feature_names) ? output_open(path, &output, error)
                                                                       : error_out_of_memory(error, "a model");
    if (status == GBV_OK) {
        size_t into_output = model->hidden ? model->hidden : model->inputs;
        size_t hidden = model->hidden;
        tensor tensors[4];
        size_t count = 0;
        if (hidden) {
            tensors[count++] = (tensor){"hidden.weight", NULL, model->hidden_weights, 2, {hidden, model->inputs}, true};
            tensors[count++] = (tensor){"hidden.bias", NULL, model->hidden_bias, 1, {hidden}, false};
        }
        tensors[count++] =
            (tensor){hidden ? "output.weight" : "weight", NULL, model->weights, 2, {model->outputs, into_output}, true};
        tensors[count++] = (tensor){hidden ? "output.bias" : "bias", NULL, model->bias, 1, {model->outputs}, false};
        metadata texts[] = {{"format", "gbv"},
                            {"gbv", gbv_version()},
                            {"model", model->kind},
                            {"classes", classes},
                            {"history", model->history ? model->history : "{}"},
                            {"features", features}};
        if (safetensors_write(output.stream, tensors, count, texts, sizeof texts / sizeof *texts - !features)) {
            status = output_commit(&output, error);
        } else {
            output_abandon(&output);
            status = error_out_of_memory(error, "a model");
        }
    }
    free(classes);
    free(features);
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

static gbv_status build(const safetensors *file, gbv_model **model, gbv_error *error)
{
    const char *kind_name = safetensors_metadata(file, "model"), *history = safetensors_metadata(file, "history");
    const model_kind *kind = kind_name ? model_kind_find(kind_name) : NULL;
    if (!kind)
        return error_set(error, GBV_BAD_INPUT, "%s: its metadata name no model this version knows ('%.40s')",
                         file->path, kind_name ? kind_name : "");
    gbv_status status = read_linear_layers(file, kind, model, error);
    if (status == GBV_OK)
        status = read_texts(file, "classes", (*model)->outputs, &(*model)->class_names, error);
    if (status == GBV_OK && safetensors_metadata(file, "features"))
        status = read_texts(file, "features", (*model)->inputs, &(*model)->feature_names, error);
    if (status == GBV_OK && history && !((*model)->history = strdup(history)))
        status = error_out_of_memory(error, "a model");
    return status;
}

gbv_status model_from_bytes(const unsigned char *bytes, size_t size, const char *path, gbv_model **model,
                            gbv_error *error)
{
    safetensors file;
    *model = NULL;
    gbv_status status = safetensors_parse(bytes, size, path, &file, error);
    if (status != GBV_OK)
        return status;
    status = build(&file, model, error);
    safetensors_free(&file);
    if (status != GBV_OK) {
        gbv_model_free(*model);
        *model = NULL;
    }
    return status;
}

gbv_status gbv_model_read(const char *path, gbv_model **model, gbv_error *error)
{
    mapped_file file;
    *model = NULL;
    gbv_status status = mapped_file_open(path, &file, error);
    if (status == GBV_OK)
        status = model_from_bytes(file.bytes, file.size, path, model, error);
    mapped_file_close(&file);
    return status;
}
