/* mlp.h - the network with one hidden layer as the trainer sees it: single precision, one flat block of parameters. */
#ifndef NN_MLP_H
#define NN_MLP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* h = relu(x V + a), logits = h W + b. A block holds V (inputs x hidden), a, W (hidden x outputs), b in this order. */
typedef struct mlp_network {
    size_t inputs, hidden, outputs;
    size_t hidden_bias, weights, bias, count; /* where a, W and b start, and the length of the block */
    float *parameters, *gradient;
    float *rows;                           /* batch x inputs: filled by the caller */
    float *activations, *back, *residuals; /* batch x hidden, the same, batch x outputs */
} mlp_network;

/* Memory for batches of up to `batch` rows; false when there is not enough. */
bool mlp_open(mlp_network *net, size_t inputs, size_t hidden, size_t outputs, size_t batch, arena *scratch);

/* Mean over the first `count` of net->rows of weight * cross-entropy; fills net->gradient. */
double mlp_loss(mlp_network *net, size_t count, const int32_t *targets, const float *weights);

#endif
