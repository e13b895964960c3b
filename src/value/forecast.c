/* forecast.c - what a run would take, reckoned from a pilot: one source is fitted and scored as it would be, on a
 * sample of its rows where it is large. Methods that look at the data are tried at two sizes, which tells how they
 * grow. */
#include "value/forecast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "nn/kind.h"
#include "value/certainty.h"
#include "value/backbone.h"
#include "value/shared_rows.h"
#include "value/source_model.h"
#include "value/valuation.h"

enum {
    PILOT_FITS = 4,      /* one of its own, the refit that others build on, and two of those */
    PILOT_ROWS = 4000,   /* more are sampled */
    FEWEST_ROWS = 64,    /* fewer are not sampled further */
    PILOT_EPOCHS = 20,   /* more are reckoned, */
    IMAGE_EPOCHS = 1,    /* of networks of images more than this */
    METHOD_ROWS = 600,   /* of all sources together, in the first trial of a method that looks at the data; */
    METHOD_IMAGES = 120, /* of images that a network looks at */
    HASH_BYTES = 64,     /* that a row's hash takes until the rows that sources share are found */
    RESAMPLE_COPIES = 4  /* of every draw of every score, while intervals are computed */
};
static const double PILOT_SECONDS = 1, CONTENTION = 1.15, PAIR_SECONDS = 2e-8;
static const double LOOK_SHARE = .33; /* of a step of training, that a network takes to look at the same images */

typedef struct pilot {
    const gbv_model_options *asked;
    bool alone; /* the source may use all threads */
    double begun, ended[PILOT_FITS];
    size_t fits;
    size_t rows;    /* that were fitted */
    double fitting; /* the share of the time that it took */
    bool patient, stopped;
} pilot;

/* A worker's own time, so that what else the machine is doing does not count. */
static double pilot_seconds(const pilot *p)
{
    struct timespec time;
    if (p->alone || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0)
        return clock_seconds();
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool watch_pilot(void *context, const char *stage, size_t done, size_t total)
{
    pilot *p = context;
    double time = pilot_seconds(p);
    (void)total;
    if (strcmp(stage, "models") == 0)
        while (p->fits < done && p->fits < PILOT_FITS)
            p->ended[p->fits++] = time;
    if (p->asked->progress && p->asked->progress(p->asked->context, "pilot", p->fits, PILOT_FITS))
        p->stopped = true;
    return p->stopped || (time - p->begun > PILOT_SECONDS && (p->fits > 0 || !p->patient));
}

/* The source itself, or every so manieth row of it. The caller frees its rows and labels when they are not `s`'s. */
static bool sample_source(const source *s, size_t rows, source *sampled)
{
    *sampled = *s;
    if (s->probabilities || rows >= s->row_count)
        return true;
    sampled->rows = memory_array(rows, sizeof *sampled->rows);
    sampled->labels = memory_array(rows, sizeof *sampled->labels);
    for (size_t i = 0; i < rows && sampled->rows && sampled->labels; i++) {
        size_t from = (size_t)((double)i * (double)s->row_count / (double)rows);
        sampled->rows[i] = s->rows ? s->rows[from] : from;
        sampled->labels[i] = s->labels[from];
    }
    sampled->row_count = rows;
    return sampled->rows && sampled->labels;
}

static void forget_sample(const source *s, source *sampled)
{
    if (sampled->rows != s->rows)
        free(sampled->rows);
    if (sampled->labels != s->labels)
        free(sampled->labels);
}

static bool looks_at_images(const valuation *v)
{
    return model_kind_find(v->options->model.model)->of_images;
}

/* Of a model of so many rows; one where it is not trained by epochs. */
static size_t asked_epochs(const gbv_model_options *model, size_t rows)
{
    gbv_model_options resolved = gbv_model_resolve(model, rows);
    return strcmp(resolved.optimizer, "lbfgs") == 0 ? 1 : resolved.epochs;
}

static size_t pilot_epochs(const valuation *v, size_t index)
{
    size_t asked = asked_epochs(&v->options->model, v->sources->items[index].row_count),
           most = looks_at_images(v) ? IMAGE_EPOCHS : PILOT_EPOCHS;
    return asked < most ? asked : most;
}

double forecast_fit(const gbv_plan *expected, const gbv_model_options *model, size_t rows)
{
    return expected->pass_seconds * (double)rows / 1000 * (double)asked_epochs(model, rows);
}

/* Scores one source as the only one of its shard. */
static gbv_status run_pilot(const valuation *v, size_t index, size_t rows, pilot *p, gbv_result *scrap,
                            valuation *trial, gbv_error *error)
{
    gbv_value_options options = *v->options;
    gbv_sources sources = *v->sources;
    source *items = memory_array(v->source_count, sizeof *items);
    scoring *scorings = memory_array(v->scoring_count, sizeof *scorings);
    gbv_status status = GBV_OK;
    if (items)
        memcpy(items, v->sources->items, v->source_count * sizeof *items);
    if (!items || !scorings || !sample_source(&v->sources->items[index], rows, &items[index])) {
        status = error_out_of_memory(error, "the pilot");
        goto done;
    }
    memcpy(scorings, v->scorings, v->scoring_count * sizeof *scorings);
    for (size_t m = 0; m < v->scoring_count; m++) /* rows are not shown to the pretrained network for this */
        if (scorings[m].features == FEATURES_OF_BACKBONE)
            scorings[m].features = FEATURES_ARE_OUTPUTS;
    if (scorings[0].draws.refits > PILOT_FITS - 1)
        scorings[0].draws.refits = PILOT_FITS - 1;
    free(v->row_hashes[index].rows); /* of a pilot before */
    v->row_hashes[index] = (row_hashes){0};
    options.shard = index + 1;
    options.shards = v->source_count;
    options.undefined_as_zero = true;
    options.model.progress = watch_pilot;
    options.model.on_epoch = NULL;
    options.model.context = p;
    options.model.epochs = pilot_epochs(v, index);
    options.model.cache = NULL;
    sources.items = items;
    *trial = *v;
    trial->options = &options;
    trial->sources = trial->given.sources = &sources;
    trial->scorings = scorings;
    trial->threads = p->alone ? v->threads : 1;
    trial->model_seconds = 0;
    p->fits = 0;
    p->rows = items[index].row_count;
    p->begun = pilot_seconds(p);
    double begun = clock_seconds();
    status = score_models(trial, scrap, error);
    p->fitting = fmin(trial->model_seconds / fmax(clock_seconds() - begun, 1e-9), 1);
    if (status == GBV_INTERRUPTED && !p->stopped)
        status = GBV_OK;
done:
    if (items)
        forget_sample(&v->sources->items[index], &items[index]);
    free(items);
    free(scorings);
    return status;
}

/* The source whose rows come nearest to the mean, among those that are fitted. */
static size_t choose_source(const valuation *v)
{
    double mean = 0, nearest = INFINITY;
    size_t chosen = 0;
    for (size_t i = 0; i < v->source_count; i++)
        mean += (double)v->sources->items[i].row_count / (double)v->source_count;
    for (size_t i = 0; i < v->source_count; i++) {
        double distance = fabs((double)v->sources->items[i].row_count - mean);
        if (!v->sources->items[i].probabilities && distance < nearest) {
            nearest = distance;
            chosen = i;
        }
    }
    return chosen;
}

/* Whether the cache has the models of a source already: the first and the last. */
static gbv_status is_kept(const valuation *v, size_t index, bool *kept, gbv_error *error)
{
    gbv_status status = source_model_is_kept(v, index, 0, kept, error);
    size_t refits = v->scorings[0].info ? v->scorings[0].draws.refits : 0;
    return status == GBV_OK && *kept && refits ? source_model_is_kept(v, index, (uint32_t)refits, kept, error) : status;
}

/* Adds what scoring the run's own sources by their models takes: from the fits of the pilot, whose time grows with the
 * rows and epochs, and the scoring, whose time does not. */
static gbv_status plan_models(const valuation *v, const bool *kept, gbv_result *scrap, gbv_plan *expected,
                              gbv_error *error)
{
    size_t index = choose_source(v), rows = PILOT_ROWS, largest = 0, refits = v->scorings[0].draws.refits;
    pilot p = {.asked = &v->options->model, .alone = v->source_count == 1};
    valuation trial = {0};
    double now = gbv_memory_now(), peak = gbv_memory_peak();
    gbv_status status;
    do {
        p.patient = rows <= FEWEST_ROWS;
        if ((status = run_pilot(v, index, rows, &p, scrap, &trial, error)) != GBV_OK)
            return status;
        rows = p.rows / 4 > FEWEST_ROWS ? p.rows / 4 : FEWEST_ROWS;
    } while (p.fits == 0);
    double first = p.ended[0] - p.begun, fitting = 0, judging = 0;
    double second = p.fits > 1 ? p.ended[1] - p.ended[0] : first;
    double later = p.fits > 2 ? (p.ended[p.fits - 1] - p.ended[1]) / (double)(p.fits - 2) : second;
    double fits = 1 + (refits ? (second + (double)(refits - 1) * later) / fmax(first, 1e-9) : 0);
    expected->pass_seconds = p.rows ? 1000 * p.fitting * first / (double)p.rows / (double)pilot_epochs(v, index) : 0;
    for (size_t i = 0; i < v->source_count; i++)
        if (valuation_owns(v, i)) {
            size_t own = v->sources->items[i].row_count;
            judging += (p.rows ? 1 - p.fitting : 1) * first * fits;
            fitting += kept[i] ? 0 : forecast_fit(expected, &v->options->model, own) * fits;
            largest = own > largest ? own : largest;
        }
    expected->seconds += (fitting + judging) / (double)expected->workers * (expected->workers > 1 ? CONTENTION : 1);
    /* What a fit takes beside its worker's arenas is seen where the pilot made the process larger than it ever was.
     * Networks take their rows batch by batch. */
    double growth = p.rows && largest > p.rows && !looks_at_images(v) ? (double)largest / (double)p.rows : 1,
           worker = (double)trial.worker_bytes;
    if (gbv_memory_peak() > peak)
        worker = fmax(worker, gbv_memory_peak() - now);
    expected->peak_bytes += (double)expected->workers * worker * growth;
    return GBV_OK;
}

/* Scores by the method that the options name, without the models. */
static gbv_status run_method(const gbv_dataset *reference, const gbv_sources *sources, const gbv_value_options *options,
                             size_t threads, double *seconds, gbv_error *error)
{
    valuation v = {.reference = reference,
                   .sources = sources,
                   .source_count = sources->count,
                   .options = options,
                   .threads = threads};
    gbv_result *scrap = NULL;
    gbv_status status = valuation_open(&v, &scrap, error);
    if (status == GBV_OK)
        status = valuation_prepare(&v, scrap, error);
    if (status == GBV_OK)
        status = score_methods(&v, scrap, error);
    if (status == GBV_OK)
        *seconds = v.scorings[0].seconds;
    valuation_close(&v);
    gbv_result_free(scrap);
    return status;
}

/* Seconds of the method with a share of all rows; NaN when it cannot be tried so. */
static gbv_status try_method(const valuation *v, const scoring *by, double share, double *seconds, gbv_error *error)
{
    gbv_value_options options = *v->options;
    gbv_sources sources = *v->sources;
    gbv_dataset reference = *v->reference;
    char tried[2 * GBV_VARIANT_LENGTH + 64];
    gbv_error own;
    gbv_status status = GBV_OK;
    snprintf(tried, sizeof tried, "%s%s%s", by->method->name, *by->variant ? ":" : "", by->variant);
    options.method = tried;
    options.measure = options.variant = NULL;
    options.replicates = options.shards = options.shard = 0;
    options.tau_mode = GBV_TAU_OWN;
    options.tau_curve = false;
    options.prior_mode = GBV_PRIOR_UNIFORM;
    *seconds = NAN;
    reference.row_count = (size_t)ceil(share * (double)v->reference->row_count);
    reference.row_index = memory_array(reference.row_count, sizeof *reference.row_index);
    reference.labels = v->reference->labels ? memory_array(reference.row_count, sizeof *reference.labels) : NULL;
    sources.items = memory_zeroed(v->source_count, sizeof *sources.items);
    if (!reference.row_index || (v->reference->labels && !reference.labels) || !sources.items)
        status = error_out_of_memory(error, "the pilot");
    for (size_t i = 0; i < reference.row_count && status == GBV_OK; i++) {
        size_t from = (size_t)((double)i * (double)v->reference->row_count / (double)reference.row_count);
        reference.row_index[i] = v->reference->row_index ? v->reference->row_index[from] : from;
        if (reference.labels)
            reference.labels[i] = v->reference->labels[from];
    }
    for (size_t s = 0; s < v->source_count && status == GBV_OK; s++)
        if (!sample_source(&v->sources->items[s], (size_t)ceil(share * (double)v->sources->items[s].row_count),
                           &sources.items[s]))
            status = error_out_of_memory(error, "the pilot");
    if (status == GBV_OK) {
        status = run_method(&reference, &sources, &options, v->threads, seconds, &own);
        if (status == GBV_INTERRUPTED && error)
            *error = own;
        status = status == GBV_INTERRUPTED ? status : GBV_OK;
    }
    for (size_t s = 0; sources.items && s < v->source_count; s++)
        if (sources.items[s].name)
            forget_sample(&v->sources->items[s], &sources.items[s]);
    free(sources.items);
    free(reference.row_index);
    free(reference.labels);
    return status;
}

/* Adds what the methods that look at the data take, as it grows between two samples. Most of them hold the rows of all
 * sources and a number for each pair of a source's row and a reference's. */
static gbv_status plan_methods(const valuation *v, gbv_plan *expected, gbv_error *error)
{
    gbv_status status = GBV_OK;
    double rows = 0, columns = v->sources->items[0].dataset->features.columns;
    for (size_t s = 0; s < v->source_count; s++)
        rows += (double)v->sources->items[s].row_count;
    bool embedded = false;
    for (size_t m = 0; m < v->scoring_count && status == GBV_OK; m++) {
        const scoring *by = &v->scorings[m];
        embedded |= by->features == FEATURES_OF_BACKBONE || (by->method->needs & METHOD_NEEDS_ROWS);
        double share = fmin(1, (looks_at_images(v) ? METHOD_IMAGES : METHOD_ROWS) / fmax(rows, 1)),
               twice = fmin(1, 2 * share), small = NAN, large = NAN;
        if (by->info || !(by->method->needs & METHOD_NEEDS_ROWS) || !v->reference)
            continue;
        double pairs = rows * (double)v->reference->row_count * sizeof(float);
        expected->peak_bytes += rows * columns * sizeof(float);
        expected->peak_bytes += v->options->memory ? fmin(pairs, (double)v->options->memory) : pairs;
        if (twice > share && (status = try_method(v, by, share, &small, error)) != GBV_OK)
            break;
        status = try_method(v, by, twice, &large, error);
        double power = isfinite(small) && small > 0 ? fmin(fmax(log2(large / small), 1), 3) : 2;
        if (isfinite(large))
            expected->seconds += large * pow(1 / twice, power);
    }
    if (embedded && backbone_is_there(&v->options->model))
        expected->seconds += LOOK_SHARE * expected->pass_seconds * (rows + (double)expected->reference_rows) / 1000 /
                             (double)expected->workers;
    return status;
}

/* What comes after the scores: the choice of tau, which trains final models; pairs of sources; rows they share. */
static void plan_weighing(const valuation *v, gbv_plan *expected)
{
    double count = (double)v->source_count, rows = 0, drawn = (double)v->scorings[0].draws.count;
    for (size_t s = 0; s < v->source_count; s++)
        rows += (double)v->sources->items[s].row_count;
    expected->peak_bytes += HASH_BYTES * rows;
    if (v->options->shards)
        return;
    /* A linear model begins where the one of the tau before ended. */
    bool linear = strcmp(v->options->model.model, "linear") == 0;
    double grid = linear ? .1 : 1, columns = (double)v->sources->items[0].dataset->features.columns;
    for (size_t m = 0; m < v->scoring_count; m++)
        if (v->scorings[m].draws.folds)
            expected->seconds += grid * 2 * TAU_GRID_COUNT * forecast_fit(expected, &v->options->model, (size_t)rows) /
                                 (v->threads > 1 ? 2 : 1);
    if (v->scorings[0].draws.folds)
        expected->peak_bytes += (v->threads > 1 ? 2 : 1) * rows * columns * sizeof(double);
    if (v->options->replicates) {
        double pairs = count <= CERTAINTY_PAIRED_SOURCES ? count * count / 2 : count * log2(count);
        expected->seconds += pairs * drawn * PAIR_SECONDS;
        expected->peak_bytes += RESAMPLE_COPIES * sizeof(double) * drawn * count;
    }
}

static void write_seconds(FILE *stream, double seconds)
{
    if (seconds < 1)
        fputs("less than a second", stream);
    else if (seconds < 100)
        fprintf(stream, "about %.0f s", seconds);
    else if (seconds < 6000)
        fprintf(stream, "about %.0f minutes", seconds / 60);
    else
        fprintf(stream, "about %.0f hours", seconds / 3600);
}

static gbv_status write_text(const valuation *v, size_t found, gbv_plan *expected, gbv_error *error)
{
    size_t length;
    FILE *stream = open_memstream(&expected->text, &length);
    if (!stream)
        return error_out_of_memory(error, "the plan");
    fprintf(stream, "would score %zu source%s of %zu rows in all on %zu %s", expected->sources,
            expected->sources == 1 ? "" : "s", expected->rows, expected->reference_rows,
            v->reference ? "reference rows" : "rows of the sources themselves");
    if (v->options->shards)
        fprintf(stream, " (shard %zu of %zu)", v->options->shard, v->options->shards);
    fputs("\nby ", stream);
    for (size_t m = 0; m < v->scoring_count; m++) {
        const scoring *by = &v->scorings[m];
        bool named = by->info && strcmp(by->info->name, by->method->name) != 0;
        fprintf(stream, "%s%s%s%s%s%s", m ? ", " : "", by->method->name, named ? " " : "", named ? by->info->name : "",
                *by->variant ? " " : "", by->variant);
    }
    fprintf(stream, "\n%zu fit%s of %s models", expected->fits, expected->fits == 1 ? "" : "s",
            v->options->model.model);
    if (found)
        fprintf(stream, " (%zu more are kept from earlier runs)", found);
    if (expected->refits)
        fprintf(stream, ", %zu of each on resampled rows of its source", expected->refits);
    if (expected->replicates)
        fprintf(stream, "; %zu resamplings of the reference rows", expected->replicates);
    size_t judged = 0;
    for (size_t m = 0; m < v->scoring_count; m++)
        judged += v->scorings[m].draws.folds != 0;
    if (judged)
        fprintf(stream, "; %zu final models to judge tau", judged * 2 * TAU_GRID_COUNT);
    fprintf(stream, "\n%zu worker%s; ", expected->workers, expected->workers == 1 ? "" : "s side by side");
    write_seconds(stream, expected->seconds);
    fprintf(stream, " and %.0f MB of memory are expected, within a factor of two\n", ceil(expected->peak_bytes / 1e6));
    bool kept = !ferror(stream);
    return fclose(stream) == 0 && kept ? GBV_OK : error_out_of_memory(error, "the plan");
}

/* kept[s]: no model of source s needs to be fitted; *found counts such models. */
static gbv_status count_work(const valuation *v, const gbv_result *scrap, bool *kept, size_t *found, gbv_plan *expected,
                             gbv_error *error)
{
    gbv_status status = GBV_OK;
    *found = 0;
    expected->reference_rows = scrap->reference_rows;
    expected->replicates = v->options->replicates;
    expected->refits = v->scorings[0].info ? v->scorings[0].draws.refits : 0;
    for (size_t i = 0; i < v->source_count && status == GBV_OK; i++)
        if (valuation_owns(v, i)) {
            size_t fits = v->sources->items[i].probabilities ? 0 : 1 + expected->refits;
            expected->sources++;
            expected->rows += v->sources->items[i].row_count;
            if (fits)
                status = is_kept(v, i, &kept[i], error);
            *(kept[i] ? found : &expected->fits) += fits;
        }
    if (!expected->fits && !*found)
        expected->refits = 0;
    expected->workers = plan_fits(v->threads, v->options->model.threads_per_model, expected->sources);
    return status;
}

gbv_status gbv_value_plan(const gbv_dataset *reference, const gbv_sources *sources, const gbv_value_options *options,
                          gbv_plan **out, gbv_error *error)
{
    gbv_value_options defaults = gbv_value_defaults();
    valuation v = {.reference = reference,
                   .sources = sources,
                   .source_count = sources->count,
                   .options = options ? options : &defaults};
    gbv_result *scrap = NULL;
    gbv_plan *made = memory_zeroed(1, sizeof *made);
    bool *kept = memory_zeroed(sources->count, sizeof *kept);
    size_t found = 0;
    double begun = clock_seconds();
    *out = NULL;
    if (!made || !kept) {
        free(made);
        free(kept);
        return error_out_of_memory(error, "the plan");
    }
    struct plan p = plan_begin(v.options->model.threads);
    v.threads = p.threads;
    gbv_status status = valuation_open(&v, &scrap, error);
    if (status == GBV_OK)
        status = valuation_prepare(&v, scrap, error);
    if (status == GBV_OK) {
        made->seconds = clock_seconds() - begun;
        made->peak_bytes = gbv_memory_now();
        status = count_work(&v, scrap, kept, &found, made, error);
    }
    if (status == GBV_OK)
        status = plan_models(&v, kept, scrap, made, error);
    if (status == GBV_OK)
        status = plan_methods(&v, made, error);
    if (status == GBV_OK) {
        plan_weighing(&v, made);
        made->peak_bytes = fmax(made->peak_bytes, gbv_memory_peak());
        status = write_text(&v, found, made, error);
    }
    plan_end(p);
    valuation_close(&v);
    gbv_result_free(scrap);
    free(kept);
    if (status == GBV_OK)
        *out = made;
    else
        gbv_plan_free(made);
    return status;
}

void gbv_plan_free(gbv_plan *expected)
{
    if (expected)
        free(expected->text);
    free(expected);
}
