/* pactran_gauss.c - PACTran with a Gaussian prior (Ding et al. 2022): minus a PAC-Bayesian bound on the loss of a
 * linear classifier on the centred features f, which is its regularised loss at best and a term for its flatness.
 *
 *     L*    = least over W, b of  1/N sum_i CE_i + |W|^2 / (2 x),   x = N
 *     h     = sum_ic (|f_i|^2 + 1) p_ic (1 - p_ic) + D C / x,       p at the minimum
 *     bound = L* + D C / (2 x) s^2 ln(h x / (D C) + 1e-10),         s^2 = 100 / D
 * Classes without rows are left out.
 *
 * The minimum is looked for in coordinates in which the curvature is near one everywhere: with G G' = k F'F / N + I /
 * x, k the curvature of the cross-entropy, W = G'^-1 V and the rows z = G^-1 f. The penalty needs no W either: |W|^2 /
 * x = |V|^2 - k / N sum_i |V'z_i|^2, and the V'z_i are at hand. */
#include "measure/measure.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "compute/dense.h"
#include "compute/lbfgs.h"
#include "compute/narrow.h"
#include "compute/power.h"
#include "measure/feature_space.h"

enum { ITERATION_LIMIT = 5000, BLOCK = 128, RIDGE_ATTEMPTS = 40, POWERS = 4 };
static const double TOLERANCE = 1e-9, BOUND_SHARE = 100;
/* Smaller sums of squares are called zero: their roots and quotients would leave the range of doubles. */
static const double SMALLEST_SCATTER = 1e-250;

typedef struct gauss_fit {
    feature_space space;
    size_t width;       /* columns of the points; 0 when the features are constant */
    double *points;     /* rows x width: z */
    double *squares;    /* rows: |f|^2 */
    double curvature;   /* k */
    double at_start;    /* the curvature along the first gradient */
    double kept;        /* the part of the ridge of G G' that is the penalty's: 1 unless rounding asked for more */
    double *parameters; /* width x classes: V, then the biases */
    size_t padded;      /* classes, as narrow products take them */
    double *weights;    /* width x padded */
    double *gradient;   /* width x padded */
    double *block;      /* BLOCK x padded: V'z + b, then probabilities or residuals */
    double *products;   /* BLOCK x padded: V'z */
    double *sums;       /* BLOCK: logarithms of the sums of the powers */
    arena scratch;
} gauss_fit;

/* Logits become probabilities; no logit is above the logarithm of the sum of all powers but for rounding. */
CLONED static void normalise(double *row, size_t count, double log_sum)
{
#pragma omp simd
    for (size_t c = 0; c < count; c++)
        row[c] = power_of_e(row[c] - log_sum);
}

/* Probabilities of the rows from `first` on, in block; fit->weights are those of the point. Returns the sum of the
 * cross-entropies and adds up the squares of the products. */
static double predict(const gauss_fit *fit, const double *bias, size_t first, size_t count, double *squares)
{
    size_t classes = fit->space.classes.count, padded = fit->padded;
    double loss = 0;
    narrow_multiply(fit->points + first * fit->width, count, fit->width, fit->weights, padded, fit->products);
    *squares += dense_dot_f64(fit->products, fit->products, count * padded);
    for (size_t i = 0; i < count; i++) {
        double *row = fit->block + i * padded;
        for (size_t c = 0; c < padded; c++)
            row[c] = c < classes ? fit->products[i * padded + c] + bias[c] : -INFINITY;
        loss -= row[fit->space.classes.ranks[first + i]];
    }
    dense_log_sum_exp_rows(fit->block, count, padded, fit->sums);
    for (size_t i = 0; i < count; i++) {
        normalise(fit->block + i * padded, padded, fit->sums[i]);
        loss += fit->sums[i];
    }
    return loss;
}

static size_t block_at(const gauss_fit *fit, size_t first)
{
    return fit->space.rows - first < BLOCK ? fit->space.rows - first : BLOCK;
}

static double penalty(const gauss_fit *fit, const double *point, double squares)
{
    double length = cblas_ddot((int)(fit->width * fit->space.classes.count), point, 1, point, 1);
    return 0.5 * fit->kept * (length - fit->curvature / (double)fit->space.rows * squares);
}

static double evaluate(void *context, const double *point, double *gradient)
{
    const gauss_fit *fit = context;
    size_t rows = fit->space.rows, classes = fit->space.classes.count, padded = fit->padded;
    size_t weights = fit->width * classes;
    double loss = 0, squares = 0, share = 1 / (double)rows, *bias_gradient = gradient + weights;
    narrow_pad(point, fit->width, classes, fit->weights);
    memset(fit->gradient, 0, fit->width * padded * sizeof *gradient);
    memset(bias_gradient, 0, classes * sizeof *gradient);
    for (size_t first = 0; first < rows; first += BLOCK) {
        size_t count = block_at(fit, first);
        loss += predict(fit, point + weights, first, count, &squares);
        for (size_t i = 0; i < count; i++) {
            double *row = fit->block + i * padded;
            row[fit->space.classes.ranks[first + i]] -= 1;
            dense_add_f64(bias_gradient, row, classes);
        }
        cblas_daxpy((int)(count * padded), -fit->kept * fit->curvature, fit->products, 1, fit->block, 1);
        narrow_add_transposed(fit->points + first * fit->width, count, fit->width, fit->block, padded, fit->gradient);
    }
    narrow_unpad(fit->gradient, fit->width, classes, gradient);
    cblas_dscal((int)(weights + classes), share, gradient, 1);
    cblas_daxpy((int)weights, fit->kept, point, 1, gradient, 1);
    return loss * share + penalty(fit, point, squares);
}

static void precondition(void *context, double *vector)
{
    const gauss_fit *fit = context;
    size_t classes = fit->space.classes.count;
    cblas_dscal((int)(fit->width * classes), 1 / fit->at_start, vector, 1);
    cblas_dscal((int)classes, (double)classes, vector + fit->width * classes, 1);
}

/* The inverse of G, lower row-major, for points of scatter `rows`; with as much more on the diagonal as rounding asks
 * for, of which fit->kept is the penalty's share. */
static gbv_status find_inverse(gauss_fit *fit, double penalty_ridge, double *inverse, gbv_error *error)
{
    int order = (int)fit->width, rows = (int)fit->space.rows, info = 1;
    double more = 0;
    for (int attempt = 0; info != 0 && attempt < RIDGE_ATTEMPTS; attempt++) {
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, order, rows, fit->curvature / rows, fit->points, order, 0,
                    inverse, order);
        for (size_t j = 0; j < fit->width; j++)
            inverse[j * fit->width + j] += penalty_ridge + more;
        fit->kept = penalty_ridge / (penalty_ridge + more);
        dpotrf_("U", &order, inverse, &order, &info); /* column-major upper is row-major lower */
        more = more > 0 ? 10 * more : DBL_EPSILON * fit->curvature;
    }
    if (info == 0)
        dtrtri_("U", "N", &order, inverse, &order, &info);
    return info == 0
               ? GBV_OK
               : error_set(error, GBV_UNDEFINED, "the features of pactran-gauss are too large: scale the features");
}

/* The variance of the points in the direction in which they vary most, or somewhat less: a few powers of their
 * covariance, from the longest of them. `vector` and `image` are scratch of width and rows. */
static double widest_variance(const gauss_fit *fit, double *vector, double *image)
{
    int rows = (int)fit->space.rows, width = (int)fit->width;
    const double *longest = fit->points + measure_argmax(fit->squares, fit->space.rows) * fit->width;
    double variance = 0;
    memcpy(vector, longest, fit->width * sizeof *vector);
    for (int power = 0; power < POWERS; power++) {
        cblas_dscal(width, 1 / cblas_dnrm2(width, vector, 1), vector, 1);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, rows, width, 1, fit->points, width, vector, 1, 0, image, 1);
        cblas_dgemv(CblasRowMajor, CblasTrans, rows, width, 1.0 / rows, fit->points, width, image, 1, 0, vector, 1);
        variance = cblas_dnrm2(width, vector, 1);
    }
    return variance;
}

static gbv_status make_points(gauss_fit *fit, gbv_error *error)
{
    size_t rows = fit->space.rows, width = fit->width;
    double scale = sqrt(fit->space.scatter / (double)rows), ridge = 1 / ((double)rows * scale * scale);
    for (size_t i = 0; i < rows; i++) {
        double *point = fit->points + i * width;
        feature_space_row(&fit->space, i, point);
        for (size_t j = 0; j < width; j++)
            point[j] /= scale;
        fit->squares[i] = dense_dot_f64(point, point, width) * scale * scale;
    }
    double *inverse = memory_array(width, width * sizeof *inverse), *image = memory_array(rows, sizeof *image);
    gbv_status status = GBV_OK;
    if (!inverse || !image) {
        status = error_out_of_memory(error, "the covariance of the features");
    } else if (fit->curvature * widest_variance(fit, inverse, image) < ridge) {
        /* The penalty outweighs the rest in all directions: the curvature is even as it is. */
        fit->curvature = 0;
        fit->kept = 1;
        for (size_t i = 0; i < rows; i++)
            cblas_dscal((int)width, 1 / sqrt(ridge), fit->points + i * width, 1);
    } else if ((status = find_inverse(fit, ridge, inverse, error)) == GBV_OK) {
        cblas_dtrmm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)rows, (int)width, 1, inverse,
                    (int)width, fit->points, (int)width);
    }
    free(inverse);
    free(image);
    return status;
}

static gbv_status fit_open(const gbv_measure_input *input, gauss_fit *fit, gbv_error *error)
{
    gbv_status status = feature_space_create(input, true, DIRECTION_NONE, &fit->space, error);
    if (status != GBV_OK)
        return status;
    size_t rows = input->rows, classes = fit->space.classes.count, parameters;
    fit->width = fit->space.scatter < SMALLEST_SCATTER ? 0 : fit->space.columns;
    fit->padded = narrow_padded(classes);
    fit->curvature = 0.001 / (double)classes;
    if (__builtin_mul_overflow(fit->width + 1, fit->padded, &parameters) || parameters > INT_MAX)
        return error_out_of_memory(error, "the classifier of pactran-gauss");
    fit->points = memory_array(rows, (fit->width ? fit->width : 1) * sizeof(double));
    fit->squares = memory_zeroed(rows, sizeof(double));
    fit->parameters = memory_zeroed(parameters, sizeof(double));
    fit->weights = memory_array(parameters, sizeof(double));
    fit->gradient = memory_array(parameters, sizeof(double));
    fit->block = memory_array(fit->padded, BLOCK * sizeof(double));
    fit->products = memory_array(fit->padded, BLOCK * sizeof(double));
    fit->sums = memory_array(BLOCK, sizeof(double));
    if (!fit->points || !fit->squares || !fit->parameters || !fit->weights || !fit->gradient || !fit->block ||
        !fit->products || !fit->sums)
        return error_out_of_memory(error, "the classifier of pactran-gauss");
    for (size_t c = 0; c < classes; c++)
        fit->parameters[fit->width * classes + c] = log((double)fit->space.classes.sizes[c] / (double)rows);
    return fit->width ? make_points(fit, error) : GBV_OK;
}

/* The first step must have about the right length: from where all classes are equally likely, steps that are too long
 * lead to where the loss is nearly straight and says little. */
static gbv_status look_ahead(gauss_fit *fit, gbv_error *error)
{
    size_t weights = fit->width * fit->space.classes.count, count = weights + fit->space.classes.count;
    double *here = arena_array(&fit->scratch, count, sizeof *here);
    double *there = arena_array(&fit->scratch, count, sizeof *there);
    double *point = arena_array(&fit->scratch, count, sizeof *point);
    fit->at_start = 1;
    if (!here || !there || !point)
        return error_out_of_memory(error, "the classifier of pactran-gauss");
    evaluate(fit, fit->parameters, here);
    double length = cblas_dnrm2((int)weights, here, 1), step = 1e-6 / length;
    if (!(length > TOLERANCE))
        return GBV_OK;
    memcpy(point, fit->parameters, count * sizeof *point);
    cblas_daxpy((int)weights, step, here, 1, point, 1);
    evaluate(fit, point, there);
    cblas_daxpy((int)weights, -1, here, 1, there, 1);
    double curvature = cblas_ddot((int)weights, there, 1, here, 1) / (step * length * length);
    if (isfinite(curvature) && curvature > 0)
        fit->at_start = curvature;
    return GBV_OK;
}

static gbv_status minimise(gauss_fit *fit, gbv_error *error)
{
    gbv_status status = look_ahead(fit, error);
    if (status != GBV_OK)
        return status;
    lbfgs_problem problem = {.count = (fit->width + 1) * fit->space.classes.count,
                             .evaluate = evaluate,
                             .precondition = precondition,
                             .cheap_precondition = true,
                             .context = fit,
                             .tolerance = TOLERANCE,
                             .iteration_limit = ITERATION_LIMIT};
    switch (lbfgs_minimise(&problem, fit->parameters, &fit->scratch)) {
    case LBFGS_NO_MEMORY:
        return error_out_of_memory(error, "the classifier of pactran-gauss");
    case LBFGS_LIMIT:
        return error_set(error, GBV_UNDEFINED,
                         "the classifier of pactran-gauss was not found in %d steps: scale the features",
                         ITERATION_LIMIT);
    default:
        return GBV_OK;
    }
}

static double bound(const gauss_fit *fit)
{
    size_t classes = fit->space.classes.count, weights = fit->width * classes, columns = fit->space.full_columns;
    double rows = (double)fit->space.rows, cells = (double)columns * (double)classes;
    double loss = 0, squares = 0, flatness = cells / rows;
    narrow_pad(fit->parameters, fit->width, classes, fit->weights);
    for (size_t first = 0; first < fit->space.rows; first += BLOCK) {
        size_t count = block_at(fit, first);
        loss += predict(fit, fit->parameters + weights, first, count, &squares);
        for (size_t i = 0; i < count; i++) {
            const double *p = fit->block + i * fit->padded;
            double variance = 0;
            for (size_t c = 0; c < classes; c++)
                variance += p[c] * (1 - p[c]);
            flatness += (fit->squares[first + i] + 1) * variance;
        }
    }
    loss = loss / rows + penalty(fit, fit->parameters, squares);
    double prior_variance = BOUND_SHARE / (double)columns;
    return loss + 0.5 * cells / rows * prior_variance * log(flatness * rows / cells + 1e-10);
}

static gbv_status pactran_gauss(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                                gbv_error *error)
{
    (void)variant;
    (void)row_terms;
    gauss_fit fit = {0};
    gbv_status status = fit_open(input, &fit, error);
    if (status == GBV_OK && (status = minimise(&fit, error)) == GBV_OK)
        *score = -bound(&fit);
    feature_space_free(&fit.space);
    free(fit.points);
    free(fit.squares);
    free(fit.parameters);
    free(fit.weights);
    free(fit.gradient);
    free(fit.block);
    free(fit.products);
    free(fit.sums);
    arena_free(&fit.scratch);
    return status;
}

const measure measure_pactran_gauss = {
    .info = {.name = "pactran-gauss",
             .summary = "PAC-Bayesian bound for a linear classifier on the features, Gaussian prior",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .cost = "N·D·m + m³ + R·N·C·m, R steps of L-BFGS",
             .blind_to = "the model's own classifier: only what its features could serve is seen",
             .resampled = GBV_HALF_SAMPLES},
    .compute = pactran_gauss,
    .replicates = {.at_these_rows = true},
};
