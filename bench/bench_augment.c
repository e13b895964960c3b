/* bench_augment.c - operators on one image of 3 x HEIGHT x WIDTH bytes, on one thread.
 *     bench_augment HEIGHT WIDTH IN OUT
 * For each line "OPERATOR MAGNITUDE TIMES" of standard input (the operator "copy" is a plain one) the image of IN is
 * changed TIMES times; the median seconds are printed and what it became goes to OUT.
 */
#include <stdio.h>
#include <stdlib.h>

#include "augment/augment.h"
#include "base/memory.h"
#include "bench_clock.h"

enum { MOST = 10000 };

static double apply(const gbv_operator *op, double magnitude, const augment_image *image)
{
    double begin = seconds_now();
    if (op)
        augment_operator_of(op)->apply(image, magnitude, 1);
    else
        memcpy(image->out, image->in, image->channels * image->height * image->width);
    __asm__ volatile("" : : "r"(image->out) : "memory"); /* a copy that nobody reads is made all the same */
    return seconds_now() - begin;
}

static bool exchange(const char *path, const char *mode, unsigned char *bytes, size_t size)
{
    FILE *stream = fopen(path, mode);
    bool done = stream && (*mode == 'r' ? fread(bytes, 1, size, stream) : fwrite(bytes, 1, size, stream)) == size;
    return stream && fclose(stream) == 0 && done;
}

int main(int count, char **arguments)
{
    static double times[MOST];
    char name[64];
    double magnitude;
    int rounds;
    if (count != 5)
        return fprintf(stderr, "usage: bench_augment HEIGHT WIDTH IN OUT\n"), 2;
    size_t height = (size_t)atoi(arguments[1]), width = (size_t)atoi(arguments[2]), size = 3 * height * width;
    unsigned char *in = memory_array(size, 1), *out = memory_array(size, 1);
    void *scratch = memory_array(augment_scratch_bytes(height, width, 3), 1);
    augment_image image = {.height = height, .width = width, .channels = 3, .in = in, .out = out, .scratch = scratch};
    if (!in || !out || !scratch || !exchange(arguments[3], "rb", in, size))
        return fprintf(stderr, "%s: cannot be read\n", arguments[3]), 1;
    while (scanf("%63s %lf %d", name, &magnitude, &rounds) == 3 && rounds > 0 && rounds <= MOST) {
        for (int i = 0; i < rounds; i++)
            times[i] = apply(gbv_operator_find(name), magnitude, &image);
        qsort(times, (size_t)rounds, sizeof *times, ascending);
        if (!exchange(arguments[4], "wb", out, size))
            return fprintf(stderr, "%s: cannot be written\n", arguments[4]), 1;
        printf("%.9f\n", times[rounds / 2]);
        fflush(stdout);
    }
    free(in);
    free(out);
    free(scratch);
    return 0;
}
