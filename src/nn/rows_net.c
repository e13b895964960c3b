#include "nn/rows_net.h"

#include <stdlib.h>

#include "nn/loop.h"

/* The model keeps its weights inputs x outputs in doubles, the net outputs x inputs in floats. */
typedef struct dense_layer {
    double *weights, *bias;
    size_t inputs, outputs;
} dense_layer;

static size_t list_layers(const gbv_model *m, dense_layer layers[2])
{
    if (m->hidden)
        layers[0] = (dense_layer){m->hidden_weights, m->hidden_bias, m->inputs, m->hidden};
    layers[m->hidden ? 1 : 0] = (dense_layer){m->weights, m->bias, m->hidden ? m->hidden : m->inputs, m->outputs};
    return m->hidden ? 2 : 1;
}

/* Where the net has the weights of its i-th linear layer; the bias follows. */
static float *weights_of(const net *n, const net_values *values, size_t i)
{
    return values->parameters + n->tensors[2 * i].offset;
}

static void take_parameters(const gbv_model *model, const net *n, net_values *values)
{
    dense_layer layers[2];
    size_t count = list_layers(model, layers);
    for (size_t i = 0; i < count; i++) {
        const dense_layer *l = &layers[i];
        float *weights = weights_of(n, values, i), *bias = values->parameters + n->tensors[2 * i + 1].offset;
        for (size_t k = 0; k < l->outputs; k++) {
            for (size_t j = 0; j < l->inputs; j++)
                weights[k * l->inputs + j] = (float)l->weights[j * l->outputs + k];
            bias[k] = (float)l->bias[k];
        }
    }
}

static void settle(const loop_task *task)
{
    gbv_model *model = task->model;
    dense_layer layers[2];
    size_t count = list_layers(model, layers);
    for (size_t i = 0; i < count; i++) {
        const dense_layer *l = &layers[i];
        const float *weights = weights_of(task->net, task->values, i),
                    *bias = task->values->parameters + task->net->tensors[2 * i + 1].offset;
        for (size_t k = 0; k < l->outputs; k++) {
            for (size_t j = 0; j < l->inputs; j++)
                l->weights[j * l->outputs + k] = (double)weights[k * l->inputs + j];
            l->bias[k] = (double)bias[k];
        }
    }
    scaling_fold(task->rows.scale, layers[0].inputs, layers[0].outputs, layers[0].weights, layers[0].bias);
}

gbv_status rows_net_fit(const fit_task *task, const scaling *scale, gbv_model *model, gbv_error *error)
{
    gbv_model_options options = gbv_model_resolve(task->options, task->data->rows);
    net *n = NULL;
    net_values values = {0};
    loop_task training = {.fit = task,
                          .options = &options,
                          .values = &values,
                          .rows = {.data = task->data, .scale = scale, .in = {model->inputs, 1, 1}},
                          .decay = options.l2,
                          .model = model,
                          .settle = settle};
    net_options sizes = {.channels = model->inputs, .hidden = model->hidden, .outputs = model->outputs};
    gbv_status status = net_create(model->kind, &sizes, &n, error);
    if (status == GBV_OK)
        status = net_values_create(n, &values, error);
    if (status == GBV_OK) {
        training.net = n;
        take_parameters(model, n, &values);
        status = loop_train(&training, error);
    }
    free(training.curve);
    net_values_free(&values);
    net_free(n);
    return status;
}
