/* augmentation_score.c - T of augmentors: the images are decoded once, the universal model reads out what each
 * augmentor makes of them, and the measure scores it. Where the decoded images do not fit in memory they go through
 * block by block, each block through as many augmentors as there is memory for readouts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "augment/augment.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/dataset.h"
#include "data/image_store.h"
#include "measure/leep.h"
#include "measure/replicate.h"
#include "value/augmentation.h"
#include "value/store/score_cache.h"

static const size_t USUAL_MEMORY = (size_t)1 << 30;

/* What is done to images under the same key gives the same image: magnitudes that are cut to whole numbers, and all
 * that leave every image as it is. */
static gbv_augmentor effect_of(const augmentation *a, const gbv_augmentor *augmentor)
{
    gbv_augmentor e = *augmentor;
    const augment_operator *does = e.op ? augment_operator_of(e.op) : NULL;
    if (!does)
        return e;
    if (does->whole_number)
        e.magnitude = trunc(e.magnitude);
    if (does->colours_only && a->part.shape.channels == 1)
        return (gbv_augmentor){0};
    if (does->is_identity && does->is_identity(e.magnitude) && (!e.coin || does->is_identity(-e.magnitude)))
        return (gbv_augmentor){0};
    e.magnitude += 0.0; /* never -0 */
    return e;
}

static bool same(const gbv_augmentor *a, const gbv_augmentor *b)
{
    return a->op == b->op && a->coin == b->coin && a->magnitude == b->magnitude;
}

const evaluation *augmentation_find(const augmentation *a, const gbv_augmentor *augmentor)
{
    gbv_augmentor effect = effect_of(a, augmentor);
    for (size_t i = 0; i < a->known_count; i++)
        if (same(&a->known[i].augmentor, &effect))
            return &a->known[i];
    return NULL;
}

/* What readouts ask for, image by image. */
typedef struct choosing {
    gbv_augmentor augmentor;
    uint64_t seed;
    const size_t *numbers;
} choosing;

static void choose(const void *context, size_t row, uint64_t visit, augment_draw *draw)
{
    const choosing *c = context;
    uint32_t block[RANDOM_BLOCK];
    (void)visit;
    random_block(c->seed, c->numbers[row], RANDOM_AUGMENT, block);
    *draw = (augment_draw){
        .count = c->augmentor.op ? 1 : 0, .steps = {c->augmentor}, .key = (uint64_t)block[1] << 32 | block[2]};
    if (c->augmentor.coin && block[0] & 1)
        draw->steps[0].magnitude = -c->augmentor.magnitude;
    draw->steps[0].coin = false;
}

/* The readouts of a group of augmentors. */
typedef struct group {
    augmentation *a;
    evaluation **members;
    size_t size;
    size_t outputs, features; /* numbers an image; 0: not needed */
    double *probabilities;    /* size x images x outputs */
    double *pooled;           /* size x images x features */
    arena scratch;
} group;

static bool ask(void *context, size_t done)
{
    augmentation *a = context;
    const gbv_augment_options *o = a->options;
    return o->progress && o->progress(o->context, a->stage, a->done + done, a->total);
}

/* One block of images through every augmentor of the group. `first` is the block's first among the rows scored. */
static gbv_status read_out_block(group *g, const sample *block, size_t first, gbv_error *error)
{
    augmentation *a = g->a;
    gbv_status status = GBV_OK;
    for (size_t m = 0; m < g->size && status == GBV_OK; m++) {
        problem_case given = a->given;
        given.reference = block;
        given.augmentors = &g->members[m]->augmentor;
        problem_target target = a->problem->varphi(&given, 0);
        size_t place = m * a->count + first;
        choosing how = {.seed = a->options->seed, .numbers = a->numbers};
        readout out = {.probabilities = g->outputs ? g->probabilities + place * g->outputs : NULL,
                       .features = g->features ? g->pooled + place * g->features : NULL,
                       .threads = a->plan.threads,
                       .before = first,
                       .noise = a->noise,
                       .ask = ask,
                       .asking = a,
                       .forward_seconds = &a->forward_seconds};
        if (target.augmentor) {
            how.augmentor = *target.augmentor;
            out.choose = choose;
            out.choosing = &how;
        }
        arena_reset(&g->scratch);
        status = model_read_out(a->model, target.rows, &out, &g->scratch, error);
        a->done += block->rows;
    }
    return status;
}

/* A block decoded into memory of its own, for all augmentors of the group. */
static gbv_status read_out_decoded(group *g, size_t first, size_t count, unsigned char *bytes, gbv_error *error)
{
    augmentation *a = g->a;
    size_t *numbers = memory_array(count, sizeof *numbers), columns = a->target.columns;
    if (!numbers)
        return error_out_of_memory(error, "a block of images");
    for (size_t i = 0; i < count; i++)
        numbers[i] = first + i;
    gbv_status status = sample_images(&a->target, numbers, count, a->plan.threads, bytes, NULL, error);
    free(numbers);
    if (status != GBV_OK)
        return status;
    sample_part part = a->part;
    part.images = NULL;
    part.rows = NULL;
    part.count = count;
    part.labels = NULL;
    part.shape.channels_last = false; /* as sample_images gives them */
    part.features = (gbv_matrix){.data = bytes,
                                 .rows = count,
                                 .columns = columns,
                                 .row_stride = (ptrdiff_t)columns,
                                 .column_stride = 1,
                                 .type = GBV_U8};
    sample block = sample_of(&part);
    return read_out_block(g, &block, first, error);
}

static bool all_in_memory(const augmentation *a)
{
    return image_store_is_whole(a->part.images);
}

static size_t memory_of(const augmentation *a)
{
    return a->options->memory ? a->options->memory : USUAL_MEMORY;
}

/* Whole batches, so that the same images share one whatever the memory; the last block takes what is left over. */
static size_t block_rows(const augmentation *a)
{
    size_t batch = model_readout_batch(a->model, a->part.shape);
    size_t fit = memory_of(a) / 4 / a->target.columns / batch;
    return (fit ? fit : 1) * batch;
}

static gbv_status read_out(group *g, gbv_error *error)
{
    augmentation *a = g->a;
    if (all_in_memory(a))
        return read_out_block(g, &a->target, 0, error);
    size_t rows = block_rows(a), blocks = a->count / rows ? a->count / rows : 1;
    size_t largest = a->count - (blocks - 1) * rows;
    unsigned char *bytes = memory_array(largest, a->target.columns);
    gbv_status status = bytes ? GBV_OK : error_out_of_memory(error, "a block of images");
    for (size_t b = 0; b < blocks && status == GBV_OK; b++)
        status = read_out_decoded(g, b * rows, b + 1 < blocks ? rows : largest, bytes, error);
    free(bytes);
    return status;
}

/* Keeps the mean of the row terms in each group of images. */
static void keep_means(const double *terms, size_t count, double *means)
{
    double sums[EVALUATION_GROUPS] = {0};
    size_t counts[EVALUATION_GROUPS] = {0};
    for (size_t i = 0; i < count; i++) {
        sums[i % EVALUATION_GROUPS] += terms[i];
        counts[i % EVALUATION_GROUPS]++;
    }
    for (size_t i = 0; i < EVALUATION_GROUPS; i++)
        means[i] = counts[i] && isfinite(sums[i]) ? sums[i] / (double)counts[i] : NAN;
}

static bool ask_in_between(void *context, const char *stage, size_t done, size_t total)
{
    (void)stage, (void)done, (void)total;
    return ask(context, 0);
}

/* LEEP is too high by more than its row weights show where images are few beside the columns of the head, so that a
 * subset has a way of its own to what all images would score. */
static gbv_status measure_leep(const augmentation *a, const gbv_measure_input *input, evaluation *e, gbv_error *error)
{
    leep_rows rows = {input->probabilities.data, input->rows, input->probabilities.columns, input->labels,
                      input->class_count};
    gbv_status status = leep_among(&rows, INFINITY, &e->left_out, error);
    return status == GBV_OK && a->draws.count ? leep_of_more(&rows, a->images->row_count, &a->draws, a->plan.threads,
                                                             &e->score, &e->step, e->replicates, error)
                                              : status;
}

static gbv_status measure_member(const group *g, size_t m, double *terms, gbv_error *error)
{
    augmentation *a = g->a;
    evaluation *e = g->members[m];
    gbv_measure_input input = {
        .rows = a->count, .labels = a->labels, .class_count = a->images->class_count, .threads = a->plan.threads};
    if (g->outputs)
        input.probabilities = gbv_matrix_f64(g->probabilities + m * a->count * g->outputs, a->count, g->outputs);
    if (g->features)
        input.features = gbv_matrix_f64(g->pooled + m * a->count * g->features, a->count, g->features);
    gbv_error why;
    gbv_status status = gbv_measure(a->measure->name, *a->variant ? a->variant : NULL, &input, &e->score, terms, &why);
    if (status == GBV_UNDEFINED) {
        e->score = NAN;
        snprintf(e->reason, sizeof e->reason, "%.199s", why.message);
        return GBV_OK;
    }
    if (status != GBV_OK)
        return error_set(error, status, "%s", why.message);
    keep_means(terms, a->count, e->means);
    return a->measure == gbv_measure_find("leep") ? measure_leep(a, &input, e, error)
           : a->draws.count ? measure_replicates(a->measure->name, *a->variant ? a->variant : NULL, &input, &a->draws,
                                                 ask_in_between, a, e->replicates, error)
                            : GBV_OK;
}

/* The numbers of an evaluation that the cache keeps, one after another: then means, then replicates. */
enum { SCORE, LEFT_OUT, STEP, FIRST_MEAN };

static size_t numbers_of(const augmentation *a)
{
    return FIRST_MEAN + EVALUATION_GROUPS + a->draws.count;
}

static void keep(const augmentation *a, const evaluation *e)
{
    char key[65], subject[128], magnitude[NUMBER_TEXT];
    double *numbers = memory_array(numbers_of(a), sizeof *numbers);
    if (numbers && score_cache_key(a->key, &e->augmentor, key)) {
        numbers[SCORE] = e->score;
        numbers[LEFT_OUT] = e->left_out;
        numbers[STEP] = e->step;
        memcpy(numbers + FIRST_MEAN, e->means, sizeof e->means);
        if (a->draws.count)
            memcpy(numbers + FIRST_MEAN + EVALUATION_GROUPS, e->replicates, a->draws.count * sizeof *numbers);
        snprintf(subject, sizeof subject, "%s %s", e->augmentor.op ? e->augmentor.op->name : "images as they are",
                 e->augmentor.op ? number_format(e->augmentor.magnitude, magnitude) : "");
        score_cache_keep(a->options->cache, a->options->cache_bytes,
                         &(score_record){.key = key,
                                         .model = a->model->kind,
                                         .subject = subject,
                                         .rows = a->count,
                                         .numbers = numbers,
                                         .count = numbers_of(a),
                                         .reason = e->reason});
    }
    free(numbers);
}

static bool find_kept(const augmentation *a, evaluation *e)
{
    char key[65];
    double *numbers = memory_array(numbers_of(a), sizeof *numbers);
    bool found = numbers && score_cache_key(a->key, &e->augmentor, key) &&
                 score_cache_find(a->options->cache, key, numbers, numbers_of(a), e->reason, sizeof e->reason);
    if (found) {
        e->score = isnan(numbers[SCORE]) && !*e->reason ? -INFINITY : numbers[SCORE];
        e->left_out = numbers[LEFT_OUT];
        e->step = numbers[STEP];
        memcpy(e->means, numbers + FIRST_MEAN, sizeof e->means);
        if (a->draws.count)
            memcpy(e->replicates, numbers + FIRST_MEAN + EVALUATION_GROUPS, a->draws.count * sizeof *numbers);
    }
    free(numbers);
    return found;
}

/* T of the members of one group. */
static gbv_status score_group(augmentation *a, evaluation **members, size_t size, gbv_error *error)
{
    unsigned needs = a->measure->needs;
    group g = {.a = a, .members = members, .size = size};
    g.outputs = needs & GBV_NEEDS_PROBABILITIES ? a->model->outputs : 0;
    g.features = needs & GBV_NEEDS_FEATURES ? model_feature_count(a->model) : 0;
    g.probabilities = memory_array(size * a->count, g.outputs * sizeof *g.probabilities);
    g.pooled = memory_array(size * a->count, g.features * sizeof *g.pooled);
    double *terms = memory_array(a->count, sizeof *terms);
    gbv_status status =
        g.probabilities && g.pooled && terms ? GBV_OK : error_out_of_memory(error, "what the model says of images");
    if (status == GBV_OK)
        status = read_out(&g, error);
    for (size_t m = 0; m < size && status == GBV_OK; m++) {
        if ((status = measure_member(&g, m, terms, error)) != GBV_OK)
            break;
        members[m]->done = true;
        if (a->options->cache)
            keep(a, members[m]);
    }
    arena_free(&g.scratch);
    free(g.probabilities);
    free(g.pooled);
    free(terms);
    return status;
}

/* As many augmentors at a time as there is memory for; one where decoded images are at hand, so that the least is lost
 * when the run is stopped. */
static size_t group_size(const augmentation *a)
{
    size_t needs = 0;
    if (a->measure->needs & GBV_NEEDS_PROBABILITIES)
        needs += a->model->outputs;
    if (a->measure->needs & GBV_NEEDS_FEATURES)
        needs += model_feature_count(a->model);
    size_t fit = needs ? memory_of(a) / 4 * 3 / sizeof(double) / needs / a->count : 1;
    return all_in_memory(a) || fit == 0 ? 1 : fit;
}

/* A place among the known ones, which it may move. */
static gbv_status add_known(augmentation *a, const gbv_augmentor *effect, gbv_error *error)
{
    double *replicates = a->draws.count ? memory_array(a->draws.count, sizeof *replicates) : NULL;
    if ((a->draws.count && !replicates) ||
        !memory_grow(&a->known, &a->known_capacity, a->known_count + 1, sizeof *a->known)) {
        free(replicates);
        return error_out_of_memory(error, "the scores of augmentors");
    }
    evaluation *e = &a->known[a->known_count++];
    *e = (evaluation){.augmentor = *effect, .score = NAN, .left_out = NAN, .replicates = replicates};
    for (size_t i = 0; i < a->draws.count; i++)
        replicates[i] = NAN;
    for (size_t i = 0; i < EVALUATION_GROUPS; i++)
        e->means[i] = NAN;
    if (a->options->cache && find_kept(a, e)) {
        e->done = true;
        a->found++;
    }
    return GBV_OK;
}

gbv_status augmentation_note(augmentation *a, const gbv_augmentor *augmentors, size_t count, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t i = 0; i < count && status == GBV_OK; i++) {
        gbv_augmentor effect = effect_of(a, &augmentors[i]);
        if (!augmentation_find(a, &effect))
            status = add_known(a, &effect, error);
    }
    return status;
}

gbv_status augmentation_score(augmentation *a, const gbv_augmentor *augmentors, size_t count, gbv_error *error)
{
    double began = clock_seconds();
    size_t pending = 0;
    gbv_status status = augmentation_note(a, augmentors, count, error);
    evaluation **members = memory_array(a->known_count, sizeof *members);
    if (!members && status == GBV_OK)
        status = error_out_of_memory(error, "the scores of augmentors");
    for (size_t i = 0; i < a->known_count && status == GBV_OK; i++)
        if (!a->known[i].done)
            members[pending++] = &a->known[i];
    a->done = 0;
    a->total = pending * a->count;
    size_t size = group_size(a);
    for (size_t first = 0; first < pending && status == GBV_OK; first += size)
        status = score_group(a, members + first, pending - first < size ? pending - first : size, error);
    if (status == GBV_OK && ask(a, 0))
        status = error_set(error, GBV_INTERRUPTED, "interrupted");
    free(members);
    a->seconds += clock_seconds() - began;
    return status;
}

gbv_status augmentation_evaluate(void *context, const gbv_operator *operation, bool coin, double magnitude,
                                 double *score, bool *known, gbv_error *error)
{
    augmentation *a = context;
    gbv_augmentor augmentor = {operation, magnitude, coin};
    a->stage = "density checks";
    *known = augmentation_find(a, &augmentor);
    gbv_status status = augmentation_score(a, &augmentor, 1, error);
    if (status == GBV_OK) {
        double found = augmentation_find(a, &augmentor)->score;
        *score = isnan(found) ? -INFINITY : found;
    }
    return status;
}

gbv_status augmentation_pilot(augmentation *a, size_t count, double *seconds, gbv_error *error)
{
    evaluation none = {0}, *member = &none;
    group g = {.a = a, .members = &member, .size = 1, .outputs = a->model->outputs};
    g.probabilities = memory_array(a->count, g.outputs * sizeof *g.probabilities);
    gbv_status status = g.probabilities ? GBV_OK : error_out_of_memory(error, "a trial");
    sample_part part = a->part;
    part.count = count;
    sample block = sample_of(&part);
    a->total = count;
    for (int pass = 0; pass < 2 && status == GBV_OK; pass++) { /* the first one warms up */
        double began = clock_seconds();
        a->done = 0;
        status = read_out_block(&g, &block, 0, error);
        *seconds = clock_seconds() - began;
    }
    arena_free(&g.scratch);
    free(g.probabilities);
    return status;
}
