/* accuracy.c - the share of rows whose most likely class is the label. */
#include "measure/replicate.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "measure/likeliest.h"

static gbv_status accuracy(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                           gbv_error *error)
{
    (void)variant;
    size_t *likeliest = memory_array(input->rows, sizeof *likeliest), right = 0;
    if (!likeliest)
        return error_out_of_memory(error, "the likeliest classes of the rows");
    gbv_status status = likeliest_columns(&input->probabilities, likeliest, error);
    for (size_t i = 0; status == GBV_OK && i < input->rows; i++) {
        bool hit = measure_column_class(input, likeliest[i]) == input->labels[i];
        right += hit;
        if (row_terms)
            row_terms[i] = hit;
    }
    *score = (double)right / (double)input->rows;
    free(likeliest);
    return status;
}

const measure measure_accuracy = {
    .info = {.name = "accuracy",
             .summary = "share of the rows whose most likely class is the label",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_PROBABILITIES | GBV_NEEDS_CLASS_COLUMNS,
             .cost = "N·Z",
             .blind_to = "how sure the model is, and anything it knows beyond its first choice",
             .resampled = GBV_ROW_WEIGHTS},
    .compute = accuracy,
    .replicates = {.compute = replicate_row_means, .variants = 1, .weighs_rows = true},
    .checks_probabilities = true,
};
