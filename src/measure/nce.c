/* nce.c - negative conditional entropy (Tran et al. 2019): LEEP with hard source labels, z_i the most likely class.
 *
 *     NCE = sum_z p(z) sum_y p(y|z) ln p(y|z) = 1/N sum_i ln p(y_i|z_i), p from counts */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "measure/likeliest.h"

static gbv_status nce(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                      gbv_error *error)
{
    (void)variant;
    size_t columns = input->probabilities.columns, rows = input->rows, cells;
    present_classes classes;
    gbv_status status = present_classes_create(input, &classes, error);
    if (status != GBV_OK)
        return status;
    size_t *source_class = memory_array(rows, sizeof *source_class);
    size_t *totals = memory_zeroed(columns, sizeof *totals);
    size_t *counts =
        __builtin_mul_overflow(classes.count, columns, &cells) ? NULL : memory_zeroed(cells, sizeof *counts);
    if (!source_class || !totals || !counts) {
        status = error_out_of_memory(error, "the counts of labels and source classes");
        goto done;
    }
    if ((status = likeliest_columns(&input->probabilities, source_class, error)) != GBV_OK)
        goto done;
    for (size_t i = 0; i < rows; i++) {
        totals[source_class[i]]++;
        counts[(size_t)classes.ranks[i] * columns + source_class[i]]++;
    }
    double sum = 0;
    for (size_t i = 0; i < rows; i++) {
        size_t z = source_class[i];
        double term = log((double)counts[(size_t)classes.ranks[i] * columns + z] / (double)totals[z]);
        if (row_terms)
            row_terms[i] = term;
        sum += term;
    }
    *score = sum / (double)rows;
done:
    free(source_class);
    free(totals);
    free(counts);
    present_classes_free(&classes);
    return status;
}

const measure measure_nce = {
    .info = {.name = "nce",
             .summary = "negative conditional entropy of the labels given the model's most likely class",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_PROBABILITIES,
             .cost = "N·Z + C·Z",
             .blind_to = "how sure the model is, and which class is called what"},
    .compute = nce,
    .checks_probabilities = true,
};
