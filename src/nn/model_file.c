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
        tensor tensors[4];
        size_t count = 0;
        if (model->hidden) {
            tensors[count++] = (tensor){"hidden.weight", model->hidden_weights, model->hidden, model->inputs, true};
            tensors[count++] = (tensor){"hidden.bias", model->hidden_bias, model->hidden, 0, false};
        }
        tensors[count++] =
            (tensor){model->hidden ? "output.weight" : "weight", model->weights, model->outputs, into_output, true};
        tensors[count++] = (tensor){model->hidden ? "output.bias" : "bias", model->bias, model->outputs, 0, false};
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

/* Copies a tensor of outputs x inputs into a block of inputs x outputs; false when a number is not finite. */
static bool copy_transposed(const gbv_matrix *from, double *to)
{
    bool finite = true;
    for (size_t i = 0; i < from->rows; i++)
        for (size_t j = 0; j < from->columns; j++)
            finite &= isfinite(to[j * from->rows + i] = gbv_matrix_get(from, i, j));
    return finite;
}

/* A list of `count` texts of the metadata under `key`; the model frees it. */
static gbv_status read_texts(const safetensors *file, const char *path, const char *key, size_t count, char ***texts,
                             gbv_error *error)
{
    const char *text = safetensors_metadata(file, key);
    json_t *list = text ? json_loads(text, 0, NULL) : NULL;
    gbv_status status = GBV_OK;
    if (!json_is_array(list) || json_array_size(list) != count)
        status = error_set(error, GBV_BAD_INPUT, "%s: its metadata do not name %zu %s: train the model again", path,
                           count, key);
    else if (!(*texts = memory_zeroed(count, sizeof **texts)))
        status = error_out_of_memory(error, "a model");
    for (size_t i = 0; i < count && status == GBV_OK; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name)
            status = error_set(error, GBV_BAD_INPUT, "%s: number %zu of the %s in its metadata is no text", path, i + 1,
                               key);
        else if (!((*texts)[i] = strdup(name)))
            status = error_out_of_memory(error, "a model");
    }
    json_decref(list);
    return status;
}

static gbv_status build(const safetensors *file, const char *path, gbv_model **model, gbv_error *error)
{
    const char *kind_name = safetensors_metadata(file, "model"), *history = safetensors_metadata(file, "history");
    const model_kind *kind = kind_name ? model_kind_find(kind_name) : NULL;
    if (!kind)
        return error_set(error, GBV_BAD_INPUT, "%s: its metadata name no model this version knows ('%.40s')", path,
                         kind_name ? kind_name : "");
    bool deep = kind->has_hidden_layer;
    gbv_matrix hidden = {0}, hidden_bias = {0}, weight, bias;
    bool found = safetensors_matrix(file, deep ? "output.weight" : "weight", &weight) &&
                 safetensors_matrix(file, deep ? "output.bias" : "bias", &bias) &&
                 (!deep || (safetensors_matrix(file, "hidden.weight", &hidden) &&
                            safetensors_matrix(file, "hidden.bias", &hidden_bias)));
    if (!found || weight.rows == 0 || weight.columns == 0 || bias.rows != weight.rows || bias.columns != 1 ||
        (deep && (hidden.rows != weight.columns || hidden.columns == 0 || hidden_bias.rows != hidden.rows ||
                  hidden_bias.columns != 1)))
        return error_set(error, GBV_BAD_INPUT,
                         "%s: its tensors are not those of a %s model (weights and biases, F32 or F64, that fit)", path,
                         kind->name);
    if (!(*model = model_create(kind, deep ? hidden.columns : weight.columns, deep ? hidden.rows : 0, weight.rows)))
        return error_out_of_memory(error, "a model");
    if (!copy_transposed(&weight, (*model)->weights) || !copy_transposed(&bias, (*model)->bias) ||
        (deep && (!copy_transposed(&hidden, (*model)->hidden_weights) ||
                  !copy_transposed(&hidden_bias, (*model)->hidden_bias))))
        return error_set(error, GBV_BAD_INPUT, "%s: a weight is not a finite number: train the model again", path);
    if (history && !((*model)->history = strdup(history)))
        return error_out_of_memory(error, "a model");
    gbv_status status = read_texts(file, path, "classes", (*model)->outputs, &(*model)->class_names, error);
    if (status == GBV_OK && safetensors_metadata(file, "features"))
        status = read_texts(file, path, "features", (*model)->inputs, &(*model)->feature_names, error);
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
    status = build(&file, path, model, error);
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
