/* leep.h - LEEP's arithmetic, for measures that bring source classes of their own. */
#ifndef MEASURE_LEEP_H
#define MEASURE_LEEP_H

#include "measure/replicate.h"

/* The likelihood of each row's label, sum_z p_iz p(y_i|z), and the mean of their logarithms. Checks the probabilities
 * as measure_check_probabilities does. */
GBV_MUST_CHECK gbv_status leep_likelihoods(const gbv_matrix *probabilities, const present_classes *classes,
                                           double *likelihoods, double *log_mean, gbv_error *error);

/* LEEP under each line of row weights. */
replicate_function leep_replicates;

#endif
