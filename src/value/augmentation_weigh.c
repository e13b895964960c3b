/* augmentation_weigh.c - from the scores of augmentors to their probabilities (paper, Eq. 5), with the filter of the
 * authors' program, and how sure both are when a subset of the images was scored. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "measure/leep.h"
#include "value/augmentation.h"
#include "value/posterior.h"
#include "value/resamples.h"

static const double LEVEL = 0.9;

/* Whether fewer than k of the operator's magnitudes score better; of equal ones the earlier is better. An undefined
 * score is worse than any. */
static bool is_kept(const gbv_policy_entry *entries, size_t count, size_t index, size_t top_k)
{
    const gbv_policy_entry *own = &entries[index];
    double mine = isnan(own->score) ? -INFINITY : own->score;
    size_t better = 0;
    for (size_t i = 0; i < count; i++) {
        double other = isnan(entries[i].score) ? -INFINITY : entries[i].score;
        if (entries[i].augmentor.op == own->augmentor.op)
            better += other > mine || (other == mine && i < index);
    }
    return top_k == 0 || better < top_k;
}

/* Over what is kept. */
static void set_priors(gbv_augment_prior prior, gbv_policy_entry *entries, const bool *kept, size_t count)
{
    size_t operators = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        bool first = kept[i];
        for (size_t j = 0; j < i && first; j++)
            first = !kept[j] || entries[j].augmentor.op != entries[i].augmentor.op;
        operators += first;
        all += kept[i];
    }
    for (size_t i = 0; i < count; i++) {
        size_t own = 0;
        for (size_t j = 0; j < count; j++)
            own += kept[j] && entries[j].augmentor.op == entries[i].augmentor.op;
        entries[i].prior = !kept[i]                            ? 0
                           : prior == GBV_PRIOR_EACH_AUGMENTOR ? 1 / (double)all
                                                               : 1 / (double)operators / (double)own;
    }
}

gbv_status augmentation_weigh(const augmentation_weighing *how, gbv_policy_entry *entries, size_t count,
                              double *inverse_tau, gbv_error *error)
{
    bool *kept = memory_array(count, sizeof *kept);
    double *numbers = memory_array(count, 3 * sizeof *numbers);
    gbv_posterior_options options = how->posterior;
    size_t weighed = 0;
    gbv_status status = kept && numbers ? GBV_OK : error_out_of_memory(error, "the weights of augmentors");
    if (status != GBV_OK)
        goto done;
    double *scores = numbers, *prior = numbers + count, *posterior = numbers + 2 * count;
    for (size_t i = 0; i < count; i++)
        kept[i] = is_kept(entries, count, i, how->top_k);
    set_priors(how->prior, entries, kept, count);
    for (size_t i = 0; i < count; i++)
        if (kept[i]) {
            scores[weighed] = entries[i].score;
            prior[weighed++] = entries[i].prior;
        }
    options.undefined_as_zero = true;
    status = gbv_posterior(scores, prior, weighed, &options, posterior, NULL, error);
    for (size_t i = 0, n = 0; i < count && status == GBV_OK; i++)
        entries[i].probability = kept[i] ? posterior[n++] : 0;
    if (status == GBV_OK && inverse_tau)
        *inverse_tau = posterior_inverse_tau(options.tau_mode, options.tau, weighed);
done:
    free(kept);
    free(numbers);
    return status;
}

/* What else the scores of all images might be, from those of the subset: entries x resamples. Of all images the bias is
 * smaller by the share n/N, and what chance did to the subset by the square root of what is left. Leep has lost its
 * bias already; which part of the step that takes is not well known, so that any may be. */
static gbv_status resample_scores(const augmentation *a, const gbv_policy *policy, resamples *all, gbv_error *error)
{
    size_t draws = a->draws.count, entries = policy->count;
    double *scores = memory_array(entries, sizeof *scores), *replicates = memory_array(entries, draws * sizeof *scores);
    double left = 1 - (double)a->count / (double)gbv_dataset_rows(a->images);
    bool is_leep = a->measure == gbv_measure_find("leep");
    gbv_status status = scores && replicates ? GBV_OK : error_out_of_memory(error, "the resampled scores");
    for (size_t i = 0; i < entries && status == GBV_OK; i++) {
        const evaluation *e = augmentation_find(a, &policy->entries[i].augmentor);
        scores[i] = e->score;
        for (size_t r = 0; r < draws; r++)
            replicates[i * draws + r] = e->replicates[r];
    }
    if (status == GBV_OK) {
        replicate_kind kind = is_leep ? (replicate_kind){.step = 1}
                                      : measure_replicate_kind(a->measure->name, *a->variant ? a->variant : NULL);
        status = resamples_create(&(certainty_input){.source_count = entries,
                                                     .scores = scores,
                                                     .replicates = replicates,
                                                     .replicate_count = draws,
                                                     .step = kind.step,
                                                     .at_these_rows = kind.at_these_rows,
                                                     .level = LEVEL},
                                  all, error);
    }
    for (size_t i = 0; i < entries && status == GBV_OK; i++) {
        const evaluation *e = augmentation_find(a, &policy->entries[i].augmentor);
        double bias = is_leep ? 0 : scores[i] - all->corrected[i], *mine = resamples_of(all, i);
        random_stream parts = random_stream_open_draw(a->options->seed, "part of a step", RANDOM_DRAW, (uint32_t)i);
        for (size_t r = 0; r < all->count && all->known[i]; r++) {
            double part = (random_uniform(&parts) - 0.5) * (1 - LEEP_LEAST_PART);
            mine[r] = scores[i] - left * bias + sqrt(left) * (mine[r] - all->corrected[i]) + part * e->step;
        }
    }
    free(scores);
    free(replicates);
    return status;
}

/* The posterior of every resample takes the place of its scores. `*changed` gets how many of the `top` most probable
 * entries are not among those of a resample, on average. */
static gbv_status weigh_resamples(const augmentation_weighing *how, const gbv_policy *policy, size_t top,
                                  resamples *all, double *changed, gbv_error *error)
{
    gbv_policy_entry *entries = memory_array(policy->count, sizeof *entries);
    gbv_status status = entries ? GBV_OK : error_out_of_memory(error, "the weights of augmentors");
    *changed = 0;
    for (size_t r = 0; r < all->count && status == GBV_OK; r++) {
        for (size_t i = 0; i < policy->count; i++) {
            entries[i] = policy->entries[i];
            entries[i].score = resamples_of(all, i)[r];
        }
        status = augmentation_weigh(how, entries, policy->count, NULL, error);
        for (size_t i = 0; i < policy->count && status == GBV_OK; i++) {
            size_t before = 0, now = 0;
            for (size_t j = 0; j < policy->count; j++) {
                before += policy->entries[j].probability > policy->entries[i].probability;
                now += entries[j].probability > entries[i].probability;
            }
            *changed += before < top && now >= top ? 1 / (double)all->count : 0;
        }
        for (size_t i = 0; i < policy->count; i++)
            resamples_of(all, i)[r] = entries[i].probability;
    }
    free(entries);
    return status;
}

gbv_status augmentation_intervals(const augmentation *a, const augmentation_weighing *how, gbv_policy *policy,
                                  gbv_error *error)
{
    enum { TOP = 10 };
    resamples all = {0};
    double changed = 0, *widths = memory_array(policy->count, sizeof *widths);
    size_t known = 0, top = policy->count < TOP ? policy->count : TOP;
    gbv_status status = widths ? resample_scores(a, policy, &all, error) : error_out_of_memory(error, "the intervals");
    double *copy = status == GBV_OK ? memory_array(all.count, sizeof *copy) : NULL;
    if (status == GBV_OK && !copy)
        status = error_out_of_memory(error, "the intervals");
    for (size_t i = 0; i < policy->count && status == GBV_OK; i++) {
        if (!all.known[i])
            continue;
        for (size_t r = 0; r < all.count; r++)
            copy[r] = resamples_of(&all, i)[r];
        certainty_interval score = interval_of(copy, all.count, LEVEL);
        policy->entries[i].score_low = score.low;
        policy->entries[i].score_high = score.high;
        widths[known++] = (score.high - score.low) / 2;
    }
    if (status == GBV_OK && known)
        status = weigh_resamples(how, policy, top, &all, &changed, error);
    for (size_t i = 0; i < policy->count && status == GBV_OK && known; i++) {
        certainty_interval p = interval_of(resamples_of(&all, i), all.count, LEVEL);
        policy->entries[i].probability_low = p.low;
        policy->entries[i].probability_high = p.high;
    }
    if (status == GBV_OK && known) {
        policy->replicates = a->draws.count;
        status =
            policy_add_warning(policy, error,
                               "%zu of %zu images were scored: a score is known to within %.2g, typically, and of "
                               "the %zu most probable augmentors %.1f would be others, on average, had all been",
                               a->count, gbv_dataset_rows(a->images), quantile_of(widths, known, 0.5), top, changed);
    }
    resamples_free(&all);
    free(copy);
    free(widths);
    return status;
}
