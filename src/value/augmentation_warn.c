/* augmentation_warn.c - what a user should know before trusting the probabilities of augmentors. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sentence.h"
#include "value/augmentation.h"
#include "value/resamples.h"

gbv_status policy_add_warning(gbv_policy *policy, gbv_error *error, const char *format, ...)
{
    va_list arguments;
    char *text = NULL, **grown = realloc(policy->warnings, (policy->warning_count + 1) * sizeof *grown);
    if (!grown)
        return error_out_of_memory(error, "a warning");
    policy->warnings = grown;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return error_out_of_memory(error, "a warning");
    policy->warnings[policy->warning_count++] = text;
    return GBV_OK;
}

static gbv_status warn_undefined(const augmentation *a, gbv_policy *policy, gbv_error *error)
{
    enum { NAMED = 3 };
    sentence names = {0};
    size_t count = 0;
    const char *reason = "";
    for (size_t i = 0; i < policy->count; i++) {
        const gbv_policy_entry *e = &policy->entries[i];
        char magnitude[NUMBER_TEXT];
        if (!isnan(e->score))
            continue;
        if (count++ < NAMED)
            sentence_add(&names, "%s%s %s", count > 1 ? ", " : "", e->augmentor.op->name,
                         number_format(e->augmentor.magnitude, magnitude));
        reason = augmentation_find(a, &e->augmentor)->reason;
    }
    return count
               ? policy_add_warning(policy, error, "%zu of %zu augmentors have no score and are never drawn (%s%s): %s",
                                    count, policy->count, names.text, count > NAMED ? ", ..." : "", reason)
               : GBV_OK;
}

/* The standard error of a score beside the mean of all, typically: the images are the same, so that what they have in
 * common drops out. NaN where the measure has no row terms. */
static double paired_error(const augmentation *a)
{
    size_t groups = a->count < EVALUATION_GROUPS ? a->count : EVALUATION_GROUPS, used = 0;
    double deviations[EVALUATION_GROUPS], *errors = memory_array(a->known_count, sizeof *errors);
    double centre[EVALUATION_GROUPS] = {0}, typical = NAN;
    size_t scored = 0;
    for (size_t i = 0; i < a->known_count; i++) {
        bool known = isfinite(a->known[i].score) && !isnan(a->known[i].means[0]);
        for (size_t g = 0; g < groups && known; g++)
            centre[g] += a->known[i].means[g];
        scored += known;
    }
    for (size_t i = 0; i < a->known_count && errors && scored > 1 && groups > 2; i++) {
        if (!isfinite(a->known[i].score) || isnan(a->known[i].means[0]))
            continue;
        for (size_t g = 0; g < groups; g++)
            deviations[g] = a->known[i].means[g] - centre[g] / (double)scored;
        errors[used++] = deviation_of(deviations, groups) / sqrt((double)groups);
    }
    if (used)
        typical = quantile_of(errors, used, 0.5);
    free(errors);
    return typical;
}

static gbv_status warn_spread(const augmentation *a, gbv_policy *policy, gbv_error *error)
{
    double least = INFINITY, most = -INFINITY, noise = paired_error(a);
    for (size_t i = 0; i < policy->count; i++)
        if (isfinite(policy->entries[i].score)) {
            least = fmin(least, policy->entries[i].score);
            most = fmax(most, policy->entries[i].score);
        }
    if (most <= least)
        return policy_add_warning(
            policy, error,
            "all augmentors have the same score, so that the policy is the prior: the model or the "
            "measure tells nothing about these images; try another");
    if (most - least <= 2 * noise * sqrt(2 * log((double)policy->count)))
        return policy_add_warning(
            policy, error,
            "the scores spread over %.2g, no more than chance explains (a score is known to %.2g): "
            "the policy is hardly better than its prior; use more images",
            most - least, noise);
    return GBV_OK;
}

/* Augmentors that change nothing share one score; when it is the best, much of the training is without augmentation. */
static gbv_status warn_identities(const augmentation *a, gbv_policy *policy, gbv_error *error)
{
    const evaluation *unchanged = augmentation_find(a, &(gbv_augmentor){0});
    size_t count = 0, better = 0;
    double share = 0;
    for (size_t i = 0; i < policy->count && unchanged; i++) {
        const gbv_policy_entry *e = &policy->entries[i];
        bool same = augmentation_find(a, &e->augmentor) == unchanged;
        count += same && e->probability > 0;
        share += same ? e->probability : 0;
        better += !same && e->probability > 0 && e->score > unchanged->score;
    }
    if (count < 2 || better > 0)
        return GBV_OK;
    return policy_add_warning(policy, error,
                              "the best score is that of the images as they are, which %zu augmentors leave them: "
                              "%.0f %% of the visits will change nothing",
                              count, 100 * share);
}

/* LEEP predicts the label of an image by a table that the image itself is in. Of few images and many columns that is
 * most of the score, and more so the more an augmentor scatters what the model says: an order that does not outlive
 * leaving each image out of its own table is no order of augmentors. */
static gbv_status warn_remembered(const augmentation *a, gbv_policy *policy, gbv_error *error)
{
    enum { TOP = 10 };
    const evaluation *best = NULL;
    size_t judged = 0, gone = 0;
    for (size_t i = 0; i < a->known_count; i++) {
        const evaluation *e = &a->known[i];
        size_t better = 0, better_left_out = 0;
        if (isnan(e->left_out))
            continue;
        for (size_t j = 0; j < a->known_count; j++) {
            better += a->known[j].score > e->score;
            better_left_out += a->known[j].left_out > e->left_out;
        }
        judged++;
        gone += better < TOP && better_left_out >= TOP;
        best = better == 0 ? e : best;
    }
    if (judged < 2 * TOP || 2 * gone < TOP || !best)
        return GBV_OK;
    return policy_add_warning(
        policy, error,
        "%zu images are few for a model that tells %zu classes apart: the best score, %.2g, is "
        "%.2g when no image takes part in predicting its own label, and of the %d best augmentors "
        "%zu would be others: give more images of each class",
        a->count, a->model->outputs, best->score, best->left_out, TOP, gone);
}

gbv_status augmentation_warn(const augmentation *a, gbv_policy *policy, gbv_error *error)
{
    gbv_status status = GBV_OK;
    if (a->count < 2 * a->classes_scored)
        status =
            policy_add_warning(policy, error,
                               "there are %zu images of %zu classes, fewer than two a class: such scores say little "
                               "about classes; give more images",
                               a->count, a->classes_scored);
    if (status == GBV_OK)
        status = warn_undefined(a, policy, error);
    if (status == GBV_OK)
        status = warn_remembered(a, policy, error);
    if (status == GBV_OK)
        status = warn_spread(a, policy, error);
    return status == GBV_OK ? warn_identities(a, policy, error) : status;
}
