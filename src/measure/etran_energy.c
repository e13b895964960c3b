/* etran_energy.c - the energy score of ETran (Gholami et al. 2023): how much the features look like what the model
 * knows. It needs no labels.
 *
 *     e(v) = ln sum_d exp(v_d);   paper: the mean over all rows;   code: the mean of the ceil(N/100) largest, which the
 *     authors apply to softmax probabilities */
#include "measure/replicate.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/select.h"
#include "compute/dense.h"

enum { PAPER, CODE };
enum { BLOCK = 64 };

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The `wanted` largest come first, falling. */
static void largest_first(double *values, size_t count, size_t wanted)
{
    select_largest(values, count, wanted);
    qsort(values, wanted, sizeof *values, descending);
}

static gbv_status etran_energy(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                               gbv_error *error)
{
    const gbv_matrix *matrix = &input->features;
    size_t rows = input->rows, used = rows;
    double *buffer = memory_array(matrix->columns, BLOCK * sizeof *buffer);
    double *energies = memory_array(rows, sizeof *energies);
    gbv_status status = GBV_OK;
    if (!buffer || !energies) {
        status = error_out_of_memory(error, "the energies of the rows");
        goto done;
    }
    for (size_t i = 0; i < rows; i += BLOCK) {
        size_t count = rows - i < BLOCK ? rows - i : BLOCK;
        dense_log_sum_exp_rows(matrix_block(matrix, i, count, buffer), count, matrix->columns, energies + i);
    }
    if (variant == CODE) {
        used = rows / 100 + (rows % 100 != 0);
        largest_first(energies, rows, used);
    } else {
        for (size_t i = 0; row_terms && i < rows; i++)
            row_terms[i] = energies[i];
    }
    *score = measure_mean(energies, used);
done:
    free(buffer);
    free(energies);
    return status;
}

const measure measure_etran_energy = {
    .info = {.name = "etran-energy",
             .summary = "mean energy of the features: how familiar the rows look to the model; needs no labels",
             .variants = "paper|code",
             .needs = GBV_NEEDS_FEATURES,
             .cost = "N·D",
             .blind_to = "the labels: sources that differ only in labelling can score alike",
             .resampled = GBV_ROW_WEIGHTS},
    .compute = etran_energy,
    .replicates = {.compute = replicate_row_means, .variants = 1, .weighs_rows = true},
};
