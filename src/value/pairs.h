/* pairs.h - which sources can be told apart, two by two, and which ranks are left to each. */
#ifndef VALUE_PAIRS_H
#define VALUE_PAIRS_H

#include "value/resamples.h"

/* Fills the pairs and the ranks of the result. A source surely ranks before another when their corrected scores differ
 * by more than the critical number of deviations: that which the largest of all pairs' studentised differences exceeds
 * in the share 1 - level of the resamples, so that all ranks hold at once. */
GBV_MUST_CHECK gbv_status pairs_judge(const certainty_input *in, const resamples *all, certainty *result,
                                      gbv_error *error);

/* Two-sided p value of a difference against its deviation; 1 for none, 0 for one that never varies. */
double difference_p_value(double difference, double deviation);
/* a - b; what the numbers' rounding leaves of it counts as none. */
double difference_of(double a, double b);
/* The deviation of a - b over `count` resamples of each, which `differences` receives; 0 where rounding alone makes it
 * vary. */
double difference_spread(const double *a, const double *b, size_t count, double *differences);

#endif
