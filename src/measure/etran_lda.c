/* etran_lda.c - the classification score of ETran (Gholami et al. 2023): the mean probability that linear discriminant
 * analysis of the features, fitted to the very rows, gives to the true class.
 *
 *     paper  regularised within-class scatter, as in SFDA's first stage
 *     code   what the published program computes: its eigenvectors are orthonormal, so that the scatter cancels and
 *            the nearest class mean remains */
#include "measure/measure.h"

#include "measure/discriminant.h"

enum { PAPER, CODE };

static gbv_status etran_lda(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                            gbv_error *error)
{
    feature_space space;
    discriminant d = {.space = &space};
    discriminant_fit fit = DISCRIMINANT_FITTED;
    gbv_status status = feature_space_create(input, variant == PAPER, DIRECTION_ONES, &space, error);
    if (status != GBV_OK)
        return status;
    if (space.classes.count == 1) {
        *score = 1;
        for (size_t i = 0; row_terms && i < space.rows; i++)
            row_terms[i] = 1;
        goto done;
    }
    status = variant == CODE ? discriminant_fit_nearest(&d, error) : discriminant_fit_scatter(&d, &fit, error);
    if (status != GBV_OK)
        goto done;
    *score = fit == DISCRIMINANT_CONSTANT ? discriminant_largest_share(&space) : discriminant_score(&d, row_terms);
done:
    discriminant_free(&d);
    feature_space_free(&space);
    return status;
}

const measure measure_etran_lda = {
    .info = {.name = "etran-lda",
             .summary = "mean probability of the true class by linear discriminant analysis of the features",
             .variants = "paper|code",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .cost = "N·D·m + m³ + N·C·m",
             .blind_to = "overfitting: it is fitted to the rows it scores, and near 1 with few rows per column",
             .resampled = GBV_HALF_SAMPLES},
    .compute = etran_lda,
};
