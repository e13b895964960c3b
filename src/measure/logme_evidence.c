/* logme_evidence.c - the fixed point of LogME (You et al. 2021, 2022) without eigenvectors: each step solves
 * (T + lambda I) w = b by one sweep down and one up, eight targets side by side.
 *
 *     gamma = sum s/(s+lambda);   alpha = gamma/(m2+1e-5);   beta = (N-gamma)/(r2+1e-5);   lambda = alpha/beta
 * m2 = |m|^2 of the posterior mean, r2 = the squared residual. For G = X'X: m = w, r2 = y'y - b'w - lambda w'w.
 * For G = XX' (dual): r2 = lambda^2 w'w, m2 = w'Tw = b'w - lambda w'w. */
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
    double *b, *w, *pivots; /* order x LANES */
} lane_group;

CLONED static void gamma_sums(const logme_spectrum *spectrum, lane_group *group)
{
    double gamma[LANES] = {0}, shortfall[LANES] = {0}, lambda[LANES];
    for (int l = 0; l < LANES; l++)
        lambda[l] = group->lambda[l];
    for (size_t j = 0; j < spectrum->order; j++) {
        double s = spectrum->eigenvalues[j] > 0 ? spectrum->eigenvalues[j] : 0;
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            double inverse = 1 / (s + lambda[l]);
            gamma[l] += s * inverse;
            shortfall[l] += inverse;
        }
    }
    for (int l = 0; l < LANES; l++) {
        group->gamma[l] = gamma[l];
        group->shortfall[l] = lambda[l] * shortfall[l];
    }
}

/* (T + lambda) w = b by Gaussian elimination; `tiny` keeps a pivot of a singular T above zero. `pivots` holds their
 * inverses. */
CLONED static void solve(const logme_spectrum *spectrum, lane_group *group, double tiny)
{
    size_t order = spectrum->order;
    const double *d = spectrum->diagonal, *e = spectrum->off_diagonal;
    double *restrict w = group->w, *restrict pivots = group->pivots;
    const double *restrict b = group->b;
    double lambda[LANES], last_inverse[LANES] = {0}, last_w[LANES] = {0};
    for (int l = 0; l < LANES; l++)
        lambda[l] = group->lambda[l];
    for (size_t j = 0; j < order; j++) {
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
    double above[LANES] = {0}, ww[LANES] = {0}, bw[LANES] = {0}, wtw[LANES] = {0};
    for (size_t j = order; j-- > 0;) {
        double off = j + 1 < order ? e[j] : 0;
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            double value = (w[j * LANES + l] - off * above[l]) * pivots[j * LANES + l];
            ww[l] += value * value;
            bw[l] += b[j * LANES + l] * value;
            wtw[l] += value * (d[j] * value + 2 * off * above[l]);
            above[l] = value;
        }
    }
    for (int l = 0; l < LANES; l++)
        group->ww[l] = ww[l], group->bw[l] = bw[l], group->wtw[l] = wtw[l];
}

/* One target's state; m2 and r2 are those of the step that led to alpha and beta. */
typedef struct fixed_point {
    double alpha, beta, m2, r2;
    bool done;
} fixed_point;

static void update(const logme_spectrum *spectrum, const lane_group *group, int lane, double yy, double largest,
                   double tolerance, fixed_point *point)
{
    double lambda = group->lambda[lane], ww = group->ww[lane], bw = group->bw[lane];
    if (spectrum->dual) {
        point->r2 = lambda * lambda * ww;
        point->m2 = lambda > largest ? group->wtw[lane] : bw - lambda * ww;
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

static double evidence_of(const logme_spectrum *spectrum, logme_form form, const fixed_point *point)
{
    double rows = (double)spectrum->rows, logarithms = 0, spare = form == LOGME_ICML ? guard : 0;
    if (form == LOGME_CODE) {
        logarithms = (double)spectrum->columns * log(point->alpha);
        for (size_t j = spectrum->order - spectrum->kept; j < spectrum->order; j++)
            logarithms -= log(point->alpha + point->beta * fabs(spectrum->eigenvalues[j]));
    } else {
        double inverse_lambda = point->beta / point->alpha;
        for (size_t j = 0; j < spectrum->order; j++)
            if (spectrum->eigenvalues[j] > 0)
                logarithms -= log1p(spectrum->eigenvalues[j] * inverse_lambda);
    }
    return 0.5 *
           (logarithms + rows * log(point->beta) - point->beta * (point->r2 + spare) -
            point->alpha * (point->m2 + spare) - rows * log(2 * M_PI)) /
           rows;
}

static void group_evidence(logme_spectrum *spectrum, logme_form form, lane_group *group, size_t first, double largest,
                           double *evidences)
{
    size_t count = spectrum->target_count - first < LANES ? spectrum->target_count - first : LANES;
    fixed_point points[LANES];
    double tolerance = form == LOGME_ICML ? nextafter(0.01, 0) : 1e-3;
    for (int l = 0; l < LANES; l++) {
        points[l] = (fixed_point){.alpha = 1, .beta = 1};
        group->lambda[l] = 1;
        for (size_t j = 0; j < spectrum->order; j++)
            group->b[j * LANES + (size_t)l] =
                (size_t)l < count ? spectrum->projections[(first + (size_t)l) * spectrum->order + j] : 0;
    }
    for (int step = 0; step < MAXIMAL_STEPS; step++) {
        bool all_done = true;
        gamma_sums(spectrum, group);
        solve(spectrum, group, largest * 1e-16);
        for (size_t l = 0; l < count; l++) {
            if (points[l].done)
                continue;
            update(spectrum, group, (int)l, spectrum->squares[first + l], largest, tolerance, &points[l]);
            group->lambda[l] = points[l].alpha / points[l].beta;
            if (group->lambda[l] < spectrum->smallest_lambda)
                spectrum->smallest_lambda = group->lambda[l];
            all_done = all_done && points[l].done;
        }
        if (all_done)
            break;
    }
    for (size_t l = 0; l < count; l++)
        evidences[first + l] = evidence_of(spectrum, form, &points[l]);
}

gbv_status logme_evidence(logme_spectrum *spectrum, logme_form form, double *evidences, gbv_error *error)
{
    double largest = 0;
    size_t cells;
    for (size_t j = 0; j < spectrum->order; j++)
        if (spectrum->eigenvalues[j] > largest)
            largest = spectrum->eigenvalues[j];
    double *lanes =
        __builtin_mul_overflow(spectrum->order, (size_t)3 * LANES, &cells) ? NULL : memory_array(cells, sizeof *lanes);
    if (!lanes)
        return error_out_of_memory(error, "the evidence of the targets");
    lane_group group = {
        .b = lanes, .w = lanes + spectrum->order * LANES, .pivots = lanes + 2 * spectrum->order * LANES};
    spectrum->smallest_lambda = INFINITY;
    for (size_t first = 0; first < spectrum->target_count; first += LANES)
        group_evidence(spectrum, form, &group, first, largest, evidences);
    free(lanes);
    return GBV_OK;
}
