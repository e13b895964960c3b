/* mmd.c - maximum mean discrepancy between the rows of the reference set and those of the source (Gretton et al. 2012;
 * kernel of Li et al. 2015, bandwidths 1, 2, 5, 10), as T = -sqrt(MMD^2).
 *
 *     biased    mean K_xx + mean K_yy - 2 mean K_xy
 *     unbiased  the same without the pairs of a row with itself, which add up to 4 a row
 *     code      the unbiased form as published programs have it: they take off 1 a row, right for one bandwidth only */
#include "measure/replicate.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "compute/dense.h"
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

static gbv_status points_create(const gbv_measure_input *input, rbf_points *x, rbf_points *y, gbv_error *error)
{
    bool single = input->fast || (single_is_enough(&input->features) && single_is_enough(&input->source_features));
    gbv_status status = rbf_points_pair(&input->features, &input->source_features, single, x, y, error);
    x->threads = y->threads = input->threads;
    return status;
}

static double score_of(double xx, size_t rows, double yy, size_t source_rows, double xy, size_t variant)
{
    double squared = within_mean(xx, rows, variant) + within_mean(yy, source_rows, variant) -
                     2 * (xy / (double)rows / (double)source_rows);
    return -sqrt(squared > 0 ? squared : 0);
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
    gbv_status status = points_create(input, &x, &y, error);
    if (status != GBV_OK)
        return status;
    status = rbf_sum_within(&x, &xx, error);
    if (status == GBV_OK)
        status = rbf_sum_within(&y, &yy, error);
    if (status == GBV_OK)
        status = rbf_sum_between(&x, &y, &xy, error);
    if (status == GBV_OK)
        *score = score_of(xx, x.rows, yy, y.rows, xy, variant);
    rbf_points_free(&x);
    rbf_points_free(&y);
    return status;
}

/* The half-samples of the reference against all rows of the source. */
static gbv_status replicates(const replicate_task *task, double *scores, gbv_error *error)
{
    const gbv_measure_input *input = task->input;
    const row_draws *draws = task->draws;
    size_t half = draws->half_rows;
    double yy, *chosen = row_draws_chosen(draws), *between = memory_array(draws->rows, sizeof *between);
    double *within = memory_array(draws->count, sizeof *within);
    rbf_points x = {0}, y = {0};
    gbv_status status = GBV_OK;
    if (task->variant != BIASED && half < 2)
        goto done; /* not defined, and the scores say so already */
    if (!chosen || !between || !within)
        status = error_out_of_memory(error, "the kernel sums");
    if (status == GBV_OK)
        status = points_create(input, &x, &y, error);
    if (status == GBV_OK)
        status = rbf_sums_within_halves(&x, task, chosen, within, error);
    if (status == GBV_OK)
        status = rbf_sum_within(&y, &yy, error);
    if (status == GBV_OK)
        status = rbf_row_sums(&x, &y, between, error);
    for (size_t b = 0; status == GBV_OK && b < draws->count; b++)
        scores[b] = score_of(within[b], half, yy, y.rows, dense_dot_f64(chosen + b * draws->rows, between, draws->rows),
                             task->variant);
done:
    rbf_points_free(&x);
    rbf_points_free(&y);
    free(chosen);
    free(between);
    free(within);
    return status;
}

const measure measure_mmd = {
    .info = {.name = "mmd",
             .summary = "minus the maximum mean discrepancy between the reference's and the source's features",
             .variants = "biased|unbiased|code",
             .needs = GBV_NEEDS_FEATURES | GBV_NEEDS_SOURCE_FEATURES,
             .cost = "(N + n)²·D",
             .blind_to = "the labels: sources that differ only in labelling score alike",
             .resampled = GBV_HALF_SAMPLES},
    .compute = mmd,
    .replicates = {.compute = replicates, .variants = 3},
};
