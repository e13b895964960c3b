/* bench_davinz.c - how long the two parts of DAVINZ take for one source.
 *     bench_davinz linear|mlp ROWS REFERENCE_ROWS COLUMNS HIDDEN CLASSES THREADS ROUNDS FOLDER
 * FOLDER holds features, reference (float32) and labels (int32) that another program wrote (bench/run_davinz.py).
 * Prints the median seconds and the parts, and writes the network's parameters there as float64. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_clock.h"

#include "value/method/davinz_kernel.h"

enum { MOST_ROUNDS = 101 };

static FILE *open_file(const char *folder, const char *name, const char *mode)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, mode);
    if (!stream) {
        fprintf(stderr, "bench_davinz: %s cannot be opened\n", path);
        exit(1);
    }
    return stream;
}

static void *load(const char *folder, const char *name, size_t size, size_t count)
{
    void *values = malloc(size * count + 1);
    FILE *stream = open_file(folder, name, "rb");
    if (!values || fread(values, size, count, stream) != count) {
        fprintf(stderr, "bench_davinz: %s/%s does not hold %zu numbers\n", folder, name, count);
        exit(1);
    }
    fclose(stream);
    return values;
}

int main(int count, char **arguments)
{
    if (count != 10)
        return fprintf(stderr,
                       "usage: bench_davinz linear|mlp ROWS REFERENCE_ROWS COLUMNS HIDDEN CLASSES THREADS ROUNDS "
                       "FOLDER\n"),
               2;
    size_t sizes[7];
    for (int i = 0; i < 7; i++)
        sizes[i] = strtoul(arguments[i + 2], NULL, 10);
    size_t rows = sizes[0], reference_rows = sizes[1], columns = sizes[2], rounds = sizes[6];
    const char *folder = arguments[9];
    if (rounds < 1 || rounds > MOST_ROUNDS)
        return fprintf(stderr, "bench_davinz: rounds must be 1 to %d\n", MOST_ROUNDS), 2;
    float *features = load(folder, "features", sizeof *features, rows * columns);
    float *reference = load(folder, "reference", sizeof *reference, reference_rows * columns);
    int32_t *labels = load(folder, "labels", sizeof *labels, rows);
    gbv_model_options options = gbv_model_defaults();
    options.model = arguments[1];
    options.hidden = sizes[3];
    gbv_model *network = NULL;
    gbv_error error;
    gbv_status status = model_start(&options, columns, sizes[4], "davinz", &network, &error);
    double seconds[MOST_ROUNDS], parts[DAVINZ_PARTS];
    for (size_t i = 0; i <= rounds && status == GBV_OK; i++) { /* the first is not counted */
        davinz_problem problem = {.network = network,
                                  .features = gbv_matrix_f32(features, rows, columns),
                                  .labels = labels,
                                  .reference = gbv_matrix_f32(reference, reference_rows, columns),
                                  .threads = sizes[5]};
        double start = seconds_now();
        status = davinz_parts(&problem, parts, &error);
        if (i > 0)
            seconds[i - 1] = seconds_now() - start;
    }
    if (status != GBV_OK)
        return fprintf(stderr, "bench_davinz: %s\n", error.message), 1;
    qsort(seconds, rounds, sizeof *seconds, ascending);
    printf("%.6f %.17g %.17g\n", seconds[rounds / 2], parts[DAVINZ_COMPLEXITY], parts[DAVINZ_DISTANCE]);
    FILE *stream = open_file(folder, "parameters", "wb");
    fwrite(network->parameters, sizeof *network->parameters, network->parameter_count, stream);
    fclose(stream);
    gbv_model_free(network);
    free(features), free(reference), free(labels);
    return 0;
}
