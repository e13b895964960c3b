/* made.h - random inputs for any measure, with the labels showing in them. */
#ifndef TESTS_MEASURE_MADE_H
#define TESTS_MEASURE_MADE_H

#include "measure/npy.h"

#include "base/random.h"

/* Of what `make` draws; a program may set it. */
static uint64_t seed;

typedef struct made {
    size_t rows, columns, classes;
    int32_t *labels;
    double *probabilities; /* rows x columns, each row adding up to one */
    double *features, *source;
} made;

/* Rounded to single precision. GCC 12 at -O3 leaves the rounding out of a vectorised loop's last rows; not of this. */
static inline double as_single(double value)
{
    volatile float single = (float)value;
    return single;
}

static inline made make(const char *subject, size_t rows, size_t columns, size_t classes)
{
    made m = {.rows = rows, .columns = columns, .classes = classes};
    random_stream stream = random_stream_open(seed, subject, RANDOM_WEIGHTS);
    m.labels = malloc(rows * sizeof *m.labels);
    m.probabilities = malloc(rows * columns * sizeof(double));
    m.features = malloc(rows * columns * sizeof(double));
    m.source = malloc(rows * columns * sizeof(double));
    for (size_t i = 0; i < rows; i++) {
        double sum = 0, *row = m.probabilities + i * columns;
        m.labels[i] = (int32_t)random_below(&stream, classes);
        for (size_t j = 0; j < columns; j++) {
            double right = j == (size_t)m.labels[i];
            m.features[i * columns + j] = as_single(random_normal(&stream) + right);
            m.source[i * columns + j] = as_single(random_normal(&stream) + 0.3);
            sum += row[j] = as_single(exp(2 * random_normal(&stream) + right));
        }
        for (size_t j = 0; j < columns; j++)
            row[j] = as_single(row[j] / sum);
    }
    return m;
}

static inline void unmake(made *m)
{
    free(m->labels), free(m->probabilities), free(m->features), free(m->source);
}

static inline gbv_measure_input input_of(const made *m)
{
    return (gbv_measure_input){.rows = m->rows,
                               .labels = m->labels,
                               .class_count = m->classes,
                               .probabilities = gbv_matrix_f64(m->probabilities, m->rows, m->columns),
                               .features = gbv_matrix_f64(m->features, m->rows, m->columns),
                               .source_features = gbv_matrix_f64(m->source, m->rows, m->columns)};
}

#endif
