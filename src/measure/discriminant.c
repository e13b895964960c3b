/* discriminant.c - SFDA's analysis (Shao et al. 2022) without its eigen-decomposition: their generalised eigenvectors V
 * fulfil V'SV = I, hence VV' is the inverse of S and one Cholesky factor of S is enough. */
#include "measure/discriminant.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "compute/dense.h"

enum { POWER_STEPS = 3 };

void discriminant_free(discriminant *d)
{
    free(d->means);
    free(d->directions);
    free(d->offsets);
    free(d->matrix);
    free(d->logits);
    d->means = d->directions = d->offsets = d->matrix = d->logits = NULL;
}

static double *read_block(const discriminant *d, size_t first, size_t count)
{
    const feature_space *space = d->space;
    double *block = feature_space_block(space, first, count);
    for (size_t i = 0; d->pull && i < count; i++) {
        const double *other = d->others + (size_t)space->classes.ranks[first + i] * space->columns;
        double w = d->pull[first + i], *row = block + i * space->columns;
        for (size_t j = 0; j < space->columns; j++)
            row[j] = w * row[j] + (1 - w) * other[j];
    }
    return block;
}

static gbv_status create(discriminant *d, gbv_error *error)
{
    const feature_space *space = d->space;
    size_t columns = space->columns, classes = space->classes.count;
    d->means = memory_zeroed(classes, columns * sizeof(double));
    d->directions = memory_array(classes, columns * sizeof(double));
    d->offsets = memory_array(classes, sizeof(double));
    d->logits = memory_array(space->block_rows, classes * sizeof(double));
    if (!d->means || !d->directions || !d->offsets || !d->logits)
        return error_out_of_memory(error, "the directions of the classes");
    for (size_t j = 0; !d->pull && j < classes * columns; j++)
        d->means[j] = space->class_means[j];
    for (size_t first = 0; d->pull && first < space->rows; first += space->block_rows) {
        size_t count = feature_space_count(space, first);
        const double *block = read_block(d, first, count);
        for (size_t i = 0; i < count; i++)
            dense_add_f64(d->means + (size_t)space->classes.ranks[first + i] * columns, block + i * columns, columns);
    }
    for (size_t c = 0; d->pull && c < classes; c++)
        for (size_t j = 0; j < columns; j++)
            d->means[c * columns + j] /= (double)space->classes.sizes[c];
    return GBV_OK;
}

static void set_offsets(discriminant *d)
{
    const feature_space *space = d->space;
    for (size_t c = 0; c < space->classes.count; c++)
        d->offsets[c] =
            log((double)space->classes.sizes[c] / (double)space->rows) -
            dense_dot_f64(d->means + c * space->columns, d->directions + c * space->columns, space->columns) / 2;
}

gbv_status discriminant_fit_nearest(discriminant *d, gbv_error *error)
{
    gbv_status status = create(d, error);
    if (status != GBV_OK)
        return status;
    for (size_t j = 0; j < d->space->classes.count * d->space->columns; j++)
        d->directions[j] = d->means[j];
    set_offsets(d);
    return GBV_OK;
}

/* W into the lower triangle; `start` receives W times the vector of ones, which turned rows know from their sums. */
static void gather_scatter(discriminant *d, double *start)
{
    const feature_space *space = d->space;
    size_t columns = space->columns;
    int order = (int)columns;
    double *sums = d->offsets, share = 1 / (double)space->rows;
    for (size_t c = 0; c < space->classes.count; c++)
        sums[c] = 0;
    for (size_t i = 0; i < space->rows; i++)
        sums[space->classes.ranks[i]] += space->projections[i];
    for (size_t j = 0; j < columns; j++)
        start[j] = 0;
    for (size_t first = 0; first < space->rows; first += space->block_rows) {
        size_t count = feature_space_count(space, first);
        double *block = read_block(d, first, count);
        for (size_t i = 0; i < count; i++) {
            size_t c = (size_t)space->classes.ranks[first + i];
            double *row = block + i * columns;
            const double *mean = d->means + c * columns;
            double along = share * (space->projections[first + i] - sums[c] / (double)space->classes.sizes[c]);
            for (size_t j = 0; j < columns; j++) {
                row[j] -= mean[j];
                start[j] += along * row[j];
            }
        }
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, order, (int)count, share, block, order, first ? 1 : 0,
                    d->matrix, order);
    }
}

/* out = W in / |W in|; false when that is zero. */
static bool power_step(const discriminant *d, const double *in, double *out)
{
    int order = (int)d->space->columns;
    cblas_dsymv(CblasColMajor, CblasLower, order, 1, d->matrix, order, in, 1, 0, out, 1);
    double length = cblas_dnrm2(order, out, 1);
    if (!(length > 0))
        return false;
    cblas_dscal(order, 1 / length, out, 1);
    return true;
}

/* exp(-5 l), l nearly the largest eigenvalue: three double steps of the power method from W times ones. Rows that all
 * add up to the same (probabilities, centred logits) make that zero but for rounding: the start is then the column of
 * the largest variance. */
static double find_shrinkage(const discriminant *d, double trace, double *v, double *u)
{
    size_t columns = d->space->columns, largest = 0;
    int order = (int)columns;
    for (size_t j = 1; j < columns; j++)
        if (d->matrix[j * columns + j] > d->matrix[largest * columns + largest])
            largest = j;
    if (!(cblas_dnrm2(order, v, 1) > 1e-10 * trace))
        for (size_t j = 0; j < columns; j++)
            v[j] = j < largest ? d->matrix[j * columns + largest] : d->matrix[largest * columns + j];
    for (int step = 0; step < POWER_STEPS; step++)
        if (!power_step(d, v, u) || !power_step(d, u, v))
            return 1;
    cblas_dsymv(CblasColMajor, CblasLower, order, 1, d->matrix, order, u, 1, 0, d->directions, 1);
    return fmax(exp(-5 * dense_dot_f64(v, d->directions, columns)), 1e-10);
}

/* The factor of (1 - shrinkage) W + ridge I in place of W, in the lower triangle. */
static gbv_status factor(discriminant *d, double ridge, gbv_error *error)
{
    size_t columns = d->space->columns;
    int order = (int)columns, info = 0;
    double scale = 1 - d->shrinkage;
    for (size_t j = 0; j < columns; j++) {
        d->matrix[j * columns + j] = scale * d->matrix[j * columns + j] + ridge;
        for (size_t i = j + 1; i < columns; i++)
            d->matrix[j * columns + i] *= scale;
    }
    dpotrf_("L", &order, d->matrix, &order, &info);
    if (info == 0)
        return GBV_OK;
    return error_set(error, GBV_UNDEFINED,
                     "the scatter of the features within the classes cannot be inverted: leave out columns that are "
                     "sums of others, or scale the features");
}

gbv_status discriminant_fit_scatter(discriminant *d, discriminant_fit *fit, gbv_error *error)
{
    const feature_space *space = d->space;
    size_t columns = space->columns;
    int order = (int)columns, classes = (int)space->classes.count;
    *fit = DISCRIMINANT_CONSTANT;
    if (space->scatter == 0)
        return GBV_OK;
    gbv_status status = create(d, error);
    if (status != GBV_OK)
        return status;
    double *v = memory_array(columns, sizeof *v), *u = memory_array(columns, sizeof *u), trace = 0;
    d->matrix = feature_space_matrix(space, error);
    if (!v || !u || !d->matrix) {
        status = error_out_of_memory(error, "the scatter of the features");
        goto done;
    }
    gather_scatter(d, v);
    for (size_t j = 0; j < columns; j++)
        trace += d->matrix[j * columns + j];
    if (!(trace > 1e-24 * space->scatter / (double)space->rows)) {
        status = error_set(error, GBV_UNDEFINED,
                           "the features do not differ within any class, so that no scatter can be weighed: give more "
                           "rows of each class");
        goto done;
    }
    if (d->shrinkage == 0)
        d->shrinkage = find_shrinkage(d, trace, v, u);
    if ((status = factor(d, d->shrinkage * trace / (double)space->full_columns, error)) != GBV_OK)
        goto done;
    for (size_t j = 0; j < space->classes.count * columns; j++)
        d->directions[j] = d->means[j];
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, order, classes, 1, d->matrix, order,
                d->directions, order);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, order, classes, 1, d->matrix, order,
                d->directions, order);
    set_offsets(d);
    *fit = DISCRIMINANT_FITTED;
done:
    free(v);
    free(u);
    return status;
}

double *discriminant_probabilities(const discriminant *d, size_t first, size_t count)
{
    int columns = (int)d->space->columns, classes = (int)d->space->classes.count;
    const double *block = read_block(d, first, count);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, classes, columns, 1, block, columns, d->directions,
                columns, 0, d->logits, classes);
    for (size_t i = 0; i < count; i++)
        dense_add_f64(d->logits + i * (size_t)classes, d->offsets, (size_t)classes);
    dense_softmax_rows(d->logits, count, (size_t)classes);
    return d->logits;
}

double discriminant_score(const discriminant *d, double *row_terms)
{
    const feature_space *space = d->space;
    double sum = 0;
    for (size_t first = 0; first < space->rows; first += space->block_rows) {
        size_t count = feature_space_count(space, first);
        const double *p = discriminant_probabilities(d, first, count);
        for (size_t i = 0; i < count; i++) {
            double own = p[i * space->classes.count + (size_t)space->classes.ranks[first + i]];
            sum += own;
            if (row_terms)
                row_terms[first + i] = own;
        }
    }
    return sum / (double)space->rows;
}

double discriminant_largest_share(const feature_space *space)
{
    size_t largest = 0;
    for (size_t c = 0; c < space->classes.count; c++)
        if (space->classes.sizes[c] > largest)
            largest = space->classes.sizes[c];
    return (double)largest / (double)space->rows;
}
