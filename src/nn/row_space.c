/* row_space.c - a linear model of fewer rows than features, exactly, in as many unknowns as the rows have rank. */
#include "nn/linear.h"

#include <string.h>

#include "base/error.h"
#include "compute/dense.h"

/* Rows first.. as standardised numbers: those already there, or read into `buffer`. */
static const double *standard_rows(const fit_task *task, const scaling *scale, const double *rows, size_t first,
                                   size_t count, double *buffer)
{
    if (rows)
        return rows + first * task->data->columns;
    scaling_block(scale, task->data, first, count, buffer);
    return buffer;
}

/* gram = Z Z' (lower triangle), by pairs of blocks unless all rows are in memory. */
static gbv_status fill_gram(const fit_task *task, const scaling *scale, const double *rows, double *gram,
                            gbv_error *error)
{
    size_t n = task->data->rows, columns = task->data->columns, step = scaling_block_rows(columns);
    if (rows) {
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)n, (int)columns, 1, rows, (int)columns, 0, gram,
                    (int)n);
        return GBV_OK;
    }
    double *left = arena_array(task->scratch, columns, step * sizeof *left);
    double *right = arena_array(task->scratch, columns, step * sizeof *right);
    if (!left || !right)
        return error_out_of_memory(error, "fitting a linear model");
    for (size_t i = 0; i < n; i += step) {
        size_t high = n - i < step ? n - i : step;
        scaling_block(scale, task->data, i, high, left);
        for (size_t j = 0; j <= i; j += step) {
            size_t wide = n - j < step ? n - j : step;
            scaling_block(scale, task->data, j, wide, right);
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)high, (int)wide, (int)columns, 1, left,
                        (int)columns, right, (int)columns, 0, gram + i * n + j, (int)n);
        }
    }
    return GBV_OK;
}

gbv_status row_space_open(row_space *space, const fit_task *task, const scaling *scale, const double *rows,
                          gbv_error *error)
{
    size_t n = task->data->rows;
    space->factor = arena_array(task->scratch, n, n * sizeof(double));
    space->pivots = arena_array(task->scratch, n, sizeof(int));
    double *work = arena_array(task->scratch, n, 2 * sizeof *work);
    if (!space->factor || !space->pivots || !work)
        return error_out_of_memory(error, "fitting a linear model");
    gbv_status status = fill_gram(task, scale, rows, space->factor, error);
    if (status != GBV_OK)
        return status;
    int size = (int)n, rank = 0, info;
    double tolerance = -1; /* LAPACK's own: n * epsilon * the largest diagonal */
    dpstrf_("U", &size, space->factor, &size, space->pivots, &rank, &tolerance, work, &info);
    if (info < 0)
        return error_set(error, GBV_FAILED, "the Gram matrix of %zu rows could not be factorised", n);
    space->rank = (size_t)rank;
    if (!(space->coordinates = arena_zeroed(task->scratch, n, space->rank * sizeof(double))))
        return error_out_of_memory(error, "fitting a linear model");
    for (size_t i = 0; i < n; i++)
        memcpy(space->coordinates + (size_t)(space->pivots[i] - 1) * space->rank, space->factor + i * n,
               (i < space->rank ? i + 1 : space->rank) * sizeof(double));
    return GBV_OK;
}

gbv_status row_space_map_into(const row_space *space, const fit_task *task, const scaling *scale, const double *rows,
                              const double *weights, double *point, gbv_error *error)
{
    size_t n = task->data->rows, columns = task->data->columns, outputs = task->outputs;
    size_t step = scaling_block_rows(columns);
    double *logits = arena_array(task->scratch, n, outputs * sizeof *logits);
    double *buffer = rows ? NULL : arena_array(task->scratch, columns, step * sizeof *buffer);
    if (!logits || (!rows && !buffer))
        return error_out_of_memory(error, "fitting a linear model");
    if (space->rank == 0)
        return GBV_OK;
    for (size_t first = 0; first < n; first += step) {
        size_t count = n - first < step ? n - first : step;
        const double *z = standard_rows(task, scale, rows, first, count, buffer);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, (int)outputs, (int)columns, 1, z,
                    (int)columns, weights, (int)outputs, 0, logits + first * outputs, (int)outputs);
    }
    /* Q' = L^-1 Z_p: the pivot rows' own logits. */
    for (size_t i = 0; i < space->rank; i++)
        memcpy(point + i * outputs, logits + (size_t)(space->pivots[i] - 1) * outputs, outputs * sizeof *point);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)space->rank, (int)outputs, 1,
                space->factor, (int)n, point, (int)outputs);
    return GBV_OK;
}

gbv_status row_space_map_back(const row_space *space, const fit_task *task, const scaling *scale, const double *rows,
                              double *point, double *weights, gbv_error *error)
{
    size_t n = task->data->rows, columns = task->data->columns, outputs = task->outputs;
    size_t step = scaling_block_rows(columns);
    double *shares = arena_zeroed(task->scratch, n, outputs * sizeof *shares);
    double *buffer = rows ? NULL : arena_array(task->scratch, columns, step * sizeof *buffer);
    if (!shares || (!rows && !buffer))
        return error_out_of_memory(error, "fitting a linear model");
    if (space->rank == 0)
        return GBV_OK;
    /* Z_p = L Q' for the pivot rows, hence Q = Z_p' L^-T. */
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, (int)space->rank, (int)outputs, 1,
                space->factor, (int)n, point, (int)outputs);
    for (size_t i = 0; i < space->rank; i++)
        memcpy(shares + (size_t)(space->pivots[i] - 1) * outputs, point + i * outputs, outputs * sizeof *shares);
    for (size_t first = 0; first < n; first += step) {
        size_t count = n - first < step ? n - first : step;
        const double *z = standard_rows(task, scale, rows, first, count, buffer);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)columns, (int)outputs, (int)count, 1, z, (int)columns,
                    shares + first * outputs, (int)outputs, 1, weights, (int)outputs);
    }
    return GBV_OK;
}
