/* net_layers.h - the layers of each kind of net. A new kind is a function here and a line in nets.def. */
#ifndef NN_NET_LAYERS_H
#define NN_NET_LAYERS_H

#include "nn/net.h"

/* Lists the layers of the kind; false when memory is out. */
#define NET(name) bool net_layers_##name(net *n, const net_options *options);
#include "nn/nets.def"
#undef NET

/* A convolution without a bias and the batch norm that follows it, which are named like in torchvision's files.
 * The tensor it makes; 0 when memory is out. */
typedef struct convolution_block {
    const char *convolution, *norm; /* names */
    size_t input, outputs, kernel, stride;
    bool relu;
} convolution_block;

size_t net_add_block(net *n, convolution_block block);
/* What follows the last convolution: mean over the map, then the head called `name`. */
bool net_add_head(net *n, size_t input, const char *name, size_t outputs);
/* `tensor` itself when there is no dropout. */
size_t net_add_dropout(net *n, size_t tensor, double rate);

#endif
