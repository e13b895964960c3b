#include "augment/training_policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/sentence.h"

#define POLICY(name) extern const policy_kind policy_##name;
#include "augment/policies.def"
#undef POLICY

#define POLICY(name) &policy_##name,
static const policy_kind *const kinds[] = {
#include "augment/policies.def"
};
#undef POLICY

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

const gbv_named_policy *gbv_named_policy_at(size_t index)
{
    return index < KIND_COUNT ? &kinds[index]->info : NULL;
}

static const policy_kind *find(const char *name)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (strcmp(kinds[i]->info.name, name) == 0)
            return kinds[i];
    return NULL;
}

bool training_policy_is_none(const char *name)
{
    return !name || strcmp(name, "none") == 0;
}

/* What is no name is a file, if it looks like one or is there. */
static bool is_file(const char *name)
{
    return strpbrk(name, "/.") || access(name, F_OK) == 0;
}

static const char *name_at(size_t index)
{
    return index < KIND_COUNT ? kinds[index]->info.name : NULL;
}

static gbv_status unknown(const char *name, gbv_error *error)
{
    const char *nearest = nearest_name(name, name_at);
    return error_set(error, GBV_USAGE,
                     "there is no policy \"%.64s\"%s%s: `gbv list policies` names them all, and `gbv augment` makes a "
                     "file of one",
                     name, nearest ? "; the nearest is " : "", nearest ? nearest : "");
}

static gbv_status find_variant(const policy_kind *kind, const char *variant, bool *paper, gbv_error *error)
{
    bool has_two = kind && *kind->info.variants;
    *paper = variant && strcmp(variant, "paper") == 0;
    if (!variant || (has_two && (*paper || strcmp(variant, "code") == 0)))
        return GBV_OK;
    const char *what = kind ? kind->info.name : "of a file";
    return has_two ? error_set(error, GBV_USAGE, "the policy %s has no variant \"%.64s\": choose one of %s", what,
                               variant, kind->info.variants)
                   : error_set(error, GBV_USAGE,
                               "the policy %s has one form only, not \"%.64s\": leave the variant out", what, variant);
}

gbv_status training_policy_check(const char *name, const char *variant, gbv_error *error)
{
    bool paper;
    const policy_kind *kind = find(name ? name : "none");
    if (!kind && !is_file(name))
        return unknown(name, error);
    gbv_status status = find_variant(kind, variant, &paper, error);
    if (status != GBV_OK || kind)
        return status;
    gbv_policy *file = NULL;
    status = gbv_policy_read(name, &file, error);
    gbv_policy_free(file);
    return status;
}

static gbv_status check_images(const training_policy_options *how, gbv_error *error)
{
    if (!how->bytes)
        return error_set(error, GBV_BAD_INPUT,
                         "policy %s: augmentations work on images of bytes, and these are of other numbers: give a "
                         "folder of images, or an array of bytes (uint8)",
                         how->name);
    if (how->shape.channels != 1 && how->shape.channels != 3)
        return error_set(error, GBV_BAD_INPUT,
                         "policy %s: augmentations work on images of 1 or 3 channels; these have %zu", how->name,
                         how->shape.channels);
    return GBV_OK;
}

static gbv_status hash_file(training_policy *p, gbv_error *error)
{
    mapped_file bytes;
    gbv_status status = mapped_file_open(p->name, &bytes, error);
    if (status != GBV_OK)
        return status;
    if (!hash_sha256(bytes.bytes, bytes.size, p->sha256))
        status = error_set(error, GBV_FAILED, "%s: its SHA-256 could not be computed", p->name);
    mapped_file_close(&bytes);
    return status;
}

/* Translations are in pixels: on images of another size they do something else. */
static gbv_status compare_sizes(training_policy *p, gbv_image_shape images, gbv_error *error)
{
    const gbv_policy *file = p->file;
    sentence told = {0};
    if (!file->height || (file->height == images.height && file->width == images.width))
        return GBV_OK;
    sentence_add(&told,
                 "%s was made for images of %zu x %zu pixels, these are %zu x %zu: translations, which are in pixels, "
                 "do more or less to them",
                 p->name, file->width, file->height, images.width, images.height);
    p->note = strdup(told.text);
    return p->note ? GBV_OK : error_out_of_memory(error, "a policy");
}

/* Whether an augmentor can be applied to the images, with either sign where that is drawn. */
static gbv_status check_augmentor(gbv_augmentor a, gbv_image_shape images, gbv_error *error)
{
    gbv_status status = augment_check(a.op, a.magnitude, images.height, images.width, error);
    if (status == GBV_OK && a.coin)
        status = augment_check(a.op, -a.magnitude, images.height, images.width, error);
    return status;
}

static gbv_status check_file(const training_policy *p, gbv_image_shape images, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t i = 0; status == GBV_OK && i < p->file->count && !p->file->density_count; i++)
        if (p->file->entries[i].probability > 0)
            status = check_augmentor(p->file->entries[i].augmentor, images, error);
    for (size_t i = 0; status == GBV_OK && i < p->file->density_count; i++) {
        const gbv_density *d = &p->file->densities[i];
        for (size_t node = 0; status == GBV_OK && d->probability > 0 && node < d->count; node++)
            status = check_augmentor((gbv_augmentor){d->op, d->magnitudes[node], d->coin}, images, error);
    }
    if (status == GBV_OK)
        return GBV_OK;
    return error_prefix(error, GBV_BAD_INPUT, "%s: on images of %zu x %zu pixels ", p->name, images.width,
                        images.height);
}

static gbv_status open_file(training_policy *p, gbv_image_shape images, gbv_error *error)
{
    gbv_status status = gbv_policy_read(p->name, &p->file, error);
    if (status == GBV_OK)
        status = hash_file(p, error);
    if (status == GBV_OK)
        status = compare_sizes(p, images, error);
    if (status == GBV_OK)
        status = check_file(p, images, error);
    if (status == GBV_OK)
        p->noise = p->file->noise;
    return status;
}

static gbv_status open_named(training_policy *p, gbv_image_shape images, gbv_error *error)
{
    gbv_status status = p->paper ? GBV_OK : policy_space_code(&p->space, images.height, images.width, error);
    p->variant = *p->kind->info.variants ? p->paper ? "paper" : "code" : "";
    p->noise = GBV_NOISE_CODE;
    if (status == GBV_OK) {
        p->kind->open(&p->space, p->paper);
        status = policy_space_fit(&p->space, images.height, images.width, error);
    }
    return status == GBV_OK ? status : error_prefix(error, status, "policy %s: ", p->name);
}

gbv_status training_policy_open(const training_policy_options *how, training_policy **policy, gbv_error *error)
{
    *policy = NULL;
    if (training_policy_is_none(how->name))
        return GBV_OK;
    gbv_status status = check_images(how, error);
    if (status != GBV_OK)
        return status;
    training_policy *p = memory_zeroed(1, sizeof *p);
    if (!p || !(p->name = strdup(how->name))) {
        status = error_out_of_memory(error, "a policy");
        goto done;
    }
    p->kind = find(how->name);
    p->variant = "";
    p->seed = how->seed;
    p->subject = how->subject;
    p->draw = how->draw;
    p->rows = how->rows;
    if (!p->kind && !is_file(how->name))
        status = unknown(how->name, error);
    if (status == GBV_OK)
        status = find_variant(p->kind, how->variant, &p->paper, error);
    if (status == GBV_OK)
        status = p->kind ? open_named(p, how->shape, error) : open_file(p, how->shape, error);
    if (status == GBV_OK && p->kind && p->kind->judge && !(p->scores = memory_zeroed(p->rows, sizeof *p->scores)))
        status = error_out_of_memory(error, "a policy");
done:
    if (status == GBV_OK)
        *policy = p;
    else
        training_policy_free(p);
    return status;
}

void training_policy_free(training_policy *p)
{
    if (!p)
        return;
    gbv_policy_free(p->file);
    free(p->name);
    free(p->note);
    free(p->scores);
    free(p);
}

void training_policy_choose(const void *policy, size_t row, uint64_t visit, augment_draw *draw)
{
    const training_policy *p = policy;
    random_stream stream = random_stream_open_step(p->seed, p->subject, RANDOM_AUGMENT, p->draw, visit);
    *draw = (augment_draw){.key = random_u64(&stream)};
    if (p->kind)
        p->kind->choose(p, row, &stream, draw);
    else
        draw->steps[draw->count++] = gbv_policy_draw(p->file, random_u64(&stream), row, visit);
}

bool training_policy_halves(const training_policy *p)
{
    return p->kind && p->kind->in_halves;
}

void training_policy_judge(training_policy *p, size_t row, const float *logits, size_t outputs, size_t target)
{
    double score = p->kind->judge(logits, outputs, target);
    p->scores[row] = score > 0 ? score < 1 ? (float)score : 1 : 0; /* also of what is no number */
}
