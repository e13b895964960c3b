/* knn_shapley_kernel.h - the Shapley value of every training row for a K-nearest-neighbour classifier (Jia et al. 2019,
 * theorem 1), exactly and for all sources pooled.
 *
 * For one reference row, with the training rows sorted by distance (ties by index) and m_i telling whether the i-th has
 * its label: s_i = s_(i+1) + (m_i - m_(i+1)) w_i, w_i = min(K, i) / (K i), m_(n+1) = 0. A row's value is the mean of
 * its s over the reference; a source's score is the mean value of its rows.
 *
 *     knn_problem problem = {.train_rows = n, ..., .neighbours = KNN_DEFAULT_NEIGHBOURS, .threads = 2};
 *     status = knn_shapley(&problem, values, by_source, error);
 */
#ifndef VALUE_METHOD_KNN_SHAPLEY_KERNEL_H
#define VALUE_METHOD_KNN_SHAPLEY_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include <gbv/data.h>

enum { KNN_DEFAULT_NEIGHBOURS = 10 };

/* Borrowed arrays, dense and row-major. A label that only one side has matches nothing. */
typedef struct knn_problem {
    size_t train_rows, reference_rows, columns; /* rows: at least one on each side */
    size_t neighbours;                          /* K, at least 1; more than there are rows is allowed */
    size_t source_count;
    const float *train, *reference;
    const int32_t *train_labels, *reference_labels;
    const uint32_t *source_of_row;   /* of each training row; rows of one source side by side are fastest */
    size_t threads;                  /* 0: every core; the result does not depend on it */
    gbv_progress_callback *progress; /* asked from the calling thread; may be NULL */
    void *context;
} knn_problem;

/* values: of each training row. by_source: source_count x reference_rows, the mean over the source's rows of what one
 * reference row gives them (NaN for a source without rows); the mean of a source's line is its score. Fails with
 * GBV_BAD_INPUT when a number is not finite or too large to take distances. */
GBV_MUST_CHECK gbv_status knn_shapley(const knn_problem *problem, double *values, double *by_source, gbv_error *error);

#endif
