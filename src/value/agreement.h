/* agreement.h - how far two measures rank the sources alike. */
#ifndef VALUE_AGREEMENT_H
#define VALUE_AGREEMENT_H

#include <gbv/value.h>

/* Kendall's tau-b of two lists of scores (correlation.h). Sources that lack either score are passed over; NaN when a
 * list has no two scores that differ. */
GBV_MUST_CHECK gbv_status rank_agreement(const gbv_score *first, const gbv_score *other, size_t count,
                                         double *agreement, gbv_error *error);

#endif
