#include "value/resamples.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/select.h"

/* Of the pairs of replicates of a source that gets an interval. */
static const double LEAST_DEFINED = 0.95;

double deviation_of(const double *values, size_t count)
{
    double sum = 0, squares = 0;
    if (count < 2)
        return NAN;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    double mean = sum / (double)count;
#pragma omp simd reduction(+ : squares)
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return sqrt(squares / (double)(count - 1));
}

quantile_place quantile_find(double *values, size_t count, double share)
{
    double place = share * (double)(count - 1), above = INFINITY;
    size_t below = (size_t)place, larger = count - 1 - below; /* values above the one at `below`, were they sorted */
    select_largest(values, count, larger + 1);
    for (size_t i = 0; i < larger; i++)
        above = fmin(above, values[i]);
    return (quantile_place){values[larger], larger ? above : values[larger], place - (double)below};
}

double quantile_of(double *values, size_t count, double share)
{
    quantile_place q = quantile_find(values, count, share);
    return q.below + q.part * (q.above - q.below);
}

certainty_interval interval_of(double *values, size_t count, double level)
{
    double low = quantile_of(values, count, (1 - level) / 2);
    return (certainty_interval){low, quantile_of(values, count, (1 + level) / 2)};
}

/* NaN when either replicate is undefined. */
static mirrored mirrored_at(const certainty_input *in, size_t source, size_t pair)
{
    const double *b = in->replicates + source * in->replicate_count + 2 * pair;
    if (!isfinite(b[0]) || !isfinite(b[1]))
        return (mirrored){NAN, NAN};
    return (mirrored){(b[0] - b[1]) / 2 / in->step, ((b[0] + b[1]) / 2 - in->scores[source]) / (in->step * in->step)};
}

void resamples_reference(const certainty_input *in, const resamples *all, size_t source, double *moved)
{
    double centre = all->corrected[source], bias = all->bias[source];
    mirrored share = all->share[source];
    for (size_t pair = 0; pair < all->count / 2; pair++) {
        mirrored m = mirrored_at(in, source, pair);
        double part = isnan(m.odd) ? 0 : share.odd * m.odd + share.even * (m.even - bias);
        moved[2 * pair] = centre + part;
        moved[2 * pair + 1] = centre - part;
    }
}

/* Finds the bias and how much of either part is chance's; false when too few pairs are defined. A score of second order
 * alone has odd parts of twice the variance of its even ones, and varies itself as the latter do. */
static bool judge_replicates(const certainty_input *in, size_t source, size_t pairs, resamples *all)
{
    double bias = 0, odd = 0, even = 0;
    size_t defined = 0;
    for (size_t pair = 0; pair < pairs; pair++) {
        mirrored m = mirrored_at(in, source, pair);
        if (isnan(m.odd))
            continue;
        bias += m.even;
        odd += m.odd * m.odd;
        defined++;
    }
    if (defined < 2 || (double)defined < LEAST_DEFINED * (double)pairs)
        return false;
    bias /= (double)defined;
    odd /= (double)defined;
    for (size_t pair = 0; pair < pairs; pair++) {
        double deviation = mirrored_at(in, source, pair).even - bias;
        if (!isnan(deviation))
            even += deviation * deviation / (double)(defined - 1);
    }
    all->bias[source] = bias;
    if (in->at_these_rows) /* what is not corrected varies with all of its parts */
        all->share[source] = (mirrored){1, 1};
    else if (odd >= 2 * even)
        all->share[source] = (mirrored){odd > 0 ? sqrt(1 - even / odd) : 1, 0};
    else
        all->share[source] = (mirrored){M_SQRT1_2, sqrt(1 - odd / even / 2)};
    return true;
}

/* Adds to each resample the deviation of a refit from the refits' mean. Every refit serves once before any serves
 * again, so that their spread carries over undiminished by chance; sqrt(R/(R-1)) makes up for the mean being theirs. */
static void add_refits(const certainty_input *in, size_t source, double *deviations, size_t *order, resamples *all)
{
    const double *refits = in->refits + source * in->refit_count;
    size_t count = 0;
    double mean = 0;
    for (size_t j = 0; j < in->refit_count; j++)
        if (isfinite(refits[j])) {
            mean += refits[j];
            count++;
        }
    if (count < 2 || 2 * count < in->refit_count)
        return;
    mean /= (double)count;
    double scale = sqrt((double)count / (double)(count - 1)), variance = 0;
    size_t used = 0;
    for (size_t j = 0; j < in->refit_count; j++)
        if (isfinite(refits[j])) {
            deviations[used] = scale * (refits[j] - mean);
            variance += deviations[used] * deviations[used] / (double)count;
            used++;
        }
    all->refit_variance[source] = variance;
    random_stream stream = random_stream_open(in->seed, in->names[source], RANDOM_REFIT);
    double *joint = resamples_of(all, source);
    for (size_t r = 0; r < all->count; r++) {
        if (r % count == 0) {
            for (size_t j = 0; j < count; j++)
                order[j] = j;
            random_shuffle(&stream, order, count);
        }
        joint[r] += deviations[order[r % count]];
    }
}

static void resample_source(const certainty_input *in, size_t source, double *deviations, size_t *order, resamples *all)
{
    double score = in->scores[source], *joint = resamples_of(all, source);
    all->known[source] = isfinite(score) && judge_replicates(in, source, all->count / 2, all);
    all->refit_variance[source] = NAN;
    if (all->known[source]) {
        all->corrected[source] = score - (in->at_these_rows ? 0 : all->bias[source]);
        resamples_reference(in, all, source, joint);
        add_refits(in, source, deviations, order, all);
        return;
    }
    all->corrected[source] = score;
    for (size_t r = 0; r < all->count; r++)
        joint[r] = score;
}

gbv_status resamples_create(const certainty_input *in, resamples *all, gbv_error *error)
{
    size_t sources = in->source_count;
    *all = (resamples){.source_count = sources, .count = in->replicate_count / 2 * 2};
    double *deviations = memory_array(in->refit_count, sizeof *deviations);
    size_t *order = memory_array(in->refit_count, sizeof *order);
    gbv_status status = GBV_OK;
    all->joint = memory_array(sources, all->count * sizeof *all->joint);
    all->corrected = memory_array(sources, sizeof *all->corrected);
    all->bias = memory_array(sources, sizeof *all->bias);
    all->share = memory_array(sources, sizeof *all->share);
    all->known = memory_array(sources, sizeof *all->known);
    all->refit_variance = memory_array(sources, sizeof *all->refit_variance);
    if (!deviations || !order || !all->joint || !all->corrected || !all->bias || !all->share || !all->known ||
        !all->refit_variance) {
        status = error_out_of_memory(error, "the resampled scores");
        resamples_free(all);
        goto done;
    }
    for (size_t s = 0; s < sources; s++)
        resample_source(in, s, deviations, order, all);
done:
    free(deviations);
    free(order);
    return status;
}

void resamples_free(resamples *all)
{
    free(all->joint);
    free(all->corrected);
    free(all->bias);
    free(all->share);
    free(all->known);
    free(all->refit_variance);
    *all = (resamples){0};
}
