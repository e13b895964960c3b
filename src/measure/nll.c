/* nll.c - the mean log-likelihood of the labels under the model's own class names, after one temperature.
 *
 * A model's probabilities are often too sure or not sure enough, which one temperature t mends: p_z^(1/t) / sum
 * p^(1/t). Fitting t on the rows it is judged by would flatter the model, so the rows are cut in two halves (the even
 * and the odd ones of each class, in the order given), and each half is scored with the t that suits the other half
 * best. t stays within 1/20 and 20; a half with nothing to learn from leaves t at 1 (one row in all, for instance). The
 * likelihood of a row is (1 - 1e-6) p_y + 1e-6: a class without a column or with probability zero counts as 1e-6. */
#include "measure/replicate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "compute/dense.h"
#include "compute/power.h"

static const double floor_share = 1e-6, smallest_inverse = 0.05, largest_inverse = 20;

/* Stands for the logarithm of zero: its power is exactly zero, and unlike -INFINITY it can be multiplied with that. */
static const double LOG_OF_ZERO = -1e300;

enum { BLOCK = 1024 }; /* powers taken at a time */

typedef struct tempering {
    const gbv_measure_input *input;
    size_t columns;
    size_t *rows;       /* the rows of the first half, then those of the second */
    size_t starts[3];   /* where each half begins among them */
    double *logarithms; /* in that order, rows x columns: ln p minus the row's largest */
    double *powers;     /* of a block of rows */
    size_t *first;      /* class_count + 1: where the columns of each class begin in `own` */
    size_t *own;        /* columns, class after class; those of no class are left out */
} tempering;

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

static row_state temper_row(const tempering *t, size_t position, const double *powers)
{
    const double *logarithms = t->logarithms + position * t->columns;
    size_t label = (size_t)t->input->labels[t->rows[position]];
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

static size_t block_rows(const tempering *t)
{
    return t->columns < BLOCK ? BLOCK / t->columns : 1;
}

/* Slope and curvature of a half's log-likelihood; with `likelihoods`, those of its rows too. */
static void temper_half(const tempering *t, int half, double inverse, double *slope, double *curvature,
                        double *likelihoods)
{
    *slope = *curvature = 0;
    for (size_t first = t->starts[half]; first < t->starts[half + 1]; first += block_rows(t)) {
        size_t left = t->starts[half + 1] - first, count = left < block_rows(t) ? left : block_rows(t);
        take_powers(t->logarithms + first * t->columns, count * t->columns, inverse, t->powers);
        for (size_t i = 0; i < count; i++) {
            row_state state = temper_row(t, first + i, t->powers + i * t->columns);
            *slope += state.slope;
            *curvature += state.curvature;
            if (likelihoods)
                likelihoods[t->rows[first + i]] = state.likelihood;
        }
    }
}

/* The inverse temperature at which the half's log-likelihood stops rising: Newton's steps inside a shrinking bracket.
 */
static double fit_inverse(const tempering *t, int half)
{
    double low = smallest_inverse, high = largest_inverse, inverse = 1, slope, curvature;
    for (int step = 0; step < 60; step++) {
        temper_half(t, half, inverse, &slope, &curvature, NULL);
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

static gbv_status take_logarithms(tempering *t, gbv_error *error)
{
    const gbv_matrix *matrix = &t->input->probabilities;
    double *buffer = memory_array(t->columns, sizeof *buffer);
    if (!buffer)
        return error_out_of_memory(error, "a row of probabilities");
    for (size_t i = 0; i < matrix->rows; i++) {
        const double *values = matrix_row(matrix, t->rows[i], buffer);
        double largest = log(values[measure_argmax(values, t->columns)]);
        for (size_t z = 0; z < t->columns; z++)
            t->logarithms[i * t->columns + z] = values[z] > 0 ? log(values[z]) - largest : LOG_OF_ZERO;
    }
    free(buffer);
    return GBV_OK;
}

/* Which columns stand for each class. */
static void sort_columns(tempering *t)
{
    size_t classes = t->input->class_count;
    for (size_t z = 0; z < t->columns; z++)
        if (measure_column_class(t->input, z) >= 0)
            t->first[measure_column_class(t->input, z) + 1]++;
    for (size_t c = 0; c < classes; c++)
        t->first[c + 1] += t->first[c];
    for (size_t z = 0; z < t->columns; z++)
        if (measure_column_class(t->input, z) >= 0)
            t->own[t->first[measure_column_class(t->input, z)]++] = z;
    memmove(t->first + 1, t->first, classes * sizeof *t->first);
    t->first[0] = 0;
}

/* The even and the odd rows of each class. */
static gbv_status cut_in_halves(tempering *t, gbv_error *error)
{
    size_t rows = t->input->rows, end = 0;
    unsigned char *next = memory_zeroed(t->input->class_count, 1), *halves = memory_array(rows, 1);
    if (next && halves) {
        for (size_t i = 0; i < rows; i++) {
            halves[i] = next[t->input->labels[i]];
            next[t->input->labels[i]] ^= 1;
        }
        for (int half = 0; half < 2; half++) {
            for (size_t i = 0; i < rows; i++)
                if (halves[i] == half)
                    t->rows[end++] = i;
            t->starts[half + 1] = end;
        }
    }
    free(next);
    free(halves);
    return t->starts[2] == rows ? GBV_OK : error_out_of_memory(error, "the halves of the rows");
}

static gbv_status nll(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                      gbv_error *error)
{
    (void)variant;
    size_t rows = input->rows, columns = input->probabilities.columns, cells;
    tempering t = {.input = input,
                   .columns = columns,
                   .rows = memory_array(rows, sizeof *t.rows),
                   .powers = memory_array(columns < BLOCK ? BLOCK : columns, sizeof *t.powers),
                   .first = memory_zeroed(input->class_count + 1, sizeof *t.first),
                   .own = memory_array(columns, sizeof *t.own)};
    double *likelihoods = memory_array(rows, sizeof *likelihoods), slope, curvature, sum = 0;
    if (!__builtin_mul_overflow(rows, columns, &cells))
        t.logarithms = memory_array(cells, sizeof *t.logarithms);
    gbv_status status = GBV_OK;
    if (!t.rows || !t.powers || !t.first || !t.own || !likelihoods || !t.logarithms) {
        status = error_out_of_memory(error, "the logarithms of the probabilities");
        goto done;
    }
    sort_columns(&t);
    if ((status = cut_in_halves(&t, error)) != GBV_OK || (status = take_logarithms(&t, error)) != GBV_OK)
        goto done;
    for (int half = 0; half < 2; half++)
        temper_half(&t, half, fit_inverse(&t, 1 - half), &slope, &curvature, likelihoods);
    for (size_t i = 0; i < rows; i++) {
        double term = log((1 - floor_share) * likelihoods[i] + floor_share);
        if (row_terms)
            row_terms[i] = term;
        sum += term;
    }
    *score = sum / (double)rows;
done:
    free(t.rows);
    free(t.powers);
    free(t.first);
    free(t.own);
    free(likelihoods);
    free(t.logarithms);
    return status;
}

const measure measure_nll = {
    .info = {.name = "nll",
             .summary = "mean log-likelihood of the labels after one cross-fitted temperature",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_PROBABILITIES | GBV_NEEDS_CLASS_COLUMNS,
             .cost = "R·N·Z, R <= 120 steps of Newton",
             .blind_to = "classes the model has no column for, which all count as one chance in a million"},
    .compute = nll,
    .replicates = {.compute = replicate_row_means, .variants = 1, .weighs_rows = true},
};
