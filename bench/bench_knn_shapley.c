/* bench_knn_shapley.c - how long KNN-Shapley takes beside the matrix product that its distances cost anyway.
 *
 *     bench_knn_shapley [THREADS] [ROUNDS] [TRAIN_ROWS REFERENCE_ROWS COLUMNS]
 *         made-up rows of 10 classes and 5 sources; the two in turn, medians
 *     bench_knn_shapley THREADS ROUNDS TRAIN_ROWS REFERENCE_ROWS COLUMNS FOLDER
 *         the same over train, reference (float32), train_labels and reference_labels (int32) that another program
 *         wrote (bench/run_knn_shapley.py); writes the values there as float64 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_clock.h"

#include "base/random.h"
#include "compute/dense.h"
#include "value/method/knn_shapley_kernel.h"

enum { MOST_ROUNDS = 101, CLASSES = 10, SOURCES = 5 };

extern void openblas_set_num_threads(int count) __attribute__((weak));

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

static void *allocate(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    if (!block) {
        fprintf(stderr, "bench_knn_shapley: no memory for %zu numbers\n", count);
        exit(1);
    }
    return block;
}

static void fill(float *rows, int32_t *labels, size_t count, size_t columns, const float *centres, const char *what)
{
    random_stream stream = random_stream_open(1, what, RANDOM_WEIGHTS);
    for (size_t i = 0; i < count; i++) {
        labels[i] = (int32_t)random_below(&stream, CLASSES);
        for (size_t j = 0; j < columns; j++)
            rows[i * columns + j] =
                (float)(3.4 * (random_uniform(&stream) - 0.5)) + centres[(size_t)labels[i] * columns + j];
    }
}

static void load(const char *folder, const char *name, void *values, size_t size, size_t count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "rb");
    if (!stream || fread(values, size, count, stream) != count) {
        fprintf(stderr, "bench_knn_shapley: %s does not hold %zu numbers\n", path, count);
        exit(1);
    }
    fclose(stream);
}

static void save(const char *folder, const char *name, const double *values, size_t count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "wb");
    if (!stream || fwrite(values, sizeof *values, count, stream) != count || fclose(stream) != 0) {
        fprintf(stderr, "bench_knn_shapley: %s cannot be written\n", path);
        exit(1);
    }
}

int main(int count, char **arguments)
{
    size_t threads = count > 1 ? strtoul(arguments[1], NULL, 10) : 1;
    int rounds = count > 2 ? atoi(arguments[2]) : 5;
    size_t n = count > 5 ? strtoul(arguments[3], NULL, 10) : 50000,
           m = count > 5 ? strtoul(arguments[4], NULL, 10) : 1000;
    size_t columns = count > 5 ? strtoul(arguments[5], NULL, 10) : 512;
    const char *folder = count > 6 ? arguments[6] : NULL;
    if (threads < 1 || rounds < 1 || rounds > MOST_ROUNDS || n < 1 || m < 1)
        return fprintf(stderr, "usage: bench_knn_shapley [THREADS [ROUNDS [TRAIN_ROWS REFERENCE_ROWS COLUMNS "
                               "[FOLDER]]]]\n"),
               2;
    float *train = allocate(n * columns, sizeof *train), *reference = allocate(m * columns, sizeof *reference);
    int32_t *train_labels = allocate(n, sizeof *train_labels), *labels = allocate(m, sizeof *labels);
    uint32_t *source_of_row = allocate(n, sizeof *source_of_row);
    float *products = allocate(n * m, sizeof *products);
    double *values = allocate(n, sizeof *values), *by_source = allocate(SOURCES * m, sizeof *by_source);
    if (folder) {
        load(folder, "train", train, sizeof *train, n * columns);
        load(folder, "reference", reference, sizeof *reference, m * columns);
        load(folder, "train_labels", train_labels, sizeof *train_labels, n);
        load(folder, "reference_labels", labels, sizeof *labels, m);
    } else {
        float *centres = allocate(CLASSES * columns, sizeof *centres);
        random_stream stream = random_stream_open(1, "centres", RANDOM_CENTRES);
        for (size_t i = 0; i < CLASSES * columns; i++)
            centres[i] = (float)(0.3 * random_normal(&stream));
        fill(train, train_labels, n, columns, centres, "train");
        fill(reference, labels, m, columns, centres, "reference");
        free(centres);
    }
    for (size_t i = 0; i < n; i++)
        source_of_row[i] = (uint32_t)(i * SOURCES / n);
    knn_problem problem = {.train_rows = n,
                           .reference_rows = m,
                           .columns = columns,
                           .neighbours = KNN_DEFAULT_NEIGHBOURS,
                           .source_count = SOURCES,
                           .train = train,
                           .reference = reference,
                           .train_labels = train_labels,
                           .reference_labels = labels,
                           .source_of_row = source_of_row,
                           .threads = threads};
    double product_seconds[MOST_ROUNDS], seconds[MOST_ROUNDS], ratios[MOST_ROUNDS];
    gbv_error error;
    for (int i = -1; i < rounds; i++) { /* the first is not counted */
        int slot = i < 0 ? 0 : i;
        double start = seconds_now();
        if (openblas_set_num_threads)
            openblas_set_num_threads((int)threads);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)columns, 1, reference, (int)columns,
                    train, (int)columns, 0, products, (int)n);
        product_seconds[slot] = seconds_now() - start;
        start = seconds_now();
        if (knn_shapley(&problem, values, by_source, &error) != GBV_OK)
            return fprintf(stderr, "bench_knn_shapley: %s\n", error.message), 1;
        seconds[slot] = seconds_now() - start;
        ratios[slot] = seconds[slot] / product_seconds[slot];
    }
    printf("%.6f %.6f %.3f\n", median(seconds, rounds), median(product_seconds, rounds), median(ratios, rounds));
    if (folder)
        save(folder, "values", values, n);
    free(train), free(reference), free(train_labels), free(labels), free(source_of_row);
    free(products), free(values), free(by_source);
    return 0;
}
