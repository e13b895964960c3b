#include "augment/density.h"

#include <math.h>
#include <stdlib.h>

/* Between places 0 and 1 of a piece the density is exp(g + x t). Below this |x| the series is exact to rounding. */
static const double flat = 1e-8;

double density_piece_log_mass(double g, double x)
{
    if (!(isfinite(g) && isfinite(x)))
        return -INFINITY;
    if (fabs(x) < flat)
        return g + x / 2;
    /* From the higher end, so that nothing overflows. */
    return fmax(g, g + x) + log(-expm1(-fabs(x)) / fabs(x));
}

double density_piece_mean(double x)
{
    double size = fabs(x), mean;
    if (size < 1e-3)
        mean = 0.5 + size / 12;
    else
        mean = 1 / -expm1(-size) - 1 / size;
    return x < 0 ? 1 - mean : mean;
}

/* The place with the share u of a piece below it. */
static double piece_draw(double x, double u)
{
    if (fabs(x) < flat)
        return u;
    double size = fabs(x), from_high = x > 0 ? 1 - u : u;
    double place = log1p(from_high * expm1(-size)) / -size;
    place = fmin(fmax(place, 0), 1);
    return x > 0 ? 1 - place : place;
}

/* The share of a piece below the place t. */
static double piece_below(double x, double t)
{
    if (fabs(x) < flat)
        return t;
    if (x < 0)
        return expm1(x * t) / expm1(x);
    return exp(-x * (1 - t)) * expm1(-x * t) / expm1(-x);
}

static double best_score(const gbv_density *d)
{
    double best = -INFINITY;
    for (size_t i = 0; i < d->count; i++)
        best = fmax(best, d->scores[i]);
    return best;
}

typedef struct piece {
    double low, width; /* of the magnitudes */
    double g, x;       /* the log density at `low`, less the best; its change to the other end */
    double log_mass;   /* with the width */
} piece;

static piece piece_at(const gbv_density *d, double inverse_tau, double best, size_t i)
{
    double low = d->magnitudes[i], width = d->magnitudes[i + 1] - low;
    double g = inverse_tau * (d->scores[i] - best), x = inverse_tau * (d->scores[i + 1] - best) - g;
    return (piece){.low = low, .width = width, .g = g, .x = x, .log_mass = log(width) + density_piece_log_mass(g, x)};
}

/* Of all pieces, with their widths; -INFINITY where there are none or all is lost. */
static double log_sum(const gbv_density *d, double inverse_tau, double best)
{
    if (!isfinite(best))
        return -INFINITY;
    double largest = -INFINITY, sum = 0;
    for (size_t i = 0; i + 1 < d->count; i++)
        largest = fmax(largest, piece_at(d, inverse_tau, best, i).log_mass);
    if (!isfinite(largest))
        return -INFINITY;
    for (size_t i = 0; i + 1 < d->count; i++)
        sum += exp(piece_at(d, inverse_tau, best, i).log_mass - largest);
    return largest + log(sum);
}

/* Where no piece has any mass (one node, or scores too far apart for numbers) the best node has it all. */
static double best_magnitude(const gbv_density *d)
{
    size_t best = 0;
    for (size_t i = 1; i < d->count; i++)
        if (d->scores[i] > d->scores[best])
            best = i;
    return d->magnitudes[best];
}

double density_log_mass(const gbv_density *d, double inverse_tau)
{
    double best = best_score(d), total = log_sum(d, inverse_tau, best);
    if (d->count == 1)
        return inverse_tau * best;
    if (!isfinite(total))
        return -INFINITY;
    return inverse_tau * best + total - log(d->magnitudes[d->count - 1] - d->magnitudes[0]);
}

double density_mean(const gbv_density *d, double inverse_tau)
{
    double best = best_score(d), total = log_sum(d, inverse_tau, best), mean = 0;
    if (!isfinite(total))
        return best_magnitude(d);
    for (size_t i = 0; i + 1 < d->count; i++) {
        piece p = piece_at(d, inverse_tau, best, i);
        if (isfinite(p.log_mass))
            mean += exp(p.log_mass - total) * (p.low + p.width * density_piece_mean(p.x));
    }
    return mean;
}

double density_draw(const gbv_density *d, double inverse_tau, double u)
{
    double best = best_score(d), total = log_sum(d, inverse_tau, best), before = 0, last = best_magnitude(d);
    if (!isfinite(total))
        return last;
    for (size_t i = 0; i + 1 < d->count; i++) {
        piece p = piece_at(d, inverse_tau, best, i);
        double share = exp(p.log_mass - total);
        if (share > 0) {
            last = p.low + p.width;
            if (u < before + share)
                return fmin(p.low + p.width * piece_draw(p.x, fmax(u - before, 0) / share), last);
        }
        before += share;
    }
    return last; /* the shares add up to a little less than 1 */
}

double density_score(const gbv_density *d, double magnitude)
{
    if (d->count == 1 || magnitude <= d->magnitudes[0])
        return d->scores[0];
    size_t low = 0, i = d->count - 1; /* the node at or above the magnitude, and one below it */
    while (i - low > 1) {
        size_t middle = low + (i - low) / 2;
        *(magnitude > d->magnitudes[middle] ? &low : &i) = middle;
    }
    double t = (magnitude - d->magnitudes[i - 1]) / (d->magnitudes[i] - d->magnitudes[i - 1]);
    if (t >= 1)
        return d->scores[i];
    return isfinite(d->scores[i]) ? d->scores[i - 1] + t * (d->scores[i] - d->scores[i - 1]) : d->scores[i];
}

double gbv_density_at(const gbv_density *d, double inverse_tau, double magnitude)
{
    double best = best_score(d), total = log_sum(d, inverse_tau, best);
    if (!isfinite(total))
        return magnitude == best_magnitude(d) ? 1 : 0;
    for (size_t i = 0; i + 1 < d->count; i++) {
        piece p = piece_at(d, inverse_tau, best, i);
        if (magnitude >= p.low && magnitude <= p.low + p.width)
            return isfinite(p.log_mass) ? exp(p.g + p.x * ((magnitude - p.low) / p.width) - total) : 0;
    }
    return 0;
}

double gbv_density_below(const gbv_density *d, double inverse_tau, double magnitude)
{
    double best = best_score(d), total = log_sum(d, inverse_tau, best), below = 0;
    if (!isfinite(total))
        return magnitude >= best_magnitude(d) ? 1 : 0;
    for (size_t i = 0; i + 1 < d->count; i++) {
        piece p = piece_at(d, inverse_tau, best, i);
        if (magnitude <= p.low)
            break;
        if (isfinite(p.log_mass))
            below += exp(p.log_mass - total) * piece_below(p.x, fmin((magnitude - p.low) / p.width, 1));
    }
    return fmin(below, 1);
}

void densities_free(gbv_density *densities, size_t count)
{
    for (size_t i = 0; densities && i < count; i++) {
        free(densities[i].magnitudes);
        free(densities[i].scores);
    }
    free(densities);
}

void density_check_free(gbv_density_check *check)
{
    free(check->operator_probabilities);
    free(check->errors);
    *check = (gbv_density_check){0};
}
