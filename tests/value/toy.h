/* toy.h - small Gaussian classes and four sources of them with more or less noise, for tests of the valuation. */
#ifndef TESTS_VALUE_TOY_H
#define TESTS_VALUE_TOY_H

#include "test_support.h"

#include "base/random.h"

enum { COLUMNS = 8, CLASSES = 4, SOURCES = 4, SAMPLE = 300, REFERENCE = 400 };

typedef struct toy {
    float reference[REFERENCE][COLUMNS];
    int32_t reference_labels[REFERENCE];
    float rows[SOURCES][SAMPLE][COLUMNS];
    int32_t labels[SOURCES][SAMPLE];
} toy;

static const double noise[SOURCES] = {.5, 0, .75, .25};
static const char *const names[SOURCES] = {"half", "clean", "worst", "good"};

static inline int32_t draw_row(random_stream *stream, float row[COLUMNS])
{
    int32_t label = (int32_t)random_below(stream, CLASSES);
    for (int j = 0; j < COLUMNS; j++)
        row[j] = (float)random_normal(stream) + (j % CLASSES == label ? 1.5f : 0);
    return label;
}

static inline toy *make_toy(void)
{
    toy *t = calloc(1, sizeof *t);
    random_stream stream = random_stream_open(5, "toy", RANDOM_SPLIT);
    for (int i = 0; i < REFERENCE; i++)
        t->reference_labels[i] = draw_row(&stream, t->reference[i]);
    for (int s = 0; s < SOURCES; s++)
        for (int i = 0; i < SAMPLE; i++) {
            int32_t label = draw_row(&stream, t->rows[s][i]);
            if (random_uniform(&stream) < noise[s])
                label = (label + 1 + (int32_t)random_below(&stream, CLASSES - 1)) % CLASSES;
            t->labels[s][i] = label;
        }
    return t;
}

static inline gbv_dataset *reference_of(const toy *t)
{
    gbv_dataset *d;
    gbv_error error;
    assert_ok(gbv_dataset_create("reference", gbv_matrix_f32(&t->reference[0][0], REFERENCE, COLUMNS),
                                 t->reference_labels, NULL, 0, &d, &error),
              error);
    return d;
}

static inline void add_source(gbv_sources *sources, const toy *t, int s, size_t rows)
{
    gbv_dataset *d;
    gbv_error error;
    assert_ok(gbv_dataset_create(names[s], gbv_matrix_f32(&t->rows[s][0][0], rows, COLUMNS), t->labels[s], NULL, 0, &d,
                                 &error),
              error);
    assert_ok(gbv_sources_add_dataset(sources, names[s], d, &error), error);
}

static inline gbv_result *value(const toy *t, const int *order, size_t count, const gbv_value_options *options)
{
    gbv_dataset *reference = reference_of(t);
    gbv_sources *sources = gbv_sources_create();
    gbv_result *result;
    gbv_error error;
    for (size_t i = 0; i < count; i++)
        add_source(sources, t, order[i], SAMPLE);
    assert_ok(gbv_value(reference, sources, options, &result, &error), error);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    return result;
}

static inline const gbv_source_result *find(const gbv_result *r, const char *name)
{
    for (size_t i = 0; i < r->source_count; i++)
        if (strcmp(r->sources[i].name, name) == 0)
            return &r->sources[i];
    fail_msg("no source %s", name);
    return NULL;
}

static inline char *as_json(const gbv_result *r)
{
    char *text;
    size_t size;
    gbv_error error;
    FILE *stream = open_memstream(&text, &size);
    assert_ok(gbv_report_json(r, stream, &error), error);
    fclose(stream);
    return text;
}

static inline int make_data(void **state)
{
    *state = make_toy();
    return 0;
}

static inline int free_data(void **state)
{
    free(*state);
    return 0;
}

#endif
