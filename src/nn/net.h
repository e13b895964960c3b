/* net.h - a network as a short list of layers that knows no hardware, and the names and places of its numbers.
 *
 *     net *n;
 *     net_values values;
 *     net_create("resnet18", &(net_options){.channels = 3, .outputs = 10}, &n, error);
 *     net_values_create(n, &values, error);
 *     net_initialise(n, seed, "anna", 0, &values);
 *     ... program_compile(n, ...), program_load(p, &values) ...
 *     net_values_free(&values), net_free(n);
 */
#ifndef NN_NET_H
#define NN_NET_H

#include "compute/backend.h"

typedef enum layer_kind {
    LAYER_CONVOLUTION,
    LAYER_BATCH_NORM,
    LAYER_RELU,
    LAYER_ADD,
    LAYER_MAX_POOL,
    LAYER_MEAN_POOL,
    LAYER_LINEAR,
    LAYER_DROPOUT,
} layer_kind;

enum { LAYER_NAME = 32, TENSOR_NAME = 48 };

/* Tensor 0 is the input of the net, tensor i + 1 the output of layer i. */
typedef struct layer {
    layer_kind kind;
    char name[LAYER_NAME]; /* of its tensors in torchvision's files, such as layer1.0.conv1; "" without any */
    size_t input;          /* the tensor it reads */
    union {
        struct {
            size_t outputs, kernel, stride, padding;
            bool bias;
        } convolution;
        struct {
            bool relu;
        } batch_norm;
        struct {
            size_t other; /* tensor */
            bool relu;
        } add;
        struct {
            size_t kernel, stride, padding;
        } max_pool;
        struct {
            size_t outputs;
        } linear;
        struct {
            double rate;
        } dropout;
    };
} layer;

/* A named array of the net, in PyTorch's order. */
typedef struct net_tensor {
    char name[TENSOR_NAME]; /* layer1.0.conv1.weight */
    size_t axes, shape[4];
    size_t offset, count; /* in the block of parameters, or of statistics */
    bool statistic;       /* running mean or variance: not trained */
    size_t layer;
} net_tensor;

typedef struct net {
    char kind[12];
    size_t channels; /* of the input; features of a net for rows, which has no size of images */
    size_t outputs;  /* of the last layer, which is linear */
    layer *layers;
    size_t layer_count, layer_capacity;
    size_t features; /* the tensor that the last layer reads: what gbv calls features */
    size_t feature_count;
    net_tensor *tensors; /* by layer: weight, bias, running_mean, running_var, named as torchvision does */
    size_t tensor_count;
    size_t parameter_count, statistic_count;
} net;

typedef struct net_options {
    size_t channels, outputs;
    size_t hidden;        /* mlp: width of the hidden layer */
    double dropout;       /* after each stage of a convolutional net; 0: none */
    bool stride_in_first; /* resnet50: the stride of a block is in its first 1x1 convolution, as before v1.5 */
} net_options;

/* Every number of a net, plain and in one block each. */
typedef struct net_values {
    float *parameters, *statistics;
} net_values;

bool net_is_known(const char *kind); /* linear, mlp, cnn, resnet18, resnet34, resnet50 */
GBV_MUST_CHECK gbv_status net_create(const char *kind, const net_options *options, net **made, gbv_error *error);
void net_free(net *n);

/* For those who list layers of their own: an empty net, a layer more (its tensor's number is returned, 0 when memory is
 * out), and the names and places once all are there. */
net *net_empty(const char *kind, size_t channels);
size_t net_add(net *n, layer l);
GBV_MUST_CHECK gbv_status net_close(net *n, gbv_error *error);

/* The channels of a tensor; the size of images does not matter for it. */
size_t net_channels(const net *n, size_t tensor);

GBV_MUST_CHECK gbv_status net_values_create(const net *n, net_values *values, gbv_error *error);
void net_values_free(net_values *values);
/* Random numbers as torchvision begins with: convolutions normal with variance 2 / (outputs * kernel^2), linear layers
 * uniform within 1 / sqrt(inputs), batch norm 1 and 0. Keyed by all of (seed, subject, draw). */
void net_initialise(const net *n, uint64_t seed, const char *subject, uint32_t draw, net_values *values);

#endif
