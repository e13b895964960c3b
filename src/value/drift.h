/* drift.h - has a source changed? Its score of a batch beside those of its past, less what all sources moved by.
 *
 *     z = (T_t - mean of the past - median shift of all present sources) / sqrt(V_t + V_past)
 *     up = max(0, up + z - k), down = max(0, down - z - k), k = 1/2; beyond h it is an alarm and the past begins anew
 *
 * V are squared standard errors, V_past of that mean. With the exact mean of its past the z of a source that does not
 * change are independent and standard normal from its second score on, so that h can be simulated once for all
 * (experiments/drift). Two things keep it so: the past is kept less the median shift of each batch, because what all
 * sources moved by while one was absent, or before it began anew, is no change of its own; and in the median a source
 * counts by one over the error of its shift, so that one that is known well is not judged by those that are not.
 * The median is drawn a little towards each source, so alarms of few sources are fewer than stated; of one source alone
 * nothing can be told. It looks at scores, never at weights, which move when others change.
 */
#ifndef VALUE_DRIFT_H
#define VALUE_DRIFT_H

#include <stdbool.h>
#include <stddef.h>

/* What is kept of one source; all zeros at first and after an alarm. The score that raised the alarm is no part of the
 * new past: after a false one it would be extreme, and raise the next. */
typedef struct drift_state {
    double batches;      /* scores since the beginning or the last alarm */
    double score_sum;    /* of those, less what all sources moved by */
    double variance_sum; /* of their squared standard errors */
    double up, down;     /* the two sums */
} drift_state;

typedef struct drift_finding {
    double z;     /* NaN: no past, or the score or its error is unknown */
    double cusum; /* the larger of the two sums, with the sign of its direction; NaN with z */
    int alarm;    /* -1 worse, 1 better, 0 none */
} drift_finding;

/* Of the sources that delivered: states are brought up to date, one finding each. A score that is not finite or has no
 * standard error changes nothing. False, changing nothing, when memory is out. */
bool drift_judge(drift_state *const *states, const double *scores, const double *deviations, size_t count,
                 double threshold, drift_finding *findings);

/* h for one false alarm in `source_batches` scores of a source that does not change: of so many batches times the
 * sources that deliver. */
double drift_threshold(double source_batches);

#endif
