/* density.h - a density over (operator, magnitude) from the scores of a grid, without further evaluations, and three
 * ways of checking it that take some.
 *
 *     status = density_make(policy, error);                               policy->densities, in closed form
 *     status = density_check(policy, &(density_checking){.evaluate = score, .context = &images, .seed = 1}, error);
 *
 * P(operator, magnitude) ~ p(operator) / (range) exp(T / tau), T linear between the magnitudes that were scored.
 */
#ifndef VALUE_DENSITY_H
#define VALUE_DENSITY_H

#include <gbv/augment.h>

/* Fills policy->densities from the entries: an operator's nodes are its magnitudes in increasing order, its prior the
 * sum of theirs, tau the policy's. The entries' operator, magnitude, coin, score and prior, and tau, must be there.
 * GBV_USAGE with top_k or a tau that is neither quick nor fixed: they mean nothing between magnitudes. GBV_UNDEFINED
 * when a score is. */
GBV_MUST_CHECK gbv_status density_make(gbv_policy *policy, gbv_error *error);

/* T of an operator at a magnitude; the same for the same arguments. *known gets whether it took no evaluation, since
 * something that does the same to images was evaluated before. A failure (GBV_INTERRUPTED) ends the check. */
typedef gbv_status density_evaluate(void *context, const gbv_operator *op, bool coin, double magnitude, double *score,
                                    bool *known, gbv_error *error);

typedef struct density_checking {
    density_evaluate *evaluate;
    void *context;
    size_t evaluations; /* new ones that may be made; 0: as many as the policy has entries. Those half-way between the
                           nodes come first, operator by operator, then those that the chain asks for */
    size_t steps;       /* of the chain that are counted; 0: 400,000 */
    uint64_t seed;
} density_checking;

/* Fills policy->denser, ->chain and ->variational of a policy with densities. */
GBV_MUST_CHECK gbv_status density_check(gbv_policy *policy, const density_checking *checking, gbv_error *error);

#endif
