/* cnn.c - a small convolutional net for images of about 28 to 64 pixels that trains in seconds: five 3x3 convolutions
 * with batch norm in three stages, each at half the resolution of the one before. */
#include <stdio.h>

#include "nn/net_layers.h"

bool net_layers_cnn(net *n, const net_options *options)
{
    static const struct {
        size_t outputs, stride;
        bool ends_stage;
    } blocks[] = {{16, 1, true}, {32, 2, false}, {32, 1, true}, {64, 2, false}, {64, 1, true}};
    size_t tensor = 0;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        char convolution[LAYER_NAME], norm[LAYER_NAME];
        snprintf(convolution, sizeof convolution, "conv%zu", i + 1);
        snprintf(norm, sizeof norm, "bn%zu", i + 1);
        tensor = net_add_block(n, (convolution_block){.convolution = convolution,
                                                      .norm = norm,
                                                      .input = tensor,
                                                      .outputs = blocks[i].outputs,
                                                      .kernel = 3,
                                                      .stride = blocks[i].stride,
                                                      .relu = true});
        if (tensor && blocks[i].ends_stage)
            tensor = net_add_dropout(n, tensor, options->dropout);
        if (!tensor)
            return false;
    }
    return net_add_head(n, tensor, "fc", options->outputs);
}
