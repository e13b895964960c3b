#include "value/density.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "augment/density.h"
#include "base/error.h"
#include "base/memory.h"
#include "value/density_known.h"

/* Adds an entry to the nodes of its operator, which stay in increasing order. Magnitudes that an image is too small to
 * tell apart are one node. */
static void node_add(gbv_density *d, const gbv_policy_entry *entry)
{
    size_t at = 0;
    d->prior += entry->prior;
    while (at < d->count && d->magnitudes[at] < entry->augmentor.magnitude)
        at++;
    if (at < d->count && d->magnitudes[at] == entry->augmentor.magnitude)
        return;
    memmove(&d->magnitudes[at + 1], &d->magnitudes[at], (d->count - at) * sizeof *d->magnitudes);
    memmove(&d->scores[at + 1], &d->scores[at], (d->count - at) * sizeof *d->scores);
    d->magnitudes[at] = entry->augmentor.magnitude;
    d->scores[at] = entry->score;
    d->count++;
}

static gbv_status check_policy(const gbv_policy *policy, gbv_error *error)
{
    if (policy->top_k)
        return error_set(error, GBV_USAGE,
                         "the %zu best magnitudes of an operator leave no range to draw from: give a density of "
                         "magnitudes or top-k, not both",
                         policy->top_k);
    if (policy->tau_mode != GBV_TAU_QUICK && policy->tau_mode != GBV_TAU_FIXED)
        return error_set(error, GBV_USAGE, "a density of magnitudes has no such tau: give quick or a value");
    for (size_t i = 0; i < policy->count; i++) {
        const gbv_policy_entry *entry = &policy->entries[i];
        if (isnan(entry->score) || entry->score == INFINITY)
            return error_set(error, GBV_UNDEFINED,
                             "the score of %s at %g is %g: there is no density over its magnitudes; weigh the "
                             "augmentors of the grid only",
                             entry->augmentor.op->name, entry->augmentor.magnitude, entry->score);
    }
    return GBV_OK;
}

gbv_status density_make(gbv_policy *policy, gbv_error *error)
{
    gbv_status status = check_policy(policy, error);
    if (status != GBV_OK)
        return status;
    gbv_density *densities = memory_zeroed(policy->count, sizeof *densities);
    size_t count = 0;
    if (!densities)
        return error_out_of_memory(error, "the density of a policy");
    for (size_t i = 0; i < policy->count; i++) {
        const gbv_augmentor *augmentor = &policy->entries[i].augmentor;
        size_t d = 0;
        while (d < count && (densities[d].op != augmentor->op || densities[d].coin != augmentor->coin))
            d++;
        if (d == count) {
            count++;
            densities[d] = (gbv_density){.op = augmentor->op, .coin = augmentor->coin};
            densities[d].magnitudes = memory_array(policy->count, sizeof *densities->magnitudes);
            densities[d].scores = memory_array(policy->count, sizeof *densities->scores);
            if (!densities[d].magnitudes || !densities[d].scores) {
                densities_free(densities, count);
                return error_out_of_memory(error, "the density of a policy");
            }
        }
        node_add(&densities[d], &policy->entries[i]);
    }
    densities_weigh(densities, count, policy->inverse_tau);
    densities_free(policy->densities, policy->density_count);
    policy->densities = densities;
    policy->density_count = count;
    return GBV_OK;
}

/* Between nodes that have no score to speak of, or are next to each other in floating point, there is nothing to
 * learn. */
static gbv_status evaluate_midpoints(const gbv_policy *policy, density_known *known, gbv_error *error)
{
    for (size_t i = 0; i < policy->density_count; i++) {
        const gbv_density *d = &policy->densities[i];
        for (size_t n = 0; n + 1 < d->count && known->evaluations < known->allowed; n++) {
            double score, low = d->magnitudes[n], high = d->magnitudes[n + 1], middle = low + (high - low) / 2;
            if (middle <= low || middle >= high)
                continue;
            gbv_status status = known_evaluate(known, i, middle, &score, error);
            if (status != GBV_OK)
                return status;
        }
    }
    return GBV_OK;
}

/* The divergence from the densities to the denser ones: the mean of the logarithm of their ratio, (T^ - T) / tau less
 * the difference of the normalisers. Between two nodes of the denser one both are linear, so that the mean is the ratio
 * at the mean place. */
static double divergence(gbv_policy *policy, const density_known *known)
{
    double it = known->inverse_tau, mean = 0;
    double log_sum = densities_weigh(policy->densities, policy->density_count, it);
    for (size_t i = 0; i < known->count; i++) {
        const gbv_density *ours = &policy->densities[i], *denser = &known->densities[i];
        double log_mass = density_log_mass(ours, it);
        double range = denser->magnitudes[denser->count - 1] - denser->magnitudes[0];
        for (size_t n = 0; ours->probability > 0 && n + 1 < denser->count; n++) {
            double low = denser->magnitudes[n], high = denser->magnitudes[n + 1];
            double from = it * density_score(ours, low), x = it * density_score(ours, high) - from;
            double share = exp(density_piece_log_mass(from, x) + log((high - low) / range) - log_mass);
            if (!(share > 0))
                continue;
            double apart = it * denser->scores[n] - from, change = it * denser->scores[n + 1] - it * denser->scores[n];
            double ratio = -(apart + density_piece_mean(x) * (change - x));
            mean += ours->probability * share * (isnan(ratio) ? INFINITY : ratio);
        }
    }
    return fmax(mean - log_sum + known->log_sum, 0);
}

static gbv_status compare_denser(gbv_policy *policy, const density_known *known, gbv_error *error)
{
    gbv_density_check *check = &policy->denser;
    check->operator_probabilities = memory_array(known->count, sizeof *check->operator_probabilities);
    if (!check->operator_probabilities)
        return error_out_of_memory(error, "the check of a density");
    check->acceptance = check->autocorrelation = NAN;
    check->divergence = divergence(policy, known);
    check->evaluations = known->evaluations;
    for (size_t i = 0; i < known->count; i++) {
        check->operator_probabilities[i] = known->densities[i].probability;
        check->worst = fmax(check->worst, fabs(known->densities[i].probability - policy->densities[i].probability));
    }
    return GBV_OK;
}

gbv_status density_check(gbv_policy *policy, const density_checking *checking, gbv_error *error)
{
    density_known known = {0};
    gbv_status status;
    density_check_free(&policy->denser);
    density_check_free(&policy->chain);
    density_check_free(&policy->variational);
    if (policy->density_count == 0)
        return error_set(error, GBV_USAGE, "the policy has no density of magnitudes to check: ask for one");
    status = known_create(policy, checking, &known, error);
    if (status == GBV_OK)
        status = evaluate_midpoints(policy, &known, error);
    if (status == GBV_OK)
        status = density_chain(&known, &policy->chain, error);
    if (status == GBV_OK)
        status = compare_denser(policy, &known, error);
    if (status == GBV_OK)
        status = density_variational(&known, &policy->variational, error);
    policy->denser.done = policy->chain.done = policy->variational.done = status == GBV_OK;
    known_free(&known);
    return status;
}
