/* nce.c - negative conditional entropy (Tran et al. 2019): LEEP with hard source labels, z_i the most likely class.
 *
 *     NCE = sum_z p(z) sum_y p(y|z) ln p(y|z) = 1/N sum_i ln p(y_i|z_i), p from counts */
#include "measure/replicate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "compute/dense.h"
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

/* The pairs of a label and a source class that occur, so that no array of the replicates grows with those that do not.
 */
typedef struct occurring_pairs {
    size_t count;
    size_t *of_row;       /* rows: which pair */
    size_t *source_class; /* rows, then of each pair */
} occurring_pairs;

static gbv_status find_pairs(const gbv_measure_input *input, const present_classes *classes, occurring_pairs *pairs,
                             gbv_error *error)
{
    size_t columns = input->probabilities.columns, cells;
    size_t *numbers =
        __builtin_mul_overflow(classes->count, columns, &cells) ? NULL : memory_zeroed(cells, sizeof *numbers);
    pairs->of_row = memory_array(input->rows, sizeof *pairs->of_row);
    pairs->source_class = memory_array(input->rows, sizeof *pairs->source_class);
    gbv_status status = GBV_OK;
    if (!numbers || !pairs->of_row || !pairs->source_class)
        status = error_out_of_memory(error, "the counts of labels and source classes");
    else
        status = likeliest_columns(&input->probabilities, pairs->source_class, error);
    for (size_t i = 0; status == GBV_OK && i < input->rows; i++) {
        size_t z = pairs->source_class[i], *number = &numbers[(size_t)classes->ranks[i] * columns + z];
        if (!*number) {
            pairs->source_class[pairs->count] = z;
            *number = ++pairs->count;
        }
        pairs->of_row[i] = *number - 1;
    }
    free(numbers);
    return status;
}

/* A row of weight w counts as w rows. */
static gbv_status nce_replicates(const replicate_task *task, double *scores, gbv_error *error)
{
    size_t rows = task->input->rows, columns = task->input->probabilities.columns;
    present_classes classes;
    occurring_pairs pairs = {0};
    double *sums = NULL, *totals = NULL;
    gbv_status status = present_classes_create(task->input, &classes, error);
    if (status == GBV_OK)
        status = find_pairs(task->input, &classes, &pairs, error);
    if (status == GBV_OK) {
        sums = memory_array(pairs.count, 2 * sizeof *sums);
        totals = memory_array(columns, sizeof *totals);
        if (!sums || !totals)
            status = error_out_of_memory(error, "the counts of labels and source classes");
    }
    for (size_t b = 0; status == GBV_OK && b < task->draws->count; b++) {
        const double *weights = task->draws->weights + b * rows;
        memset(sums, 0, pairs.count * sizeof *sums);
        memset(totals, 0, columns * sizeof *totals);
        for (size_t i = 0; i < rows; i++)
            sums[pairs.of_row[i]] += weights[i];
        for (size_t k = 0; k < pairs.count; k++)
            totals[pairs.source_class[k]] += sums[k];
        for (size_t k = 0; k < pairs.count; k++)
            sums[pairs.count + k] = sums[k] / totals[pairs.source_class[k]];
        scores[b] = dense_weighted_logarithms(sums, sums + pairs.count, pairs.count) / (double)rows;
    }
    free(sums);
    free(totals);
    free(pairs.of_row);
    free(pairs.source_class);
    present_classes_free(&classes);
    return status;
}

const measure measure_nce = {
    .info = {.name = "nce",
             .summary = "negative conditional entropy of the labels given the model's most likely class",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_PROBABILITIES,
             .cost = "N·Z + C·Z",
             .blind_to = "how sure the model is, and which class is called what",
             .resampled = GBV_ROW_WEIGHTS},
    .compute = nce,
    .replicates = {.compute = nce_replicates, .variants = 1, .weighs_rows = true},
    .checks_probabilities = true,
};
