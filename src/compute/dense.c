#include "compute/dense.h"

#include <math.h>
#include <string.h>

#include "compute/power.h"

/* Narrow rows are taken LANES at a time, side by side, so that they fill the registers as wide ones do. */
enum { LANES = 8, NARROW = 64 };

typedef struct lanes {
    double largest[LANES], sums[LANES];
    double powers[NARROW][LANES]; /* column after column: e^(value - largest) */
} lanes;

/* `count` rows, 1 to LANES; the last one stands in for those that lack, so that a row's result depends on itself only.
 */
static inline __attribute__((always_inline)) void lanes_fill(const double *values, size_t count, size_t columns,
                                                             lanes *l)
{
    for (size_t r = 0; r < LANES; r++) {
        const double *row = values + (r < count ? r : count - 1) * columns;
        l->largest[r] = -INFINITY;
        l->sums[r] = 0;
        for (size_t j = 0; j < columns; j++)
            l->powers[j][r] = row[j];
    }
    for (size_t j = 0; j < columns; j++)
        for (size_t r = 0; r < LANES; r++)
            l->largest[r] = l->powers[j][r] > l->largest[r] ? l->powers[j][r] : l->largest[r];
    for (size_t j = 0; j < columns; j++)
        for (size_t r = 0; r < LANES; r++) {
            l->powers[j][r] = power_of_e(l->powers[j][r] - l->largest[r]);
            l->sums[r] += l->powers[j][r];
        }
}

/* The largest of a wide row. NaN may or may not be seen here; the sum that follows sees it. */
static inline __attribute__((always_inline)) double largest_of(const double *values, size_t count)
{
    double largest = -INFINITY;
#pragma omp simd reduction(max : largest)
    for (size_t j = 0; j < count; j++)
        largest = values[j] > largest ? values[j] : largest;
    return largest;
}

static inline double logarithm(double largest, double sum)
{
    return isfinite(largest) ? largest + log(sum) : largest;
}

CLONED void dense_log_sum_exp_rows(const double *values, size_t rows, size_t columns, double *out)
{
    lanes l;
    for (size_t i = 0; columns <= NARROW && i < rows; i += LANES) {
        size_t count = rows - i < LANES ? rows - i : LANES;
        lanes_fill(values + i * columns, count, columns, &l);
        for (size_t r = 0; r < count; r++)
            out[i + r] = logarithm(l.largest[r], l.sums[r]);
    }
    for (size_t i = 0; columns > NARROW && i < rows; i++) {
        const double *row = values + i * columns;
        double largest = largest_of(row, columns), sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < columns; j++)
            sum += power_of_e(row[j] - largest);
        out[i] = logarithm(largest, sum);
    }
}

CLONED void dense_softmax_rows(double *logits, size_t rows, size_t columns)
{
    lanes l;
    for (size_t i = 0; columns <= NARROW && i < rows; i += LANES) {
        size_t count = rows - i < LANES ? rows - i : LANES;
        lanes_fill(logits + i * columns, count, columns, &l);
        for (size_t r = 0; r < count; r++)
            for (size_t j = 0; j < columns; j++)
                logits[(i + r) * columns + j] = l.powers[j][r] / l.sums[r];
    }
    for (size_t i = 0; columns > NARROW && i < rows; i++) {
        double *row = logits + i * columns, largest = largest_of(row, columns), sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < columns; j++) {
            row[j] = power_of_e(row[j] - largest);
            sum += row[j];
        }
        for (size_t j = 0; j < columns; j++)
            row[j] /= sum;
    }
}

CLONED void dense_add_f64(double *sums, const double *values, size_t count)
{
#pragma omp simd
    for (size_t j = 0; j < count; j++)
        sums[j] += values[j];
}

CLONED void dense_add_f32(double *sums, const float *values, size_t count)
{
#pragma omp simd
    for (size_t j = 0; j < count; j++)
        sums[j] += (double)values[j];
}

CLONED double dense_dot_f64(const double *a, const double *b, size_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < count; j++)
        sum += a[j] * b[j];
    return sum;
}

CLONED double dense_weighted_logarithms(const double *weights, const double *values, size_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < count; j++) {
        double term = weights[j] * power_logarithm(values[j]);
        int64_t weight, bits;
        memcpy(&weight, &weights[j], sizeof weight);
        memcpy(&bits, &term, sizeof bits);
        bits = weight ? bits : 0;
        memcpy(&term, &bits, sizeof term);
        sum += term;
    }
    return sum;
}

CLONED double dense_squares_f32(const float *a, size_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < count; j++)
        sum += (double)a[j] * (double)a[j];
    return sum;
}
