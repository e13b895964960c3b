/* likeliest.h - the most likely column of each row of probabilities, found while the rows are checked: memory is read
 * once, where the rows lie. */
#ifndef MEASURE_LIKELIEST_H
#define MEASURE_LIKELIEST_H

#include "measure/measure.h"

/* Fills the first of the largest columns of each row. Fails as measure_check_probabilities does. */
GBV_MUST_CHECK gbv_status likeliest_columns(const gbv_matrix *probabilities, size_t *columns, gbv_error *error);

#endif
