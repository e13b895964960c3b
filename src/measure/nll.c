/* nll.c - the mean log-likelihood of the labels under the model's own class names, after one temperature.
 *
 * A model's probabilities are often too sure or not sure enough, which one temperature t mends: p_z^(1/t) / sum
 * p^(1/t). Fitting t on the rows it is judged by would flatter the model, so the rows are cut in two halves (the even
 * and the odd ones of each class, in the order given), and each half is scored with the t that suits the other half
 * best. t stays within 1/20 and 20; a half with nothing to learn from leaves t at 1 (one row in all, for instance). The
 * likelihood of a row is (1 - 1e-6) p_y + 1e-6: a class without a column or with probability zero counts as 1e-6. */
#include "measure/replicate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "compute/temper.h"

static const double floor_share = 1e-6;

/* The rows of the first half, then those of the second. */
typedef struct tempering {
    const gbv_measure_input *input;
    size_t columns;
    size_t *rows;       /* the row at each place */
    size_t starts[3];   /* where each half begins */
    int32_t *labels;    /* by place */
    double *logarithms; /* by place, rows x columns */
    double *powers;
    int32_t *column_class;
    size_t *first, *own; /* the columns of each class (temper.h) */
    double *likelihoods; /* by place */
} tempering;

static gbv_status take_logarithms(tempering *t, gbv_error *error)
{
    const gbv_matrix *matrix = &t->input->probabilities;
    double *buffer = memory_array(t->columns, sizeof *buffer);
    if (!buffer)
        return error_out_of_memory(error, "a row of probabilities");
    for (size_t i = 0; i < matrix->rows; i++) {
        temper_logarithms(matrix_row(matrix, t->rows[i], buffer), t->columns, t->logarithms + i * t->columns);
        t->labels[i] = t->input->labels[t->rows[i]];
    }
    free(buffer);
    return GBV_OK;
}

/* The even and the odd rows of each class. */
static gbv_status cut_in_halves(tempering *t, gbv_error *error)
{
    size_t rows = t->input->rows, end = 0;
    unsigned char *next = memory_zeroed(t->input->class_count, 1), *halves = memory_array(rows, 1);
    if (next && halves) {
        for (size_t i = 0; i < rows; i++) {
            halves[i] = next[t->input->labels[i]];
            next[t->input->labels[i]] ^= 1;
        }
        for (int half = 0; half < 2; half++) {
            for (size_t i = 0; i < rows; i++)
                if (halves[i] == half)
                    t->rows[end++] = i;
            t->starts[half + 1] = end;
        }
    }
    free(next);
    free(halves);
    return t->starts[2] == rows ? GBV_OK : error_out_of_memory(error, "the halves of the rows");
}

static temper_rows rows_of_half(const tempering *t, int half)
{
    return (temper_rows){.rows = t->starts[half + 1] - t->starts[half],
                         .columns = t->columns,
                         .logarithms = t->logarithms + t->starts[half] * t->columns,
                         .labels = t->labels + t->starts[half],
                         .first = t->first,
                         .own = t->own,
                         .powers = t->powers};
}

static gbv_status nll(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                      gbv_error *error)
{
    (void)variant;
    size_t rows = input->rows, columns = input->probabilities.columns, cells;
    tempering t = {.input = input,
                   .columns = columns,
                   .rows = memory_array(rows, sizeof *t.rows),
                   .labels = memory_array(rows, sizeof *t.labels),
                   .powers = memory_array(columns < TEMPER_BLOCK ? TEMPER_BLOCK : columns, sizeof *t.powers),
                   .column_class = memory_array(columns, sizeof *t.column_class),
                   .first = memory_zeroed(input->class_count + 1, sizeof *t.first),
                   .own = memory_array(columns, sizeof *t.own),
                   .likelihoods = memory_array(rows, sizeof *t.likelihoods)};
    double *terms = memory_array(rows, sizeof *terms);
    if (!__builtin_mul_overflow(rows, columns, &cells))
        t.logarithms = memory_array(cells, sizeof *t.logarithms);
    gbv_status status = GBV_OK;
    if (!t.rows || !t.labels || !t.powers || !t.column_class || !t.first || !t.own || !t.likelihoods || !terms ||
        !t.logarithms) {
        status = error_out_of_memory(error, "the logarithms of the probabilities");
        goto done;
    }
    for (size_t z = 0; z < columns; z++)
        t.column_class[z] = measure_column_class(input, z);
    temper_sort_columns(t.column_class, columns, input->class_count, t.first, t.own);
    if ((status = cut_in_halves(&t, error)) != GBV_OK || (status = take_logarithms(&t, error)) != GBV_OK)
        goto done;
    for (int half = 0; half < 2; half++) {
        temper_rows judged = rows_of_half(&t, half), other = rows_of_half(&t, 1 - half);
        temper_likelihoods(&judged, temper_fit(&other), t.likelihoods + t.starts[half]);
    }
    for (size_t i = 0; i < rows; i++)
        terms[t.rows[i]] = log((1 - floor_share) * t.likelihoods[i] + floor_share);
    *score = measure_mean(terms, rows);
    if (row_terms)
        memcpy(row_terms, terms, rows * sizeof *terms);
done:
    free(t.rows);
    free(t.labels);
    free(t.powers);
    free(t.column_class);
    free(t.first);
    free(t.own);
    free(t.likelihoods);
    free(t.logarithms);
    free(terms);
    return status;
}

const measure measure_nll = {
    .info = {.name = "nll",
             .summary = "mean log-likelihood of the labels after one cross-fitted temperature",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_PROBABILITIES | GBV_NEEDS_CLASS_COLUMNS,
             .cost = "R·N·Z, R <= 120 steps of Newton",
             .blind_to = "classes the model has no column for, which all count as one chance in a million",
             .resampled = GBV_ROW_WEIGHTS},
    .compute = nll,
    .replicates = {.compute = replicate_row_means, .variants = 1, .weighs_rows = true},
};
