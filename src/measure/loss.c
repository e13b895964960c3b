/* loss.c - the mean log-likelihood of the labels under the model's probabilities as they are: minus the loss that
 * models are trained by. nll tempers them first. A probability below 1e-12 counts as 1e-12, also that of a class
 * without a column. */
#include "measure/replicate.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "compute/dense.h"
#include "compute/power.h"
#include "measure/likeliest.h"

static const double smallest_probability = 1e-12;

/* Where the columns of each class are, as linked lists: `first` of each class, then `next` of each column. */
typedef struct class_columns {
    size_t *first, *next;
} class_columns;

static void find_columns(const gbv_measure_input *input, class_columns *columns)
{
    for (size_t c = 0; c < input->class_count; c++)
        columns->first[c] = SIZE_MAX;
    for (size_t z = input->probabilities.columns; z-- > 0;) {
        int32_t class_index = measure_column_class(input, z);
        if (class_index < 0)
            continue;
        columns->next[z] = columns->first[class_index];
        columns->first[class_index] = z;
    }
}

/* values[i] = ln values[i], or of the smallest that counts. */
CLONED static void take_logarithms(double *values, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        values[i] = power_logarithm(power_larger_f64(values[i], smallest_probability));
}

static gbv_status loss(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                       gbv_error *error)
{
    (void)variant;
    const gbv_matrix *matrix = &input->probabilities;
    size_t rows = input->rows;
    class_columns columns = {memory_array(input->class_count, sizeof *columns.first),
                             memory_array(matrix->columns, sizeof *columns.next)};
    size_t *likeliest = memory_array(rows, sizeof *likeliest);
    double *terms = memory_array(rows, sizeof *terms);
    gbv_status status = GBV_OK;
    if (!columns.first || !columns.next || !likeliest || !terms) {
        status = error_out_of_memory(error, "the likelihoods of the rows");
        goto done;
    }
    /* Which columns are likeliest is not needed; that every row is sound is. */
    if ((status = likeliest_columns(matrix, likeliest, error)) != GBV_OK)
        goto done;
    find_columns(input, &columns);
    for (size_t i = 0; i < rows; i++) {
        terms[i] = 0;
        for (size_t z = columns.first[input->labels[i]]; z != SIZE_MAX; z = columns.next[z])
            terms[i] += gbv_matrix_get(matrix, i, z);
    }
    take_logarithms(terms, rows);
    *score = measure_mean(terms, rows);
    if (row_terms)
        memcpy(row_terms, terms, rows * sizeof *terms);
done:
    free(columns.first);
    free(columns.next);
    free(likeliest);
    free(terms);
    return status;
}

const measure measure_loss = {
    .info = {.name = "loss",
             .summary = "mean log-likelihood of the labels under the model's probabilities as they are",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_PROBABILITIES | GBV_NEEDS_CLASS_COLUMNS,
             .cost = "N·Z",
             .blind_to = "what one temperature would mend: a model that is right but too sure scores badly",
             .resampled = GBV_ROW_WEIGHTS},
    .compute = loss,
    .replicates = {.compute = replicate_row_means, .variants = 1, .weighs_rows = true},
    .checks_probabilities = true,
};
