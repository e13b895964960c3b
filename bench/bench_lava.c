/* bench_lava.c - how long LAVA takes.
 *
 *     bench_lava THREADS REPETITIONS MEMORY TRAIN_ROWS REFERENCE_ROWS COLUMNS CLASSES TRAIN REFERENCE LABELS LABELS OUT
 *         over raw arrays that another program wrote (bench/run_lava.py): floats, and labels as 32-bit integers.
 * MEMORY: bytes for the costs, 0 for as many as they need. Prints the median seconds of the costs, of the distances
 *         between classes, of the whole transport, and of a solution for every second reference row; then the distance.
 *         The gradients go to OUT as doubles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_clock.h"

#include "base/plan.h"
#include "value/method/lava_kernel.h"

enum { MAXIMAL_REPETITIONS = 101, PARTS = 4 };

static void *allocate(size_t bytes)
{
    void *block = malloc(bytes ? bytes : 1);
    if (!block) {
        fprintf(stderr, "bench_lava: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return block;
}

static void *read_array(const char *path, size_t size, size_t count)
{
    void *values = allocate(size * count);
    FILE *stream = fopen(path, "rb");
    if (!stream || fread(values, size, count, stream) != count) {
        fprintf(stderr, "bench_lava: %s does not hold %zu numbers of %zu bytes\n", path, count, size);
        exit(1);
    }
    fclose(stream);
    return values;
}

/* Notes when the distances between classes were done: they are the first half of what progress hears. */
static bool note_time(void *context, const char *stage, size_t done, size_t total)
{
    (void)stage;
    double *labels_done = context;
    if (2 * done >= total && *labels_done == 0)
        *labels_done = seconds_now();
    return false;
}

static void check(gbv_status status, const gbv_error *error)
{
    if (status == GBV_OK)
        return;
    fprintf(stderr, "bench_lava: %s\n", error->message);
    exit(1);
}

static void run_once(lava_problem *problem, const size_t *half, double *gradients, double *distance, double *seconds)
{
    lava *opened;
    gbv_error error;
    double labels_done = 0, start = seconds_now();
    problem->context = &labels_done;
    check(lava_open(problem, &opened, &error), &error);
    double open = seconds_now();
    check(lava_solve(opened, half, problem->reference_rows / 2, gradients, distance, &error), &error);
    double half_solved = seconds_now();
    labels_done = 0;
    check(lava_solve(opened, NULL, 0, gradients, distance, &error), &error);
    double solved = seconds_now();
    lava_close(opened);
    seconds[0] = open - start;
    seconds[1] = labels_done - half_solved;
    seconds[2] = solved - labels_done;
    seconds[3] = half_solved - open;
}

int main(int count, char **arguments)
{
    if (count != 13) {
        fprintf(stderr, "usage: bench_lava THREADS REPETITIONS MEMORY TRAIN_ROWS REFERENCE_ROWS COLUMNS CLASSES TRAIN "
                        "REFERENCE LABELS LABELS OUT\n");
        return 2;
    }
    size_t numbers[7];
    for (int i = 0; i < 7; i++)
        numbers[i] = strtoul(arguments[i + 1], NULL, 10);
    size_t repetitions = numbers[1], n = numbers[3], m = numbers[4], columns = numbers[5];
    if (repetitions < 1 || repetitions > MAXIMAL_REPETITIONS) {
        fprintf(stderr, "bench_lava: repetitions must be 1 to %d\n", MAXIMAL_REPETITIONS);
        return 2;
    }
    float *train = read_array(arguments[8], sizeof *train, n * columns);
    float *reference = read_array(arguments[9], sizeof *reference, m * columns);
    int32_t *train_labels = read_array(arguments[10], sizeof *train_labels, n);
    int32_t *reference_labels = read_array(arguments[11], sizeof *reference_labels, m);
    double *gradients = allocate(n * sizeof *gradients), distance, times[PARTS][MAXIMAL_REPETITIONS];
    size_t *half = allocate(m * sizeof *half);
    for (size_t i = 0; i < m / 2; i++)
        half[i] = 2 * i;
    lava_problem problem = {.train_rows = n,
                            .reference_rows = m,
                            .columns = columns,
                            .class_count = numbers[6],
                            .train = train,
                            .reference = reference,
                            .train_labels = train_labels,
                            .reference_labels = reference_labels,
                            .memory = numbers[2],
                            .threads = numbers[0],
                            .progress = note_time};
    plan p = plan_begin(problem.threads);
    for (size_t i = 0; i < repetitions; i++) {
        double seconds[PARTS];
        run_once(&problem, half, gradients, &distance, seconds);
        for (size_t k = 0; k < PARTS; k++)
            times[k][i] = seconds[k];
    }
    plan_end(p);
    for (size_t k = 0; k < PARTS; k++) {
        qsort(times[k], repetitions, sizeof times[k][0], ascending);
        printf("%.9f ", times[k][repetitions / 2]);
    }
    printf("%.17g\n", distance);
    FILE *out = fopen(arguments[12], "wb");
    if (!out || fwrite(gradients, sizeof *gradients, n, out) != n || fclose(out) != 0) {
        fprintf(stderr, "bench_lava: %s cannot be written\n", arguments[12]);
        return 1;
    }
    free(train), free(reference), free(train_labels), free(reference_labels), free(gradients), free(half);
    return 0;
}
