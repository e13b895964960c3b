#include "nn/net.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "nn/net_layers.h"

static const struct {
    const char *name;
    bool (*list)(net *n, const net_options *options);
} kinds[] = {
#define NET(name) {#name, net_layers_##name},
#include "nn/nets.def"
#undef NET
};

bool net_is_known(const char *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, kind) == 0)
            return true;
    return false;
}

net *net_empty(const char *kind, size_t channels)
{
    net *n = memory_zeroed(1, sizeof *n);
    if (n) {
        snprintf(n->kind, sizeof n->kind, "%s", kind);
        n->channels = channels;
    }
    return n;
}

void net_free(net *n)
{
    if (!n)
        return;
    free(n->layers);
    free(n->tensors);
    free(n);
}

size_t net_add(net *n, layer l)
{
    if (!memory_grow(&n->layers, &n->layer_capacity, n->layer_count + 1, sizeof *n->layers))
        return 0;
    n->layers[n->layer_count++] = l;
    return n->layer_count;
}

size_t net_channels(const net *n, size_t tensor)
{
    while (tensor > 0) {
        const layer *l = &n->layers[tensor - 1];
        if (l->kind == LAYER_CONVOLUTION)
            return l->convolution.outputs;
        if (l->kind == LAYER_LINEAR)
            return l->linear.outputs;
        tensor = l->input;
    }
    return n->channels;
}

/* Names and places one array of layer `index`; shapes end at the first zero. */
static bool add_tensor(net *n, size_t index, const char *part, bool statistic, const size_t shape[4])
{
    net_tensor *t = &n->tensors[n->tensor_count++];
    size_t *total = statistic ? &n->statistic_count : &n->parameter_count;
    *t = (net_tensor){.statistic = statistic, .layer = index, .offset = *total, .count = 1};
    snprintf(t->name, sizeof t->name, "%s.%s", n->layers[index].name, part);
    for (; t->axes < 4 && shape[t->axes]; t->axes++)
        if (__builtin_mul_overflow(t->count, t->shape[t->axes] = shape[t->axes], &t->count))
            return false;
    return !__builtin_add_overflow(*total, t->count, total) && *total <= INT_MAX;
}

static bool add_tensors(net *n, size_t index)
{
    const layer *l = &n->layers[index];
    size_t channels = net_channels(n, l->input), outputs = net_channels(n, index + 1);
    size_t kernel = l->kind == LAYER_CONVOLUTION ? l->convolution.kernel : 0;
    size_t each[4] = {outputs};
    switch (l->kind) {
    case LAYER_CONVOLUTION:
        return add_tensor(n, index, "weight", false, (size_t[4]){outputs, channels, kernel, kernel}) &&
               (!l->convolution.bias || add_tensor(n, index, "bias", false, each));
    case LAYER_LINEAR:
        return add_tensor(n, index, "weight", false, (size_t[4]){outputs, channels}) &&
               add_tensor(n, index, "bias", false, each);
    case LAYER_BATCH_NORM:
        return add_tensor(n, index, "weight", false, each) && add_tensor(n, index, "bias", false, each) &&
               add_tensor(n, index, "running_mean", true, each) && add_tensor(n, index, "running_var", true, each);
    default:
        return true;
    }
}

gbv_status net_close(net *n, gbv_error *error)
{
    enum { MOST_TENSORS = 4 }; /* of a layer */
    if (n->layer_count == 0 || n->layers[n->layer_count - 1].kind != LAYER_LINEAR)
        return error_set(error, GBV_USAGE, "a net must end with a linear layer");
    if (!(n->tensors = memory_zeroed(n->layer_count, MOST_TENSORS * sizeof *n->tensors)))
        return error_out_of_memory(error, "a network");
    for (size_t i = 0; i < n->layer_count; i++)
        if (!add_tensors(n, i))
            return error_set(error, GBV_USAGE, "a %s of these sizes has more than %d parameters: make it smaller",
                             n->kind, INT_MAX);
    const layer *last = &n->layers[n->layer_count - 1];
    n->outputs = last->linear.outputs;
    n->features = last->input;
    n->feature_count = net_channels(n, last->input);
    return GBV_OK;
}

gbv_status net_create(const char *kind, const net_options *options, net **made, gbv_error *error)
{
    *made = NULL;
    size_t k = 0;
    while (k < sizeof kinds / sizeof *kinds && strcmp(kinds[k].name, kind) != 0)
        k++;
    if (k == sizeof kinds / sizeof *kinds)
        return error_set(error, GBV_USAGE, "'%s' is no network", kind);
    if (options->channels == 0 || options->outputs == 0)
        return error_set(error, GBV_USAGE, "a %s needs at least one channel and one class", kind);
    net *n = net_empty(kind, options->channels);
    if (!n || !kinds[k].list(n, options)) {
        net_free(n);
        return error_out_of_memory(error, "a network");
    }
    gbv_status status = net_close(n, error);
    if (status == GBV_OK)
        *made = n;
    else
        net_free(n);
    return status;
}

gbv_status net_values_create(const net *n, net_values *values, gbv_error *error)
{
    values->parameters = memory_zeroed(n->parameter_count, sizeof *values->parameters);
    values->statistics = memory_zeroed(n->statistic_count, sizeof *values->statistics);
    if (values->parameters && values->statistics)
        return GBV_OK;
    net_values_free(values);
    return error_out_of_memory(error, "the weights of a network");
}

void net_values_free(net_values *values)
{
    free(values->parameters);
    free(values->statistics);
    *values = (net_values){0};
}

static void initialise(const net *n, const net_tensor *t, random_stream stream, net_values *values)
{
    const layer *l = &n->layers[t->layer];
    float *to = (t->statistic ? values->statistics : values->parameters) + t->offset;
    bool weight = strcmp(strrchr(t->name, '.'), ".weight") == 0;
    double inputs = (double)net_channels(n, l->input);
    double fan_out = l->kind == LAYER_CONVOLUTION ? (double)t->shape[0] * (double)(t->shape[2] * t->shape[3]) : 1;
    for (size_t i = 0; i < t->count; i++)
        switch (l->kind) {
        case LAYER_LINEAR:
            to[i] = (float)((2 * random_uniform(&stream) - 1) / sqrt(inputs));
            break;
        case LAYER_CONVOLUTION:
            to[i] = weight ? (float)(sqrt(2 / fan_out) * random_normal(&stream)) : 0;
            break;
        default: /* batch norm */
            to[i] = weight || strstr(t->name, "running_var") ? 1 : 0;
        }
}

void net_initialise(const net *n, uint64_t seed, const char *subject, uint32_t draw, net_values *values)
{
    for (const net_tensor *t = n->tensors; t < n->tensors + n->tensor_count; t++) {
        random_stream stream = random_stream_open_draw(seed, subject, RANDOM_WEIGHTS, draw);
        /* A number takes one block at most; nets that differ in their heads alone begin alike. */
        random_stream_seek(&stream, (uint64_t)draw << 32 | t->offset);
        initialise(n, t, stream, values);
    }
}
