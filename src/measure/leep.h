/* leep.h - LEEP's arithmetic, for measures that bring source classes of their own. */
#ifndef MEASURE_LEEP_H
#define MEASURE_LEEP_H

#include "measure/replicate.h"

/* The likelihood of each row's label, sum_z p_iz p(y_i|z), and the mean of their logarithms. Checks the probabilities
 * as measure_check_probabilities does. */
GBV_MUST_CHECK gbv_status leep_likelihoods(const gbv_matrix *probabilities, const present_classes *classes,
                                           double *likelihoods, double *log_mean, gbv_error *error);

/* The mean logarithm of the likelihood of each row's label by what the other rows say: far below LEEP where rows are
 * few and the columns many, so that each remembers itself. `probabilities` is rows x columns, sound. A row that is
 * alone in its class takes no part; NaN: all are. */
GBV_MUST_CHECK gbv_status leep_left_out(const double *probabilities, size_t rows, size_t columns, const int32_t *labels,
                                        size_t class_count, double *log_mean, gbv_error *error);

/* LEEP under each line of row weights. */
replicate_function leep_replicates;

#endif
