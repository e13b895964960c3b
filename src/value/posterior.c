/* posterior.c - the paper's Eq. 5: P(s) proportional to p(s) exp(T_s / tau), in log space.
 * tau itself is never formed for one source, where the quick value 1/log2(1) is infinite: the inverse is used. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "value/posterior.h"

gbv_status posterior_check_tau(gbv_tau_mode mode, double tau, gbv_error *error)
{
    if (mode == GBV_TAU_OWN)
        return error_set(error, GBV_USAGE, "tau is the method's own, and there is no method: give quick or a value");
    if (mode == GBV_TAU_FIXED && (!(tau > 0) || isinf(1 / tau)))
        return error_set(error, GBV_USAGE, "tau is %g; it must be greater than zero, by more than rounding", tau);
    return GBV_OK;
}

double posterior_inverse_tau(gbv_tau_mode mode, double tau, size_t count)
{
    switch (mode) {
    case GBV_TAU_QUICK:
        return log2((double)count);
    case GBV_TAU_CODE:
        return count > 1 ? 1 / log2((double)count) : 0;
    case GBV_TAU_FIXED:
    case GBV_TAU_AUTO: /* the value that was chosen */
        return 1 / tau;
    case GBV_TAU_OWN: /* a method has said what this means */
        break;
    }
    return 0;
}

/* The authors' program standardises the scores (divisor M-1) before it applies its temperature. Equal scores have no
 * spread to standardise by; they stay equal. */
static void standardise(double *scores, size_t count)
{
    double mean = 0, squares = 0;
    size_t finite = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(scores[i])) {
            mean += scores[i];
            finite++;
        }
    mean /= finite ? (double)finite : 1;
    for (size_t i = 0; i < count; i++)
        if (isfinite(scores[i]))
            squares += (scores[i] - mean) * (scores[i] - mean);
    double deviation = finite > 1 ? sqrt(squares / (double)(finite - 1)) : 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(scores[i]))
            scores[i] = deviation > 0 ? (scores[i] - mean) / deviation : 0;
}

/* Kahan's sum: with ten thousand sources the last digits of a plain one are lost. */
static double compensated_sum(const double *values, size_t count)
{
    double sum = 0, lost = 0;
    for (size_t i = 0; i < count; i++) {
        double term = values[i] - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    return sum;
}

/* log p + inverse (T - best) may be negligible for every source but one with prior zero; nothing is left then. */
static gbv_status normalise(double *values, size_t count, gbv_error *error)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, values[i]);
    if (!(largest > 0))
        return error_set(error, GBV_UNDEFINED, "no source with a positive prior has a score: nothing can be weighed");
    for (size_t i = 0; i < count; i++)
        values[i] /= largest;
    double sum = compensated_sum(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] /= sum;
    return GBV_OK;
}

gbv_status posterior_check_prior(const double *prior, size_t count, gbv_error *error)
{
    bool positive = false;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(prior[i]) || prior[i] < 0)
            return error_set(error, GBV_USAGE,
                             "the prior of source %zu is %g; priors must be finite and not negative: correct it", i + 1,
                             prior[i]);
        positive |= prior[i] > 0;
    }
    if (!positive)
        return error_set(error, GBV_USAGE, "every prior is zero; give at least one source a positive prior");
    return GBV_OK;
}

gbv_status gbv_posterior(const double *scores, const double *prior, size_t count, const gbv_posterior_options *options,
                         double *posterior, bool *only_prior, gbv_error *error)
{
    gbv_posterior_options quick = {.tau_mode = GBV_TAU_QUICK};
    if (!options)
        options = &quick;
    if (only_prior)
        *only_prior = false;
    if (count == 0)
        return error_set(error, GBV_USAGE, "there are no sources to weigh: give at least one");
    gbv_status status = posterior_check_tau(options->tau_mode, options->tau, error);
    if (status != GBV_OK)
        return status;
    if (prior && posterior_check_prior(prior, count, error) != GBV_OK)
        return GBV_USAGE;

    bool defined = false, infinite = false;
    double best = -INFINITY, largest_prior = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(scores[i]) && !options->undefined_as_zero)
            return error_set(error, GBV_UNDEFINED,
                             "the score of source %zu is undefined: leave the source out or give it no weight", i + 1);
        double p = prior ? prior[i] : 1;
        defined |= !isnan(scores[i]);
        infinite |= p > 0 && scores[i] == INFINITY;
        largest_prior = fmax(largest_prior, p);
        posterior[i] = isnan(scores[i]) ? -INFINITY : scores[i];
    }
    if (!defined)
        return error_set(error, GBV_UNDEFINED, "no source has a score: nothing can be weighed");
    if (options->tau_mode == GBV_TAU_CODE)
        standardise(posterior, count);
    for (size_t i = 0; i < count; i++)
        if (!prior || prior[i] > 0)
            best = fmax(best, posterior[i]);
    double inverse = posterior_inverse_tau(options->tau_mode, options->tau, count);
    bool nothing_known = best == -INFINITY; /* the scores say nothing: the prior stands, for those that have one */
    for (size_t i = 0; i < count; i++) {
        double p = (prior ? prior[i] : 1) / largest_prior, score = posterior[i];
        if (nothing_known)
            posterior[i] = isnan(scores[i]) ? 0 : p;
        else if (infinite) /* the +infinity ones share all mass in proportion to their prior */
            posterior[i] = score == INFINITY ? p : 0;
        else /* relative to the best score, so that nothing overflows, and 0 * infinity never arises */
            posterior[i] = score == -INFINITY ? 0 : exp(log(p) + (inverse > 0 ? inverse * (score - best) : 0));
    }
    if (only_prior)
        *only_prior = nothing_known;
    return normalise(posterior, count, error);
}

posterior_summary posterior_summarise(const double *posterior, const size_t *rows, size_t count)
{
    double entropy = 0, squares = 0, per_row = 0;
    for (size_t i = 0; i < count; i++) {
        double p = posterior[i];
        if (p > 0)
            entropy -= p * log(p);
        squares += p * p;
        if (rows && p > 0)
            per_row += rows[i] ? p * p / (double)rows[i] : NAN;
    }
    return (posterior_summary){.entropy = entropy, .effective_sources = 1 / squares, .effective_rows = 1 / per_row};
}
