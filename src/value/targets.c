/* targets.c - what models are scored on: the reference; or without one the rows of every other source, or in the
 * paper's form (section 4.3, D* missing) the union of all sources with the labels they gave. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "nn/kind.h"
#include "value/tau_auto.h"
#include "value/valuation.h"

/* D* as doubles once, because every source's model reads it; networks take its images instead. */
static gbv_status take_reference(const valuation *v, target *t, gbv_error *error)
{
    const gbv_dataset *d = v->reference;
    size_t columns = d->features.columns;
    t->parts = memory_zeroed(1, sizeof *t->parts);
    if (!t->parts)
        return error_out_of_memory(error, "the reference");
    t->labels = v->options->unlabelled ? NULL : d->labels;
    *t->parts = sample_part_of(d, d->row_index, d->row_count, t->labels, NULL);
    t->rows = sample_of(t->parts);
    t->source = SIZE_MAX;
    if (model_kind_find(v->options->model.model)->of_images)
        return GBV_OK;
    if (!(t->features = memory_array(d->row_count, columns * sizeof(double))))
        return error_out_of_memory(error, "the reference");
    t->parts->dense = sample_block_f64(&t->rows, 0, d->row_count, t->features);
    return sample_check(&t->rows, error);
}

/* The rows of `count` sources from `first` on. */
static gbv_status take_sources(const valuation *v, size_t first, size_t count, target *t, gbv_error *error)
{
    t->parts = memory_zeroed(count, sizeof *t->parts);
    if (!t->parts)
        return error_out_of_memory(error, "the rows of the sources");
    for (size_t i = 0; i < count; i++) {
        sample one = problem_source_sample(&v->given, first + i, &t->parts[i]);
        t->rows.columns = one.columns;
        t->rows.rows += one.rows;
    }
    t->rows.parts = t->parts;
    t->rows.part_count = count;
    t->source = valuation_is_crowd(v) ? first : SIZE_MAX;
    t->labels = t->own_labels = memory_array(t->rows.rows, sizeof *t->own_labels);
    if (!t->own_labels)
        return error_out_of_memory(error, "the labels of the sources");
    sample_labels(&t->rows, t->own_labels, NULL);
    return GBV_OK;
}

static bool wants_folds(const valuation *v)
{
    for (size_t i = 0; i < v->scoring_count; i++)
        if (v->scorings[i].draws.folds)
            return true;
    return false;
}

static gbv_status make_folds(const valuation *v, target *t, gbv_error *error)
{
    size_t rows = t->rows.rows;
    t->fold = memory_array(rows, sizeof *t->fold);
    if (!t->fold)
        return error_out_of_memory(error, "the halves of the reference");
    gbv_status status = tau_folds(t->labels, rows, v->class_count, v->options->model.seed, t->fold, error);
    for (int f = 0; f < 2 && status == GBV_OK; f++) {
        if (!(t->fold_rows[f] = memory_array(rows, sizeof *t->fold_rows[f])))
            return error_out_of_memory(error, "the halves of the reference");
        for (size_t i = 0; i < rows; i++)
            if (t->fold[i] == f)
                t->fold_rows[f][t->fold_count[f]++] = i;
    }
    return status;
}

static gbv_status resample(const valuation *v, target *t, gbv_error *error)
{
    const draws *d = &v->scorings[0].draws;
    const char *subject = t->source == SIZE_MAX ? "reference" : v->sources->items[t->source].name;
    gbv_status status = GBV_OK;
    if (d->replicates)
        status = row_draws_create(v->options->model.seed, subject, d->replicates, t->rows.rows, v->threads,
                                  &t->resampled, error);
    if (status == GBV_OK && wants_folds(v))
        status = make_folds(v, t, error);
    return status;
}

gbv_status targets_create(valuation *v, gbv_error *error)
{
    bool crowd = !v->reference && !(v->options->variant && strcmp(v->options->variant, "paper") == 0);
    size_t count = v->sources->count;
    if (crowd && count < 3)
        return error_set(error, GBV_USAGE,
                         "without a reference the sources are judged by each other, which takes at least three of "
                         "them, not %zu: give a reference or more sources",
                         count);
    v->target_count = crowd ? count : 1;
    if (!(v->targets = memory_zeroed(v->target_count, sizeof *v->targets)))
        return error_out_of_memory(error, "the reference");
    if (v->reference)
        return take_reference(v, &v->targets[0], error);
    gbv_status status = GBV_OK;
    if (!crowd)
        return take_sources(v, 0, count, &v->targets[0], error);
    for (size_t u = 0; u < count && status == GBV_OK; u++)
        status = take_sources(v, u, 1, &v->targets[u], error);
    return status;
}

gbv_status targets_resample(valuation *v, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t t = 0; t < v->target_count && status == GBV_OK; t++)
        status = resample(v, &v->targets[t], error);
    return status;
}

void targets_free(valuation *v)
{
    for (size_t t = 0; t < v->target_count && v->targets; t++) {
        free(v->targets[t].parts);
        free(v->targets[t].features);
        free(v->targets[t].own_labels);
        free(v->targets[t].fold);
        free(v->targets[t].fold_rows[0]);
        free(v->targets[t].fold_rows[1]);
        row_draws_free(&v->targets[t].resampled);
    }
    free(v->targets);
}
