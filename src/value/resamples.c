#include "value/resamples.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

/* Of the pairs of replicates of a source that gets an interval. */
static const double LEAST_DEFINED = 0.95;
/* Of the variance of the odd parts: a score that varies in second order only keeps half of it. */
static const double LEAST_KEPT = 0.5;

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

/* What one pair of replicates says; NaN when either is undefined. */
typedef struct mirrored {
    double odd, even;
} mirrored;

static mirrored mirrored_at(const certainty_input *in, size_t source, size_t pair)
{
    const double *b = in->replicates + source * in->replicate_count + 2 * pair;
    if (!isfinite(b[0]) || !isfinite(b[1]))
        return (mirrored){NAN, NAN};
    return (mirrored){(b[0] - b[1]) / 2 / in->step, ((b[0] + b[1]) / 2 - in->scores[source]) / (in->step * in->step)};
}

void resamples_reference(const certainty_input *in, const resamples *all, size_t source, double *moved)
{
    for (size_t pair = 0; pair < all->count / 2; pair++) {
        double odd = mirrored_at(in, source, pair).odd, part = isnan(odd) ? 0 : all->share[source] * odd;
        moved[2 * pair] = all->corrected[source] + part;
        moved[2 * pair + 1] = all->corrected[source] - part;
    }
}

/* Corrects the score and finds how much of the odd parts is chance's; false when too few pairs are defined. */
static bool correct(const certainty_input *in, size_t source, size_t pairs, resamples *all)
{
    double even = 0, even_squares = 0, odd_squares = 0;
    size_t defined = 0;
    for (size_t pair = 0; pair < pairs; pair++) {
        mirrored m = mirrored_at(in, source, pair);
        if (isnan(m.odd))
            continue;
        even += m.even;
        odd_squares += m.odd * m.odd;
        defined++;
    }
    if (defined < 2 || (double)defined < LEAST_DEFINED * (double)pairs)
        return false;
    even /= (double)defined;
    for (size_t pair = 0; pair < pairs; pair++) {
        double deviation = mirrored_at(in, source, pair).even - even;
        if (!isnan(deviation))
            even_squares += deviation * deviation;
    }
    double odd_variance = odd_squares / (double)defined, even_variance = even_squares / (double)(defined - 1);
    double kept = odd_variance > 0 ? (odd_variance - even_variance) / odd_variance : 1;
    all->share[source] = sqrt(fmax(kept, LEAST_KEPT));
    all->corrected[source] = in->scores[source] - (in->at_these_rows ? 0 : even);
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
    all->known[source] = isfinite(score) && correct(in, source, all->count / 2, all);
    all->refit_variance[source] = NAN;
    if (all->known[source]) {
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
    all->share = memory_array(sources, sizeof *all->share);
    all->known = memory_array(sources, sizeof *all->known);
    all->refit_variance = memory_array(sources, sizeof *all->refit_variance);
    if (!deviations || !order || !all->joint || !all->corrected || !all->share || !all->known || !all->refit_variance) {
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
    free(all->share);
    free(all->known);
    free(all->refit_variance);
    *all = (resamples){0};
}
