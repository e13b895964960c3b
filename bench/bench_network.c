/* bench_network.c - steps of a network, on command, so that another program can take turns with it.
 *     bench_network NET SIZE BATCH train|infer THREADS FOLDER [BACKEND]
 * FOLDER holds `images` (BATCH x 3 x SIZE x SIZE bytes) and `targets` (BATCH int32) that the other program wrote; the
 * first weights are left there as `parameters` and `statistics`, with their places in `names`. Then every line of the
 * input is a number of steps to run, answered by seconds a step, the loss (training) or the first logit, and bytes of
 * the program's memory besides parameters. 0 asks for the processor's peak instead, in GFLOP/s. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_clock.h"

#include "compute/dense.h"
#include "nn/program_parts.h"

enum { CLASSES = 10 };

static void *file(const char *folder, const char *name, const char *mode, void *numbers, size_t bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, mode);
    bool done =
        stream && (*mode == 'r' ? fread(numbers, 1, bytes, stream) : fwrite(numbers, 1, bytes, stream)) == bytes;
    if (!done || fclose(stream)) {
        fprintf(stderr, "bench_network: %s: %zu bytes cannot be %s\n", path, bytes, *mode == 'r' ? "read" : "written");
        exit(1);
    }
    return numbers;
}

/* Sums that do not wait for each other fill the units that multiply and add. */
CLONED static float multiply_and_add(size_t rounds)
{
    typedef float lanes __attribute__((vector_size(64)));
    lanes sums[12], factor, term;
    for (int j = 0; j < 16; j++)
        factor[j] = 0.999f, term[j] = (float)j;
    for (int i = 0; i < 12; i++)
        sums[i] = term;
    for (size_t r = 0; r < rounds; r++)
#pragma GCC unroll 12
        for (int i = 0; i < 12; i++)
            sums[i] = sums[i] * factor + term;
    for (int i = 1; i < 12; i++)
        sums[0] += sums[i];
    return sums[0][15];
}

static double peak(size_t threads)
{
    const size_t rounds = 20000000;
    float kept = 0;
    double start = seconds_now();
#pragma omp parallel for num_threads((int)threads) reduction(+ : kept)
    for (size_t t = 0; t < threads; t++)
        kept += multiply_and_add(rounds);
    double flops = 2.0 * 12 * 16 * (double)(rounds * threads);
    return kept == 0 ? 0 : flops / (seconds_now() - start) * 1e-9;
}

static void write_names(const net *n, const char *folder)
{
    char text[1 << 16];
    size_t length = 0;
    for (const net_tensor *t = n->tensors; t < n->tensors + n->tensor_count && length < sizeof text - 100; t++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s %s %zu\n", t->name,
                                   t->statistic ? "statistics" : "parameters", t->offset);
    file(folder, "names", "wb", text, length);
}

int main(int count, char **arguments)
{
    if (count < 7)
        return fprintf(stderr, "usage: bench_network NET SIZE BATCH train|infer THREADS FOLDER [BACKEND]\n"), 2;
    size_t size = strtoul(arguments[2], NULL, 10), batch = strtoul(arguments[3], NULL, 10);
    size_t threads = strtoul(arguments[5], NULL, 10), pixels = batch * 3 * size * size;
    bool train = strcmp(arguments[4], "train") == 0;
    const char *folder = arguments[6];
    gbv_error error;
    net *n = NULL;
    net_values values;
    program *p = NULL;
    program_options options = {.backend = backend_find(count > 7 ? arguments[7] : NULL),
                               .batch = batch,
                               .in = {3, size, size},
                               .train = train,
                               .threads = threads};
    if (!options.backend)
        return fprintf(stderr, "bench_network: there is no such backend\n"), 2;
    if (net_create(arguments[1], &(net_options){.channels = 3, .outputs = CLASSES}, &n, &error) != GBV_OK ||
        net_values_create(n, &values, &error) != GBV_OK || program_compile(n, &options, &p, &error) != GBV_OK)
        return fprintf(stderr, "bench_network: %s\n", error.message), 1;
    net_initialise(n, 1, "bench", 0, &values);
    program_load(p, &values);
    file(folder, "parameters", "wb", values.parameters, n->parameter_count * sizeof(float));
    file(folder, "statistics", "wb", values.statistics, n->statistic_count * sizeof(float));
    write_names(n, folder);
    int32_t *targets = file(folder, "targets", "rb", malloc(batch * sizeof *targets), batch * sizeof *targets);
    image_batch images = {.bytes = file(folder, "images", "rb", malloc(pixels), pixels),
                          .of = {3, size, size},
                          .channels = 3,
                          .mean = {0.5f, 0.5f, 0.5f},
                          .deviation = {0.25f, 0.25f, 0.25f}};
    float *weights = malloc(batch * sizeof *weights);
    for (size_t i = 0; i < batch; i++)
        weights[i] = 1;
    optimizer_step step = {
        .kind = OPTIMIZER_ADAM, .rate = 1e-4f, .first_decay = 0.9f, .second_decay = 0.999f, .epsilon = 1e-8f};
    size_t steps;
    while (scanf("%zu", &steps) == 1) {
        double start = seconds_now(), result = 0;
        for (size_t i = 0; i < steps; i++) {
            program_images(p, &images);
            program_forward(p, 0);
            if (train) {
                result = program_loss(
                    p, (cross_entropy_task){.rows = (double)batch, .targets = targets, .weights = weights});
                program_backward(p);
                step.step++;
                program_update(p, &step, true);
            } else {
                result = program_logits(p)[0];
            }
        }
        if (steps)
            printf("%.9f %.9g %zu\n", (seconds_now() - start) / (double)steps, result, p->memory_bytes);
        else
            printf("%.1f\n", peak(threads));
        fflush(stdout);
    }
    program_free(p);
    net_values_free(&values);
    net_free(n);
    free(targets), free(weights), free((void *)images.bytes);
    return 0;
}
