/* resnet.c - residual nets (He et al. 2016) layer for layer as torchvision has them (version 1.5: the stride of a
 * bottleneck is in its 3x3 convolution), with its names. */
#include <stdio.h>

#include "nn/net_layers.h"

typedef struct resnet {
    size_t blocks[4]; /* of each stage */
    bool bottleneck;  /* 1x1, 3x3, 1x1 instead of 3x3, 3x3 */
} resnet;

/* One convolution of a block, by its number from 1. */
static size_t add_convolution(net *n, const char *block, size_t number, size_t input, size_t outputs, size_t kernel,
                              size_t stride, bool relu)
{
    char convolution[LAYER_NAME], norm[LAYER_NAME];
    snprintf(convolution, sizeof convolution, "%.16s.conv%zu", block, number);
    snprintf(norm, sizeof norm, "%.16s.bn%zu", block, number);
    return net_add_block(n, (convolution_block){convolution, norm, input, outputs, kernel, stride, relu});
}

/* The way past the convolutions: the input itself where the sizes allow it. */
static size_t add_shortcut(net *n, const char *block, size_t input, size_t outputs, size_t stride)
{
    char convolution[LAYER_NAME], norm[LAYER_NAME];
    if (stride == 1 && net_channels(n, input) == outputs)
        return input;
    snprintf(convolution, sizeof convolution, "%.16s.downsample.0", block);
    snprintf(norm, sizeof norm, "%.16s.downsample.1", block);
    return net_add_block(n, (convolution_block){convolution, norm, input, outputs, 1, stride, false});
}

/* The shortcut stands just before the last convolution, so that its sum can be taken where that is written. */
static size_t add_block(net *n, const resnet *r, const char *block, size_t input, size_t width, size_t stride,
                        bool stride_in_first)
{
    size_t outputs = r->bottleneck ? 4 * width : width, inner, shortcut, last;
    if (r->bottleneck) {
        inner = add_convolution(n, block, 1, input, width, 1, stride_in_first ? stride : 1, true);
        if (inner)
            inner = add_convolution(n, block, 2, inner, width, 3, stride_in_first ? 1 : stride, true);
    } else
        inner = add_convolution(n, block, 1, input, width, 3, stride, true);
    size_t known = n->layer_count;
    shortcut = add_shortcut(n, block, input, outputs, stride);
    bool failed = !inner || (n->layer_count != known && !shortcut);
    last =
        failed ? 0 : add_convolution(n, block, r->bottleneck ? 3 : 2, inner, outputs, r->bottleneck ? 1 : 3, 1, false);
    return last ? net_add(n, (layer){.kind = LAYER_ADD, .input = last, .add = {.other = shortcut, .relu = true}}) : 0;
}

static bool add_resnet(net *n, const resnet *r, const net_options *options)
{
    size_t tensor = net_add_block(n, (convolution_block){"conv1", "bn1", 0, 64, 7, 2, true});
    if (tensor)
        tensor = net_add(n, (layer){.kind = LAYER_MAX_POOL, .input = tensor, .max_pool = {3, 2, 1}});
    for (size_t stage = 0; stage < 4 && tensor; stage++) {
        for (size_t b = 0; b < r->blocks[stage] && tensor; b++) {
            char block[LAYER_NAME];
            snprintf(block, sizeof block, "layer%zu.%zu", stage + 1, b);
            tensor = add_block(n, r, block, tensor, (size_t)64 << stage, stage > 0 && b == 0 ? 2 : 1,
                               options->stride_in_first);
        }
        if (tensor)
            tensor = net_add_dropout(n, tensor, options->dropout);
    }
    return tensor && net_add_head(n, tensor, "fc", options->outputs);
}

bool net_layers_resnet18(net *n, const net_options *options)
{
    return add_resnet(n, &(resnet){.blocks = {2, 2, 2, 2}}, options);
}

bool net_layers_resnet34(net *n, const net_options *options)
{
    return add_resnet(n, &(resnet){.blocks = {3, 4, 6, 3}}, options);
}

bool net_layers_resnet50(net *n, const net_options *options)
{
    return add_resnet(n, &(resnet){.blocks = {3, 4, 6, 3}, .bottleneck = true}, options);
}
