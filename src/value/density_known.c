#include "value/density_known.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "augment/density.h"
#include "base/error.h"
#include "base/memory.h"

double densities_weigh(gbv_density *densities, size_t count, double inverse_tau)
{
    double best = -INFINITY, sum = 0, prior = 0;
    for (size_t i = 0; i < count; i++) {
        densities[i].probability = log(densities[i].prior) + density_log_mass(&densities[i], inverse_tau);
        best = fmax(best, densities[i].probability);
        prior += densities[i].prior;
    }
    for (size_t i = 0; i < count; i++) {
        densities[i].probability =
            isfinite(best) ? exp(densities[i].probability - best) : densities[i].prior / (prior > 0 ? prior : 1);
        sum += densities[i].probability;
    }
    for (size_t i = 0; i < count; i++)
        densities[i].probability /= sum;
    return isfinite(best) ? best + log(sum) : -INFINITY;
}

gbv_status known_create(const gbv_policy *policy, const density_checking *checking, density_known *known,
                        gbv_error *error)
{
    size_t count = policy->density_count;
    *known = (density_known){.count = count, .inverse_tau = policy->inverse_tau, .checking = checking};
    known->allowed = checking->evaluations ? checking->evaluations : policy->count;
    known->densities = memory_zeroed(count, sizeof *known->densities);
    known->capacities = memory_zeroed(count, sizeof *known->capacities);
    if (!known->densities || !known->capacities)
        return error_out_of_memory(error, "the check of a density");
    for (size_t i = 0; i < count; i++) {
        const gbv_density *from = &policy->densities[i];
        gbv_density *to = &known->densities[i];
        *to = *from;
        to->magnitudes = memory_array(from->count, sizeof *to->magnitudes);
        to->scores = memory_array(from->count, sizeof *to->scores);
        if (!to->magnitudes || !to->scores)
            return error_out_of_memory(error, "the check of a density");
        memcpy(to->magnitudes, from->magnitudes, from->count * sizeof *to->magnitudes);
        memcpy(to->scores, from->scores, from->count * sizeof *to->scores);
        known->capacities[i] = from->count;
    }
    return GBV_OK;
}

void known_free(density_known *known)
{
    densities_free(known->densities, known->count);
    free(known->capacities);
    *known = (density_known){0};
}

gbv_status known_evaluate(density_known *known, size_t index, double magnitude, double *score, gbv_error *error)
{
    gbv_density *d = &known->densities[index];
    bool before = false;
    *score = NAN;
    gbv_status status =
        known->checking->evaluate(known->checking->context, d->op, d->coin, magnitude, score, &before, error);
    if (status != GBV_OK)
        return status;
    known->evaluations += !before;
    if (isnan(*score) || *score == INFINITY)
        return error_set(error, GBV_UNDEFINED,
                         "the score of %s at %g is %g: the density cannot be checked there; leave the check out",
                         d->op->name, magnitude, *score);
    size_t at = 0, capacity = known->capacities[index];
    while (at < d->count && d->magnitudes[at] < magnitude)
        at++;
    if (at < d->count && d->magnitudes[at] == magnitude)
        return GBV_OK;
    if (!memory_grow(&d->magnitudes, &capacity, d->count + 1, sizeof *d->magnitudes) ||
        !memory_grow(&d->scores, &known->capacities[index], d->count + 1, sizeof *d->scores))
        return error_out_of_memory(error, "the check of a density");
    memmove(&d->magnitudes[at + 1], &d->magnitudes[at], (d->count - at) * sizeof *d->magnitudes);
    memmove(&d->scores[at + 1], &d->scores[at], (d->count - at) * sizeof *d->scores);
    d->magnitudes[at] = magnitude;
    d->scores[at] = *score;
    d->count++;
    return GBV_OK;
}

void known_weigh(density_known *known)
{
    known->log_sum = densities_weigh(known->densities, known->count, known->inverse_tau);
}
