/* model.c - what all kinds of model share: the table of kinds, memory, the way from labels to columns, and the readout.
 */
#include "nn/kind.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compute/dense.h"
#include "compute/narrow.h"

#define MODEL(name) extern const model_kind model_##name;
#include "nn/models.def"
#undef MODEL

static const model_kind *const kinds[] = {
#define MODEL(name) &model_##name,
#include "nn/models.def"
#undef MODEL
};

/* A comma before each. */
static const char kind_names[] =
#define MODEL(name) ", " #name
#include "nn/models.def"
#undef MODEL
    ;

enum { MOST_BLOCK_ROWS = 64, MOST_BLOCK_NUMBERS = 1 << 21 };

const model_kind *model_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? kinds[index] : NULL;
}

const model_kind *model_kind_find(const char *name)
{
    for (size_t i = 0; model_kind_at(i); i++)
        if (strcmp(model_kind_at(i)->name, name) == 0)
            return model_kind_at(i);
    return NULL;
}

const char *model_feature_space(const char *kind)
{
    const model_kind *found = model_kind_find(kind);
    return found ? found->feature_space : "";
}

const char *model_kind_names(void)
{
    return kind_names + 2;
}

gbv_model *model_create(const model_kind *kind, size_t inputs, size_t hidden, size_t outputs)
{
    gbv_model *model = memory_zeroed(1, sizeof *model);
    if (!model)
        return NULL;
    size_t into_output = hidden ? hidden : inputs, first, second;
    if (__builtin_mul_overflow(inputs, hidden, &first) || __builtin_mul_overflow(into_output, outputs, &second) ||
        __builtin_add_overflow(first, second, &second) ||
        __builtin_add_overflow(second, hidden + outputs, &model->parameter_count))
        goto failed;
    model->parameters = memory_zeroed(model->parameter_count, sizeof *model->parameters);
    model->classes = memory_array(outputs, sizeof *model->classes);
    if (!model->parameters || !model->classes)
        goto failed;
    strncpy(model->kind, kind->name, sizeof model->kind - 1);
    model->inputs = inputs;
    model->hidden = hidden;
    model->outputs = outputs;
    model->hidden_weights = hidden ? model->parameters : NULL;
    model->hidden_bias = hidden ? model->parameters + first : NULL;
    model->weights = model->parameters + first + hidden;
    model->bias = model->weights + into_output * outputs;
    for (size_t k = 0; k < outputs; k++)
        model->classes[k] = (int32_t)k;
    return model;
failed:
    gbv_model_free(model);
    return NULL;
}

void gbv_model_free(gbv_model *model)
{
    if (!model)
        return;
    for (size_t k = 0; model->class_names && k < model->outputs; k++)
        free(model->class_names[k]);
    free(model->class_names);
    for (size_t k = 0; model->feature_names && k < model->inputs; k++)
        free(model->feature_names[k]);
    free(model->feature_names);
    network_free(model);
    free(model->history);
    free(model->classes);
    free(model->parameters);
    free(model);
}

void fit_shape_free(fit_shape *shape)
{
    free(shape->inverse);
    *shape = (fit_shape){0};
}

const char *gbv_model_kind(const gbv_model *model)
{
    return model->kind;
}

const char *gbv_model_note(const gbv_model *model)
{
    return model->note;
}

size_t gbv_model_inputs(const gbv_model *model)
{
    return model->inputs;
}

size_t gbv_model_class_count(const gbv_model *model)
{
    return model->outputs;
}

const char *gbv_model_class_name(const gbv_model *model, size_t class_index)
{
    return class_index < model->outputs && model->class_names ? model->class_names[class_index] : NULL;
}

/* Gives the classes that occur a column each, in their order, and every row its column. Returns the columns. */
static size_t columns_of_classes(int32_t *classes, size_t rows, size_t class_count, int32_t *column_of)
{
    size_t columns = 0;
    for (size_t c = 0; c < class_count; c++)
        column_of[c] = -1;
    for (size_t i = 0; i < rows; i++)
        column_of[classes[i]] = 0;
    for (size_t c = 0; c < class_count; c++)
        if (column_of[c] == 0)
            column_of[c] = (int32_t)columns++;
    for (size_t i = 0; i < rows; i++)
        classes[i] = column_of[classes[i]];
    return columns;
}

static gbv_status check_rows(const sample *data, size_t class_count, const int32_t *classes, double *weights,
                             gbv_error *error)
{
    double sum = 0;
    for (size_t i = 0; i < data->rows; i++) {
        if (classes[i] < 0 || (size_t)classes[i] >= class_count)
            return error_set(error, GBV_BAD_INPUT, "row %zu has no class: a model is fitted on labelled rows", i + 1);
        if (!(weights[i] >= 0 && isfinite(weights[i])))
            return error_set(error, GBV_BAD_INPUT, "row %zu weighs %g: weights must be finite and not negative", i + 1,
                             weights[i]);
        sum += weights[i];
    }
    if (!(sum > 0 && isfinite(sum)))
        return error_set(error, GBV_BAD_INPUT, "the weights of the %zu rows sum to %g: some row must count", data->rows,
                         sum);
    for (size_t i = 0; i < data->rows; i++)
        weights[i] /= sum;
    return GBV_OK;
}

/* BLAS counts in int, so no matrix may be wider or longer than that. */
static gbv_status check_sizes(size_t rows, size_t columns, size_t hidden, size_t outputs, gbv_error *error)
{
    size_t wide = columns > hidden ? columns : hidden, count;
    if (rows > INT_MAX || __builtin_mul_overflow(wide + 1, outputs > hidden ? outputs : hidden, &count) ||
        count > INT_MAX)
        return error_set(error, GBV_BAD_INPUT,
                         "%zu rows of %zu features with %zu classes are too many for one model: take fewer", rows,
                         columns, outputs);
    return GBV_OK;
}

static gbv_status check_parameters(const gbv_model *model, gbv_error *error)
{
    for (size_t i = 0; i < model->parameter_count; i++)
        if (!isfinite(model->parameters[i]))
            return error_set(error, GBV_FAILED,
                             "the fit of the %s model left the range of numbers: scale the features or lower "
                             "learning_rate",
                             model->kind);
    return GBV_OK;
}

gbv_status model_fit(const sample *data, size_t class_count, const gbv_model_options *options, const char *subject,
                     arena *scratch, gbv_model **model, gbv_error *error)
{
    return model_refit(data, class_count, options, subject, &(refit){0}, scratch, model, error);
}

static gbv_status create(const model_kind *kind, const sample *data, const gbv_model_options *options, size_t outputs,
                         gbv_model **model, gbv_error *error)
{
    if (kind->of_images)
        return network_create(data, options, outputs, model, error);
    size_t hidden = kind->has_hidden_layer ? options->hidden : 0;
    gbv_status status = check_sizes(data->rows, data->columns, hidden, outputs, error);
    if (status == GBV_OK && !(*model = model_create(kind, data->columns, hidden, outputs)))
        status = error_out_of_memory(error, "a model");
    return status;
}

gbv_status model_refit(const sample *data, size_t class_count, const gbv_model_options *options, const char *subject,
                       const refit *how, arena *scratch, gbv_model **model, gbv_error *error)
{
    *model = NULL;
    gbv_status status = model_options_check(options, error);
    if (status != GBV_OK)
        return status;
    if (data->rows == 0)
        return error_set(error, GBV_BAD_INPUT, "a model cannot be fitted on no rows");
    int32_t *classes = arena_array(scratch, data->rows, sizeof *classes);
    double *weights = arena_array(scratch, data->rows, sizeof *weights);
    int32_t *column_of = arena_array(scratch, class_count, sizeof *column_of);
    if (!classes || !weights || !column_of)
        return error_out_of_memory(error, "fitting a model");
    sample_labels(data, classes, weights);
    if ((status = check_rows(data, class_count, classes, weights, error)) != GBV_OK)
        return status;
    const model_kind *kind = model_kind_find(options->model);
    size_t outputs = columns_of_classes(classes, data->rows, class_count, column_of);
    gbv_model *fitted;
    if ((status = create(kind, data, options, outputs, &fitted, error)) != GBV_OK)
        return status;
    for (size_t c = 0; c < class_count; c++)
        if (column_of[c] >= 0)
            fitted->classes[column_of[c]] = (int32_t)c;
    fit_task task = {.data = data,
                     .outputs = outputs,
                     .targets = classes,
                     .weights = weights,
                     .options = options,
                     .subject = subject,
                     .how = how,
                     .scratch = scratch};
    if ((status = kind->fit(&task, fitted, error)) == GBV_OK)
        status = sample_check(data, error);
    if (status == GBV_OK)
        status = check_parameters(fitted, error);
    if (status == GBV_OK)
        *model = fitted;
    else
        gbv_model_free(fitted);
    return status;
}

gbv_status model_start(const gbv_model_options *options, size_t inputs, size_t outputs, const char *subject,
                       gbv_model **model, gbv_error *error)
{
    *model = NULL;
    gbv_status status = model_options_check(options, error);
    if (status != GBV_OK)
        return status;
    const model_kind *kind = model_kind_find(options->model);
    if (kind->of_images)
        return error_set(error, GBV_USAGE, "the model %s takes images: only linear and mlp begin from rows",
                         kind->name);
    size_t hidden = kind->has_hidden_layer ? options->hidden : 0;
    if ((status = check_sizes(0, inputs, hidden, outputs, error)) != GBV_OK)
        return status;
    gbv_model *started = model_create(kind, inputs, hidden, outputs);
    if (!started)
        return error_out_of_memory(error, "a model");
    if (kind->start)
        kind->start(started, options->seed, subject, 0);
    *model = started;
    return GBV_OK;
}

size_t model_feature_count(const gbv_model *model)
{
    return model->net ? model->net->feature_count : model->hidden ? model->hidden : model->outputs;
}

/* A layer's weights as compute/narrow.h wants them, and room for what it makes of a block. */
typedef struct dense_layer {
    size_t inputs, outputs, padded;
    const double *bias;
    double *weights; /* inputs x padded */
    double *sums;    /* block x padded */
    double *out;     /* block x outputs */
} dense_layer;

static bool layer_open(dense_layer *l, size_t inputs, size_t outputs, const double *weights, const double *bias,
                       size_t block, arena *scratch)
{
    *l = (dense_layer){.inputs = inputs, .outputs = outputs, .padded = narrow_padded(outputs), .bias = bias};
    l->weights = arena_array(scratch, inputs, l->padded * sizeof *l->weights);
    l->sums = arena_array(scratch, block, l->padded * sizeof *l->sums);
    l->out = arena_array(scratch, block, outputs * sizeof *l->out);
    if (!l->weights || !l->sums || !l->out)
        return false;
    narrow_pad(weights, inputs, outputs, l->weights);
    return true;
}

/* l->out = in * weights + bias for `rows` rows. */
static void layer_apply(const dense_layer *l, const double *in, size_t rows)
{
    narrow_multiply(in, rows, l->inputs, l->weights, l->padded, l->sums);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < l->outputs; k++)
            l->out[i * l->outputs + k] = l->sums[i * l->padded + k] + l->bias[k];
}

static void centred_rows(const double *logits, size_t rows, size_t columns, double *out)
{
    for (size_t i = 0; i < rows; i++) {
        double mean = 0;
        for (size_t k = 0; k < columns; k++)
            mean += logits[i * columns + k] / (double)columns;
        for (size_t k = 0; k < columns; k++)
            out[i * columns + k] = logits[i * columns + k] - mean;
    }
}

/* Writes what was asked for of a block of logits (overwritten) that starts at row `first`. */
static void write_block(const gbv_model *model, const readout *out, size_t first, size_t count, const double *hidden,
                        double *logits)
{
    size_t outputs = model->outputs, size = count * outputs * sizeof *logits;
    if (out->logits)
        memcpy(out->logits + first * outputs, logits, size);
    if (out->features && hidden)
        memcpy(out->features + first * model->hidden, hidden, count * model->hidden * sizeof *hidden);
    else if (out->features)
        centred_rows(logits, count, outputs, out->features + first * outputs);
    if (out->probabilities) {
        dense_softmax_rows(logits, count, outputs);
        memcpy(out->probabilities + first * outputs, logits, size);
    }
}

gbv_status model_read_out(const gbv_model *model, const sample *data, const readout *out, arena *scratch,
                          gbv_error *error)
{
    dense_layer hidden = {0}, output;
    if (model->net)
        return network_read_out(model, data, out, scratch, error);
    if (data->columns != model->inputs)
        return error_set(error, GBV_BAD_INPUT, "the rows have %zu features, the model was fitted on %zu", data->columns,
                         model->inputs);
    size_t wanted = MOST_BLOCK_NUMBERS / model->inputs + 1, block = wanted < MOST_BLOCK_ROWS ? wanted : MOST_BLOCK_ROWS;
    double *buffer = arena_array(scratch, model->inputs, block * sizeof *buffer);
    if (!buffer ||
        (model->hidden && !layer_open(&hidden, model->inputs, model->hidden, model->hidden_weights, model->hidden_bias,
                                      block, scratch)) ||
        !layer_open(&output, model->hidden ? model->hidden : model->inputs, model->outputs, model->weights, model->bias,
                    block, scratch))
        return error_out_of_memory(error, "using a model");
    for (size_t first = 0; first < data->rows; first += block) {
        size_t count = data->rows - first < block ? data->rows - first : block;
        const double *in = sample_block_f64(data, first, count, buffer);
        if (model->hidden) {
            layer_apply(&hidden, in, count);
            for (size_t i = 0; i < count * model->hidden; i++)
                hidden.out[i] = hidden.out[i] > 0 ? hidden.out[i] : 0;
            in = hidden.out;
        }
        layer_apply(&output, in, count);
        for (size_t i = 0; i < count * model->outputs; i++)
            if (!isfinite(output.out[i]))
                return error_set(error, GBV_BAD_INPUT,
                                 "row %zu takes the model out of the range of numbers: its features are too large",
                                 out->before + first + i / model->outputs + 1);
        write_block(model, out, first, count, model->hidden ? hidden.out : NULL, output.out);
    }
    return sample_check(data, error);
}
