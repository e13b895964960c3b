/* lava_sides.h - training rows and reference rows for tests of LAVA: the golden ones and made-up ones. */
#ifndef TESTS_VALUE_METHOD_LAVA_SIDES_H
#define TESTS_VALUE_METHOD_LAVA_SIDES_H

#include "measure/npy.h"

#include "base/random.h"
#include "value/method/lava_kernel.h"

/* Two sides as floats and as doubles. */
typedef struct sides {
    size_t train_rows, reference_rows, columns, classes;
    float *train, *reference;
    double *train_values, *reference_values;
    int32_t *train_labels, *reference_labels;
} sides;

static void sides_free(sides *s)
{
    free(s->train), free(s->reference), free(s->train_values), free(s->reference_values);
    free(s->train_labels), free(s->reference_labels);
}

static float *narrow(const double *values, size_t count)
{
    float *single = malloc(count * sizeof *single);
    for (size_t i = 0; i < count; i++)
        single[i] = (float)values[i];
    return single;
}

static sides golden_sides(void)
{
    npy train = npy_load("lava_Xtr"), reference = npy_load("lava_Xval");
    return (sides){.train_rows = train.rows,
                   .reference_rows = reference.rows,
                   .columns = train.columns,
                   .classes = 3,
                   .train = narrow(train.values, train.rows * train.columns),
                   .reference = narrow(reference.values, reference.rows * reference.columns),
                   .train_values = train.values,
                   .reference_values = reference.values,
                   .train_labels = npy_labels("lava_ytr_noisy"),
                   .reference_labels = npy_labels("lava_yval")};
}

/* Clouds around a centre for each class, one label in five wrong; the first rows have each class twice. The doubles are
 * the floats' own values. */
static sides made_up_sides(size_t train_rows, size_t reference_rows, size_t columns, size_t classes, double spread)
{
    sides s = {.train_rows = train_rows, .reference_rows = reference_rows, .columns = columns, .classes = classes};
    random_stream stream = random_stream_open(7, "lava", RANDOM_SPLIT);
    double *centres = malloc(classes * columns * sizeof *centres);
    for (size_t i = 0; i < classes * columns; i++)
        centres[i] = spread * random_normal(&stream);
    for (int side = 0; side < 2; side++) {
        size_t rows = side ? reference_rows : train_rows;
        float *values = malloc(rows * columns * sizeof *values);
        double *doubles = malloc(rows * columns * sizeof *doubles);
        int32_t *labels = malloc(rows * sizeof *labels);
        for (size_t i = 0; i < rows; i++) {
            size_t class = i < 2 * classes ? i % classes : random_below(&stream, classes);
            for (size_t j = 0; j < columns; j++) {
                values[i * columns + j] = (float)(centres[class * columns + j] + random_normal(&stream));
                doubles[i * columns + j] = (double)values[i * columns + j];
            }
            bool wrong = !side && i >= 2 * classes && random_below(&stream, 5) == 0;
            labels[i] = (int32_t)(wrong ? random_below(&stream, classes) : class);
        }
        if (side)
            s.reference = values, s.reference_values = doubles, s.reference_labels = labels;
        else
            s.train = values, s.train_values = doubles, s.train_labels = labels;
    }
    free(centres);
    return s;
}

static lava_problem problem_of(const sides *s)
{
    return (lava_problem){.train_rows = s->train_rows,
                          .reference_rows = s->reference_rows,
                          .columns = s->columns,
                          .class_count = s->classes,
                          .train = s->train,
                          .reference = s->reference,
                          .train_labels = s->train_labels,
                          .reference_labels = s->reference_labels,
                          .threads = 1};
}

#endif
