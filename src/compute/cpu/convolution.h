/* convolution.h - a convolution is prepared in one of two ways: by oneDNN (convolution_plan.c), or on a small map as a
 * sum of matrix products (convolution_small.c). This is what they share. */
#ifndef COMPUTE_CPU_CONVOLUTION_H
#define COMPUTE_CPU_CONVOLUTION_H

#include "compute/cpu/primitive.h"
#include "compute/cpu/product.h"
#include "compute/cpu/window.h"

typedef struct convolution_op {
    op op; /* first: an op is one of these */
    convolution_shape shape;
    extent out;
    size_t batch, threads;
    window rows, columns;
    primitive load, store;
    size_t weight_count; /* floats of the parameters before the bias */
    size_t sample_rows;  /* of the result that sample_gradient unfolds at once */

    /* oneDNN's. It may want the weights in another order for backward; `made` is NULL where it is the same. */
    primitive forward, backward_data, backward_weights;
    primitive weights_for_data, gradient_to_own;
    size_t weights_for_data_bytes, gradient_bytes;

    product product; /* of a small map; terms is NULL otherwise */
} convolution_op;

/* Each fills in the op's functions and sizes besides those for images one by one. */
dnnl_status_t convolution_plan(convolution_op *self, bool train);
bool convolution_is_small(const convolution_op *self);
dnnl_status_t convolution_small(convolution_op *self, bool train);

/* Weights between PyTorch's order, of which only the taps that are kept take part, and `own`. */
dnnl_status_t convolution_plan_load(convolution_op *self, const dnnl_memory_desc_t *own, bool train);

/* convolution_sample.c */
size_t convolution_sample_scratch(convolution_op *self);
void convolution_sample_gradient(const op *self, const op_io *io, size_t sample, float *plain);

#endif
