/* leep.h - LEEP's arithmetic, for measures that bring source classes of their own. */
#ifndef MEASURE_LEEP_H
#define MEASURE_LEEP_H

#include "measure/replicate.h"

/* The likelihood of each row's label, sum_z p_iz p(y_i|z), and the mean of their logarithms. Checks the probabilities
 * as measure_check_probabilities does. */
GBV_MUST_CHECK gbv_status leep_likelihoods(const gbv_matrix *probabilities, const present_classes *classes,
                                           double *likelihoods, double *log_mean, gbv_error *error);

/* Rows whose probabilities are known to be sound. Borrowed. */
typedef struct leep_rows {
    const double *probabilities; /* rows x columns */
    size_t rows, columns;
    const int32_t *labels;
    size_t class_count;
} leep_rows;

/* LEEP by a table in which the row that is predicted counts once and every other one `others` times. 1 is LEEP itself;
 * INFINITY leaves each row out of its own table: a row that is alone in its class then takes no part, and NaN means
 * that all are. */
GBV_MUST_CHECK gbv_status leep_among(const leep_rows *given, double others, double *score, gbv_error *error);

/* What LEEP would be of `rows` rows, of which these are drawn by chance: LEEP and a part of *step, between
 * LEEP_LEAST_PART and all of it. `replicates` (draws->count) receives what the half-samples of the draws say of the
 * LEEP of these rows in the same way, as replicates of step 1. Too few rows to be halved leave the score as it is, and
 * NaN. */
#define LEEP_LEAST_PART 0.5
GBV_MUST_CHECK gbv_status leep_of_more(const leep_rows *given, size_t rows, const row_draws *draws, size_t threads,
                                       double *score, double *step, double *replicates, gbv_error *error);

/* LEEP under each line of row weights. */
replicate_function leep_replicates;

#endif
