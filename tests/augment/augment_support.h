/* augment_support.h - images as planes, from files and from a formula. */
#ifndef AUGMENT_SUPPORT_H
#define AUGMENT_SUPPORT_H

#include "augment/augment.h"
#include "base/file.h"
#include "data/format/image.h"
#include "test_support.h"

typedef struct planes {
    size_t channels, height, width;
    unsigned char *bytes;
} planes;

static inline size_t planes_size(const planes *p)
{
    return p->channels * p->height * p->width;
}

static inline planes planes_create(size_t channels, size_t height, size_t width)
{
    planes p = {channels, height, width, malloc(channels * height * width)};
    assert_non_null(p.bytes);
    return p;
}

static inline planes planes_read(const char *folder, const char *name)
{
    char path[700];
    mapped_file file;
    image picture;
    gbv_error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_ok(mapped_file_open(path, &file, &error), error);
    assert_ok(image_decode(file.bytes, file.size, IMAGE_PIXELS, &picture, &error), error);
    planes p = planes_create(picture.channels, picture.height, picture.width);
    image_store_planes(&picture, p.bytes);
    image_free(&picture);
    mapped_file_close(&file);
    return p;
}

/* Waves with some noise, so that neighbours are alike and values spread over the whole range. */
static inline planes planes_make(size_t channels, size_t height, size_t width, uint64_t seed)
{
    planes p = planes_create(channels, height, width);
    for (size_t c = 0, i = 0; c < channels; c++)
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++, i++) {
                uint64_t mixed = (seed * 1000003 + i) * UINT64_C(0x9E3779B97F4A7C15);
                double wave = sin(0.13 * (double)x + (double)seed) + cos(0.21 * (double)y + (double)c);
                p.bytes[i] = (unsigned char)(127.5 + 50 * wave + (double)(mixed >> 59) - 16);
            }
    return p;
}

static inline planes planes_apply(const planes *in, const char *op, double magnitude, uint64_t key)
{
    gbv_error error = {0};
    planes out = planes_create(in->channels, in->height, in->width);
    assert_ok(gbv_augment_apply(op, magnitude, key, in->channels, in->height, in->width, in->bytes, out.bytes, &error),
              error);
    return out;
}

#endif
