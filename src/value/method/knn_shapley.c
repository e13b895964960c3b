/* knn_shapley.c - the mean Shapley value of a source's rows for a nearest-neighbour classifier of the reference (Jia et
 * al. 2019), all sources pooled. What one reference row gives a source is known, so half of them give the mean of
 * these. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "value/method/knn_shapley_kernel.h"
#include "value/method/pool.h"

static double mean_of(const double *line, const uint32_t *rows, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += line[rows[i]];
    return count ? sum / (double)count : NAN;
}

static void score_draws(const valuation *v, const double *by_source, scoring *by)
{
    const target *t = &v->targets[0];
    size_t rows = t->rows.rows;
    for (size_t s = 0; s < v->source_count; s++) {
        const double *line = by_source + s * rows;
        double *scores = by->scores + s * by->draws.count, sum = 0;
        for (size_t i = 0; i < rows; i++)
            sum += line[i];
        scores[0] = sum / (double)rows;
        for (size_t f = 0; f < by->draws.folds; f++) {
            double of_fold = 0;
            for (size_t i = 0; i < t->fold_count[f]; i++)
                of_fold += line[t->fold_rows[f][i]];
            scores[draws_folds(&by->draws) + f] = t->fold_count[f] ? of_fold / (double)t->fold_count[f] : NAN;
        }
        for (size_t r = 0; r < by->draws.replicates; r++)
            scores[draws_replicates(&by->draws) + r] =
                mean_of(line, t->resampled.halves + r * t->resampled.half_rows, t->resampled.half_rows);
    }
}

static gbv_status score(const valuation *v, scoring *by, gbv_error *error)
{
    const pool *p = v->pool;
    knn_problem task = {.train_rows = p->points.train_rows,
                        .reference_rows = p->points.reference_rows,
                        .columns = p->points.columns,
                        .neighbours = KNN_DEFAULT_NEIGHBOURS,
                        .source_count = v->source_count,
                        .train = p->points.train,
                        .reference = p->points.reference,
                        .train_labels = p->labels,
                        .reference_labels = p->judgment,
                        .source_of_row = p->source,
                        .threads = v->threads,
                        .progress = v->options->model.progress,
                        .context = v->options->model.context};
    double *values = memory_array(task.train_rows, sizeof *values);
    double *by_source = memory_array(v->source_count, task.reference_rows * sizeof *by_source);
    gbv_status status = values && by_source ? knn_shapley(&task, values, by_source, error)
                                            : error_out_of_memory(error, "the values of the rows");
    if (status == GBV_OK) {
        score_draws(v, by_source, by);
        status = pool_redraw(v, p, values, by, error);
    }
    free(values);
    free(by_source);
    return status;
}

extern const method method_knn_shapley;
const method method_knn_shapley = {
    .name = "knn-shapley",
    .summary = "mean Shapley value of the rows for a 10-nearest-neighbour classifier (Jia et al.)",
    .variants = "",
    .joint = true,
    .needs = METHOD_NEEDS_REFERENCE | METHOD_NEEDS_LABELS | METHOD_NEEDS_ROWS,
    .score = score,
};
