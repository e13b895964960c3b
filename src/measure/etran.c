/* etran.c - ETran (Gholami et al. 2023): 0.85 of the classification score plus 0.15 of the energy.
 *
 *     paper  the authors bring both parts to [0, 1] over the compared models first; of one model that is not defined,
 *            and the sum is taken as it is
 *     code   never scaled; the energy is that of the top 1 % of the rows */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

/* The parts are measures of their own, with the same two variants. */
extern const measure measure_etran_energy, measure_etran_lda;

static gbv_status etran(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                        gbv_error *error)
{
    double energy, *energies = NULL;
    if (row_terms) {
        if (!(energies = memory_array(input->rows, sizeof *energies)))
            return error_out_of_memory(error, "the energies of the rows");
        for (size_t i = 0; i < input->rows; i++)
            energies[i] = NAN;
    }
    gbv_status status = measure_etran_energy.compute(input, variant, &energy, energies, error);
    if (status == GBV_OK)
        status = measure_etran_lda.compute(input, variant, score, row_terms, error);
    if (status == GBV_OK) {
        *score = 0.85 * *score + 0.15 * energy;
        for (size_t i = 0; row_terms && i < input->rows; i++)
            row_terms[i] = 0.85 * row_terms[i] + 0.15 * energies[i];
    }
    free(energies);
    return status;
}

const measure measure_etran = {
    .info = {.name = "etran",
             .summary = "ETran: 0.85 etran-lda + 0.15 etran-energy, unscaled, of one model as of several",
             .variants = "paper|code",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .blind_to =
                 "the other sources, over which the paper first scales both parts to 0..1: the energy can outweigh"},
    .compute = etran,
};
