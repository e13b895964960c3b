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
