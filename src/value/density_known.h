/* density_known.h - all that is known of T while a density is checked: the scores of the grid and of what was evaluated
 * since. Log-linear through all of it, it is the denser density that the checks are compared with. */
#ifndef VALUE_DENSITY_KNOWN_H
#define VALUE_DENSITY_KNOWN_H

#include "value/density.h"

/* Sets the probability of every operator from its scores and prior; returns the logarithm of what they were divided
 * by. All have their prior's where nothing has a score. */
double densities_weigh(gbv_density *densities, size_t count, double inverse_tau);

typedef struct density_known {
    gbv_density *densities; /* as those of the policy, with more nodes */
    size_t count;
    size_t *capacities; /* of their nodes */
    double inverse_tau;
    double log_sum; /* of the last known_weigh */
    const density_checking *checking;
    size_t evaluations, allowed;
} density_known;

GBV_MUST_CHECK gbv_status known_create(const gbv_policy *policy, const density_checking *checking, density_known *known,
                                       gbv_error *error);
void known_free(density_known *known);
/* Evaluates T and adds the node; `allowed` is the caller's to look at. */
GBV_MUST_CHECK gbv_status known_evaluate(density_known *known, size_t index, double magnitude, double *score,
                                         gbv_error *error);
void known_weigh(density_known *known);

/* The two checks. Both need known->log_sum and fill all but `done`. */
GBV_MUST_CHECK gbv_status density_chain(density_known *known, gbv_density_check *check, gbv_error *error);
GBV_MUST_CHECK gbv_status density_variational(const density_known *known, gbv_density_check *check, gbv_error *error);

#endif
