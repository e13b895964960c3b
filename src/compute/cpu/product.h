/* product.h - rows times a matrix of weights (outputs x inputs, plain) and its two gradients, by BLAS. Each thread
 * takes a stretch of the result and calls BLAS on one thread, so that the sums depend on nothing but `threads`. */
#ifndef COMPUTE_CPU_PRODUCT_H
#define COMPUTE_CPU_PRODUCT_H

#include <stddef.h>

typedef struct product {
    size_t rows, inputs, outputs, threads;
} product;

/* out = in weights' */
void product_forward(const product *p, const float *in, const float *weights, float *out);
/* in_gradient = out_gradient weights */
void product_backward_data(const product *p, const float *out_gradient, const float *weights, float *in_gradient);
/* gradient = out_gradient' in */
void product_backward_weights(const product *p, const float *out_gradient, const float *in, float *gradient);

#endif
