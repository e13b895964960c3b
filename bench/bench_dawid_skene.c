/* bench_dawid_skene.c - how long Dawid and Skene's EM takes.
 *
 *     bench_dawid_skene THREADS REPETITIONS ITEMS SOURCES CLASSES LABELS
 *         LABELS: int32 triples (source, item, class), sorted by source, as bench/run_dawid_skene.py writes them.
 * Prints the median seconds, the steps taken and the sum of the scores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_clock.h"

#include "value/method/dawid_skene_kernel.h"

enum { MAXIMAL_REPETITIONS = 101 };

static int fail(const char *why)
{
    fprintf(stderr, "bench_dawid_skene: %s\n", why);
    return 1;
}

static item_label *read_labels(const char *path, size_t *count)
{
    size_t capacity = 1 << 16;
    int32_t triple[3];
    item_label *labels = malloc(capacity * sizeof *labels);
    FILE *stream = fopen(path, "rb");
    *count = 0;
    while (labels && stream && fread(triple, sizeof triple, 1, stream) == 1) {
        if (*count == capacity) {
            item_label *grown = realloc(labels, (capacity *= 2) * sizeof *labels);
            if (!grown)
                break;
            labels = grown;
        }
        labels[(*count)++] = (item_label){.source = triple[0], .item = (size_t)triple[1], .class_index = triple[2]};
    }
    if (stream)
        fclose(stream);
    return labels;
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 7)
        return fail("expected THREADS REPETITIONS ITEMS SOURCES CLASSES LABELS");
    size_t number[5], count;
    for (int i = 0; i < 5; i++)
        number[i] = strtoull(arguments[i + 1], NULL, 10);
    size_t repetitions = number[1] < MAXIMAL_REPETITIONS ? number[1] : MAXIMAL_REPETITIONS, sources = number[3];
    item_label *labels = read_labels(arguments[6], &count);
    annotator_score *scores = malloc(sources * sizeof *scores);
    double times[MAXIMAL_REPETITIONS], sum = 0;
    overlap o = {0};
    dawid_skene_model model = {0};
    gbv_error error = {0};
    if (!labels || !scores || repetitions == 0 || count == 0)
        return fail("no labels, no memory or no repetitions");
    if (overlap_create(labels, count, NULL, number[2], sources, number[4], &o, &error) != GBV_OK)
        return fail(error.message);
    for (size_t i = 0; i < repetitions; i++) {
        double start = seconds_now();
        dawid_skene_free(&model);
        if (dawid_skene_kernel(&o, &(dawid_skene_options){.threads = number[0]}, scores, &model, &error) != GBV_OK)
            return fail(error.message);
        times[i] = seconds_now() - start;
    }
    qsort(times, repetitions, sizeof *times, ascending);
    for (size_t s = 0; s < sources; s++)
        sum += scores[s].score;
    printf("%.9f %zu %.12f\n", times[repetitions / 2], model.iterations, sum);
    dawid_skene_free(&model);
    overlap_free(&o);
    free(labels);
    free(scores);
    return 0;
}
