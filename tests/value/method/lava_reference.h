/* lava_reference.h - LAVA in double precision and plain loops, to compare the fast one with: Sinkhorn as geomloss runs
 * it, the distances of all pairs of classes, and the calibrated gradients. Every class must have two rows or more. */
#ifndef TESTS_VALUE_METHOD_LAVA_REFERENCE_H
#define TESTS_VALUE_METHOD_LAVA_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define LAVA_BLUR 0.1

typedef struct lava_rows {
    size_t count, columns, classes;
    const double *values;
    const int32_t *labels;
} lava_rows;

/* -temperature * ln sum_j exp(weight + (potential_j - cost_j) / temperature), costs `stride` apart */
static double soft_minimum(const double *costs, size_t stride, const double *potentials, size_t count,
                           double temperature)
{
    double top = -INFINITY, sum = 0;
    for (size_t j = 0; j < count; j++)
        top = fmax(top, (potentials[j] - costs[j * stride]) / temperature);
    for (size_t j = 0; j < count; j++)
        sum += exp((potentials[j] - costs[j * stride]) / temperature - top);
    return -temperature * (top + log(sum / (double)count));
}

/* Moves f (rows) and g (columns) by `step` of the way to their new values, both from the old ones. */
static void reference_sweep(const double *costs, size_t rows, size_t columns, double temperature, double step,
                            double *f, double *g)
{
    double *new_f = malloc(rows * sizeof *new_f), *new_g = malloc(columns * sizeof *new_g);
    for (size_t i = 0; i < rows; i++)
        new_f[i] = soft_minimum(costs + i * columns, 1, g, columns, temperature);
    for (size_t j = 0; j < columns; j++)
        new_g[j] = soft_minimum(costs + j, columns, f, rows, temperature);
    for (size_t i = 0; i < rows; i++)
        f[i] += step * (new_f[i] - f[i]);
    for (size_t j = 0; j < columns; j++)
        g[j] += step * (new_g[j] - g[j]);
    free(new_f);
    free(new_g);
}

/* `further`: how many sweeps follow at the last temperature, each of f and then of g from the new f. */
static void reference_sinkhorn(const double *costs, size_t rows, size_t columns, double diameter, int further,
                               double *f, double *g)
{
    double first = diameter > 0 ? diameter * diameter : LAVA_BLUR;
    for (size_t i = 0; i < rows; i++)
        f[i] = 0;
    for (size_t j = 0; j < columns; j++)
        g[j] = 0;
    reference_sweep(costs, rows, columns, first, 1, f, g);
    if (diameter > 0) {
        reference_sweep(costs, rows, columns, first, 0.5, f, g);
        for (double power = 2 * log(diameter); power > log(LAVA_BLUR); power -= 2 * log(2))
            reference_sweep(costs, rows, columns, exp(power), 0.5, f, g);
    }
    reference_sweep(costs, rows, columns, LAVA_BLUR, 0.5, f, g);
    reference_sweep(costs, rows, columns, LAVA_BLUR, 1, f, g);
    for (int k = 0; k < further; k++) {
        for (size_t i = 0; i < rows; i++)
            f[i] = soft_minimum(costs + i * columns, 1, g, columns, LAVA_BLUR);
        for (size_t j = 0; j < columns; j++)
            g[j] = soft_minimum(costs + j, columns, f, rows, LAVA_BLUR);
    }
}

/* Of the box around rows of both sides, of one class each unless the class is negative. */
static double reference_diameter(const lava_rows *a, int32_t a_class, const lava_rows *b, int32_t b_class)
{
    double sum = 0;
    for (size_t k = 0; k < a->columns; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int side = 0; side < 2; side++) {
            const lava_rows *rows = side ? b : a;
            int32_t wanted = side ? b_class : a_class;
            for (size_t i = 0; i < rows->count; i++)
                if (wanted < 0 || rows->labels[i] == wanted) {
                    low = fmin(low, rows->values[i * a->columns + k]);
                    high = fmax(high, rows->values[i * a->columns + k]);
                }
        }
        sum += (high - low) * (high - low);
    }
    if (a_class < 0) { /* the class is a column more */
        double range = (double)(a->classes + b->classes - 1);
        sum += range * range;
    }
    return sqrt(sum);
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* The entropic transport distance between two classes, from the costs of all rows. */
static double reference_label_distance(const lava_rows *train, const lava_rows *reference, const double *costs,
                                       int32_t a, int32_t b)
{
    size_t rows = 0, columns = 0, cells = 0;
    double *own = malloc(train->count * reference->count * sizeof *own);
    for (size_t i = 0; i < train->count; i++) {
        if (train->labels[i] != a)
            continue;
        rows++;
        columns = 0;
        for (size_t j = 0; j < reference->count; j++)
            if (reference->labels[j] == b)
                own[cells++] = costs[i * reference->count + j], columns++;
    }
    double *f = malloc(rows * sizeof *f), *g = malloc(columns * sizeof *g);
    reference_sinkhorn(own, rows, columns, reference_diameter(train, a, reference, b), 0, f, g);
    double distance = mean_of(f, rows) + mean_of(g, columns);
    free(own);
    free(f);
    free(g);
    return distance;
}

/* f, g: potentials of the training and the reference rows; distances: train classes x reference classes; gradients:
 * training rows. `further` sweeps of the whole problem follow those that the published program makes. Returns the
 * distance. */
static double lava_in_double(const lava_rows *train, const lava_rows *reference, int further, double *distances,
                             double *f, double *g, double *gradients)
{
    size_t n = train->count, m = reference->count, columns = train->columns;
    double *costs = malloc(n * m * sizeof *costs);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            double squares = 0;
            for (size_t k = 0; k < columns; k++) {
                double difference = train->values[i * columns + k] - reference->values[j * columns + k];
                squares += difference * difference;
            }
            costs[i * m + j] = squares / 2;
        }
    for (size_t a = 0; a < train->classes; a++)
        for (size_t b = 0; b < reference->classes; b++)
            distances[a * reference->classes + b] =
                reference_label_distance(train, reference, costs, (int32_t)a, (int32_t)b);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            costs[i * m + j] +=
                distances[(size_t)train->labels[i] * reference->classes + (size_t)reference->labels[j]] / 2;
    reference_sinkhorn(costs, n, m, reference_diameter(train, -1, reference, -1), further, f, g);
    double mean = mean_of(f, n);
    for (size_t i = 0; i < n; i++)
        gradients[i] = (f[i] - mean) * (double)n / (double)(n - 1);
    free(costs);
    return mean + mean_of(g, m);
}

#endif
