#include "value/resamples.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

/* Of the replicates of a source that gets an interval. */
static const double LEAST_DEFINED = 0.95;

static int upwards(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

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

static double between(const double *sorted, size_t count, double share)
{
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double quantile_of(double *values, size_t count, double share)
{
    qsort(values, count, sizeof *values, upwards);
    return between(values, count, share);
}

certainty_interval interval_of(double *values, size_t count, double level)
{
    qsort(values, count, sizeof *values, upwards);
    return (certainty_interval){between(values, count, (1 - level) / 2), between(values, count, (1 + level) / 2)};
}

/* The mean of the numbers that are finite, and how many those are. */
static double mean_of_finite(const double *values, size_t count, size_t *finite)
{
    double sum = 0;
    *finite = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i])) {
            sum += values[i];
            ++*finite;
        }
    return sum / (double)*finite;
}

void resamples_reference(const certainty_input *in, const resamples *all, size_t source, double *moved)
{
    const double *replicates = in->replicates + source * in->replicate_count;
    double shift = 2 * (all->corrected[source] - in->scores[source]); /* -2(b - t), since corrected - t = t - b */
    for (size_t r = 0; r < all->count; r++)
        moved[r] = isfinite(replicates[r]) ? replicates[r] + shift : all->corrected[source];
}

/* Adds to each resample the deviation of a refit from the refits' mean. Every refit serves once before any serves
 * again, so that their spread carries over undiminished by chance; sqrt(R/(R-1)) makes up for the mean being theirs. */
static void add_refits(const certainty_input *in, size_t source, double *deviations, size_t *order, resamples *all)
{
    const double *refits = in->refits + source * in->refit_count;
    size_t count = 0;
    double mean = mean_of_finite(refits, in->refit_count, &count);
    if (count < 2 || 2 * count < in->refit_count)
        return;
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
    size_t defined = 0;
    double mean = mean_of_finite(in->replicates + source * in->replicate_count, in->replicate_count, &defined);
    all->known[source] =
        isfinite(score) && defined >= 2 && (double)defined >= LEAST_DEFINED * (double)in->replicate_count;
    all->refit_variance[source] = NAN;
    if (!all->known[source]) {
        all->corrected[source] = score;
        for (size_t r = 0; r < all->count; r++)
            joint[r] = score;
        return;
    }
    all->corrected[source] = 2 * score - mean;
    resamples_reference(in, all, source, joint);
    add_refits(in, source, deviations, order, all);
}

gbv_status resamples_create(const certainty_input *in, resamples *all, gbv_error *error)
{
    size_t sources = in->source_count;
    *all = (resamples){.source_count = sources, .count = in->replicate_count};
    double *deviations = memory_array(in->refit_count, sizeof *deviations);
    size_t *order = memory_array(in->refit_count, sizeof *order);
    gbv_status status = GBV_OK;
    all->joint = memory_array(sources, all->count * sizeof *all->joint);
    all->corrected = memory_array(sources, sizeof *all->corrected);
    all->known = memory_array(sources, sizeof *all->known);
    all->refit_variance = memory_array(sources, sizeof *all->refit_variance);
    if (!deviations || !order || !all->joint || !all->corrected || !all->known || !all->refit_variance) {
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
    free(all->known);
    free(all->refit_variance);
    *all = (resamples){0};
}
