/* etran.c - ETran (Gholami et al. 2023): 0.85 of the classification score plus 0.15 of the energy.
 *
 *     paper  both parts are brought to [0, 1] over the models compared, the least to 0 and the greatest to 1; a part in
 *            which all models are alike, or that of one model alone, becomes 0: it tells nothing apart. Asked for one
 *            model at a time, the sum is taken as it is
 *     code   never scaled; the energy is that of the top 1 % of the rows */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

static const double ENERGY_SHARE = 0.15, CLASSIFICATION_SHARE = 0.85;

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
        *score = CLASSIFICATION_SHARE * *score + ENERGY_SHARE * energy;
        for (size_t i = 0; row_terms && i < input->rows; i++)
            row_terms[i] = CLASSIFICATION_SHARE * row_terms[i] + ENERGY_SHARE * energies[i];
    }
    free(energies);
    return status;
}

enum { ENERGY, CLASSIFICATION, PARTS };

static gbv_status etran_parts(const gbv_measure_input *input, size_t variant, double *parts, gbv_error *error)
{
    gbv_status status = measure_etran_energy.compute(input, variant, &parts[ENERGY], NULL, error);
    return status == GBV_OK ? measure_etran_lda.compute(input, variant, &parts[CLASSIFICATION], NULL, error) : status;
}

/* Adds `share` times the part, scaled to [0, 1] over the models. Halves, so that no difference overflows. */
static void add_scaled(const double *parts, size_t models, size_t part, double share, double *scores)
{
    double least = INFINITY, greatest = -INFINITY;
    for (size_t i = 0; i < models; i++) {
        least = fmin(least, parts[i * PARTS + part] / 2);
        greatest = fmax(greatest, parts[i * PARTS + part] / 2);
    }
    for (size_t i = 0; i < models && greatest > least; i++)
        scores[i] += share * ((parts[i * PARTS + part] / 2 - least) / (greatest - least));
}

static void etran_combine(const double *parts, size_t models, double *scores)
{
    for (size_t i = 0; i < models; i++)
        scores[i] = 0;
    add_scaled(parts, models, ENERGY, ENERGY_SHARE, scores);
    add_scaled(parts, models, CLASSIFICATION, CLASSIFICATION_SHARE, scores);
}

const measure measure_etran = {
    .info = {.name = "etran",
             .summary = "ETran: 0.85 etran-lda + 0.15 etran-energy, each scaled to 0..1 over the sources",
             .variants = "paper|code",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .cost = "N·D·m + m³ + N·C·m",
             .blind_to = "how far apart the sources are: each part's best is 1 and its worst 0 in any case",
             .joint = "paper",
             .resampled = GBV_HALF_SAMPLES},
    .compute = etran,
    .joint = {.part_count = PARTS, .parts = etran_parts, .combine = etran_combine},
};
