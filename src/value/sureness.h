/* sureness.h - the intervals, p_best, ranks and pairs of a result, from the draws of its first way of scoring. */
#ifndef VALUE_SURENESS_H
#define VALUE_SURENESS_H

#include "value/valuation.h"

/* Also takes the spread of the draws as the scores' standard errors. Does nothing where there are no replicates. */
GBV_MUST_CHECK gbv_status judge_sureness(const valuation *v, gbv_result *result, gbv_error *error);

#endif
