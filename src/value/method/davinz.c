/* davinz.c - DAVINZ as a valuation (Wu et al. 2022; paper, section 6): how hard a source's rows are for the network at
 * its start, and how far they lie from the reference. Nothing is trained, and labels of the reference are not used.
 * Other reference rows change the distance alone; other rows of a source change both parts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "nn/kind.h"
#include "value/method/davinz_kernel.h"
#include "value/method/davinz_network.h"
#include "value/method/pool.h"

/* What all draws of one run share. */
typedef struct shared {
    const valuation *v;
    const pool *p;
    gbv_model *network; /* of rows; NULL: one of images */
    davinz_network images;
    size_t weightings;    /* of the reference: all rows, the folds, the half-samples */
    double *weights;      /* reference rows x weightings, each column adding up to one */
    double *of_reference; /* weightings */
    double *toward;       /* reference rows: scratch */
} shared;

/* The problem of one source, or of rows of it. */
static davinz_problem problem_of(const shared *c, const float *features, const int32_t *labels, size_t rows)
{
    const embedding *points = &c->p->points;
    return (davinz_problem){
        .network = c->network,
        .features = {.data = features,
                     .type = GBV_F32,
                     .rows = rows,
                     .columns = points->columns,
                     .row_stride = (ptrdiff_t)(points->columns * sizeof(float)),
                     .column_stride = sizeof(float)},
        .labels = labels,
        .reference = {.data = points->reference,
                      .type = GBV_F32,
                      .rows = points->reference_rows,
                      .columns = points->columns,
                      .row_stride = (ptrdiff_t)(points->columns * sizeof(float)),
                      .column_stride = sizeof(float)},
        .memory = c->v->options->memory,
        .threads = c->v->threads,
        .progress = c->v->options->model.progress,
        .context = c->v->options->model.context,
    };
}

static davinz_problem problem_of_source(const shared *c, size_t s)
{
    size_t first = c->p->first[s], rows = c->p->first[s + 1] - first;
    return problem_of(c, c->p->points.train + first * c->p->points.columns, c->p->labels + first, rows);
}

static void make_weights(shared *c, const draws *d)
{
    const target *t = &c->v->targets[0];
    size_t rows = t->rows.rows, half = t->resampled.half_rows;
    for (size_t i = 0; i < rows * c->weightings; i++)
        c->weights[i] = 0;
    for (size_t i = 0; i < rows; i++)
        c->weights[i * c->weightings] = 1 / (double)rows;
    for (size_t f = 0; f < d->folds; f++)
        for (size_t i = 0; i < t->fold_count[f]; i++)
            c->weights[t->fold_rows[f][i] * c->weightings + 1 + f] = 1 / (double)t->fold_count[f];
    for (size_t r = 0; r < d->replicates; r++)
        for (size_t i = 0; i < half; i++)
            c->weights[t->resampled.halves[r * half + i] * c->weightings + 1 + d->folds + r] = 1 / (double)half;
}

/* Of source s, or of some of its rows. */
static gbv_status complexity_of(const shared *c, const davinz_problem *task, size_t s, const size_t *members,
                                double *complexity, gbv_error *error)
{
    if (c->network)
        return davinz_complexity(task, complexity, error);
    sample_part part;
    sample images = problem_source_sample(&c->v->given, s, &part);
    return davinz_network_complexity(&c->images, &images, c->p->labels + c->p->first[s], members, task->features.rows,
                                     complexity, error);
}

/* parts (weighting x part) of source s, or of some of its rows (`members`; NULL: all). */
static gbv_status parts_of(const shared *c, const davinz_problem *task, size_t s, const size_t *members,
                           size_t weightings, double (*parts)[DAVINZ_PARTS], gbv_error *error)
{
    double complexity, within;
    gbv_status status = complexity_of(c, task, s, members, &complexity, error);
    if (status == GBV_OK)
        status = davinz_toward(task, &within, c->toward, error);
    for (size_t w = 0; w < weightings && status == GBV_OK; w++) {
        parts[w][DAVINZ_COMPLEXITY] = complexity;
        parts[w][DAVINZ_DISTANCE] =
            davinz_distance(within, c->toward, c->of_reference[w], c->weights, c->weightings, w, task->reference.rows);
    }
    return status;
}

/* Half of a source's rows, without replacement: repeated rows would make Theta singular. */
static gbv_status redraw(const shared *c, size_t s, size_t draw, double (*parts)[DAVINZ_PARTS], gbv_error *error)
{
    size_t first = c->p->first[s], rows = c->p->first[s + 1] - first, columns = c->p->points.columns,
           half = rows - rows / 2;
    size_t *order = memory_array(rows, sizeof *order);
    float *features = memory_array(half, columns * sizeof *features);
    int32_t *labels = memory_array(half, sizeof *labels);
    gbv_status status = order && features && labels ? GBV_OK : error_out_of_memory(error, "rows drawn anew");
    if (status == GBV_OK) {
        random_stream stream = random_stream_open_draw(c->v->options->model.seed, c->v->sources->items[s].name,
                                                       RANDOM_DRAW, (uint32_t)draw);
        for (size_t i = 0; i < rows; i++)
            order[i] = i;
        random_shuffle(&stream, order, rows);
        for (size_t i = 0; i < half; i++) {
            memcpy(features + i * columns, c->p->points.train + (first + order[i]) * columns,
                   columns * sizeof *features);
            labels[i] = c->p->labels[first + order[i]];
        }
        davinz_problem task = problem_of(c, features, labels, half);
        status = parts_of(c, &task, s, order, 1, parts, error);
    }
    free(order);
    free(features);
    free(labels);
    return status;
}

/* A weighting of no rows, which says nothing: half of one row, or a fold without any. */
static bool is_empty(const shared *c, const draws *d, size_t weighting)
{
    const target *t = &c->v->targets[0];
    return weighting > d->folds ? t->resampled.half_rows == 0 : weighting > 0 && t->fold_count[weighting - 1] == 0;
}

static void scores_of(const double (*parts)[DAVINZ_PARTS], size_t count, size_t draw, double *numbers, scoring *by)
{
    davinz_scores(parts, count, numbers);
    for (size_t s = 0; s < count; s++)
        by->scores[s * by->draws.count + draw] = numbers[s];
}

static gbv_status score_all(shared *c, scoring *by, gbv_error *error)
{
    size_t count = c->v->source_count;
    double(*parts)[DAVINZ_PARTS] = memory_array(count, c->weightings * sizeof *parts);
    double(*column)[DAVINZ_PARTS] = memory_array(count, sizeof *column), *numbers = memory_array(count, sizeof(double));
    gbv_status status = parts && column && numbers ? GBV_OK : error_out_of_memory(error, "the parts of the scores");
    for (size_t s = 0; s < count && status == GBV_OK; s++) {
        davinz_problem task = problem_of_source(c, s);
        if (s == 0)
            status = davinz_reference(&task, c->weights, c->weightings, c->of_reference, error);
        if (status == GBV_OK)
            status = parts_of(c, &task, s, NULL, c->weightings, parts + s * c->weightings, error);
    }
    for (size_t w = 0; w < c->weightings && status == GBV_OK; w++) {
        for (size_t s = 0; s < count; s++)
            memcpy(column[s], parts[s * c->weightings + w], sizeof *column);
        if (!is_empty(c, &by->draws, w))
            scores_of(column, count, w, numbers, by);
    }
    for (size_t r = 0; r < by->draws.refits && status == GBV_OK; r++) {
        for (size_t s = 0; s < count && status == GBV_OK; s++)
            status = redraw(c, s, r + 1, &column[s], error);
        if (status == GBV_OK)
            scores_of(column, count, draws_refits(&by->draws) + r, numbers, by);
    }
    free(parts);
    free(column);
    free(numbers);
    return status;
}

static gbv_status start_network(shared *c, gbv_error *error)
{
    const valuation *v = c->v;
    const gbv_model_options *options = &v->options->model;
    if (!model_kind_find(options->model)->of_images)
        return model_start(options, c->p->points.columns, v->classes.count, "davinz", &c->network, error);
    sample_part part;
    sample images = problem_source_sample(&v->given, 0, &part);
    return davinz_network_open(&c->images, options, &images, v->classes.count, v->options->memory, v->threads, error);
}

static gbv_status score(const valuation *v, scoring *by, gbv_error *error)
{
    size_t rows = v->targets[0].rows.rows;
    shared c = {.v = v, .p = v->pool, .weightings = 1 + by->draws.folds + by->draws.replicates};
    gbv_status status = start_network(&c, error);
    c.weights = memory_array(rows, c.weightings * sizeof *c.weights);
    c.of_reference = memory_array(c.weightings, sizeof *c.of_reference);
    c.toward = memory_array(rows, sizeof *c.toward);
    if (status == GBV_OK && (!c.weights || !c.of_reference || !c.toward))
        status = error_out_of_memory(error, "the parts of the scores");
    if (status == GBV_OK) {
        make_weights(&c, &by->draws);
        status = score_all(&c, by, error);
    }
    gbv_model_free(c.network);
    davinz_network_close(&c.images);
    free(c.weights);
    free(c.of_reference);
    free(c.toward);
    return status;
}

extern const method method_davinz;
const method method_davinz = {
    .name = "davinz",
    .summary = "distance to the reference and hardness for a network at its start, without training (Wu et al.)",
    .variants = "",
    .joint = true,
    .needs = METHOD_NEEDS_REFERENCE | METHOD_NEEDS_ROWS,
    .score = score,
};
