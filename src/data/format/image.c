#include "data/format/image.h"

#include <stdlib.h>
#include <string.h>

#include "base/cloned.h"
#include "base/error.h"
#include "base/memory.h"

static bool is_png(const unsigned char *bytes, size_t size)
{
    return size >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0;
}

static bool is_jpeg(const unsigned char *bytes, size_t size)
{
    return size >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0;
}

bool image_recognise(const unsigned char *bytes, size_t size)
{
    return is_png(bytes, size) || is_jpeg(bytes, size);
}

gbv_status image_decode(const unsigned char *bytes, size_t size, image_extent extent, image *out, gbv_error *error)
{
    *out = (image){0};
    if (size == 0)
        return error_set(error, GBV_BAD_INPUT, "is empty; expected a JPEG or PNG image");
    if (is_png(bytes, size))
        return image_decode_png(bytes, size, extent, out, error);
    if (is_jpeg(bytes, size))
        return image_decode_jpeg(bytes, size, extent, out, error);
    return error_set(error, GBV_BAD_INPUT, "is neither a JPEG nor a PNG image");
}

gbv_status image_make(image *out, size_t height, size_t width, size_t channels, image_extent extent, gbv_error *error)
{
    *out = (image){.height = height, .width = width, .channels = channels};
    if (height == 0 || width == 0)
        return error_set(error, GBV_BAD_INPUT, "is a broken image of %zu x %zu pixels", width, height);
    if (height > IMAGE_MOST_PIXELS / width)
        return error_set(error, GBV_BAD_INPUT,
                         "claims to have %zu x %zu pixels, more than the %zu that are read: it is damaged, or must be "
                         "made smaller",
                         width, height, IMAGE_MOST_PIXELS);
    if (extent == IMAGE_PIXELS && !(out->pixels = memory_array(height * width, channels)))
        return error_out_of_memory(error, "an image");
    return GBV_OK;
}

void image_free(image *picture)
{
    free(picture->pixels);
    *picture = (image){0};
}

gbv_status image_convert(image *picture, size_t channels, gbv_error *error)
{
    image made;
    if (picture->channels == channels)
        return GBV_OK;
    gbv_status status = image_make(&made, picture->height, picture->width, channels, IMAGE_PIXELS, error);
    if (status != GBV_OK)
        return status;
    const unsigned char *in = picture->pixels;
    unsigned char *out = made.pixels;
    for (size_t i = 0, count = made.height * made.width; i < count; i++)
        if (channels == 1) {
            /* 0.299, 0.587 and 0.114 in 16 bits, as Pillow has them */
            out[i] =
                (unsigned char)((in[3 * i] * 19595u + in[3 * i + 1] * 38470u + in[3 * i + 2] * 7471u + 0x8000u) >> 16);
        } else {
            out[3 * i] = out[3 * i + 1] = out[3 * i + 2] = in[i];
        }
    image_free(picture);
    *picture = made;
    return GBV_OK;
}

/* Three planes at once, so that the pixels are read once. */
CLONED static void store_colours(const unsigned char *restrict pixels, size_t count, unsigned char *restrict red,
                                 unsigned char *restrict green, unsigned char *restrict blue)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        red[i] = pixels[3 * i];
        green[i] = pixels[3 * i + 1];
        blue[i] = pixels[3 * i + 2];
    }
}

void image_store_planes(const image *picture, unsigned char *out)
{
    size_t count = picture->height * picture->width;
    if (picture->channels == 3)
        store_colours(picture->pixels, count, out, out + count, out + 2 * count);
    else
        memcpy(out, picture->pixels, count);
}

void image_take_planes(image *picture, const unsigned char *planes)
{
    size_t count = picture->height * picture->width;
    for (size_t c = 0; c < picture->channels; c++)
        for (size_t i = 0; i < count; i++)
            picture->pixels[i * picture->channels + c] = planes[c * count + i];
}
