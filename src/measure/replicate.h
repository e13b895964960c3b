/* replicate.h - how a score would vary with other rows of the reference: the measure again under each draw.
 *
 *     double *parts = memory_array(draws.count, measure_part_count(name, variant) * sizeof *parts);
 *     measure_replicates("leep", NULL, &input, &draws, progress, context, parts, error);
 *
 * With t the score of all rows and b, b' two replicates under opposite draws of step s, (b - b') / 2s is distributed as
 * the error of t is, and ((b + b') / 2 - t) / s^2 is on average once the bias of t.
 * A measure that has a form for row weights is computed with those of the draws, of step ROW_WEIGHT_STEP. The others,
 * where repeated rows would count as neighbours of themselves or where no weighted form is at hand, are computed on
 * half-samples without replacement, of step 1: at h of N rows the variance and the bias come out (N-h)/h as large, so
 * for odd N the deviations are multiplied by sqrt(h/(N-h)) and the bias by h/(N-h). `gbv_measure_info.resampled` says
 * which a measure takes.
 */
#ifndef MEASURE_REPLICATE_H
#define MEASURE_REPLICATE_H

#include <gbv/data.h>

#include "measure/measure.h"
#include "measure/row_draws.h"

/* `parts` (draws->count x part count) receives what each replicate contributes to its score: the score itself, or the
 * parts of a joint variant (measure_combine makes scores of them, replicate by replicate). NaN where a half-sample has
 * no score; one row alone has none, while its row weights are always one. The numbers do not depend on input->threads.
 * `progress` may be NULL; it is asked often, by the calling thread only. Fails as gbv_measure does for the whole
 * reference, and with GBV_INTERRUPTED. */
GBV_MUST_CHECK gbv_status measure_replicates(const char *name, const char *variant, const gbv_measure_input *input,
                                             const row_draws *draws, gbv_progress_callback *progress, void *context,
                                             double *parts, gbv_error *error);

/* What the replicates of a measure are (variant NULL: its default). */
typedef struct replicate_kind {
    double step;        /* of the draws: 1 for half-samples */
    bool at_these_rows; /* the score depends on how many rows there are by its definition */
} replicate_kind;

replicate_kind measure_replicate_kind(const char *name, const char *variant);

/* The measure on some rows of the reference, in the order given (folds, half-samples); the source's rows stay. Fails as
 * gbv_measure does; rows in its sentences are counted among those given. */
GBV_MUST_CHECK gbv_status measure_rows(const char *name, const char *variant, const gbv_measure_input *input,
                                       const size_t *rows, size_t count, double *parts, gbv_error *error);

/* What a replicate_function works on: everything is checked as for a measure_function. */
typedef struct replicate_task {
    const measure *m;
    size_t variant;
    const gbv_measure_input *input;
    const row_draws *draws;
    gbv_progress_callback *progress;
    void *context;
} replicate_task;

/* The work of all replicates in `pieces` that do not depend on each other, shared out to `workers`: work(context,
 * worker, piece, error) for each, the worker's number from 0 on. The caller is asked in between whether to stop. After
 * a failure no more is begun; of several failures that of the first piece is reported. */
typedef gbv_status replicate_work(void *context, size_t worker, size_t piece, gbv_error *error);
GBV_MUST_CHECK gbv_status replicate_share(const replicate_task *task, size_t pieces, size_t workers,
                                          replicate_work *work, void *context, gbv_error *error);

/* For scores that are the mean of their row terms: the replicate is their weighted mean. */
replicate_function replicate_row_means;

#endif
