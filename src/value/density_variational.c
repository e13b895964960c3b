/* density_variational.c - a Beta distribution of each operator's magnitudes, the one with the largest evidence lower
 * bound E[T] / tau - KL(Beta || uniform); the operators then weigh p exp(bound). The bound is never above the logarithm
 * of the mass, and what it lacks is the divergence from the Beta form to the density. */
#include <math.h>
#include <stdlib.h>

#include "augment/density.h"
#include "base/error.h"
#include "base/memory.h"
#include "compute/digamma.h"
#include "value/density_known.h"

enum { POINTS = 16, SPREADS = 4 };

/* Gauss-Legendre on [-1, 1]: the points above zero and their weights. */
static const double points[POINTS / 2] = {0.095012509837637454, 0.28160355077925892, 0.45801677765722737,
                                          0.61787624440264377,  0.755404408355003,   0.86563120238783176,
                                          0.9445750230732326,   0.98940093499164994};
static const double weights[POINTS / 2] = {0.18945061045506859,  0.18260341504492361, 0.16915651939500262,
                                           0.14959598881657676,  0.12462897125553403, 0.095158511682492591,
                                           0.062253523938647706, 0.027152459411754037};

/* The angle whose squared sine is the place x: with it, forms down to a = b = 1/2 have no poles at the ends. */
static double angle_of(double x)
{
    return asin(sqrt(fmin(fmax(x, 0), 1)));
}

typedef struct integral {
    double mass, sum; /* of the form, and of it times T */
} integral;

static void integrate(const gbv_density *d, double a, double b, double from, double to, integral *total)
{
    double log_scale = log(2) + lgamma(a + b) - lgamma(a) - lgamma(b), low = d->magnitudes[0];
    double range = d->magnitudes[d->count - 1] - low, half = (to - from) / 2;
    for (size_t i = 0; i < POINTS; i++) {
        double at = i % 2 ? points[i / 2] : -points[i / 2], angle = from + half * (1 + at);
        double sine = sin(angle), cosine = cos(angle);
        double form = exp(log_scale + (2 * a - 1) * log(sine) + (2 * b - 1) * log(cosine));
        double mass = half * weights[i / 2] * form;
        total->mass += mass;
        total->sum += mass * density_score(d, low + sine * sine * range);
    }
}

/* E[T] under Beta(a, b), panel by panel: between the nodes, where T bends, and between places around the form's bulk,
 * so that a narrow one does not fall between the points. */
static double expected_score(const gbv_density *d, double a, double b)
{
    static const double spreads[SPREADS] = {0.5, 2, 5, 12};
    double low = d->magnitudes[0], range = d->magnitudes[d->count - 1] - low, cuts[2 * SPREADS];
    double mean = a / (a + b), deviation = sqrt(mean * (1 - mean) / (a + b + 1));
    for (size_t i = 0; i < SPREADS; i++) {
        cuts[SPREADS - 1 - i] = angle_of(mean - spreads[i] * deviation);
        cuts[SPREADS + i] = angle_of(mean + spreads[i] * deviation);
    }
    integral total = {0};
    double from = 0;
    size_t cut = 0;
    for (size_t node = 1; node < d->count;) {
        double bend = angle_of((d->magnitudes[node] - low) / range);
        bool at_cut = cut < 2 * SPREADS && cuts[cut] < bend;
        double to = at_cut ? cuts[cut++] : bend;
        node += !at_cut;
        if (to > from)
            integrate(d, a, b, from, to, &total);
        from = fmax(from, to);
    }
    return total.sum / total.mass;
}

static double divergence_from_uniform(double a, double b)
{
    double log_beta = lgamma(a) + lgamma(b) - lgamma(a + b);
    return -log_beta + (a - 1) * digamma(a) + (b - 1) * digamma(b) - (a + b - 2) * digamma(a + b);
}

static double bound_of(const gbv_density *d, double inverse_tau, const double log_form[2])
{
    double a = exp(log_form[0]), b = exp(log_form[1]);
    return inverse_tau * expected_score(d, a, b) - divergence_from_uniform(a, b);
}

/* From the best of a few forms around the mean of the density, ahead in eight directions with ever smaller steps: slow,
 * but nothing can go wrong. */
static double largest_bound(const gbv_density *d, double inverse_tau)
{
    static const double least = -0.6931471805599453, most = 13.8, sizes[] = {2, 6, 30, 300, 3000};
    double low = d->magnitudes[0], range = d->magnitudes[d->count - 1] - low, best[2] = {0, 0};
    double mean = fmin(fmax((density_mean(d, inverse_tau) - low) / range, 1e-3), 1 - 1e-3);
    double bound = bound_of(d, inverse_tau, best);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double form[2] = {fmax(log(sizes[i] * mean), least), fmax(log(sizes[i] * (1 - mean)), least)};
        double other = bound_of(d, inverse_tau, form);
        if (other > bound) {
            bound = other;
            best[0] = form[0];
            best[1] = form[1];
        }
    }
    for (double step = 1; step > 1e-4;) {
        bool better = false;
        for (int direction = 0; direction < 9 && !better; direction++) {
            double form[2] = {best[0] + step * (direction % 3 - 1), best[1] + step * (direction / 3 - 1)};
            form[0] = fmin(fmax(form[0], least), most);
            form[1] = fmin(fmax(form[1], least), most);
            double other = bound_of(d, inverse_tau, form);
            better = other > bound + 1e-12 * fabs(bound);
            if (better) {
                bound = other;
                best[0] = form[0];
                best[1] = form[1];
            }
        }
        if (!better)
            step /= 2;
    }
    return bound;
}

/* Every Beta form has some of its probability at every magnitude, also where the density has none. */
static bool everywhere_positive(const gbv_density *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (!isfinite(d->scores[i]))
            return false;
    return true;
}

gbv_status density_variational(const density_known *known, gbv_density_check *check, gbv_error *error)
{
    double best = -INFINITY, sum = 0;
    double *bounds = check->operator_probabilities = memory_array(known->count, sizeof *bounds);
    if (!bounds)
        return error_out_of_memory(error, "the check of a density");
    for (size_t i = 0; i < known->count; i++) {
        const gbv_density *d = &known->densities[i];
        double bound = d->count == 1            ? known->inverse_tau * d->scores[0]
                       : everywhere_positive(d) ? largest_bound(d, known->inverse_tau)
                                                : -INFINITY;
        bounds[i] = log(d->prior) + bound;
        best = fmax(best, bounds[i]);
    }
    for (size_t i = 0; i < known->count; i++) {
        bounds[i] = isfinite(best) ? exp(bounds[i] - best) : known->densities[i].prior;
        sum += bounds[i];
    }
    for (size_t i = 0; i < known->count; i++) {
        bounds[i] /= sum;
        check->worst = fmax(check->worst, fabs(bounds[i] - known->densities[i].probability));
    }
    check->divergence = isfinite(best) ? known->log_sum - best - log(sum) : NAN;
    check->acceptance = check->autocorrelation = NAN;
    return GBV_OK;
}
