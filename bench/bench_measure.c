/* bench_measure.c - how long the measures take.
 *
 *     bench_measure                    made-up inputs, one line a case with the median seconds
 *     bench_measure MEASURE f32|f64 MODE REPETITIONS ROWS COLUMNS ARRAY LABELS|SOURCE_FEATURES [REPLICATES DRAWS]
 *         one case over raw arrays that another program wrote (bench/run_measure.py): prints the median seconds and
 *         the score, and for nleep the rounds of its mixture. MODE is a variant of the measure, "fast" for
 * single-precision products, or "-". ARRAY holds what the measure needs: probabilities or features.
 *         With REPLICATES: so many replicates instead of the score, after the seconds that drawing took; DRAWS receives
 *         the row weights (doubles), then the half-samples (32-bit integers). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gbv/measure.h>

#include "bench_clock.h"

#include "base/random.h"
#include "measure/mixture.h"
#include "measure/principal.h"
#include "measure/replicate.h"

enum { MAXIMAL_REPETITIONS = 101 };

static void *allocate(size_t bytes)
{
    void *block = malloc(bytes ? bytes : 1);
    if (!block) {
        fprintf(stderr, "bench_measure: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return block;
}

static void fail_on(gbv_status status, const gbv_error *error)
{
    if (status == GBV_OK)
        return;
    fprintf(stderr, "bench_measure: %s\n", error->message);
    exit(1);
}

/* Median seconds of `repetitions` calls after one that is not counted. */
static double median_seconds(const char *name, const char *variant, const gbv_measure_input *input, int repetitions,
                             double *score)
{
    double times[MAXIMAL_REPETITIONS];
    gbv_error error;
    for (int i = -1; i < repetitions; i++) {
        double start = seconds_now();
        fail_on(gbv_measure(name, variant, input, score, NULL, &error), &error);
        if (i >= 0)
            times[i] = seconds_now() - start;
    }
    qsort(times, (size_t)repetitions, sizeof *times, ascending);
    return times[repetitions / 2];
}

/* The same for `count` replicates; prints the line. */
static void run_replicates(const char *name, const char *variant, const gbv_measure_input *input, int repetitions,
                           size_t count, const char *draws_path)
{
    double times[MAXIMAL_REPETITIONS], *scores = allocate(count * sizeof *scores), start = seconds_now();
    gbv_error error;
    row_draws draws;
    fail_on(row_draws_create(1, "bench", count, input->rows, 0, &draws, &error), &error);
    double draw_seconds = seconds_now() - start;
    for (int i = -1; i < repetitions; i++) {
        start = seconds_now();
        fail_on(measure_replicates(name, variant, input, &draws, NULL, NULL, scores, &error), &error);
        if (i >= 0)
            times[i] = seconds_now() - start;
    }
    qsort(times, (size_t)repetitions, sizeof *times, ascending);
    FILE *stream = fopen(draws_path, "wb");
    if (!stream || fwrite(draws.weights, sizeof(double), count * draws.rows, stream) != count * draws.rows ||
        fwrite(draws.halves, sizeof(uint32_t), count * draws.half_rows, stream) != count * draws.half_rows ||
        fclose(stream) != 0) {
        fprintf(stderr, "bench_measure: %s could not be written\n", draws_path);
        exit(1);
    }
    printf("%.9f %.9f", times[repetitions / 2], draw_seconds);
    for (size_t b = 0; b < count; b++)
        printf(" %.17g", scores[b]);
    putchar('\n');
    row_draws_free(&draws);
    free(scores);
}

static void *read_array(const char *path, size_t size, size_t count)
{
    void *values = allocate(size * count);
    FILE *stream = fopen(path, "rb");
    if (!stream || fread(values, size, count, stream) != count) {
        fprintf(stderr, "bench_measure: %s does not hold %zu numbers of %zu bytes\n", path, count, size);
        exit(1);
    }
    fclose(stream);
    return values;
}

static gbv_matrix view(const void *values, bool single, size_t rows, size_t columns)
{
    return single ? gbv_matrix_f32(values, rows, columns) : gbv_matrix_f64(values, rows, columns);
}

/* How many rounds of expectation maximisation the mixture of nleep takes: how long a fit is depends on it, and it
 * depends on where the fit starts, which differs from program to program. Set up as in nleep.c. */
static size_t nleep_rounds(const gbv_measure_input *input)
{
    size_t components = 0, rounds = 0;
    for (size_t i = 0; i < input->rows; i++)
        if ((size_t)input->labels[i] >= components)
            components = (size_t)input->labels[i] + 1;
    components *= 5;
    principal_components axes;
    gbv_error error;
    random_stream stream = random_stream_open(0, "nleep", RANDOM_CENTRES);
    double *responsibilities = allocate(input->rows * components * sizeof *responsibilities);
    if (principal_components_create(&input->features, 0.8, &axes, &error) != GBV_OK ||
        mixture_fit(axes.scores, axes.rows, axes.count, components, &stream, responsibilities, &rounds, &error)) {
        fprintf(stderr, "bench_measure: %s\n", error.message);
        exit(1);
    }
    principal_components_free(&axes);
    free(responsibilities);
    return rounds;
}

static int run_files(int count, char **arguments)
{
    const char *name = arguments[0];
    const gbv_measure_info *info = gbv_measure_find(name);
    unsigned needs = info ? info->needs : 0;
    bool single = strcmp(arguments[1], "f32") == 0;
    int repetitions = atoi(arguments[3]);
    if (repetitions < 1 || repetitions > MAXIMAL_REPETITIONS) {
        fprintf(stderr, "bench_measure: repetitions must be 1 to %d\n", MAXIMAL_REPETITIONS);
        return 2;
    }
    size_t rows = strtoul(arguments[4], NULL, 10), columns = strtoul(arguments[5], NULL, 10);
    size_t size = single ? sizeof(float) : sizeof(double);
    void *values = read_array(arguments[6], size, rows * columns), *second = NULL;
    gbv_measure_input input = {.rows = rows, .fast = strcmp(arguments[2], "fast") == 0};
    const char *variant = input.fast || strcmp(arguments[2], "-") == 0 ? NULL : arguments[2];
    if (needs & GBV_NEEDS_SOURCE_FEATURES) {
        second = read_array(arguments[7], size, rows * columns);
        input.source_features = view(second, single, rows, columns);
    } else {
        input.labels = second = read_array(arguments[7], sizeof(int32_t), rows);
    }
    if (needs & GBV_NEEDS_PROBABILITIES)
        input.probabilities = view(values, single, rows, columns);
    else
        input.features = view(values, single, rows, columns);
    if (count == 10) {
        run_replicates(name, variant, &input, repetitions, strtoul(arguments[8], NULL, 10), arguments[9]);
    } else {
        double score, seconds = median_seconds(name, variant, &input, repetitions, &score);
        printf("%.9f %.17g", seconds, score);
        if (strcmp(name, "nleep") == 0)
            printf(" %zu", nleep_rounds(&input));
        putchar('\n');
    }
    free(values);
    free(second);
    return 0;
}

typedef struct bench_case {
    const char *measure;
    size_t rows, columns, classes;
    bool fast;
    int repetitions;
} bench_case;

static void run_made_up(const bench_case *c)
{
    random_stream stream = random_stream_open(1, c->measure, RANDOM_WEIGHTS);
    size_t cells = c->rows * c->columns;
    float *values = allocate(cells * sizeof *values), *source = allocate(cells * sizeof *source);
    int32_t *labels = allocate(c->rows * sizeof *labels);
    bool probabilities = strcmp(c->measure, "leep") == 0;
    for (size_t i = 0; i < c->rows; i++) {
        double sum = 0;
        labels[i] = (int32_t)random_below(&stream, c->classes);
        for (size_t j = 0; j < c->columns; j++) {
            double value = random_uniform(&stream) + (j % c->classes == (size_t)labels[i]);
            values[i * c->columns + j] = (float)value;
            source[i * c->columns + j] = (float)random_uniform(&stream);
            sum += value;
        }
        for (size_t j = 0; probabilities && j < c->columns; j++)
            values[i * c->columns + j] = (float)(values[i * c->columns + j] / sum);
    }
    gbv_measure_input input = {.rows = c->rows, .labels = labels, .class_count = c->classes, .fast = c->fast};
    input.probabilities = input.features = gbv_matrix_f32(values, c->rows, c->columns);
    input.source_features = gbv_matrix_f32(source, c->rows, c->columns);
    double score, seconds = median_seconds(c->measure, NULL, &input, c->repetitions, &score);
    printf("%-6s rows %-6zu columns %-5zu classes %-4zu %-5s %10.6f s\n", c->measure, c->rows, c->columns, c->classes,
           c->fast ? "fast" : "exact", seconds);
    free(values);
    free(source);
    free(labels);
}

int main(int count, char **arguments)
{
    static const bench_case cases[] = {
        {"leep", 1000, 10, 10, false, 101},  {"leep", 5994, 1000, 200, false, 11}, {"leep", 50000, 10, 10, false, 51},
        {"logme", 1000, 512, 10, false, 11}, {"logme", 5994, 512, 200, false, 5},  {"logme", 50000, 512, 10, false, 3},
        {"logme", 1000, 512, 10, true, 11},  {"logme", 5994, 512, 200, true, 5},   {"logme", 50000, 512, 10, true, 3},
        {"mmd", 2000, 512, 10, false, 5},    {"mmd", 5000, 512, 10, false, 3},
    };
    if (count == 9 || count == 11)
        return run_files(count - 1, arguments + 1);
    if (count != 1) {
        fprintf(stderr, "usage: bench_measure [MEASURE f32|f64 MODE REPETITIONS ROWS COLUMNS ARRAY "
                        "LABELS|SOURCE_FEATURES [REPLICATES DRAWS]]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_made_up(&cases[i]);
    return 0;
}
