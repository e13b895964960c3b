/* feature_space.c - centring, turning and summing the features; the first row serves as the origin of all means. */
#include "measure/feature_space.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "compute/dense.h"

/* A block takes about this much. */
enum { BLOCK_BYTES = 1 << 20, FEWEST_ROWS = 64 };

void feature_space_free(feature_space *space)
{
    present_classes_free(&space->classes);
    free(space->mean);
    free(space->class_means);
    free(space->projections);
    free(space->block);
    free(space->turned);
    *space = (feature_space){0};
}

void feature_space_row(const feature_space *space, size_t row, double *out)
{
    matrix_row_f64(&space->features, row, out);
    if (space->turned)
        return;
#pragma omp simd
    for (size_t j = 0; j < space->columns; j++)
        out[j] -= space->mean[j];
}

double *feature_space_block(const feature_space *space, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        feature_space_row(space, first + i, space->block + i * space->columns);
    return space->block;
}

/* Differences from the first row are averaged: a constant column is then centred to exact zeros. */
static gbv_status find_mean(feature_space *space, gbv_error *error)
{
    size_t columns = space->full_columns;
    double *first = memory_array(columns, sizeof *first), *row = memory_array(columns, sizeof *row);
    gbv_status status = GBV_OK;
    if (!first || !row) {
        status = error_out_of_memory(error, "a row of features");
        goto done;
    }
    matrix_row_f64(&space->features, 0, first);
    for (size_t i = 1; i < space->rows; i++) {
        const double *values = matrix_row(&space->features, i, row);
#pragma omp simd
        for (size_t j = 0; j < columns; j++)
            space->mean[j] += values[j] - first[j];
    }
    for (size_t j = 0; j < columns; j++)
        space->mean[j] = first[j] + space->mean[j] / (double)space->rows;
done:
    free(first);
    free(row);
    return status;
}

static double project(const feature_space *space, feature_direction direction, const double *row)
{
    if (direction == DIRECTION_NONE)
        return 0;
    if (direction == DIRECTION_MEAN)
        return dense_dot_f64(row, space->mean, space->full_columns);
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < space->full_columns; j++)
        sum += row[j];
    return sum;
}

static gbv_status overflow(gbv_error *error)
{
    return error_set(error, GBV_BAD_INPUT,
                     "the squares of the features overflow: scale the features before measuring them");
}

/* Row i of X = R'Q' has column i of R as its coordinates. */
static gbv_status turn_rows(feature_space *space, feature_direction direction, gbv_error *error)
{
    size_t rows = space->rows, columns = space->full_columns;
    int height = (int)columns, width = (int)rows, query = -1, info = 0;
    double wanted, *factors = memory_array(rows, sizeof *factors), *workspace = NULL;
    double *values = memory_array(rows, columns * sizeof(double)), largest = 0;
    gbv_status status = GBV_OK;
    if (!factors || !values)
        goto no_memory;
    for (size_t i = 0; i < rows; i++) {
        double *row = values + i * columns;
        feature_space_row(space, i, row);
        space->projections[i] = project(space, direction, row);
        for (size_t j = 0; j < columns; j++)
            largest = fmax(largest, isfinite(row[j]) ? fabs(row[j]) : INFINITY);
    }
    if (!(largest < 1e150)) {
        status = overflow(error);
        goto done;
    }
    dgeqrf_(&height, &width, values, &height, factors, &wanted, &query, &info);
    int size = wanted < INT_MAX ? (int)wanted : INT_MAX;
    if (!(workspace = memory_array((size_t)size, sizeof(double))))
        goto no_memory;
    dgeqrf_(&height, &width, values, &height, factors, workspace, &size, &info);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = i + 1; j < rows; j++)
            values[i * columns + j] = 0;
    space->turned = values;
    space->columns = rows;
    space->features = gbv_matrix_f64(values, rows, rows);
    space->features.row_stride = (ptrdiff_t)(columns * sizeof(double));
    values = NULL;
    goto done;
no_memory:
    status = error_out_of_memory(error, "the coordinates of the features");
done:
    free(factors);
    free(workspace);
    free(values);
    return status;
}

static gbv_status find_class_means(feature_space *space, feature_direction direction, gbv_error *error)
{
    size_t columns = space->columns;
    for (size_t first = 0; first < space->rows; first += space->block_rows) {
        size_t count = feature_space_count(space, first);
        const double *block = feature_space_block(space, first, count);
        for (size_t i = 0; i < count; i++) {
            const double *row = block + i * columns;
            dense_add_f64(space->class_means + (size_t)space->classes.ranks[first + i] * columns, row, columns);
            space->scatter += dense_dot_f64(row, row, columns);
            if (!space->turned)
                space->projections[first + i] = project(space, direction, row);
        }
    }
    for (size_t c = 0; c < space->classes.count; c++)
        for (size_t j = 0; j < columns; j++)
            space->class_means[c * columns + j] /= (double)space->classes.sizes[c];
    return space->scatter < 1e300 ? GBV_OK : overflow(error);
}

gbv_status feature_space_create(const gbv_measure_input *input, bool turn, feature_direction direction,
                                feature_space *space, gbv_error *error)
{
    size_t rows = input->rows, columns = input->features.columns;
    *space = (feature_space){.rows = rows, .columns = columns, .full_columns = columns, .features = input->features};
    if (columns > INT_MAX || rows > INT_MAX)
        return error_set(error, GBV_BAD_INPUT, "this measure takes at most %d rows and columns of features", INT_MAX);
    gbv_status status = present_classes_create(input, &space->classes, error);
    if (status != GBV_OK)
        return status;
    space->mean = memory_zeroed(columns, sizeof *space->mean);
    space->projections = memory_array(rows, sizeof *space->projections);
    if (!space->mean || !space->projections)
        goto no_memory;
    if ((status = find_mean(space, error)) != GBV_OK)
        goto fail;
    if (turn && rows < columns && (status = turn_rows(space, direction, error)) != GBV_OK)
        goto fail;
    size_t widest = space->columns > space->classes.count ? space->columns : space->classes.count;
    space->block_rows = BLOCK_BYTES / sizeof(double) / widest;
    if (space->block_rows < FEWEST_ROWS)
        space->block_rows = FEWEST_ROWS;
    if (space->block_rows > rows)
        space->block_rows = rows;
    space->block = memory_array(space->block_rows, space->columns * sizeof(double));
    space->class_means = memory_zeroed(space->classes.count, space->columns * sizeof(double));
    if (!space->block || !space->class_means)
        goto no_memory;
    if ((status = find_class_means(space, direction, error)) == GBV_OK)
        return GBV_OK;
    goto fail;
no_memory:
    status = error_out_of_memory(error, "the means of the features");
fail:
    feature_space_free(space);
    return status;
}

double *feature_space_matrix(const feature_space *space, gbv_error *error)
{
    double *matrix = memory_array(space->columns, space->columns * sizeof(double));
    if (!matrix)
        (void)error_out_of_memory(error, "the scatter of the features");
    return matrix;
}

void feature_space_total(const feature_space *space, double *matrix)
{
    int order = (int)space->columns;
    for (size_t first = 0; first < space->rows; first += space->block_rows) {
        size_t count = feature_space_count(space, first);
        const double *block = feature_space_block(space, first, count);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, order, (int)count, 1, block, order, first ? 1 : 0, matrix,
                    order);
    }
}

/* M = AA' with A of full column rank, by pivoted Cholesky; a vector Az of M's range has z'z as its square under M^+. */
gbv_status feature_space_between(const feature_space *space, double *matrix, double *sum, gbv_error *error)
{
    size_t columns = space->columns, classes = space->classes.count;
    int order = (int)columns, rank = 0, info = 0;
    double tolerance = 0;
    *sum = 0;
    for (size_t j = 0; j < columns; j++)
        tolerance = fmax(tolerance, 1e-12 * matrix[j * columns + j]);
    if (tolerance == 0)
        return GBV_OK;
    int *pivots = memory_array(columns, sizeof *pivots);
    double *workspace = memory_array(2, columns * sizeof(double));
    double *means = memory_array(classes, columns * sizeof(double));
    gbv_status status = GBV_OK;
    if (!pivots || !workspace || !means) {
        status = error_out_of_memory(error, "the factor of the scatter");
        goto done;
    }
    dpstrf_("L", &order, matrix, &order, pivots, &rank, &tolerance, workspace, &info);
    for (size_t c = 0; c < classes; c++)
        for (int k = 0; k < rank; k++)
            means[c * columns + (size_t)k] =
                sqrt((double)space->classes.sizes[c]) * space->class_means[c * columns + (size_t)pivots[k] - 1];
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rank, (int)classes, 1, matrix, order,
                means, order);
    for (size_t c = 0; c < classes; c++)
        *sum += dense_dot_f64(means + c * columns, means + c * columns, (size_t)rank);
done:
    free(pivots);
    free(workspace);
    free(means);
    return status;
}
