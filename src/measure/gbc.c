/* gbc.c - the Gaussian Bhattacharyya coefficient (Pandy et al. 2022): minus the overlap of the classes, each a Gaussian
 * in the features, over all ordered pairs.
 *
 *     B(a,b) = 1/8 sum_d (m_a - m_b)^2 / v + 1/2 sum_d (ln v - ln(v_a v_b) / 2),  v = (v_a + v_b) / 2,  at least 1e-4
 *     diagonal        one variance a column
 *     spherical       their mean in every column
 *     spherical-code  the published program: the logarithms of that mean are counted once instead of D times */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "compute/dense.h"
#include "measure/feature_space.h"

enum { DIAGONAL, SPHERICAL, SPHERICAL_CODE };

static const double smallest_variance = 1e-4;

/* classes x columns; the spherical forms have the mean in every column. */
static void find_variances(const feature_space *space, size_t variant, double *variances)
{
    size_t columns = space->columns, classes = space->classes.count;
    for (size_t i = 0; i < classes * columns; i++)
        variances[i] = 0;
    for (size_t i = 0; i < space->rows; i++) {
        size_t c = (size_t)space->classes.ranks[i];
        const double *mean = space->class_means + c * columns;
        feature_space_row(space, i, space->block);
#pragma omp simd
        for (size_t j = 0; j < columns; j++)
            variances[c * columns + j] += (space->block[j] - mean[j]) * (space->block[j] - mean[j]);
    }
    for (size_t c = 0; c < classes; c++) {
        double *of_class = variances + c * columns;
        for (size_t j = 0; j < columns; j++)
            of_class[j] = fmax(of_class[j] / (double)space->classes.sizes[c], smallest_variance);
        double mean = measure_mean(of_class, columns);
        for (size_t j = 0; variant != DIAGONAL && j < columns; j++)
            of_class[j] = mean;
    }
}

/* The sum of the logarithms, one taken for many factors while their product is in range. */
static double log_product(const double *values, size_t count)
{
    double product = 1, sum = 0;
    for (size_t j = 0; j < count; j++) {
        if (values[j] > 1e100) {
            sum += log(values[j]);
            continue;
        }
        product *= values[j];
        if (product > 1e150 || product < 1e-150) {
            sum += log(product);
            product = 1;
        }
    }
    return sum + log(product);
}

static double distance(const feature_space *space, const double *variances, const double *logs, size_t a, size_t b,
                       size_t variant, double *between)
{
    size_t columns = space->columns;
    const double *first = space->class_means + a * columns, *second = space->class_means + b * columns;
    double squares = 0;
    for (size_t j = 0; j < columns; j++) {
        double difference = first[j] - second[j];
        between[j] = (variances[a * columns + j] + variances[b * columns + j]) / 2;
        squares += difference * difference / between[j];
    }
    double shape = log_product(between, variant == SPHERICAL_CODE ? 1 : columns) - (logs[a] + logs[b]) / 2;
    return squares / 8 + shape / 2;
}

static gbv_status gbc(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                      gbv_error *error)
{
    (void)row_terms;
    feature_space space;
    gbv_status status = feature_space_create(input, false, DIRECTION_NONE, &space, error);
    if (status != GBV_OK)
        return status;
    size_t columns = space.columns, classes = space.classes.count;
    double *variances = memory_array(classes, columns * sizeof(double)), *logs = memory_array(classes, sizeof(double));
    double *between = memory_array(columns, sizeof *between), overlap = 0;
    if (!variances || !logs || !between) {
        status = error_out_of_memory(error, "the variances of the classes");
        goto done;
    }
    find_variances(&space, variant, variances);
    for (size_t c = 0; c < classes; c++)
        logs[c] = log_product(variances + c * columns, variant == SPHERICAL_CODE ? 1 : columns);
    for (size_t a = 0; a < classes; a++)
        for (size_t b = a + 1; b < classes; b++)
            overlap += exp(-distance(&space, variances, logs, a, b, variant, between));
    *score = overlap == 0 ? 0 : -2 * overlap;
done:
    free(variances);
    free(logs);
    free(between);
    feature_space_free(&space);
    return status;
}

const measure measure_gbc = {
    .info = {.name = "gbc",
             .summary = "minus the overlap of the classes as Gaussians in the features, 0 when far apart",
             .variants = "diagonal|spherical|spherical-code",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .cost = "N·D + C²·D",
             .blind_to = "correlated features, and how many rows a class has",
             .resampled = GBV_HALF_SAMPLES},
    .compute = gbc,
};
