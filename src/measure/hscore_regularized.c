/* hscore_regularized.c - the H-score with the covariance of Ledoit and Wolf (Ibrahim et al. 2022).
 *
 *     S = F'F/N of the centred rows, mu = tr S / D, shrinkage a = min(b, d)/d with
 *     b = (sum_n |f_n|^4 / N - |S|^2) / (D N),   d = (|S|^2 - 2 mu tr S + D mu^2) / D
 *     H = (1 - a) tr( ((1 - a) S + a mu I)^-1 Cov(g) ),   g the class mean of each row, Cov with divisor N - 1 */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "compute/dense.h"
#include "measure/feature_space.h"

/* The sum over rows of the squared length squared. */
static double fourth_powers(const feature_space *space)
{
    double sum = 0;
    for (size_t first = 0; first < space->rows; first += space->block_rows) {
        size_t count = feature_space_count(space, first);
        const double *block = feature_space_block(space, first, count);
        for (size_t i = 0; i < count; i++) {
            double square = dense_dot_f64(block + i * space->columns, block + i * space->columns, space->columns);
            sum += square * square;
        }
    }
    return sum;
}

/* S and its shrinkage from the scatter; the matrix becomes the regularised covariance. */
static double shrink(const feature_space *space, double *matrix)
{
    size_t columns = space->columns;
    double rows = (double)space->rows, width = (double)space->full_columns, trace = space->scatter / rows, squares = 0;
    for (size_t j = 0; j < columns; j++)
        for (size_t i = j; i < columns; i++) {
            double value = matrix[j * columns + i] /= rows;
            squares += (i == j ? 1 : 2) * value * value;
        }
    double mu = trace / width, b = (fourth_powers(space) / rows - squares) / (width * rows);
    double d = (squares - 2 * mu * trace + width * mu * mu) / width;
    double a = space->full_columns > 1 && d > 0 ? fmax(0, fmin(b, d)) / d : 0;
    for (size_t j = 0; j < columns; j++) {
        for (size_t i = j; i < columns; i++)
            matrix[j * columns + i] *= 1 - a;
        matrix[j * columns + j] += a * mu;
    }
    return isfinite(squares) ? a : NAN;
}

static gbv_status hscore_regularized(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                                     gbv_error *error)
{
    (void)variant, (void)row_terms;
    feature_space space;
    double *matrix = NULL, between;
    gbv_status status = feature_space_create(input, true, DIRECTION_NONE, &space, error);
    if (status != GBV_OK)
        return status;
    *score = 0;
    if (space.classes.count == 1 || space.scatter == 0)
        goto done;
    if (!(matrix = feature_space_matrix(&space, error))) {
        status = GBV_FAILED;
        goto done;
    }
    feature_space_total(&space, matrix);
    double a = shrink(&space, matrix);
    if (isnan(a)) {
        *score = NAN;
        goto done;
    }
    status = feature_space_between(&space, matrix, &between, error);
    *score = (1 - a) * between / (double)(space.rows - 1);
done:
    free(matrix);
    feature_space_free(&space);
    return status;
}

const measure measure_hscore_regularized = {
    .info = {.name = "hscore-regularized",
             .summary = "H-score with the shrunken covariance of Ledoit and Wolf: for few rows and many columns",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .cost = "N·D·m + m³ + C·m²",
             .blind_to = "the model's own classifier, and structure within a class",
             .resampled = GBV_HALF_SAMPLES},
    .compute = hscore_regularized,
};
