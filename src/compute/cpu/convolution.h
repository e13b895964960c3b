/* convolution.h - what the convolution's files share. */
#ifndef COMPUTE_CPU_CONVOLUTION_H
#define COMPUTE_CPU_CONVOLUTION_H

#include "compute/cpu/primitive.h"
#include "compute/cpu/window.h"

typedef struct convolution_op {
    op op; /* first: an op is one of these */
    convolution_shape shape;
    extent out;
    size_t batch, threads;
    window rows, columns;
    primitive load, store;
    primitive forward, backward_data, backward_weights;
    /* oneDNN may want another order of weights for each; `made` is NULL where it is the same. */
    primitive weights_for_data, gradient_to_own;
    size_t weight_count; /* floats of the parameters before the bias */
    size_t weights_for_data_bytes, gradient_bytes;
    size_t sample_rows; /* of the result that sample_gradient unfolds at once */
} convolution_op;

/* The primitives, for the sizes that are filled in; whether backward will be asked for is `train`. */
dnnl_status_t convolution_plan(convolution_op *self, bool train);

/* convolution_sample.c */
size_t convolution_sample_scratch(convolution_op *self);
void convolution_sample_gradient(const op *self, const op_io *io, size_t sample, float *plain);

#endif
