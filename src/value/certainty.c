#include "value/certainty.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "value/groups.h"
#include "value/pairs.h"
#include "value/resamples.h"

static const certainty_interval NO_INTERVAL = {NAN, NAN};

static void source_intervals(const certainty_input *in, const resamples *all, double *room, certainty *result)
{
    result->refitted = true;
    for (size_t s = 0; s < all->source_count; s++) {
        certainty_source *one = &result->sources[s];
        *one = (certainty_source){.corrected = all->corrected[s],
                                  .model = NO_INTERVAL,
                                  .source = NO_INTERVAL,
                                  .posterior = NO_INTERVAL,
                                  .deviation = NAN,
                                  .p_best = NAN,
                                  .refitted = !isnan(all->refit_variance[s])};
        if (!isnan(in->scores[s]))
            result->refitted &= one->refitted;
        if (!all->known[s])
            continue;
        resamples_reference(in, all, s, room);
        one->model = interval_of(room, all->count, in->level);
        memcpy(room, resamples_of(all, s), all->count * sizeof *room);
        one->deviation = deviation_of(room, all->count);
        one->source = interval_of(room, all->count, in->level);
    }
}

/* Shares of the resamples, source by source so that memory is read in order. */
static gbv_status chances_of_best(const certainty_input *in, const resamples *all, certainty *result, gbv_error *error)
{
    double *best = memory_array(all->count, sizeof *best), *ties = memory_zeroed(all->count, sizeof *ties);
    gbv_status status = GBV_OK;
    if (!best || !ties) {
        status = error_out_of_memory(error, "the chances of being best");
        goto done;
    }
    for (size_t r = 0; r < all->count; r++)
        best[r] = -INFINITY;
    for (size_t s = 0; s < all->source_count; s++) /* an undefined score is never the larger */
        for (size_t r = 0; r < all->count; r++)
            best[r] = fmax(best[r], resamples_of(all, s)[r]);
    for (size_t s = 0; s < all->source_count; s++)
        for (size_t r = 0; r < all->count; r++)
            ties[r] += resamples_of(all, s)[r] == best[r];
    for (size_t s = 0; s < all->source_count && all->count; s++) {
        double share = 0;
        for (size_t r = 0; r < all->count; r++)
            if (resamples_of(all, s)[r] == best[r])
                share += 1 / ties[r];
        if (!isnan(in->scores[s]))
            result->sources[s].p_best = share / (double)all->count;
    }
done:
    free(best);
    free(ties);
    return status;
}

/* Before their posteriors take their place. */
static gbv_status keep(const resamples *all, certainty *result, gbv_error *error)
{
    size_t numbers = all->source_count * all->count;
    if (!(result->resamples = memory_array(numbers, sizeof *result->resamples)))
        return error_out_of_memory(error, "the resampled scores");
    memcpy(result->resamples, all->joint, numbers * sizeof *result->resamples);
    result->resample_count = all->count;
    return GBV_OK;
}

/* The posterior of each resample takes its place, which nobody needs any more. */
static gbv_status posterior_intervals(const certainty_input *in, resamples *all, certainty *result, gbv_error *error)
{
    size_t sources = all->source_count;
    double *scores = memory_array(sources, sizeof *scores), *posterior = memory_array(sources, sizeof *posterior);
    gbv_posterior_options options = in->posterior;
    gbv_status status = GBV_OK;
    options.undefined_as_zero = true;
    if (!scores || !posterior) {
        status = error_out_of_memory(error, "the resampled weights");
        goto done;
    }
    for (size_t r = 0; r < all->count && status == GBV_OK; r++) {
        for (size_t s = 0; s < sources; s++)
            scores[s] = resamples_of(all, s)[r];
        status = gbv_posterior(scores, in->prior, sources, &options, posterior, NULL, error);
        for (size_t s = 0; s < sources && status == GBV_OK; s++)
            resamples_of(all, s)[r] = posterior[s];
    }
    if (status == GBV_UNDEFINED) { /* no source that may have weight has a score: there are no weights to be sure of */
        status = GBV_OK;
        goto done;
    }
    for (size_t s = 0; s < sources && status == GBV_OK; s++)
        if (all->known[s])
            result->sources[s].posterior = interval_of(resamples_of(all, s), all->count, in->level);
done:
    free(scores);
    free(posterior);
    return status;
}

gbv_status certainty_compute(const certainty_input *in, certainty *result, gbv_error *error)
{
    resamples all = {0};
    *result = (certainty){.source_count = in->source_count};
    if (in->source_count == 0)
        return error_set(error, GBV_USAGE, "there are no sources to be certain of: give at least one");
    if (!(in->level > 0 && in->level < 1))
        return error_set(error, GBV_USAGE, "the level of the intervals is %g; it must lie between 0 and 1", in->level);
    double *room = memory_array(in->replicate_count, sizeof *room);
    result->sources = memory_zeroed(in->source_count, sizeof *result->sources);
    gbv_status status = GBV_OK;
    if (!room || !result->sources) {
        status = error_out_of_memory(error, "the intervals");
        goto done;
    }
    status = resamples_create(in, &all, error);
    if (status != GBV_OK)
        goto done;
    source_intervals(in, &all, room, result);
    status = chances_of_best(in, &all, result, error);
    if (status == GBV_OK)
        status = in->source_count > CERTAINTY_PAIRED_SOURCES ? groups_find(in, &all, result, error)
                                                             : pairs_judge(in, &all, result, error);
    if (status == GBV_OK && in->keep_resamples)
        status = keep(&all, result, error);
    if (status == GBV_OK)
        status = posterior_intervals(in, &all, result, error);
done:
    free(room);
    resamples_free(&all);
    if (status != GBV_OK)
        certainty_free(result);
    return status;
}

void certainty_free(certainty *result)
{
    free(result->sources);
    free(result->pairs);
    free(result->resamples);
    *result = (certainty){0};
}
