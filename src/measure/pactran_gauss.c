/* pactran_gauss.c - PACTran with a Gaussian prior (Ding et al. 2022): minus a PAC-Bayesian bound on the loss of a
 * linear classifier on the centred features f, which is its regularised loss at best and a term for its flatness.
 *
 *     L*    = least over W, b of  1/N sum_i CE_i + |W|^2 / (2 x),   x = N
 *     h     = sum_ic (|f_i|^2 + 1) p_ic (1 - p_ic) + D C / x,       p at the minimum
 *     bound = L* + D C / (2 x) s^2 ln(h x / (D C) + 1e-10),         s^2 = 100 / D
 * Classes without rows are left out. The loss is the same in the eigenbasis of the features, where its curvature is
 * nearly diagonal, and only as many directions as there are rows are then needed. */
#include "measure/measure.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "compute/dense.h"
#include "compute/lbfgs.h"
#include "compute/narrow.h"
#include "measure/principal.h"

enum { ITERATION_LIMIT = 5000, BLOCK = 128 };
static const double TOLERANCE = 1e-11, BOUND_SHARE = 100;

typedef struct gauss_fit {
    principal_components components; /* scaled so that the widest has variance one */
    const present_classes *classes;
    double scale;       /* what the scores were divided by */
    double l2;          /* of the scaled weights */
    double *parameters; /* count x classes weights, then the biases */
    size_t padded;      /* classes, as narrow products take them */
    double *weights;    /* count x padded */
    double *gradient;   /* count x padded */
    double *block;      /* BLOCK x padded: probabilities or residuals */
    arena scratch;
} gauss_fit;

/* Probabilities of the rows from `first` on, in block; fit->weights are those of the point. Returns the sum of the
 * cross-entropies. */
static double predict(const gauss_fit *fit, const double *bias, size_t first, size_t count)
{
    size_t width = fit->components.count, classes = fit->classes->count;
    double loss = 0;
    narrow_multiply(fit->components.scores + first * width, count, width, fit->weights, fit->padded, fit->block);
    for (size_t i = 0; i < count; i++) {
        double *row = fit->block + i * fit->padded, largest = -INFINITY, sum = 0;
        for (size_t c = 0; c < classes; c++) {
            row[c] += bias[c];
            largest = row[c] > largest ? row[c] : largest;
        }
        double of_label = row[fit->classes->ranks[first + i]] - largest;
        for (size_t c = 0; c < classes; c++)
            sum += row[c] = exp(row[c] - largest);
        for (size_t c = 0; c < classes; c++)
            row[c] /= sum;
        loss += log(sum) - of_label;
    }
    return loss;
}

static size_t block_at(const gauss_fit *fit, size_t first)
{
    return fit->components.rows - first < BLOCK ? fit->components.rows - first : BLOCK;
}

static double evaluate(void *context, const double *point, double *gradient)
{
    const gauss_fit *fit = context;
    size_t rows = fit->components.rows, width = fit->components.count, classes = fit->classes->count;
    size_t weights = width * classes;
    double loss = 0, share = 1 / (double)rows, *bias_gradient = gradient + weights;
    narrow_pad(point, width, classes, fit->weights);
    memset(fit->gradient, 0, width * fit->padded * sizeof *gradient);
    memset(bias_gradient, 0, classes * sizeof *gradient);
    for (size_t first = 0; first < rows; first += BLOCK) {
        size_t count = block_at(fit, first);
        loss += predict(fit, point + weights, first, count);
        for (size_t i = 0; i < count; i++) {
            double *row = fit->block + i * fit->padded;
            row[fit->classes->ranks[first + i]] -= 1;
            dense_add_f64(bias_gradient, row, classes);
        }
        narrow_add_transposed(fit->components.scores + first * width, count, width, fit->block, fit->padded,
                              fit->gradient);
    }
    narrow_unpad(fit->gradient, width, classes, gradient);
    cblas_dscal((int)(weights + classes), share, gradient, 1);
    cblas_daxpy((int)weights, fit->l2, point, 1, gradient, 1);
    return loss * share + 0.5 * fit->l2 * cblas_ddot((int)weights, point, 1, point, 1);
}

static void precondition(void *context, double *vector)
{
    const gauss_fit *fit = context;
    size_t width = fit->components.count, classes = fit->classes->count;
    double curvature = 0.5 / (double)classes;
    for (size_t k = 0; k < width; k++) {
        double of_loss = curvature * fit->components.squares[k] / (double)fit->components.rows;
        cblas_dscal((int)classes, 1 / (of_loss + fit->l2), vector + k * classes, 1);
    }
    cblas_dscal((int)classes, 1 / curvature, vector + width * classes, 1);
}

static gbv_status fit_open(const gbv_measure_input *input, const present_classes *classes, gauss_fit *fit,
                           gbv_error *error)
{
    *fit = (gauss_fit){.classes = classes, .scale = 1};
    gbv_status status = principal_components_create(&input->features, INFINITY, &fit->components, error);
    if (status != GBV_OK)
        return status;
    size_t rows = input->rows, width = fit->components.count, parameters;
    fit->padded = narrow_padded(classes->count);
    if (__builtin_mul_overflow(width + 1, fit->padded, &parameters) || parameters > INT_MAX)
        return error_out_of_memory(error, "the classifier of pactran-gauss");
    fit->parameters = memory_zeroed(parameters, sizeof(double));
    fit->weights = memory_array(parameters, sizeof(double));
    fit->gradient = memory_array(parameters, sizeof(double));
    fit->block = memory_array(fit->padded, BLOCK * sizeof(double));
    if (!fit->parameters || !fit->weights || !fit->gradient || !fit->block)
        return error_out_of_memory(error, "the classifier of pactran-gauss");
    for (size_t c = 0; c < classes->count; c++)
        fit->parameters[width * classes->count + c] = log((double)classes->sizes[c] / (double)rows);
    if (width > 0)
        fit->scale = sqrt(fit->components.squares[0] / (double)rows);
    fit->l2 = 1 / ((double)rows * fit->scale * fit->scale);
    for (size_t i = 0; i < rows * width; i++)
        fit->components.scores[i] /= fit->scale;
    for (size_t k = 0; k < width; k++)
        fit->components.squares[k] /= fit->scale * fit->scale;
    return GBV_OK;
}

static gbv_status minimise(gauss_fit *fit, gbv_error *error)
{
    lbfgs_problem problem = {.count = (fit->components.count + 1) * fit->classes->count,
                             .evaluate = evaluate,
                             .precondition = precondition,
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

static double bound(const gauss_fit *fit, size_t columns)
{
    size_t width = fit->components.count, classes = fit->classes->count, weights = width * classes;
    double rows = (double)fit->components.rows, cells = (double)columns * (double)classes;
    double loss = 0, flatness = cells / rows;
    narrow_pad(fit->parameters, width, classes, fit->weights);
    for (size_t first = 0; first < fit->components.rows; first += BLOCK) {
        size_t count = block_at(fit, first);
        loss += predict(fit, fit->parameters + weights, first, count);
        for (size_t i = 0; i < count; i++) {
            const double *scores = fit->components.scores + (first + i) * width, *p = fit->block + i * fit->padded;
            double square = fit->scale * fit->scale * dense_dot_f64(scores, scores, width), variance = 0;
            for (size_t c = 0; c < classes; c++)
                variance += p[c] * (1 - p[c]);
            flatness += (square + 1) * variance;
        }
    }
    loss = loss / rows + 0.5 * fit->l2 * dense_dot_f64(fit->parameters, fit->parameters, weights);
    double prior_variance = BOUND_SHARE / (double)columns;
    return loss + 0.5 * cells / rows * prior_variance * log(flatness * rows / cells + 1e-10);
}

static gbv_status pactran_gauss(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                                gbv_error *error)
{
    (void)variant;
    (void)row_terms;
    gauss_fit fit = {0};
    present_classes classes;
    gbv_status status = present_classes_create(input, &classes, error);
    if (status != GBV_OK)
        return status;
    if ((status = fit_open(input, &classes, &fit, error)) == GBV_OK && (status = minimise(&fit, error)) == GBV_OK)
        *score = -bound(&fit, input->features.columns);
    principal_components_free(&fit.components);
    free(fit.parameters);
    free(fit.weights);
    free(fit.gradient);
    free(fit.block);
    arena_free(&fit.scratch);
    present_classes_free(&classes);
    return status;
}

const measure measure_pactran_gauss = {
    .info = {.name = "pactran-gauss",
             .summary = "PAC-Bayesian bound for a linear classifier on the features, Gaussian prior",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .cost = "N·D·m + m³ + R·N·C·m, R steps of L-BFGS",
             .blind_to = "the model's own classifier: only what its features could serve is seen"},
    .compute = pactran_gauss,
};
