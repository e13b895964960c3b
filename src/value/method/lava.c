/* lava.c - LAVA as a valuation (Just et al. 2023; paper, section 6): a source's score is minus the mean calibrated
 * gradient of its rows.
 *
 *     pooled      the rows of all sources in one transport problem, which is what makes sources comparable
 *     code        each source solved alone, as the paper's program does: the mean gradient is then zero for every one
 *     converged   pooled, with the transport problem solved to the end */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "value/method/lava_kernel.h"
#include "value/method/pool.h"

enum { TOGETHER = 16 }; /* half-samples solved side by side */

static void take(const valuation *v, const double *gradients, size_t draw, scoring *by)
{
    for (size_t s = 0; s < v->source_count; s++)
        by->scores[s * by->draws.count + draw] = -pool_mean(v->pool, gradients, s);
}

/* The scores of one draw: on some of the reference's rows, or NULL for all. A draw without two rows of a class has
 * none, which only the whole reference makes an error. */
static gbv_status solve(const valuation *v, const lava *opened, const size_t *rows, size_t count, size_t draw,
                        double *gradients, scoring *by, gbv_error *error)
{
    gbv_status status = lava_solve(opened, rows, count, gradients, NULL, error);
    if (status == GBV_OK)
        take(v, gradients, draw, by);
    return status == GBV_UNDEFINED && draw > 0 ? GBV_OK : status;
}

/* Half-samples side by side, or one after the other where one of them has no solution. */
static gbv_status solve_halves(const valuation *v, const lava *opened, scoring *by, double *gradients, gbv_error *error)
{
    const row_draws *halves = &v->targets[0].resampled;
    size_t half = halves->half_rows, rows = v->pool->points.train_rows, first_draw = draws_replicates(&by->draws);
    size_t *subsets = memory_array(TOGETHER, half * sizeof *subsets);
    gbv_status status = subsets ? GBV_OK : error_out_of_memory(error, "halves of the reference");
    for (size_t r = 0; r < by->draws.replicates && half && status == GBV_OK; r += TOGETHER) {
        size_t count = by->draws.replicates - r < TOGETHER ? by->draws.replicates - r : TOGETHER;
        for (size_t i = 0; i < count * half; i++)
            subsets[i] = halves->halves[r * half + i];
        status = lava_solve_each(opened, subsets, count, half, gradients, error);
        for (size_t k = 0; k < count && status == GBV_OK; k++)
            take(v, gradients + k * rows, first_draw + r + k, by);
        if (status == GBV_UNDEFINED) {
            status = GBV_OK;
            for (size_t k = 0; k < count && status == GBV_OK; k++)
                status = solve(v, opened, subsets + k * half, half, first_draw + r + k, gradients, by, error);
        }
    }
    free(subsets);
    return status;
}

static gbv_status solve_draws(const valuation *v, const lava *opened, scoring *by, double *gradients, gbv_error *error)
{
    const target *t = &v->targets[0];
    gbv_status status = GBV_OK;
    for (size_t f = 0; f < by->draws.folds && status == GBV_OK; f++)
        status = solve(v, opened, t->fold_rows[f], t->fold_count[f], draws_folds(&by->draws) + f, gradients, by, error);
    return status == GBV_OK && by->draws.replicates ? solve_halves(v, opened, by, gradients, error) : status;
}

static gbv_status score(const valuation *v, scoring *by, gbv_error *error)
{
    if (strcmp(by->variant, "code") == 0) {
        for (size_t i = 0; i < v->source_count * by->draws.count; i++)
            by->scores[i] = 0;
        return GBV_OK;
    }
    const pool *p = v->pool;
    lava_problem task = {.train_rows = p->points.train_rows,
                         .reference_rows = p->points.reference_rows,
                         .columns = p->points.columns,
                         .class_count = v->classes.count,
                         .train = p->points.train,
                         .reference = p->points.reference,
                         .train_labels = p->labels,
                         .reference_labels = p->judgment,
                         .converged = strcmp(by->variant, "converged") == 0,
                         .memory = v->options->memory,
                         .threads = v->threads,
                         .progress = v->options->model.progress,
                         .context = v->options->model.context};
    lava *opened = NULL;
    double *gradients = memory_array(p->points.train_rows, TOGETHER * sizeof *gradients);
    gbv_status status = gradients ? lava_open(&task, &opened, error) : error_out_of_memory(error, "gradients");
    if (status == GBV_OK)
        status = solve_draws(v, opened, by, gradients, error);
    /* The whole reference last: its gradients are those that rows drawn anew are means of. */
    if (status == GBV_OK)
        status = solve(v, opened, NULL, 0, 0, gradients, by, error);
    for (size_t i = 0; i < p->points.train_rows && status == GBV_OK; i++)
        gradients[i] = -gradients[i];
    if (status == GBV_OK)
        status = pool_redraw(v, p, gradients, by, error);
    lava_close(opened);
    free(gradients);
    return status;
}

extern const method method_lava;
const method method_lava = {
    .name = "lava",
    .summary = "optimal transport of the sources' rows to the reference (Just et al.); forms: pooled, code, converged",
    .variants = "pooled|code|converged",
    .joint = true,
    .needs = METHOD_NEEDS_REFERENCE | METHOD_NEEDS_LABELS | METHOD_NEEDS_ROWS,
    .undefined = "none of its rows is of a class that two rows of the sources have, which LAVA needs",
    .score = score,
};
