/* bench_images.c - JPEG or PNG files to pixels for a network on one thread: decoded, resized, cut out, as planes.
 *     bench_images RESIZE CROP ROUNDS OUT FILE...
 * Prints the median seconds of a round over all files, and of decoding alone; the pixels of all files go to OUT.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "bench_clock.h"
#include "data/format/image.h"

static int fail(const char *path, const gbv_error *error)
{
    fprintf(stderr, "%s: %s\n", path, error->message);
    return 1;
}

/* One file as 3 x crop x crop bytes, or only decoded when `planes` is NULL. */
static gbv_status prepare(const char *path, size_t resize, size_t crop, unsigned char *planes, gbv_error *error)
{
    mapped_file file;
    image picture = {0};
    gbv_status status = mapped_file_open(path, &file, error);
    if (status != GBV_OK)
        return status;
    status = image_decode(file.bytes, file.size, IMAGE_PIXELS, &picture, error);
    if (status == GBV_OK && planes) {
        status = image_convert(&picture, 3, error);
        if (status == GBV_OK)
            status = image_resize(&picture, resize, crop, error);
        if (status == GBV_OK)
            image_store_planes(&picture, planes);
    }
    image_free(&picture);
    mapped_file_close(&file);
    return status;
}

int main(int count, char **arguments)
{
    enum { MOST = 100, FIRST = 5 };
    double whole[MOST], decoding[MOST];
    gbv_error error = {0};
    if (count <= FIRST)
        return fprintf(stderr, "usage: bench_images RESIZE CROP ROUNDS OUT FILE...\n"), 2;
    size_t resize = (size_t)atoi(arguments[1]), crop = (size_t)atoi(arguments[2]), row = 3 * crop * crop;
    size_t files = (size_t)(count - FIRST), rounds = (size_t)atoi(arguments[3]);
    unsigned char *planes = malloc(files * row);
    FILE *out = fopen(arguments[4], "wb");
    if (!planes || !out || !crop || rounds < 1 || rounds > MOST)
        return fprintf(stderr, "bench_images: bad arguments\n"), 2;
    for (size_t r = 0; r < rounds; r++)
        for (int only_decoding = 0; only_decoding < 2; only_decoding++) {
            double begin = seconds_now();
            for (size_t i = 0; i < files; i++)
                if (prepare(arguments[FIRST + i], resize, crop, only_decoding ? NULL : planes + i * row, &error) !=
                    GBV_OK)
                    return fail(arguments[FIRST + i], &error);
            *(only_decoding ? &decoding[r] : &whole[r]) = seconds_now() - begin;
        }
    qsort(whole, rounds, sizeof *whole, ascending);
    qsort(decoding, rounds, sizeof *decoding, ascending);
    printf("%.6f %.6f\n", whole[rounds / 2], decoding[rounds / 2]);
    bool written = fwrite(planes, row, files, out) == files;
    free(planes);
    return fclose(out) == 0 && written ? 0 : 1;
}
