/* accuracy.c - the share of rows whose most likely class is the label. */
#include "measure/measure.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"

static gbv_status accuracy(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                           gbv_error *error)
{
    (void)variant;
    const gbv_matrix *matrix = &input->probabilities;
    double *buffer = memory_array(matrix->columns, sizeof *buffer);
    if (!buffer)
        return error_out_of_memory(error, "a row of probabilities");
    size_t right = 0;
    for (size_t i = 0; i < input->rows; i++) {
        size_t z = measure_argmax(matrix_row(matrix, i, buffer), matrix->columns);
        bool hit = measure_column_class(input, z) == input->labels[i];
        right += hit;
        if (row_terms)
            row_terms[i] = hit;
    }
    *score = (double)right / (double)input->rows;
    free(buffer);
    return GBV_OK;
}

const measure measure_accuracy = {
    .info = {.name = "accuracy",
             .summary = "share of the rows whose most likely class is the label",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_PROBABILITIES | GBV_NEEDS_CLASS_COLUMNS,
             .cost = "N·Z",
             .blind_to = "how sure the model is, and anything it knows beyond its first choice"},
    .compute = accuracy,
};
