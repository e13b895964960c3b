/* net_blocks.c - what the convolutional nets are built of, and the nets for rows of features. */
#include <stdio.h>

#include "nn/net_layers.h"

static layer named(layer l, const char *name)
{
    snprintf(l.name, sizeof l.name, "%s", name);
    return l;
}

size_t net_add_block(net *n, convolution_block b)
{
    layer convolution = {
        .kind = LAYER_CONVOLUTION,
        .input = b.input,
        .convolution = {.outputs = b.outputs, .kernel = b.kernel, .stride = b.stride, .padding = b.kernel / 2}};
    size_t convolved = net_add(n, named(convolution, b.convolution));
    layer norm = {.kind = LAYER_BATCH_NORM, .input = convolved, .batch_norm = {.relu = b.relu}};
    return convolved ? net_add(n, named(norm, b.norm)) : 0;
}

static size_t add_linear(net *n, size_t input, const char *name, size_t outputs)
{
    return net_add(n, named((layer){.kind = LAYER_LINEAR, .input = input, .linear = {.outputs = outputs}}, name));
}

bool net_add_head(net *n, size_t input, const char *name, size_t outputs)
{
    size_t pooled = net_add(n, (layer){.kind = LAYER_MEAN_POOL, .input = input});
    return pooled && add_linear(n, pooled, name, outputs);
}

size_t net_add_dropout(net *n, size_t tensor, double rate)
{
    return rate > 0 ? net_add(n, (layer){.kind = LAYER_DROPOUT, .input = tensor, .dropout = {.rate = rate}}) : tensor;
}

bool net_layers_linear(net *n, const net_options *options)
{
    return add_linear(n, 0, "output", options->outputs);
}

bool net_layers_mlp(net *n, const net_options *options)
{
    size_t hidden = add_linear(n, 0, "hidden", options->hidden);
    size_t active = hidden ? net_add(n, (layer){.kind = LAYER_RELU, .input = hidden}) : 0;
    return active && add_linear(n, active, "output", options->outputs);
}
