/* lava_kernel.h - LAVA (Just et al., 2023): how much each labelled training row adds to the optimal transport distance
 * between all of them and a trusted reference, features and labels together.
 *
 * The cost of a pair is half the squared distance of the features plus half the transport distance between the two
 * classes' clouds. A row's gradient is its potential minus the mean potential of the other rows: high is harmful. Only
 * gradients of one problem can be compared, and their mean is 0, so the rows of all sources must be pooled.
 *
 *     lava *opened;
 *     lava_open(&problem, &opened, error);
 *     lava_solve(opened, NULL, 0, gradients, NULL, error);              the whole reference
 *     lava_solve(opened, half, half_count, gradients, NULL, error);     some of its rows: the costs are kept
 *     lava_solve_each(opened, halves, 200, half_count, all, error);     200 times, side by side
 *     lava_close(opened);
 */
#ifndef VALUE_METHOD_LAVA_KERNEL_H
#define VALUE_METHOD_LAVA_KERNEL_H

#include <stdint.h>

#include <gbv/data.h>

typedef struct lava_problem {
    size_t train_rows, reference_rows, columns; /* columns: at least 1 */
    size_t class_count;
    const float *train, *reference;                 /* dense row-major; borrowed by lava_open only */
    const int32_t *train_labels, *reference_labels; /* 0..class_count-1, or negative for rows to leave out; the
                                                       reference's must live until lava_close */
    bool converged; /* go on after the published program's one sweep for each temperature (not for the classes) */
    size_t memory;  /* bytes that the matrix of costs may take, or else its tiles are computed again in each sweep; 0: a
                       quarter of the machine's memory */
    size_t threads; /* at least 1; changes no result */
    gbv_progress_callback *progress; /* stage "lava", in thousandths of a solution; may be NULL */
    void *context;
} lava_problem;

typedef struct lava lava;

/* Copies the training rows by class and computes the costs. Fails with GBV_UNDEFINED when no class has two training
 * rows, with GBV_BAD_INPUT when rows are so far apart that squares overflow. */
GBV_MUST_CHECK gbv_status lava_open(const lava_problem *problem, lava **opened, gbv_error *error);
void lava_close(lava *opened);

/* Solves for the given reference rows (NULL: all), each named once. gradients[i] is that of training row i; NaN when
 * its class has fewer than two training rows, which are then left out, as are reference rows of such classes.
 * *distance, unless NULL, is the transport distance itself. GBV_UNDEFINED when no class has two of the reference rows.
 * May be called by several threads at once when progress is NULL. */
GBV_MUST_CHECK gbv_status lava_solve(const lava *opened, const size_t *reference_rows, size_t count, double *gradients,
                                     double *distance, gbv_error *error);

/* lava_solve for each of `subset_count` choices of `count` reference rows, one after the other in `subsets`;
 * `gradients` holds problem.train_rows numbers for each. Progress hears of solutions done, or of thousandths of each
 * when one takes long. The first choice that fails is reported. */
GBV_MUST_CHECK gbv_status lava_solve_each(const lava *opened, const size_t *subsets, size_t subset_count, size_t count,
                                          double *gradients, gbv_error *error);

/* Opens, solves for the whole reference and closes. */
GBV_MUST_CHECK gbv_status lava_gradients(const lava_problem *problem, double *gradients, double *distance,
                                         gbv_error *error);

#endif
