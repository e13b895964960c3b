/* correlation.h - how far two lists of numbers go together: by value (Pearson), by rank (Spearman) and by the order of
 * pairs (Kendall's tau-b). Each is NaN when a list has no two values that differ; values are not NaN. */
#ifndef VALUE_CORRELATION_H
#define VALUE_CORRELATION_H

#include <stddef.h>

#include <gbv/status.h>

/* Of finite values. */
double correlation_pearson(const double *first, const double *other, size_t count);
/* Pearson's of the ranks; tied values share the mean of theirs. Fails when memory is out. */
GBV_MUST_CHECK gbv_status correlation_spearman(const double *first, const double *other, size_t count,
                                               double *correlation, gbv_error *error);
/* Pairs in the same order minus pairs in opposite order, over what that would be without ties. Time grows as n log n,
 * because annotators may be many. Fails when memory is out. */
GBV_MUST_CHECK gbv_status correlation_kendall(const double *first, const double *other, size_t count,
                                              double *correlation, gbv_error *error);

#endif
