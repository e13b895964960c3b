/* product.h - sums of products of matrices: blocks of rows of the result are sums of blocks of rows of the input times
 * matrices of weights (outputs x inputs). A linear layer is one such product; a convolution on a small map has a block
 * for each place and a matrix for each tap.
 *
 * Each thread takes some columns of every product and works alone on them, so that the sums depend on nothing but the
 * number of threads. */
#ifndef COMPUTE_CPU_PRODUCT_H
#define COMPUTE_CPU_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

/* Block `out` of the result gets block `in` of the input times matrix `weights`. */
typedef struct product_term {
    size_t in, out, weights;
    bool first_of_in, first_of_out, first_of_weights; /* no term before it has the same */
} product_term;

typedef struct product {
    size_t rows; /* of a block */
    size_t inputs, outputs, threads;
    size_t in_blocks, out_blocks, matrices; /* those without a term are zero */
    product_term *terms;
    size_t term_count;
} product;

/* Fills in what is said to be first. */
void product_mark_firsts(product *p);

/* result = a b, or with !first result += a b, of row-major matrices; 'T' where one is transposed. */
void product_multiply(char transpose_a, char transpose_b, size_t rows, size_t columns, size_t inner, const float *a,
                      size_t a_row, const float *b, size_t b_row, bool first, float *result, size_t result_row);

/* out = in weights' */
void product_forward(const product *p, const float *in, const float *weights, float *out);
/* in_gradient = out_gradient weights */
void product_backward_data(const product *p, const float *out_gradient, const float *weights, float *in_gradient);
/* gradient = out_gradient' in */
void product_backward_weights(const product *p, const float *out_gradient, const float *in, float *gradient);

#endif
