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
#include "measure/principal.h"

enum { ITERATION_LIMIT = 5000 };
static const double TOLERANCE = 1e-12, BOUND_SHARE = 100;

typedef struct gauss_fit {
    principal_components components; /* scaled so that the widest has variance one */
    const present_classes *classes;
    double scale;       /* what the scores were divided by */
    double l2;          /* of the scaled weights */
    double *residuals;  /* rows x classes; probabilities less indicators after each evaluation */
    double *parameters; /* count x classes weights, then the biases */
    arena scratch;
} gauss_fit;

/* Probabilities at the point, in residuals; returns the mean cross-entropy. */
static double predict(const gauss_fit *fit, const double *point)
{
    size_t rows = fit->components.rows, width = fit->components.count, classes = fit->classes->count;
    const double *bias = point + width * classes;
    double loss = 0;
    for (size_t i = 0; i < rows; i++)
        memcpy(fit->residuals + i * classes, bias, classes * sizeof *bias);
    if (width > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)classes, (int)width, 1,
                    fit->components.scores, (int)width, point, (int)classes, 1, fit->residuals, (int)classes);
    for (size_t i = 0; i < rows; i++) {
        double *row = fit->residuals + i * classes, of_label = row[fit->classes->ranks[i]];
        loss += dense_log_sum_exp(row, classes) - of_label;
        dense_softmax_rows(row, 1, classes);
    }
    return loss / (double)rows;
}

static double evaluate(void *context, const double *point, double *gradient)
{
    const gauss_fit *fit = context;
    size_t rows = fit->components.rows, width = fit->components.count, classes = fit->classes->count;
    size_t weights = width * classes;
    double loss = predict(fit, point), share = 1 / (double)rows;
    memset(gradient + weights, 0, classes * sizeof *gradient);
    for (size_t i = 0; i < rows; i++) {
        double *row = fit->residuals + i * classes;
        row[fit->classes->ranks[i]] -= 1;
        dense_add_f64(gradient + weights, row, classes);
    }
    cblas_dscal((int)classes, share, gradient + weights, 1);
    if (width == 0)
        return loss;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)width, (int)classes, (int)rows, share,
                fit->components.scores, (int)width, fit->residuals, (int)classes, 0, gradient, (int)classes);
    cblas_daxpy((int)weights, fit->l2, point, 1, gradient, 1);
    return loss + 0.5 * fit->l2 * cblas_ddot((int)weights, point, 1, point, 1);
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
    size_t rows = input->rows, width = fit->components.count, cells, parameters;
    if (__builtin_mul_overflow(rows, classes->count, &cells) ||
        __builtin_mul_overflow(width + 1, classes->count, &parameters) || parameters > INT_MAX)
        return error_out_of_memory(error, "the classifier of pactran-gauss");
    fit->residuals = memory_array(cells, sizeof(double));
    fit->parameters = memory_zeroed(parameters, sizeof(double));
    if (!fit->residuals || !fit->parameters)
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
    double loss = predict(fit, fit->parameters), flatness = cells / rows;
    loss += 0.5 * fit->l2 * dense_dot_f64(fit->parameters, fit->parameters, weights);
    for (size_t i = 0; i < fit->components.rows; i++) {
        const double *scores = fit->components.scores + i * width, *p = fit->residuals + i * classes;
        double square = fit->scale * fit->scale * dense_dot_f64(scores, scores, width), variance = 0;
        for (size_t c = 0; c < classes; c++)
            variance += p[c] * (1 - p[c]);
        flatness += (square + 1) * variance;
    }
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
    free(fit.residuals);
    free(fit.parameters);
    arena_free(&fit.scratch);
    present_classes_free(&classes);
    return status;
}

const measure measure_pactran_gauss = {
    .info = {.name = "pactran-gauss",
             .summary = "PAC-Bayesian bound for a linear classifier on the features, Gaussian prior",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_FEATURES,
             .blind_to = "the model's own classifier: only what its features could serve is seen"},
    .compute = pactran_gauss,
};
