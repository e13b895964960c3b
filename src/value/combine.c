/* combine.c - from the parts that the sources contribute to their scores, draw by draw. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "measure/measure.h"
#include "value/valuation.h"

enum { SWEEPS = 1000 };
static const double SETTLED = 1e-13;

/* Model s on the labels of u scores a_s + b_u, by least squares over the pairs that have a score: a good model and an
 * easy set of labels are told apart, so that all models are judged on the same footing (nobody gains by being absent
 * from their own judges). Each a_s and b_u in turn is set to its best value until nothing moves; the value of a source
 * is a_s plus the mean of b, which is the score its model would have on an average set of labels. */
static void judge_by_each_other(const double *table, size_t count, double *a, double *b)
{
    for (size_t s = 0; s < count; s++)
        a[s] = b[s] = 0;
    double moved = INFINITY, largest = 0;
    for (size_t i = 0; i < count * count; i++)
        if (isfinite(table[i]))
            largest = fmax(largest, fabs(table[i]));
    for (int sweep = 0; sweep < SWEEPS && moved > SETTLED * largest; sweep++) {
        moved = 0;
        for (int side = 0; side < 2; side++)
            for (size_t i = 0; i < count; i++) {
                double sum = 0, *own = side ? b : a;
                const double *other = side ? a : b;
                size_t known = 0;
                for (size_t j = 0; j < count; j++) {
                    double value = side ? table[j * count + i] : table[i * count + j];
                    if (isfinite(value)) {
                        sum += value - other[j];
                        known++;
                    }
                }
                double next = known ? sum / (double)known : 0;
                moved = fmax(moved, fabs(next - own[i]));
                own[i] = next;
            }
    }
    double mean = 0;
    for (size_t u = 0; u < count; u++)
        mean += b[u] / (double)count;
    for (size_t s = 0; s < count; s++) {
        size_t known = 0;
        for (size_t u = 0; u < count; u++)
            known += isfinite(table[s * count + u]) != 0;
        a[s] = known ? a[s] + mean : NAN;
    }
}

/* Minus infinity is a score that a sum of squares cannot hold: a source that has one against any other keeps it. */
static void combine_crowd(const valuation *v, scoring *by, size_t draw, double *table, double *a, double *b)
{
    size_t count = v->source_count;
    for (size_t s = 0; s < count; s++)
        for (size_t u = 0; u < count; u++)
            table[s * count + u] = s == u ? NAN : scoring_parts(v, by, s, u)[draw * by->part_count];
    judge_by_each_other(table, count, a, b);
    for (size_t s = 0; s < count; s++) {
        bool worst = false;
        for (size_t u = 0; u < count; u++)
            worst |= table[s * count + u] == -INFINITY;
        by->scores[s * by->draws.count + draw] = worst ? -INFINITY : a[s];
    }
}

gbv_status combine_scores(const valuation *v, scoring *by, gbv_error *error)
{
    size_t count = v->source_count;
    bool crowd = valuation_is_crowd(v);
    double *parts = memory_array(count, by->part_count * sizeof *parts),
           *scores = memory_array(3, count * sizeof(double));
    double *table = crowd ? memory_array(count, count * sizeof *table) : NULL;
    gbv_status status = GBV_OK;
    if (!parts || !scores || (crowd && !table))
        status = error_out_of_memory(error, "the scores");
    for (size_t d = 0; d < by->draws.count && status == GBV_OK; d++) {
        if (crowd) {
            combine_crowd(v, by, d, table, scores + count, scores + 2 * count);
            continue;
        }
        for (size_t s = 0; s < count; s++)
            memcpy(parts + s * by->part_count, scoring_parts(v, by, s, 0) + d * by->part_count,
                   by->part_count * sizeof *parts);
        status = measure_combine(by->info->name, scoring_variant(by), parts, count, scores, error);
        for (size_t s = 0; s < count && status == GBV_OK; s++)
            by->scores[s * by->draws.count + d] = scores[s];
    }
    free(parts);
    free(scores);
    free(table);
    return status;
}
