/* davinz_kernel.h - DAVINZ (Wu et al. 2022): how hard a source is to learn for a network at its start, and how far its
 * rows lie from those of the reference. Nothing is trained.
 *
 *     N(S) = sqrt(r' (Theta + 1e-4 I)^-1 r / n)  with Theta_ij the inner product of the gradients of the logits of rows
 * i and j at their own labels, r_i = 1 - that logit M(S) = the biased maximum mean discrepancy, one Gaussian kernel of
 * bandwidth 5 v(S) = -kappa N(S) - M(S), kappa = mean of M / mean of N over the sources
 *
 * All sources must see the same network:
 *
 *     model_start(&options, columns, classes, "davinz", &network, error);
 *     davinz_problem problem = {.network = network, .features = x, .labels = y, .reference = z, .threads = 2};
 *     davinz_parts(&problem, parts[s], error);
 *     davinz_scores(parts, source_count, scores);
 *
 * M for many weightings of the reference's rows (its replicates) takes three pieces, each computed once:
 *
 *     davinz_reference(&problem, weights, replicates, of_reference, error);    for any source's problem
 *     davinz_toward(&problem, &within, toward, error);                         for each source
 *     m = davinz_distance(within, toward, of_reference[r], weights, replicates, r, rows);
 */
#ifndef VALUE_METHOD_DAVINZ_KERNEL_H
#define VALUE_METHOD_DAVINZ_KERNEL_H

#include <gbv/data.h>
#include <gbv/matrix.h>

#include "nn/model.h"

/* Borrowed. Features are standardised, those of the source and of the reference alike. */
typedef struct davinz_problem {
    const gbv_model *network; /* at its start: model_start */
    gbv_matrix features;      /* the source's rows */
    const int32_t *labels;    /* of them: columns of the network */
    gbv_matrix reference;     /* the reference's rows; at least one */
    /* Theta is taken in blocks of rows, of which the inner products between blocks are left out: 0 or 1 is all of it,
     * as for small networks in the authors' program, which otherwise takes 100. */
    size_t blocks;
    const size_t *order;             /* of the rows, in which they are dealt into blocks; NULL: as they are */
    bool weights_only;               /* gradients by the weights, without the biases */
    size_t memory;                   /* bytes that Theta may take; 0: no limit */
    size_t threads;                  /* 0: every core; the result does not depend on it */
    gbv_progress_callback *progress; /* asked from the calling thread; may be NULL */
    void *context;
} davinz_problem;

enum { DAVINZ_COMPLEXITY, DAVINZ_DISTANCE, DAVINZ_PARTS };

/* N and M of one source. Fails with GBV_BAD_INPUT when features are not finite or too large, with GBV_UNDEFINED when
 * Theta cannot be inverted in double precision. */
GBV_MUST_CHECK gbv_status davinz_parts(const davinz_problem *problem, double parts[DAVINZ_PARTS], gbv_error *error);
/* v of every source. Where all N are zero they play no part. */
void davinz_scores(const double (*parts)[DAVINZ_PARTS], size_t source_count, double *scores);

/* N alone. */
GBV_MUST_CHECK gbv_status davinz_complexity(const davinz_problem *problem, double *complexity, gbv_error *error);
/* within: the mean of k over all pairs of the source's rows; toward: its mean over them for each reference row. */
GBV_MUST_CHECK gbv_status davinz_toward(const davinz_problem *problem, double *within, double *toward,
                                        gbv_error *error);
/* w' K w over the reference's rows for each of `count` weightings, the columns of weights (reference rows x count),
 * whose sums are one. A half-sample has weights 2/rows and 0. */
GBV_MUST_CHECK gbv_status davinz_reference(const davinz_problem *problem, const double *weights, size_t count,
                                           double *of_reference, gbv_error *error);
/* M for column `index` of those weights. */
double davinz_distance(double within, const double *toward, double of_reference, const double *weights, size_t count,
                       size_t index, size_t rows);

#endif
