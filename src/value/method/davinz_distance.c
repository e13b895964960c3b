/* davinz_distance.c - M of DAVINZ and the score that its two parts make. */
#include "value/method/davinz_kernel.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "compute/dense.h"
#include "measure/rbf.h"

static const double BANDWIDTH = 5;

/* out (x.rows x count) = K weights, band by band. */
static gbv_status apply(const davinz_problem *p, const rbf_points *x, const rbf_points *y, const double *weights,
                        size_t count, double *out, gbv_error *error)
{
    plan kept = plan_begin(p->threads);
    size_t bands = (x->rows + RBF_BAND - 1) / RBF_BAND, threads = plan_workers(kept.threads, bands);
    double *scratch = memory_array(threads, RBF_BAND * RBF_BAND * sizeof *scratch);
    bool stopped = false;
    gbv_status status = scratch ? GBV_OK : error_out_of_memory(error, "the kernel of davinz");
    if (status != GBV_OK)
        goto done;
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
    for (size_t band = 0; band < bands; band++) {
        size_t first = band * RBF_BAND, rows = x->rows - first < RBF_BAND ? x->rows - first : RBF_BAND;
        if (omp_get_thread_num() == 0 && p->progress && p->progress(p->context, "davinz", band, bands))
            __atomic_store_n(&stopped, true, __ATOMIC_RELAXED);
        if (!__atomic_load_n(&stopped, __ATOMIC_RELAXED))
            rbf_apply(x, first, rows, y, BANDWIDTH, weights, count,
                      scratch + (size_t)omp_get_thread_num() * RBF_BAND * RBF_BAND, out + first * count);
    }
    if (stopped)
        status = error_set(error, GBV_INTERRUPTED, "interrupted while valuing by davinz");
done:
    free(scratch);
    plan_end(kept);
    return status;
}

gbv_status davinz_toward(const davinz_problem *p, double *within, double *toward, gbv_error *error)
{
    rbf_points source, reference;
    gbv_status status = rbf_points_pair(&p->features, &p->reference, false, &source, &reference, error);
    if (status != GBV_OK)
        return status;
    size_t rows = source.rows;
    double *shares = memory_array(rows, sizeof *shares), *means = memory_array(rows, sizeof *means);
    if (!shares || !means) {
        status = error_out_of_memory(error, "the kernel of davinz");
        goto done;
    }
    for (size_t i = 0; i < rows; i++)
        shares[i] = 1 / (double)rows;
    if ((status = apply(p, &reference, &source, shares, 1, toward, error)) != GBV_OK ||
        (status = apply(p, &source, &source, shares, 1, means, error)) != GBV_OK)
        goto done;
    *within = dense_dot_f64(means, shares, rows);
done:
    free(shares);
    free(means);
    rbf_points_free(&source);
    rbf_points_free(&reference);
    return status;
}

gbv_status davinz_reference(const davinz_problem *p, const double *weights, size_t count, double *of_reference,
                            gbv_error *error)
{
    rbf_points points, same;
    size_t cells;
    if (count > INT_MAX || __builtin_mul_overflow(p->reference.rows, count, &cells))
        return error_set(error, GBV_USAGE, "%zu weightings of the reference are too many: take fewer replicates",
                         count);
    gbv_status status = rbf_points_pair(&p->reference, &p->reference, false, &points, &same, error);
    if (status != GBV_OK)
        return status;
    double *applied = memory_array(cells, sizeof *applied);
    if (!applied) {
        status = error_out_of_memory(error, "the kernel of davinz");
        goto done;
    }
    if ((status = apply(p, &points, &points, weights, count, applied, error)) != GBV_OK)
        goto done;
    for (size_t r = 0; r < count; r++)
        of_reference[r] = cblas_ddot((int)points.rows, weights + r, (int)count, applied + r, (int)count);
done:
    free(applied);
    rbf_points_free(&points);
    rbf_points_free(&same);
    return status;
}

double davinz_distance(double within, const double *toward, double of_reference, const double *weights, size_t count,
                       size_t index, size_t rows)
{
    double between = 0;
    for (size_t i = 0; i < rows; i++)
        between += weights[i * count + index] * toward[i];
    double squared = within + of_reference - 2 * between;
    return sqrt(squared > 0 ? squared : 0); /* rounding may leave less than nothing */
}

gbv_status davinz_parts(const davinz_problem *p, double parts[DAVINZ_PARTS], gbv_error *error)
{
    gbv_status status = davinz_complexity(p, &parts[DAVINZ_COMPLEXITY], error);
    if (status != GBV_OK)
        return status;
    size_t rows = p->reference.rows;
    double within = 0, of_reference = 0, *toward = memory_array(rows, 2 * sizeof *toward);
    if (!toward)
        return error_out_of_memory(error, "the kernel of davinz");
    double *weights = toward + rows;
    for (size_t i = 0; i < rows; i++)
        weights[i] = 1 / (double)rows;
    if ((status = davinz_toward(p, &within, toward, error)) == GBV_OK &&
        (status = davinz_reference(p, weights, 1, &of_reference, error)) == GBV_OK)
        parts[DAVINZ_DISTANCE] = davinz_distance(within, toward, of_reference, weights, 1, 0, rows);
    free(toward);
    return status;
}

void davinz_scores(const double (*parts)[DAVINZ_PARTS], size_t source_count, double *scores)
{
    double complexity = 0, distance = 0;
    for (size_t s = 0; s < source_count; s++) {
        complexity += parts[s][DAVINZ_COMPLEXITY];
        distance += parts[s][DAVINZ_DISTANCE];
    }
    double kappa = complexity > 0 ? distance / complexity : 0;
    for (size_t s = 0; s < source_count; s++)
        scores[s] = -kappa * parts[s][DAVINZ_COMPLEXITY] - parts[s][DAVINZ_DISTANCE];
}
