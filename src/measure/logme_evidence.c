/* logme_evidence.c - the fixed point of LogME (You et al. 2021, 2022) without eigenvalues or eigenvectors: each step
 * factors T + lambda I = L P L' (P the pivots), eight targets side by side.
 *
 *     gamma = sum s/(s+lambda);   alpha = gamma/(m2+1e-5);   beta = (N-gamma)/(r2+1e-5);   lambda = alpha/beta
 * m2 = |m|^2 of the posterior mean, r2 = the squared residual. With (T + lambda I) w = b, for G = X'X: m = w,
 * r2 = y'y - b'w - lambda w'w; for G = XX' (dual): r2 = lambda^2 w'w, m2 = w'Tw = b'w - lambda w'w.
 * The diagonal of the inverse follows from the factors by a recurrence without cancellation, and gives gamma; the
 * pivots give the log-determinant. */
#include "measure/logme_evidence.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "compute/dense.h"

enum { LANES = 8, MAXIMAL_STEPS = 11 };

static const double guard = 1e-5, smallest = 1e-300;

/* One group of targets; arrays of LANES numbers sit side by side so that a loop over lanes is one vector instruction.
 */
typedef struct lane_group {
    double lambda[LANES];
    double gamma[LANES];     /* sum s/(s+lambda) */
    double shortfall[LANES]; /* order - gamma, without cancellation */
    double ww[LANES], bw[LANES], wtw[LANES];
    double logarithms[LANES]; /* sum ln(s+lambda) */
    double *b, *w, *pivots;   /* order x LANES; the pivots are kept inverted */
    double tiny;              /* keeps a pivot of a singular T above zero */
    double scale;             /* the largest entry of T */
} lane_group;

/* Factors T + lambda and eliminates downwards. */
CLONED static void sweep_down(const logme_spectrum *spectrum, lane_group *group)
{
    const double *d = spectrum->diagonal, *e = spectrum->off_diagonal;
    double *restrict w = group->w, *restrict pivots = group->pivots;
    const double *restrict b = group->b;
    double lambda[LANES], last_inverse[LANES] = {0}, last_w[LANES] = {0}, tiny = group->tiny;
    for (int l = 0; l < LANES; l++)
        lambda[l] = group->lambda[l];
    for (size_t j = 0; j < spectrum->order; j++) {
        double off = j ? e[j - 1] : 0;
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            double factor = off * last_inverse[l], pivot = d[j] + lambda[l] - factor * off;
            pivot = pivot > tiny ? pivot : tiny;
            last_inverse[l] = 1 / pivot;
            last_w[l] = b[j * LANES + l] - factor * last_w[l];
            pivots[j * LANES + l] = last_inverse[l];
            w[j * LANES + l] = last_w[l];
        }
    }
}

/* Substitutes upwards, with w, the diagonal of the inverse and their sums on the way. */
CLONED static void sweep_up(const logme_spectrum *spectrum, lane_group *group)
{
    const double *d = spectrum->diagonal, *e = spectrum->off_diagonal;
    const double *restrict b = group->b, *restrict w = group->w, *restrict pivots = group->pivots;
    double last_w[LANES] = {0}, last_inverse[LANES] = {0}, trace[LANES] = {0}, direct[LANES] = {0};
    double ww[LANES] = {0}, bw[LANES] = {0}, wtw[LANES] = {0};
    for (size_t j = spectrum->order; j-- > 0;) {
        double off = j + 1 < spectrum->order ? e[j] : 0;
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            double pivot = pivots[j * LANES + l], factor = off * pivot;
            double value = w[j * LANES + l] * pivot - factor * last_w[l];
            double inverse = pivot + factor * factor * last_inverse[l];
            trace[l] += inverse;
            direct[l] += d[j] * inverse - 2 * off * factor * last_inverse[l];
            ww[l] += value * value;
            bw[l] += b[j * LANES + l] * value;
            wtw[l] += value * (d[j] * value + 2 * off * last_w[l]);
            last_w[l] = value;
            last_inverse[l] = inverse;
        }
    }
    for (int l = 0; l < LANES; l++) {
        double lambda = group->lambda[l];
        group->shortfall[l] = lambda * trace[l];
        group->gamma[l] = lambda > group->scale ? direct[l] : (double)spectrum->order - group->shortfall[l];
        group->ww[l] = ww[l], group->bw[l] = bw[l], group->wtw[l] = wtw[l];
    }
}

static void sum_logarithms(const logme_spectrum *spectrum, lane_group *group)
{
    sweep_down(spectrum, group);
    for (int l = 0; l < LANES; l++) {
        group->logarithms[l] = 0;
        for (size_t j = 0; j < spectrum->order; j++)
            group->logarithms[l] -= log(group->pivots[j * LANES + (size_t)l]);
    }
}

bool logme_eigenvalues_above(const logme_spectrum *spectrum, double bound)
{
    double pivot = 1;
    for (size_t j = 0; j < spectrum->order; j++) {
        double off = j ? spectrum->off_diagonal[j - 1] : 0;
        pivot = spectrum->diagonal[j] - bound - off * off / pivot;
        if (!(pivot > 0))
            return false;
    }
    return true;
}

/* One target's state; m2 and r2 are those of the step that led to alpha and beta. */
typedef struct fixed_point {
    double alpha, beta, m2, r2;
    bool done;
} fixed_point;

static void update(const logme_spectrum *spectrum, const lane_group *group, size_t lane, double yy, double tolerance,
                   fixed_point *point)
{
    double lambda = group->lambda[lane], ww = group->ww[lane], bw = group->bw[lane];
    if (spectrum->dual) {
        point->r2 = lambda * lambda * ww;
        point->m2 = lambda > group->scale ? group->wtw[lane] : bw - lambda * ww;
    } else {
        point->m2 = ww;
        point->r2 = yy - bw - lambda * ww;
    }
    point->m2 = point->m2 > 0 ? point->m2 : 0;
    point->r2 = point->r2 > 0 ? point->r2 : 0;
    double unexplained = (double)(spectrum->rows - spectrum->order) + group->shortfall[lane];
    point->alpha = group->gamma[lane] / (point->m2 + guard);
    point->beta = unexplained / (point->r2 + guard);
    point->alpha = point->alpha > smallest ? point->alpha : smallest;
    point->beta = point->beta > smallest ? point->beta : smallest;
    point->done = fabs(point->alpha / point->beta - lambda) / lambda <= tolerance;
}

/* `logarithms` is sum ln(s + lambda) over the eigenvalues of G, with lambda = alpha / beta. */
static double evidence_of(const logme_spectrum *spectrum, logme_form form, const fixed_point *point, double logarithms)
{
    double rows = (double)spectrum->rows, order = (double)spectrum->order, spare = form == LOGME_ICML ? guard : 0;
    double log_alpha = log(point->alpha), log_beta = log(point->beta), determinant;
    if (form == LOGME_CODE)
        determinant = (double)(spectrum->columns + spectrum->dropped) * log_alpha - (order * log_beta + logarithms);
    else
        determinant = order * (log_alpha - log_beta) - logarithms;
    return 0.5 *
           (determinant + rows * log_beta - point->beta * (point->r2 + spare) - point->alpha * (point->m2 + spare) -
            rows * log(2 * M_PI)) /
           rows;
}

static void group_evidence(logme_spectrum *spectrum, logme_form form, lane_group *group, size_t first,
                           double *evidences)
{
    size_t count = spectrum->target_count - first < LANES ? spectrum->target_count - first : LANES;
    fixed_point points[LANES];
    /* The authors stop at <= 1e-3, and at < 0.01 in the first form. */
    double tolerance = form == LOGME_ICML ? nextafter(0.01, 0) : 1e-3;
    for (size_t l = 0; l < LANES; l++) {
        points[l] = (fixed_point){.alpha = 1, .beta = 1};
        group->lambda[l] = 1;
        for (size_t j = 0; j < spectrum->order; j++)
            group->b[j * LANES + l] = l < count ? spectrum->projections[(first + l) * spectrum->order + j] : 0;
    }
    for (int step = 0; step < MAXIMAL_STEPS; step++) {
        bool all_done = true;
        sweep_down(spectrum, group);
        sweep_up(spectrum, group);
        for (size_t l = 0; l < count; l++) {
            if (points[l].done)
                continue;
            update(spectrum, group, l, spectrum->squares[first + l], tolerance, &points[l]);
            group->lambda[l] = points[l].alpha / points[l].beta;
            if (group->lambda[l] < spectrum->smallest_lambda)
                spectrum->smallest_lambda = group->lambda[l];
            all_done = all_done && points[l].done;
        }
        if (all_done)
            break;
    }
    sum_logarithms(spectrum, group);
    for (size_t l = 0; l < count; l++)
        evidences[first + l] = evidence_of(spectrum, form, &points[l], group->logarithms[l]);
}

gbv_status logme_evidence(logme_spectrum *spectrum, logme_form form, double *evidences, gbv_error *error)
{
    size_t order = spectrum->order, cells;
    double *lanes =
        __builtin_mul_overflow(order, (size_t)3 * LANES, &cells) ? NULL : memory_array(cells, sizeof *lanes);
    if (!lanes)
        return error_out_of_memory(error, "the evidence of the targets");
    lane_group group = {.b = lanes, .w = lanes + order * LANES, .pivots = lanes + 2 * order * LANES};
    for (size_t j = 0; j < order; j++)
        if (spectrum->diagonal[j] > group.scale)
            group.scale = spectrum->diagonal[j];
    group.tiny = 1e-16 * group.scale;
    spectrum->smallest_lambda = INFINITY;
    for (size_t first = 0; first < spectrum->target_count; first += LANES)
        group_evidence(spectrum, form, &group, first, evidences);
    free(lanes);
    return GBV_OK;
}
