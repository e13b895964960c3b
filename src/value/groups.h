/* groups.h - what takes the place of pairs when sources are many: groups, and ranks from resampled ranks. */
#ifndef VALUE_GROUPS_H
#define VALUE_GROUPS_H

#include "value/resamples.h"

/* Fills the groups and the ranks of the result. Time grows as M log M for each resample. */
GBV_MUST_CHECK gbv_status groups_find(const certainty_input *in, const resamples *all, certainty *result,
                                      gbv_error *error);

#endif
