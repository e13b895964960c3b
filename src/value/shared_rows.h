/* shared_rows.h - sources that hold the same rows, found by hashes of their rows so that the parts of a run on several
 * machines can tell as well. */
#ifndef VALUE_SHARED_ROWS_H
#define VALUE_SHARED_ROWS_H

#include "value/valuation.h"

/* Hashes the features and class of each row of a source into v->row_hashes; the type of the numbers does not count. */
GBV_MUST_CHECK gbv_status shared_rows_hash(const valuation *v, size_t source_index, arena *scratch, gbv_error *error);

/* Warns of sources that share more than a fifth of the smaller one's rows. Not where the sources are annotators of one
 * table: that they label the same items is what makes them so. Time grows with the rows, not with pairs of sources. */
GBV_MUST_CHECK gbv_status shared_rows_warn(const valuation *v, gbv_result *result, gbv_error *error);

#endif
