/* rbf.h - sums of the kernel k(u,v) = sum over sigma in {1,2,5,10} of exp(-|u-v|^2 / (2 sigma^2)) over all pairs of
 * rows, tile by tile: no matrix of pairs is ever stored.
 *
 *     rbf_points x = {0}, y = {0};
 *     rbf_points_pair(&features, &source_features, true, &x, &y, error);
 *     rbf_sum_within(&x, &xx, error);   rbf_sum_between(&x, &y, &xy, error);
 *     rbf_points_free(&x), rbf_points_free(&y);
 */
#ifndef MEASURE_RBF_H
#define MEASURE_RBF_H

#include <gbv/matrix.h>

#include "measure/replicate.h"

/* k(u,u): one for each bandwidth. */
#define RBF_DIAGONAL 4.0

/* Dense row-major copies, in one precision, with the squared lengths in the kernel's own unit. */
typedef struct rbf_points {
    size_t rows, columns;
    bool single, borrowed;
    void *values;   /* rows x columns floats or doubles */
    double *halves; /* rows: |u|^2 log2(e) / 200 */
    size_t threads; /* for sums that begin with these points; set by the caller, 0 is one */
} rbf_points;

/* Both sets moved so that their common mean is the origin: distances stay, the rounding of u.u + v.v - 2 u.v shrinks.
 * Fails with GBV_BAD_INPUT when squared lengths overflow. On failure both are empty. */
GBV_MUST_CHECK gbv_status rbf_points_pair(const gbv_matrix *a, const gbv_matrix *b, bool single, rbf_points *x,
                                          rbf_points *y, gbv_error *error);
/* Borrowed double-precision rows; free with rbf_points_free all the same. */
GBV_MUST_CHECK gbv_status rbf_points_borrow(const double *values, size_t rows, size_t columns, rbf_points *points,
                                            gbv_error *error);
void rbf_points_free(rbf_points *points);

/* Over all rows x rows ordered pairs; a row with itself counts RBF_DIAGONAL exactly. The sums do not depend on the
 * number of threads. */
GBV_MUST_CHECK gbv_status rbf_sum_within(const rbf_points *points, double *sum, gbv_error *error);
GBV_MUST_CHECK gbv_status rbf_sum_between(const rbf_points *x, const rbf_points *y, double *sum, gbv_error *error);

/* sums[i] = sum over the rows v of y of k(x_i, v). */
GBV_MUST_CHECK gbv_status rbf_row_sums(const rbf_points *x, const rbf_points *y, double *sums, gbv_error *error);
/* sums[b] = sum over pairs of k(u,v) within the task's half-sample b, a row with itself as above: each tile of the
 * kernel is made once and multiplied with all half-samples, which stand as lines of zeros and ones in `chosen`. */
GBV_MUST_CHECK gbv_status rbf_sums_within_halves(const rbf_points *points, const replicate_task *task,
                                                 const double *chosen, double *sums, gbv_error *error);

/* The kernel of one bandwidth alone applied to `count` weightings of y at once: out (rows x count) = K weights, for the
 * rows first..first+rows-1 of x, at most RBF_BAND of them, with K_ij = exp(-|x_i-y_j|^2 / (2 sigma^2)) and weights
 * y.rows x count. Both in double precision; `scratch` holds RBF_BAND * RBF_BAND. */
enum { RBF_BAND = 512 };
void rbf_apply(const rbf_points *x, size_t first, size_t rows, const rbf_points *y, double sigma, const double *weights,
               size_t count, double *scratch, double *out);

/* k as a function of |u-v|^2. */
double rbf_kernel(double squared_distance);

#endif
