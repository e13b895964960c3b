#include "value/pairs.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

static const double FAMILY_ERROR = 0.05;     /* of Holm's procedure */
static const double TOLD_APART = 1.96 + .84; /* deviations for a test at 5 % to succeed four times out of five */
static const double SIGNIFICANT = 1.96;
static const double ROUNDING = 1e-13;

double difference_of(double a, double b)
{
    double difference = a - b;
    return fabs(difference) <= ROUNDING * (fabs(a) + fabs(b)) ? 0 : difference;
}

double difference_p_value(double difference, double deviation)
{
    if (difference == 0)
        return 1;
    return deviation > 0 ? erfc(fabs(difference) / deviation * M_SQRT1_2) : 0;
}

double difference_spread(const double *a, const double *b, size_t count, double *differences)
{
    for (size_t r = 0; r < count; r++)
        differences[r] = a[r] - b[r];
    double deviation = deviation_of(differences, count);
    return deviation <= ROUNDING * (fabs(*a) + fabs(*b)) ? 0 : deviation;
}

typedef struct workspace {
    double *reference;      /* source_count x count: the reference's part of the resamples */
    double *differences;    /* count */
    double *largest;        /* count: the largest studentised difference of each resample */
    certainty_pair **order; /* by p value */
} workspace;

/* How many reference rows would tell the pair apart, were the sources' rows the same. */
static double rows_needed(const certainty_input *in, const resamples *all, const certainty_pair *pair, workspace *work)
{
    size_t a = pair->first, b = pair->second;
    double gap = fabs(pair->difference), rows = (double)in->reference_rows;
    double variance = all->refit_variance[a] + all->refit_variance[b];
    if (gap == 0 || SIGNIFICANT * sqrt(isnan(variance) ? 0 : variance) >= gap)
        return INFINITY;
    double spread = difference_spread(work->reference + a * all->count, work->reference + b * all->count, all->count,
                                      work->differences);
    double per_row = sqrt(rows) * spread, needed = ceil(pow(TOLD_APART * per_row / gap, 2));
    /* Rows that are there already and did not do: it is the sources' own that leave the difference open. */
    return needed > rows || isnan(variance) ? needed : INFINITY;
}

static void judge_pair(const resamples *all, certainty_pair *pair, workspace *work)
{
    size_t a = pair->first, b = pair->second, count = all->count;
    *pair = (certainty_pair){.first = a,
                             .second = b,
                             .difference = difference_of(all->corrected[a], all->corrected[b]),
                             .deviation = NAN,
                             .p_value = 1,
                             .rows_needed = NAN};
    if (!all->known[a] || !all->known[b])
        return;
    pair->deviation = difference_spread(resamples_of(all, a), resamples_of(all, b), count, work->differences);
    pair->p_value = difference_p_value(pair->difference, pair->deviation);
    if (!(pair->deviation > 0))
        return;
    double centre = pair->difference, scale = 1 / pair->deviation, *largest = work->largest;
#pragma omp simd
    for (size_t r = 0; r < count; r++) {
        double studentised = fabs(work->differences[r] - centre) * scale;
        largest[r] = largest[r] > studentised ? largest[r] : studentised;
    }
}

static int by_p_value(const void *left, const void *right)
{
    double a = (*(certainty_pair *const *)left)->p_value, b = (*(certainty_pair *const *)right)->p_value;
    return (a > b) - (a < b);
}

/* Holm's step-down: the j-th smallest of m is multiplied by m - j + 1, and never less than those before it. */
static void correct_for_many(certainty_pair **order, size_t count)
{
    double before = 0;
    qsort(order, count, sizeof *order, by_p_value);
    for (size_t j = 0; j < count; j++) {
        before = fmax(before, fmin(1, order[j]->p_value * (double)(count - j)));
        order[j]->p_value = before;
    }
}

/* Every scored source may hold every rank, but for those that surely come before it or after. */
static void all_ranks(const certainty_input *in, certainty *result)
{
    size_t scored = 0;
    for (size_t s = 0; s < in->source_count; s++)
        scored += !isnan(in->scores[s]);
    for (size_t s = 0; s < in->source_count; s++) {
        result->sources[s].rank_best = isnan(in->scores[s]) ? 0 : 1;
        result->sources[s].rank_worst = isnan(in->scores[s]) ? 0 : scored;
    }
}

static void rank_before(certainty *result, size_t better, size_t worse)
{
    result->sources[better].rank_worst--;
    result->sources[worse].rank_best++;
}

static void infinite_ranks(const certainty_input *in, certainty *result)
{
    for (size_t a = 0; a < in->source_count; a++)
        for (size_t b = 0; b < in->source_count; b++)
            if ((isinf(in->scores[a]) || isinf(in->scores[b])) && in->scores[a] > in->scores[b])
                rank_before(result, a, b);
}

static bool workspace_create(const certainty_input *in, const resamples *all, size_t pair_count, workspace *work)
{
    *work = (workspace){.reference = memory_zeroed(all->source_count, all->count * sizeof *work->reference),
                        .differences = memory_array(all->count, sizeof *work->differences),
                        .largest = memory_zeroed(all->count, sizeof *work->largest),
                        .order = memory_array(pair_count, sizeof *work->order)};
    if (!work->reference || !work->differences || !work->largest || !work->order)
        return false;
    for (size_t s = 0; s < all->source_count; s++)
        if (all->known[s])
            resamples_reference(in, all, s, work->reference + s * all->count);
    return true;
}

gbv_status pairs_judge(const certainty_input *in, const resamples *all, certainty *result, gbv_error *error)
{
    size_t sources = in->source_count, most = sources ? sources * (sources - 1) / 2 : 0;
    workspace work;
    gbv_status status = GBV_OK;
    result->pairs = memory_array(most, sizeof *result->pairs);
    if (!workspace_create(in, all, most, &work) || !result->pairs) {
        status = error_out_of_memory(error, "the pairs of sources");
        goto done;
    }
    for (size_t a = 0; a < sources; a++)
        for (size_t b = a + 1; b < sources; b++)
            if (isfinite(in->scores[a]) && isfinite(in->scores[b])) {
                certainty_pair *pair = work.order[result->pair_count] = &result->pairs[result->pair_count];
                result->pair_count++;
                *pair = (certainty_pair){.first = a, .second = b};
                judge_pair(all, pair, &work);
            }
    correct_for_many(work.order, result->pair_count);
    double critical = all->count ? quantile_of(work.largest, all->count, in->level) : INFINITY;
    all_ranks(in, result);
    infinite_ranks(in, result);
    for (size_t p = 0; p < result->pair_count; p++) {
        certainty_pair *pair = &result->pairs[p];
        size_t a = pair->first, b = pair->second;
        if (isnan(pair->deviation))
            continue;
        pair->distinguishable =
            pair->p_value <= FAMILY_ERROR && result->sources[a].refitted && result->sources[b].refitted;
        if (!pair->distinguishable)
            pair->rows_needed = rows_needed(in, all, pair, &work);
        if (fabs(pair->difference) > critical * pair->deviation)
            rank_before(result, pair->difference > 0 ? a : b, pair->difference > 0 ? b : a);
    }
done:
    free(work.reference);
    free(work.differences);
    free(work.largest);
    free(work.order);
    return status;
}
