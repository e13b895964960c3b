/* leep_replicates.c - LEEP under many row weights at once. A row of weight w counts as w rows:
 *
 *     J_b[y,z] = sum over rows i with label y of w_bi p_iz;   LEEP_b = 1/N sum_i w_bi ln sum_z p_iz p_b(y_i|z)
 * With the rows in the order of their classes the tables of all replicates are one product for each class, weights
 * times probabilities, and the likelihoods another, tables times probabilities. */
#include <math.h>
#include <limits.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/plan.h"
#include "compute/dense.h"
#include "measure/leep.h"

/* Replicates taken together: as many as TABLE_CELLS have room for, up to LARGEST_BLOCK. */
enum { TABLE_CELLS = 1 << 22, LARGEST_BLOCK = 64 };

typedef struct leep_blocks {
    const row_draws *draws;
    size_t rows, columns, class_count;
    size_t *order;         /* rows: class after class */
    size_t *first;         /* class_count + 1: where each class begins */
    double *probabilities; /* rows x columns, in that order */
    size_t block;          /* replicates taken together */
    double *scratch;       /* workers x scratch_cells */
    size_t scratch_cells;
    double *scores;
} leep_blocks;

/* Tables become p(y|z); a column that is zero everywhere is left out. */
static void condition(double *tables, size_t class_count, size_t cells, double *totals)
{
    for (size_t k = 0; k < cells; k++)
        totals[k] = 0;
    for (size_t y = 0; y < class_count; y++)
        dense_add_f64(totals, tables + y * cells, cells);
    for (size_t k = 0; k < cells; k++)
        totals[k] = totals[k] > 0 ? 1 / totals[k] : 0;
    for (size_t y = 0; y < class_count; y++)
        for (size_t k = 0; k < cells; k++)
            tables[y * cells + k] *= totals[k];
}

static gbv_status score_block(void *context, size_t worker, size_t piece, gbv_error *error)
{
    (void)error;
    const leep_blocks *l = context;
    size_t begin = piece * l->block, left = l->draws->count - begin, count = left < l->block ? left : l->block;
    size_t rows = l->rows, columns = l->columns, cells = count * columns;
    double *weights = l->scratch + worker * l->scratch_cells, *likelihoods = weights + l->block * rows;
    double *totals = likelihoods + l->block * rows, *tables = totals + l->block * columns;
    for (size_t b = 0; b < count; b++)
        for (size_t i = 0; i < rows; i++)
            weights[b * rows + i] = l->draws->weights[(begin + b) * rows + l->order[i]];
    for (size_t y = 0; y < l->class_count; y++)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, (int)columns,
                    (int)(l->first[y + 1] - l->first[y]), 1, weights + l->first[y], (int)rows,
                    l->probabilities + l->first[y] * columns, (int)columns, 0, tables + y * cells, (int)columns);
    condition(tables, l->class_count, cells, totals);
    for (size_t y = 0; y < l->class_count; y++)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)(l->first[y + 1] - l->first[y]),
                    (int)columns, 1, tables + y * cells, (int)columns, l->probabilities + l->first[y] * columns,
                    (int)columns, 0, likelihoods + l->first[y], (int)rows);
    for (size_t b = 0; b < count; b++)
        l->scores[begin + b] =
            dense_weighted_logarithms(weights + b * rows, likelihoods + b * rows, rows) / (double)rows;
    return GBV_OK;
}

/* The rows sorted by class, checked. */
static gbv_status sort_rows(const gbv_matrix *matrix, const present_classes *classes, leep_blocks *l, gbv_error *error)
{
    gbv_status status = GBV_OK;
    double *buffer = memory_array(l->columns, sizeof *buffer);
    if (!buffer)
        return error_out_of_memory(error, "a row of probabilities");
    l->first[0] = 0;
    for (size_t y = 0; y < classes->count; y++)
        l->first[y + 1] = l->first[y] + classes->sizes[y];
    for (size_t i = 0; i < l->rows && status == GBV_OK; i++) {
        const double *row = matrix_row(matrix, i, buffer);
        size_t place = l->first[classes->ranks[i]]++;
        l->order[place] = i;
        for (size_t z = 0; z < l->columns; z++)
            l->probabilities[place * l->columns + z] = row[z];
        status = measure_check_probabilities(row, l->columns, i, error);
    }
    for (size_t y = classes->count; y > 0; y--)
        l->first[y] = l->first[y - 1];
    l->first[0] = 0;
    free(buffer);
    return status;
}

gbv_status leep_replicates(const replicate_task *task, double *scores, gbv_error *error)
{
    const gbv_matrix *matrix = &task->input->probabilities;
    size_t rows = task->input->rows, columns = matrix->columns, cells, table_cells, all;
    present_classes classes;
    if (rows > INT_MAX || columns > INT_MAX)
        return error_set(error, GBV_BAD_INPUT, "replicates of leep take at most %d rows and columns", INT_MAX);
    gbv_status status = present_classes_create(task->input, &classes, error);
    if (status != GBV_OK)
        return status;
    leep_blocks l = {.draws = task->draws,
                     .rows = rows,
                     .columns = columns,
                     .class_count = classes.count,
                     .order = memory_array(rows, sizeof *l.order),
                     .first = memory_array(classes.count + 1, sizeof *l.first),
                     .scores = scores};
    bool fits = !__builtin_mul_overflow(rows, columns, &cells) &&
                !__builtin_mul_overflow(classes.count + 1, columns, &table_cells) &&
                !__builtin_add_overflow(table_cells, 2 * rows, &all);
    l.block = fits && table_cells < TABLE_CELLS ? TABLE_CELLS / table_cells : 1;
    l.block = l.block < LARGEST_BLOCK ? l.block : LARGEST_BLOCK;
    size_t blocks = (task->draws->count + l.block - 1) / l.block, workers = plan_workers(task->input->threads, blocks);
    if (fits && !__builtin_mul_overflow(all, l.block, &l.scratch_cells)) {
        l.probabilities = memory_array(cells, sizeof *l.probabilities);
        l.scratch = memory_array(l.scratch_cells, workers * sizeof *l.scratch);
    }
    if (!l.order || !l.first || !l.probabilities || !l.scratch) {
        status = error_out_of_memory(error, "the joint distributions of labels and source classes");
        goto done;
    }
    if ((status = sort_rows(matrix, &classes, &l, error)) == GBV_OK)
        status = replicate_share(task, blocks, workers, score_block, &l, error);
done:
    free(l.order);
    free(l.first);
    free(l.probabilities);
    free(l.scratch);
    present_classes_free(&classes);
    return status;
}
