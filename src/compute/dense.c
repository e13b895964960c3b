#include "compute/dense.h"

#include <math.h>

double dense_log_sum_exp(const double *values, size_t count)
{
    double largest = -INFINITY, sum = 0;
    for (size_t j = 0; j < count; j++)
        if (values[j] > largest)
            largest = values[j];
    if (!isfinite(largest))
        return largest;
    for (size_t j = 0; j < count; j++)
        sum += exp(values[j] - largest);
    return largest + log(sum);
}

void dense_softmax_rows(double *logits, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++) {
        double *row = logits + i * columns, largest = -INFINITY, sum = 0;
        for (size_t j = 0; j < columns; j++)
            if (row[j] > largest)
                largest = row[j];
        for (size_t j = 0; j < columns; j++)
            sum += row[j] = exp(row[j] - largest);
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

CLONED double dense_dot_f32(const float *a, const double *b, size_t count)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < count; j++)
        sum += (double)a[j] * b[j];
    return sum;
}
