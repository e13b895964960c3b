/* scaling.c - standardisation in two passes over the rows, safe for features of any size, and its removal again. */
#include "nn/scaling.h"

#include <math.h>

#include "base/error.h"
#include "compute/dense.h"

/* A feature whose standard deviation is smaller than this share of its size holds rounding noise only; dividing by it
 * would cost the folded weights all their digits. */
static const double SMALLEST_SHARE = 1e-12;
static const double SMALLEST_RANGE = 1e-290;

enum { BLOCK_BYTES = 1 << 20, MOST_BLOCK_ROWS = 256, FEWEST_BLOCK_ROWS = 16 };

size_t scaling_block_rows(size_t columns)
{
    size_t rows = BLOCK_BYTES / sizeof(double) / (columns ? columns : 1);
    return rows > MOST_BLOCK_ROWS ? MOST_BLOCK_ROWS : rows < FEWEST_BLOCK_ROWS ? FEWEST_BLOCK_ROWS : rows;
}

CLONED static void add_extent(const double *restrict row, size_t columns, double weight, double *restrict mean,
                              double *restrict low, double *restrict high)
{
#pragma omp simd
    for (size_t j = 0; j < columns; j++) {
        mean[j] += weight * row[j];
        low[j] = row[j] < low[j] ? row[j] : low[j];
        high[j] = row[j] > high[j] ? row[j] : high[j];
    }
}

CLONED static void add_variance(const double *restrict row, size_t columns, double weight, const double *restrict mean,
                                const double *restrict unit, double *restrict variance)
{
#pragma omp simd
    for (size_t j = 0; j < columns; j++) {
        double deviation = (row[j] - mean[j]) * unit[j];
        variance[j] += weight * deviation * deviation;
    }
}

gbv_status scaling_fit(const fit_task *task, scaling *s, gbv_error *error)
{
    const sample *data = task->data;
    size_t columns = data->columns, block_rows = scaling_block_rows(columns);
    double *buffer = arena_array(task->scratch, columns, block_rows * sizeof *buffer);
    double *low = arena_array(task->scratch, columns, sizeof *low);
    double *high = arena_array(task->scratch, columns, sizeof *high);
    double *variance = arena_zeroed(task->scratch, columns, sizeof *variance);
    s->mean = arena_zeroed(task->scratch, columns, sizeof *s->mean);
    s->inverse = arena_zeroed(task->scratch, columns, sizeof *s->inverse);
    if (!buffer || !low || !high || !variance || !s->mean || !s->inverse)
        return error_out_of_memory(error, "standardising the features");
    for (size_t j = 0; j < columns; j++)
        low[j] = INFINITY, high[j] = -INFINITY;
    for (size_t first = 0; first < data->rows; first += block_rows) {
        size_t count = data->rows - first < block_rows ? data->rows - first : block_rows;
        const double *rows = sample_block_f64(data, first, count, buffer);
        for (size_t i = 0; i < count; i++)
            if (task->weights[first + i] > 0)
                add_extent(rows + i * columns, columns, task->weights[first + i], s->mean, low, high);
    }
    /* Deviations are measured in units of the range, so that their squares neither overflow nor vanish. */
    double *unit = s->inverse;
    for (size_t j = 0; j < columns; j++) {
        double range = high[j] - low[j];
        unit[j] = range > SMALLEST_RANGE ? 1 / range : 0;
    }
    for (size_t first = 0; first < data->rows; first += block_rows) {
        size_t count = data->rows - first < block_rows ? data->rows - first : block_rows;
        const double *rows = sample_block_f64(data, first, count, buffer);
        for (size_t i = 0; i < count; i++)
            if (task->weights[first + i] > 0)
                add_variance(rows + i * columns, columns, task->weights[first + i], s->mean, unit, variance);
    }
    /* One row of n that differs from the rest makes a deviation of range / sqrt(n). Where rows that hardly weigh are
     * the ones that differ it would be next to nothing, and a later row like them enormous: a hundredth of a row's
     * share is the least that counts. */
    double smallest = 0.1 / sqrt((double)data->rows);
    for (size_t j = 0; j < columns; j++) {
        double deviation = unit[j] > 0 ? fmax(sqrt(variance[j]), smallest) / unit[j] : 0;
        double size = fmax(fabs(low[j]), fabs(high[j]));
        s->inverse[j] = deviation > SMALLEST_SHARE * size && deviation > SMALLEST_RANGE ? 1 / deviation : 0;
    }
    return GBV_OK;
}

CLONED void scaling_block(const scaling *s, const sample *data, size_t first, size_t count, double *out)
{
    size_t columns = data->columns;
    const double *rows = sample_block_f64(data, first, count, out);
    const double *restrict mean = s->mean, *restrict inverse = s->inverse;
    for (size_t i = 0; i < count; i++) {
        const double *from = rows + i * columns;
        double *to = out + i * columns;
        /* `from` is either `to` itself or another array altogether, so elements may be taken in any order. */
#pragma omp simd
        for (size_t j = 0; j < columns; j++)
            to[j] = (from[j] - mean[j]) * inverse[j];
    }
}

void scaling_fold(const scaling *s, size_t inputs, size_t outputs, double *weights, double *bias)
{
    for (size_t j = 0; j < inputs; j++)
        for (size_t k = 0; k < outputs; k++) {
            double *weight = &weights[j * outputs + k];
            *weight *= s->inverse[j];
            bias[k] -= s->mean[j] * *weight;
        }
}

void scaling_unfold(const scaling *s, size_t inputs, size_t outputs, double *weights, double *bias)
{
    for (size_t j = 0; j < inputs; j++)
        for (size_t k = 0; k < outputs; k++) {
            double *weight = &weights[j * outputs + k];
            bias[k] += s->mean[j] * *weight;
            *weight = s->inverse[j] > 0 ? *weight / s->inverse[j] : 0;
        }
}
