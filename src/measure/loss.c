/* loss.c - the mean log-likelihood of the labels under the model's probabilities as they are: minus the loss that
 * models are trained by. nll tempers them first. A probability below 1e-12 counts as 1e-12, also that of a class
 * without a column. */
#include "measure/replicate.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"

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

static gbv_status loss(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                       gbv_error *error)
{
    (void)variant;
    const gbv_matrix *matrix = &input->probabilities;
    class_columns columns = {memory_array(input->class_count, sizeof *columns.first),
                             memory_array(matrix->columns, sizeof *columns.next)};
    double *buffer = memory_array(matrix->columns, sizeof *buffer), sum = 0;
    gbv_status status = GBV_OK;
    if (!columns.first || !columns.next || !buffer) {
        status = error_out_of_memory(error, "the classes of the columns");
        goto done;
    }
    find_columns(input, &columns);
    for (size_t i = 0; i < input->rows && status == GBV_OK; i++) {
        const double *row = matrix_row(matrix, i, buffer);
        double probability = 0;
        for (size_t z = columns.first[input->labels[i]]; z != SIZE_MAX; z = columns.next[z])
            probability += row[z];
        double term = log(fmax(probability, smallest_probability));
        if (row_terms)
            row_terms[i] = term;
        sum += term;
        status = measure_check_probabilities(row, matrix->columns, i, error);
    }
    *score = sum / (double)input->rows;
done:
    free(columns.first);
    free(columns.next);
    free(buffer);
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
