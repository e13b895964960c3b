#include "value/augmentation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "augment/augment.h"
#include "augment/policy.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "compute/backend.h"
#include "data/dataset.h"
#include "nn/fingerprint.h"
#include "value/density.h"
#include "value/posterior.h"

/* Changed whenever the same key would no longer give the same numbers. */
#define SCORE_FORMAT "gbv augmentor scores 3"

gbv_augment_options gbv_augment_defaults(void)
{
    return (gbv_augment_options){.tau_mode = GBV_TAU_QUICK, .replicates = 200, .seed = 1};
}

static gbv_status check_measure(const augmentation *a, gbv_error *error)
{
    const char *name = a->measure->name;
    if (gbv_measure_is_joint(name, *a->variant ? a->variant : NULL))
        return error_set(error, GBV_USAGE,
                         "the measure %s%s%s scores models beside each other, and here there is one model: use leep, "
                         "logme or another that scores one at a time (gbv list measures)",
                         name, *a->variant ? ":" : "", a->variant);
    if (a->measure->needs & GBV_NEEDS_SOURCE_FEATURES)
        return error_set(
            error, GBV_USAGE,
            "the measure %s compares rows of a source with the reference, and an augmentor has no rows: use "
            "leep or logme",
            name);
    if (a->measure->needs & GBV_NEEDS_CLASS_COLUMNS)
        return error_set(error, GBV_USAGE,
                         "the measure %s needs a model of the images' own classes, and the universal model has others: "
                         "use leep or logme",
                         name);
    return GBV_OK;
}

static gbv_status check_options(augmentation *a, gbv_error *error)
{
    const gbv_augment_options *o = a->options;
    const char *measure = o->measure ? o->measure : "leep";
    gbv_status status = gbv_measure_choose(measure, o->variant, a->variant, error);
    if (status != GBV_OK)
        return status;
    a->measure = gbv_measure_find(measure);
    if ((status = check_measure(a, error)) != GBV_OK)
        return status;
    if (!o->pretrained)
        return error_set(error, GBV_USAGE, "no universal model is named: give the file of its weights (--pretrained)");
    if (o->tau_mode == GBV_TAU_AUTO)
        return error_set(
            error, GBV_USAGE,
            "tau auto needs sources to train a final model on, and augmentors are none: use quick, code or "
            "a number");
    bool density = o->continuous || o->check_density;
    if (density && (o->top_k || o->tau_mode == GBV_TAU_CODE))
        return error_set(error, GBV_USAGE,
                         "a density over magnitudes has no %s: leave out the one or the other (--continuous)",
                         o->top_k ? "best of a few magnitudes (--top-k)" : "scores to standardise (--tau code)");
    return posterior_check_tau(o->tau_mode, o->tau, error);
}

static gbv_status check_images(const augmentation *a, gbv_error *error)
{
    const gbv_dataset *images = a->images;
    if (!images->shape.height)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: its rows are not known to be images: give a folder of images by class, an IDX or CIFAR "
                         "file, or an array of rows x height x width bytes",
                         images->name);
    if (images->features.type != GBV_U8)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: its pixels are not bytes, which augmentors work on: give images, or an array of uint8",
                         images->name);
    if (!images->labels)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: its images have no labels, by which augmentors are scored: give a folder with a folder "
                         "for each class, or FEATURES,LABELS",
                         images->name);
    return images->row_count ? GBV_OK : error_set(error, GBV_BAD_INPUT, "%s: holds no images", images->name);
}

/* phi: the universal model, with its own head where the measure looks at probabilities. */
static gbv_status read_model(augmentation *a, gbv_error *error)
{
    const gbv_augment_options *o = a->options;
    mapped_file file;
    gbv_status status = a->problem->phi(&a->given, 0, &(refit){0}, NULL, &a->model, error);
    if (status != GBV_OK)
        return status;
    if (a->measure->needs & GBV_NEEDS_PROBABILITIES && !a->model->class_names)
        return error_set(
            error, GBV_BAD_INPUT,
            "%s: has no head, whose probabilities the measure %s needs: give weights with their classifier, "
            "or use a measure of features (--measure logme)",
            o->pretrained, a->measure->name);
    if ((status = gbv_model_run_with(a->model, o->backend, o->threads, error)) != GBV_OK ||
        (status = mapped_file_open(o->pretrained, &file, error)) != GBV_OK)
        return status;
    if (!hash_sha256(file.bytes, file.size, a->pretrained_sha256))
        status = error_set(error, GBV_FAILED, "%s: its SHA-256 could not be computed", o->pretrained);
    mapped_file_close(&file);
    return status;
}

/* Everything that T of an augmentor depends on besides the augmentor. */
static gbv_status make_key(augmentation *a, gbv_error *error)
{
    const gbv_dataset *images = a->images;
    bool recorded = images->input_count > 0;
    gbv_status status = GBV_OK;
    hash_stream hash = hash_open();
    fingerprint_text(&hash, "format", SCORE_FORMAT);
    fingerprint_text(&hash, "version", GBV_VERSION);
    for (size_t i = 0; i < images->input_count; i++) {
        recorded = recorded && *images->inputs[i].sha256;
        fingerprint_text(&hash, "input", images->inputs[i].sha256);
    }
    if (!recorded) /* data from memory: by what they hold */
        status = fingerprint_rows(&hash, &a->target, images->class_count, a->plan.threads, error);
    fingerprint_number(&hash, "resize", (double)images->resize);
    fingerprint_number(&hash, "crop", (double)images->crop);
    fingerprint_number(&hash, "channels", (double)images->shape.channels);
    fingerprint_number(&hash, "classes", (double)images->class_count);
    fingerprint_number(&hash, "images", (double)a->count);
    hash_add(&hash, a->rows, a->count * sizeof *a->rows);
    hash_add(&hash, a->labels, a->count * sizeof *a->labels);
    fingerprint_text(&hash, "pretrained", a->pretrained_sha256);
    fingerprint_text(&hash, "model", a->model->kind);
    fingerprint_text(&hash, "measure", a->measure->name);
    fingerprint_text(&hash, "variant", a->variant);
    fingerprint_number(&hash, "noise", a->noise);
    fingerprint_number(&hash, "seed high", (double)(a->options->seed >> 32));
    fingerprint_number(&hash, "seed low", (double)(uint32_t)a->options->seed);
    fingerprint_number(&hash, "replicates", (double)a->draws.count);
    fingerprint_text(&hash, "backend", a->model->backend->name);
    fingerprint_text(&hash, "instruction set", plan_instruction_set());
    bool closed = hash_close(&hash, a->key);
    return status == GBV_OK && !closed ? error_set(error, GBV_FAILED, "the SHA-256 of the images could not be computed")
                                       : status;
}

static bool is_subset(const augmentation *a)
{
    return a->count < a->images->row_count;
}

gbv_status augmentation_open(const gbv_dataset *images, const gbv_augment_options *options, augmentation *a,
                             gbv_error *error)
{
    *a = (augmentation){.options = options,
                        .images = images,
                        .problem = problem_find("augmentation"),
                        .noise = policy_noise(options->grid, options->noise),
                        .stage = "image passes",
                        .plan = plan_begin(options->threads)};
    a->model_options = gbv_model_defaults();
    a->model_options.model = options->model;
    a->model_options.pretrained = options->pretrained;
    a->given = (problem_case){.model = &a->model_options};
    gbv_status status = check_options(a, error);
    if (status == GBV_OK)
        status = check_images(a, error);
    if (status == GBV_OK)
        status = augmentation_choose_rows(a, error);
    if (status == GBV_OK)
        status = read_model(a, error);
    if (status == GBV_OK && is_subset(a) && options->replicates >= 4)
        status = row_draws_create(options->seed, "images", options->replicates / 2 * 2, a->count, a->plan.threads,
                                  &a->draws, error);
    if (status != GBV_OK)
        return status;
    a->part = sample_part_of(images, a->rows, a->count, NULL, NULL);
    a->target = sample_of(&a->part);
    return make_key(a, error);
}

void augmentation_close(augmentation *a)
{
    for (size_t i = 0; i < a->known_count; i++)
        free(a->known[i].replicates);
    free(a->known);
    row_draws_free(&a->draws);
    gbv_model_free(a->model);
    free(a->rows);
    free(a->numbers);
    free(a->labels);
    free(a->class_sizes);
    plan_end(a->plan);
}

/* The grid for these images, every augmentor of which they can take. */
static gbv_status make_grid(const augmentation *a, gbv_augmentor **grid, size_t *count, gbv_error *error)
{
    gbv_image_shape shape = a->images->shape;
    gbv_status status = gbv_grid_create(a->options->grid, shape.height, shape.width, grid, count, error);
    for (size_t i = 0; i < *count && status == GBV_OK; i++)
        status = augment_check((*grid)[i].op, (*grid)[i].magnitude, shape.height, shape.width, error);
    return status == GBV_OK ? status : error_prefix(error, status, "%s: ", a->images->name);
}

static char *copy_text(const char *text, bool *ok)
{
    char *copy = text ? strdup(text) : NULL;
    *ok = *ok && (copy || !text);
    return copy;
}

/* Where the policy comes from. */
static gbv_status describe(const augmentation *a, gbv_policy *p, gbv_error *error)
{
    const gbv_augment_options *o = a->options;
    bool ok = true;
    p->measure = copy_text(a->measure->name, &ok);
    p->variant = copy_text(a->variant, &ok);
    p->model = copy_text(a->model->kind, &ok);
    p->pretrained = copy_text(o->pretrained, &ok);
    p->pretrained_sha256 = copy_text(a->pretrained_sha256, &ok);
    p->images = copy_text(a->images->name, &ok);
    p->images_sha256 = copy_text(a->images->input_count ? a->images->inputs[0].sha256 : "", &ok);
    p->backend = copy_text(a->model->backend->name, &ok);
    p->instruction_set = copy_text(plan_instruction_set(), &ok);
    p->threads = a->plan.threads;
    p->image_count = a->images->row_count;
    p->images_scored = a->count;
    p->class_count = a->classes_scored;
    p->height = a->images->shape.height;
    p->width = a->images->shape.width;
    p->grid = o->grid;
    p->noise = a->noise;
    p->prior = o->prior;
    p->top_k = o->top_k;
    p->tau_mode = o->tau_mode;
    p->seed = o->seed;
    return ok ? GBV_OK : error_out_of_memory(error, "a policy");
}

static gbv_status make_entries(const augmentation *a, const gbv_augmentor *grid, size_t count, gbv_policy *p,
                               gbv_error *error)
{
    if (!(p->entries = memory_zeroed(count, sizeof *p->entries)))
        return error_out_of_memory(error, "a policy");
    p->count = count;
    for (size_t i = 0; i < count; i++)
        p->entries[i] = (gbv_policy_entry){.augmentor = grid[i],
                                           .score = augmentation_find(a, &grid[i])->score,
                                           .score_low = NAN,
                                           .score_high = NAN,
                                           .probability_low = NAN,
                                           .probability_high = NAN};
    return GBV_OK;
}

static gbv_status weigh(const augmentation *a, gbv_policy *p, gbv_error *error)
{
    const gbv_augment_options *o = a->options;
    augmentation_weighing how = {o->prior, o->top_k, {.tau_mode = o->tau_mode, .tau = o->tau}};
    gbv_status status = augmentation_weigh(&how, p->entries, p->count, &p->inverse_tau, error);
    if (status != GBV_OK)
        return status;
    p->tau = p->inverse_tau > 0 ? 1 / p->inverse_tau : NAN;
    policy_weigh(p);
    if ((status = augmentation_warn(a, p, error)) == GBV_OK && a->draws.count)
        status = augmentation_intervals(a, &how, p, error);
    return status;
}

gbv_status gbv_augment(const gbv_dataset *images, const gbv_augment_options *options, gbv_policy **policy,
                       gbv_error *error)
{
    gbv_augment_options usual = gbv_augment_defaults();
    augmentation a;
    gbv_augmentor *grid = NULL;
    gbv_policy *p = policy_create();
    size_t count = 0;
    *policy = NULL;
    options = options ? options : &usual;
    gbv_status status = augmentation_open(images, options, &a, error);
    if (status == GBV_OK && !p)
        status = error_out_of_memory(error, "a policy");
    if (status == GBV_OK)
        status = make_grid(&a, &grid, &count, error);
    if (status == GBV_OK)
        status = augmentation_score(&a, grid, count, error);
    if (status == GBV_OK)
        status = describe(&a, p, error);
    if (status == GBV_OK)
        status = make_entries(&a, grid, count, p, error);
    if (status == GBV_OK)
        status = weigh(&a, p, error);
    if (status == GBV_OK && (options->continuous || options->check_density))
        status = density_make(p, error);
    if (status == GBV_OK && options->check_density)
        status = density_check(p, &(density_checking){augmentation_evaluate, &a, 0, 0, options->seed}, error);
    if (status == GBV_OK) {
        p->evaluations = a.known_count;
        p->evaluations_found = a.found;
        p->seconds = a.seconds;
        p->forward_seconds = a.forward_seconds;
        *policy = p;
    } else {
        gbv_policy_free(p);
    }
    free(grid);
    augmentation_close(&a);
    return status;
}

/* Of the grid, what has to be evaluated: neither twice nor found in the cache. */
static gbv_status count_pending(augmentation *a, const gbv_augmentor *grid, size_t count, size_t *pending,
                                gbv_error *error)
{
    gbv_status status = augmentation_note(a, grid, count, error);
    *pending = 0;
    for (size_t i = 0; i < a->known_count && status == GBV_OK; i++)
        *pending += !a->known[i].done;
    return status;
}

static gbv_status tell_plan(const augmentation *a, size_t count, size_t pending, double seconds, gbv_plan **told,
                            gbv_error *error)
{
    gbv_plan *made = calloc(1, sizeof *made);
    char of_all[64] = "", check[80] = "";
    if (a->count < a->images->row_count)
        snprintf(of_all, sizeof of_all, " of %zu", a->images->row_count);
    if (a->options->check_density)
        snprintf(check, sizeof check, ", and up to %zu more to check the density", count);
    if (!made || asprintf(&made->text,
                          "%zu augmentors by %s of %s: %zu passes over %zu%s images (%zu in the cache, the others "
                          "change images alike)%s\nabout %.0f s with %zu threads, by a trial with one batch\n",
                          count, a->measure->name, a->model->kind, pending, a->count, of_all, a->found, check, seconds,
                          a->plan.threads) < 0) {
        free(made);
        return error_out_of_memory(error, "a plan");
    }
    made->sources = count;
    made->rows = a->count * pending;
    made->reference_rows = a->count;
    made->replicates = a->draws.count;
    made->workers = a->plan.threads;
    made->seconds = seconds;
    made->peak_bytes = gbv_memory_peak();
    *told = made;
    return GBV_OK;
}

gbv_status gbv_augment_plan(const gbv_dataset *images, const gbv_augment_options *options, gbv_plan **told,
                            gbv_error *error)
{
    gbv_augment_options usual = gbv_augment_defaults();
    augmentation a;
    gbv_augmentor *grid = NULL;
    size_t count = 0, pending = 0;
    double seconds = 0;
    *told = NULL;
    gbv_status status = augmentation_open(images, options ? options : &usual, &a, error);
    if (status == GBV_OK)
        status = make_grid(&a, &grid, &count, error);
    if (status == GBV_OK)
        status = count_pending(&a, grid, count, &pending, error);
    if (status == GBV_OK) {
        size_t batch = model_readout_batch(a.model, a.part.shape);
        batch = batch < a.count ? batch : a.count;
        status = augmentation_pilot(&a, batch, &seconds, error);
        seconds *=
            (double)a.count / (double)batch * (double)(pending + (a.options->check_density ? count : 0)); /* at most */
    }
    if (status == GBV_OK)
        status = tell_plan(&a, count, pending, seconds, told, error);
    free(grid);
    augmentation_close(&a);
    return status;
}
