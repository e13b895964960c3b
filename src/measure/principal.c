#include "measure/principal.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "compute/dense.h"

/* Smaller sums of squares are called zero: their roots and quotients would leave the range of doubles. */
static const double SMALLEST_TOTAL = 1e-250;

static gbv_status out_of_memory(gbv_error *error)
{
    return error_out_of_memory(error, "the principal components of the features");
}

/* Differences to the first row come before the mean, so that constant columns become exact zeros. Returns the sum of
 * squares. */
static double centre(const gbv_matrix *features, double *centred, double *means)
{
    size_t rows = features->rows, columns = features->columns;
    for (size_t i = 0; i < rows; i++)
        matrix_row_f64(features, i, centred + i * columns);
    for (size_t i = rows; i-- > 0;)
        for (size_t j = 0; j < columns; j++)
            centred[i * columns + j] -= centred[j];
    memset(means, 0, columns * sizeof *means);
    for (size_t i = 0; i < rows; i++)
        dense_add_f64(means, centred + i * columns, columns);
    double total = 0;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            double *value = &centred[i * columns + j];
            *value -= means[j] / (double)rows;
            total += *value * *value;
        }
    }
    return total;
}

/* The Gram matrix's eigenvalues, rising, and its eigenvectors, one a line. */
static gbv_status decompose(const double *centred, size_t rows, size_t columns, double *vectors, double *values,
                            gbv_error *error)
{
    bool dual = rows < columns;
    int order = (int)(dual ? rows : columns), query = -1, info = 0, integer_size;
    cblas_dsyrk(CblasRowMajor, CblasUpper, dual ? CblasNoTrans : CblasTrans, order, (int)(dual ? columns : rows), 1,
                centred, (int)columns, 0, vectors, order);
    double wanted;
    dsyevd_("V", "L", &order, vectors, &order, values, &wanted, &query, &integer_size, &query, &info);
    int size = wanted < INT_MAX ? (int)wanted : INT_MAX;
    double *workspace = memory_array((size_t)size, sizeof *workspace);
    int *integers = memory_array((size_t)integer_size, sizeof *integers);
    gbv_status status = GBV_OK;
    if (!workspace || !integers)
        status = out_of_memory(error);
    else
        dsyevd_("V", "L", &order, vectors, &order, values, workspace, &size, integers, &integer_size, &info);
    if (info != 0)
        status = error_set(error, GBV_FAILED, "the principal components were not found (LAPACK says %d)", info);
    free(workspace);
    free(integers);
    return status;
}

static void choose(const double *values, size_t order, bool dual, double share, principal_components *components)
{
    /* Zero eigenvalues of the dual matrix would come back as components of rounding noise. */
    double floor = dual ? 8 * DBL_EPSILON * (double)order * values[order - 1] : 0, sum = 0;
    while (components->count < order && sum < share * components->total) {
        double value = values[order - 1 - components->count];
        if (!(value > floor))
            break;
        components->squares[components->count++] = value;
        sum += value;
    }
}

/* The largest come last: the lines change places. */
static void reverse_lines(double *vectors, size_t order)
{
    for (size_t k = 0; k < order / 2; k++)
        cblas_dswap((int)order, vectors + k * order, 1, vectors + (order - 1 - k) * order, 1);
}

/* `vectors` begins with that of the largest eigenvalue. */
static void project(const double *centred, size_t columns, const double *vectors, principal_components *components)
{
    size_t rows = components->rows, count = components->count;
    if (rows >= columns) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)count, (int)columns, 1, centred,
                    (int)columns, vectors, (int)columns, 0, components->scores, (int)count);
        return;
    }
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < rows; i++)
            components->scores[i * count + k] = vectors[k * rows + i] * sqrt(components->squares[k]);
}

gbv_status principal_components_create(const gbv_matrix *features, double share, principal_components *components,
                                       gbv_error *error)
{
    size_t rows = features->rows, columns = features->columns, order = rows < columns ? rows : columns, cells;
    *components = (principal_components){.rows = rows};
    if (rows > INT_MAX || columns > INT_MAX)
        return error_set(error, GBV_BAD_INPUT, "principal components take at most %d rows and columns", INT_MAX);
    gbv_status status = GBV_OK;
    double *centred = NULL, *vectors = memory_array(order, order * sizeof *vectors);
    double *values = memory_array(columns, sizeof *values);
    components->squares = memory_array(order, sizeof(double));
    if (!__builtin_mul_overflow(rows, columns, &cells))
        centred = memory_array(cells, sizeof *centred);
    if (!centred || !vectors || !values || !components->squares) {
        status = out_of_memory(error);
        goto done;
    }
    components->total = centre(features, centred, values);
    if (!isfinite(components->total)) {
        status = error_set(error, GBV_BAD_INPUT, "the squares of the features overflow: scale the features");
        goto done;
    }
    bool constant = components->total < SMALLEST_TOTAL;
    if (!constant && (status = decompose(centred, rows, columns, vectors, values, error)) != GBV_OK)
        goto done;
    if (!constant)
        choose(values, order, rows < columns, share, components);
    if (!(components->scores = memory_array(rows, components->count * sizeof(double)))) {
        status = out_of_memory(error);
        goto done;
    }
    if (!constant) {
        reverse_lines(vectors, order);
        project(centred, columns, vectors, components);
    }
done:
    free(centred);
    free(vectors);
    free(values);
    return status;
}

void principal_components_free(principal_components *components)
{
    free(components->scores);
    free(components->squares);
    *components = (principal_components){0};
}
