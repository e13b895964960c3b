/* mmd.c - maximum mean discrepancy between the rows of the reference set and those of the source (Gretton et al. 2012;
 * kernel of Li et al. 2015, bandwidths 1, 2, 5, 10), as T = -sqrt(MMD^2).
 *
 *     biased    mean K_xx + mean K_yy - 2 mean K_xy
 *     unbiased  the same without the pairs of a row with itself, which add up to 4 a row
 *     code      the unbiased form as published programs have it: they take off 1 a row, right for one bandwidth only */
#include "measure/measure.h"

#include <math.h>

#include "base/error.h"
#include "measure/rbf.h"

enum { BIASED, UNBIASED, CODE };

static double within_mean(double sum, size_t rows, size_t variant)
{
    double n = (double)rows;
    if (variant == BIASED)
        return sum / n / n;
    return (sum - (variant == UNBIASED ? RBF_DIAGONAL : 1) * n) / n / (n - 1);
}

/* Types whose every value is a float. */
static bool single_is_enough(const gbv_matrix *matrix)
{
    return matrix->type == GBV_F32 || matrix->type == GBV_F16 || matrix->type == GBV_U8 || matrix->type == GBV_I8 ||
           matrix->type == GBV_U16 || matrix->type == GBV_I16;
}

static gbv_status mmd(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                      gbv_error *error)
{
    (void)row_terms;
    const gbv_matrix *features = &input->features, *source = &input->source_features;
    double xx, yy, xy;
    rbf_points x, y;
    if (variant != BIASED && (features->rows < 2 || source->rows < 2))
        return error_set(
            error, GBV_UNDEFINED,
            "unbiased mmd needs at least two rows on each side, there are %zu and %zu: use the biased form",
            features->rows, source->rows);
    bool single = input->fast || (single_is_enough(features) && single_is_enough(source));
    gbv_status status = rbf_points_pair(features, source, single, &x, &y, error);
    x.threads = y.threads = input->threads;
    if (status != GBV_OK)
        return status;
    status = rbf_sum_within(&x, &xx, error);
    if (status == GBV_OK)
        status = rbf_sum_within(&y, &yy, error);
    if (status == GBV_OK)
        status = rbf_sum_between(&x, &y, &xy, error);
    if (status == GBV_OK) {
        double squared = within_mean(xx, x.rows, variant) + within_mean(yy, y.rows, variant) -
                         2 * (xy / (double)x.rows / (double)y.rows);
        *score = -sqrt(squared > 0 ? squared : 0);
    }
    rbf_points_free(&x);
    rbf_points_free(&y);
    return status;
}

const measure measure_mmd = {
    .info = {.name = "mmd",
             .summary = "minus the maximum mean discrepancy between the reference's and the source's features",
             .variants = "biased|unbiased|code",
             .needs = GBV_NEEDS_FEATURES | GBV_NEEDS_SOURCE_FEATURES,
             .cost = "(N + n)²·D",
             .blind_to = "the labels: sources that differ only in labelling score alike"},
    .compute = mmd,
};
