/* nn_support.h - small samples in memory and plain restatements of what the models compute, for the tests of this
 * room. */
#ifndef NN_SUPPORT_H
#define NN_SUPPORT_H

#include "test_support.h"

#include "base/plan.h"
#include "base/random.h"
#include "nn/model.h"

/* Rows of f64 features with labels and, where wanted, one weight per row (each row is then a part of its own). */
typedef struct rows {
    size_t count, columns;
    double *features;
    int32_t *labels;
    sample_part *parts;
    sample data;
} rows;

static inline rows rows_create(size_t count, size_t columns)
{
    rows r = {.count = count, .columns = columns};
    r.features = calloc(count * columns, sizeof *r.features);
    r.labels = calloc(count, sizeof *r.labels);
    r.parts = calloc(count, sizeof *r.parts);
    assert_true(r.features && r.labels && r.parts);
    return r;
}

static inline void rows_free(rows *r)
{
    free(r->features);
    free(r->labels);
    free(r->parts);
}

/* The rows as one part, or as one part each with its weight. */
static inline const sample *rows_sample(rows *r, const double *weights)
{
    r->data =
        (sample){.parts = r->parts, .part_count = weights ? r->count : 1, .rows = r->count, .columns = r->columns};
    for (size_t i = 0; i < r->data.part_count; i++)
        r->parts[i] =
            (sample_part){.features = gbv_matrix_f64(r->features + i * r->columns, weights ? 1 : r->count, r->columns),
                          .labels = r->labels + i,
                          .count = weights ? 1 : r->count,
                          .row_weight = weights ? weights[i] : 1};
    return &r->data;
}

/* Gaussians around one centre a class, labels in turn. */
static inline rows rows_of_classes(uint64_t seed, size_t count, size_t columns, size_t classes)
{
    rows r = rows_create(count, columns);
    random_stream stream = random_stream_open(seed, "rows", RANDOM_SPLIT);
    double *centres = malloc(classes * columns * sizeof *centres);
    for (size_t i = 0; i < classes * columns; i++)
        centres[i] = random_normal(&stream);
    for (size_t i = 0; i < count; i++) {
        r.labels[i] = (int32_t)(i % classes);
        for (size_t j = 0; j < columns; j++)
            r.features[i * columns + j] = 0.5 * centres[(i % classes) * columns + j] + random_normal(&stream);
    }
    free(centres);
    return r;
}

static inline gbv_model *fit_model(const sample *data, size_t classes, const gbv_model_options *options)
{
    gbv_error error;
    gbv_model *model;
    arena scratch = {0};
    plan p = plan_begin(0);
    assert_ok(model_fit(data, classes, options, "subject", &scratch, &model, &error), error);
    plan_end(p);
    arena_free(&scratch);
    return model;
}

/* Probabilities of the rows; the caller frees them. */
static inline double *model_probabilities(const gbv_model *model, const sample *data)
{
    gbv_error error;
    arena scratch = {0};
    double *probabilities = malloc(data->rows * model->outputs * sizeof *probabilities);
    assert_ok(model_read_out(model, data, &(readout){.probabilities = probabilities}, &scratch, &error), error);
    arena_free(&scratch);
    return probabilities;
}

static inline double largest_difference(const double *a, const double *b, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

#endif
