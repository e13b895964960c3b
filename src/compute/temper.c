#include "compute/temper.h"

#include <math.h>
#include <string.h>

#include "compute/dense.h"
#include "compute/power.h"

static const double smallest_inverse = 0.05, largest_inverse = 20;

/* Stands for the logarithm of zero: its power is exactly zero, and unlike -INFINITY it can be multiplied with that. */
static const double LOG_OF_ZERO = -1e300;

/* What one row says at an inverse temperature. */
typedef struct row_state {
    double likelihood;       /* of the label */
    double slope, curvature; /* of its logarithm, by the inverse temperature */
} row_state;

CLONED static void take_powers(const double *logarithms, size_t count, double inverse, double *powers)
{
#pragma omp simd
    for (size_t k = 0; k < count; k++)
        powers[k] = power_of_e(inverse * logarithms[k]);
}

/* Sums of w, w l, w l^2. */
CLONED static void sum_row(const double *logarithms, const double *powers, size_t count, double sums[3])
{
    double zeroth = 0, first = 0, second = 0;
#pragma omp simd reduction(+ : zeroth, first, second)
    for (size_t z = 0; z < count; z++) {
        double wl = powers[z] * logarithms[z];
        zeroth += powers[z];
        first += wl;
        second += wl * logarithms[z];
    }
    sums[0] = zeroth, sums[1] = first, sums[2] = second;
}

static row_state temper_row(const temper_rows *t, size_t row, const double *powers)
{
    const double *logarithms = t->logarithms + row * t->columns;
    size_t label = (size_t)t->labels[row];
    double all[3], own[3] = {0};
    sum_row(logarithms, powers, t->columns, all);
    for (size_t k = t->first[label]; k < t->first[label + 1]; k++) {
        double w = powers[t->own[k]], l = logarithms[t->own[k]];
        own[0] += w, own[1] += w * l, own[2] += w * l * l;
    }
    row_state state = {.likelihood = own[0] / all[0]};
    if (own[0] > 0) {
        double mean = all[1] / all[0], own_mean = own[1] / own[0];
        state.slope = own_mean - mean;
        state.curvature = own[2] / own[0] - own_mean * own_mean - (all[2] / all[0] - mean * mean);
    }
    return state;
}

/* Slope and curvature of the rows' log-likelihood; with `likelihoods`, those of the rows too. */
static void temper_all(const temper_rows *t, double inverse, double *slope, double *curvature, double *likelihoods)
{
    size_t block = t->columns < TEMPER_BLOCK ? TEMPER_BLOCK / t->columns : 1;
    *slope = *curvature = 0;
    for (size_t first = 0; first < t->rows; first += block) {
        size_t left = t->rows - first, count = left < block ? left : block;
        take_powers(t->logarithms + first * t->columns, count * t->columns, inverse, t->powers);
        for (size_t i = 0; i < count; i++) {
            row_state state = temper_row(t, first + i, t->powers + i * t->columns);
            *slope += state.slope;
            *curvature += state.curvature;
            if (likelihoods)
                likelihoods[first + i] = state.likelihood;
        }
    }
}

/* Newton's steps inside a shrinking bracket. */
double temper_fit(const temper_rows *t)
{
    double low = smallest_inverse, high = largest_inverse, inverse = 1, slope, curvature;
    for (int step = 0; step < 60; step++) {
        temper_all(t, inverse, &slope, &curvature, NULL);
        if (slope == 0)
            return inverse;
        if (slope > 0)
            low = inverse;
        else
            high = inverse;
        double next = curvature < 0 ? inverse - slope / curvature : NAN;
        if (next >= largest_inverse || next <= smallest_inverse) {
            /* The end of the range may itself be the answer. */
            double end = next >= largest_inverse ? largest_inverse : smallest_inverse;
            if (inverse == end)
                return end;
            next = end == high || end == low ? end : NAN;
        }
        if (!(next >= low && next <= high))
            next = sqrt(low * high);
        if (fabs(next - inverse) <= 1e-12 * inverse)
            return next;
        inverse = next;
    }
    return inverse;
}

void temper_likelihoods(const temper_rows *rows, double inverse, double *likelihoods)
{
    double slope, curvature;
    temper_all(rows, inverse, &slope, &curvature, likelihoods);
}

void temper_logarithms(const double *probabilities, size_t columns, double *out)
{
    double largest = probabilities[0];
    for (size_t z = 1; z < columns; z++)
        largest = fmax(largest, probabilities[z]);
    largest = log(largest);
    for (size_t z = 0; z < columns; z++)
        out[z] = probabilities[z] > 0 ? log(probabilities[z]) - largest : LOG_OF_ZERO;
}

void temper_sort_columns(const int32_t *column_class, size_t columns, size_t class_count, size_t *first, size_t *own)
{
    for (size_t z = 0; z < columns; z++)
        if (column_class[z] >= 0)
            first[column_class[z] + 1]++;
    for (size_t c = 0; c < class_count; c++)
        first[c + 1] += first[c];
    for (size_t z = 0; z < columns; z++)
        if (column_class[z] >= 0)
            own[first[column_class[z]]++] = z;
    memmove(first + 1, first, class_count * sizeof *first);
    first[0] = 0;
}
