/* image_resize.c - bilinear resizing that takes the mean of what it shrinks, as Pillow's: columns first, then rows,
 * with bytes in between. Only the middle that is kept is computed. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/format/image.h"

enum { FRACTION_BITS = 22 }; /* of a weight: 255 times their sum fits 31 bits */

/* Where each kept pixel of one axis comes from: `taps` neighbours from `first` on, with their shares. */
typedef struct axis {
    size_t *first, *taps;
    int32_t *shares; /* most_taps for each */
    size_t most_taps;
} axis;

static void axis_free(axis *a)
{
    free(a->first);
    free(a->taps);
    free(a->shares);
}

/* An axis of `length` is scaled to `scaled`; of these, `count` from `skipped` on are kept. */
static gbv_status axis_make(size_t length, size_t scaled, size_t skipped, size_t count, axis *a, gbv_error *error)
{
    double scale = (double)length / (double)scaled, reach = fmax(scale, 1);
    a->most_taps = 2 * (size_t)ceil(reach) + 1;
    a->first = memory_array(count, sizeof *a->first);
    a->taps = memory_array(count, sizeof *a->taps);
    a->shares = memory_array(count, a->most_taps * sizeof *a->shares);
    double *weights = memory_array(a->most_taps, sizeof *weights);
    if (!a->first || !a->taps || !a->shares || !weights) {
        free(weights);
        return error_out_of_memory(error, "resizing an image");
    }
    for (size_t i = 0; i < count; i++) {
        double centre = ((double)(skipped + i) + .5) * scale, sum = 0;
        size_t begin = (size_t)fmax(centre - reach + .5, 0), end = (size_t)fmin(centre + reach + .5, (double)length);
        a->first[i] = begin;
        a->taps[i] = end - begin;
        for (size_t t = 0; t < end - begin; t++)
            sum += weights[t] = fmax(1 - fabs(((double)(begin + t) - centre + .5) / reach), 0);
        for (size_t t = 0; t < end - begin; t++)
            a->shares[i * a->most_taps + t] = (int32_t)lrint(weights[t] / sum * (1 << FRACTION_BITS));
    }
    free(weights);
    return GBV_OK;
}

static unsigned char to_byte(int32_t sum)
{
    int32_t value = sum >> FRACTION_BITS;
    return (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* One kept pixel along an axis; neighbours are `step` bytes apart. */
static unsigned char blend(const unsigned char *in, size_t step, const int32_t *shares, size_t taps)
{
    int32_t sum = 1 << (FRACTION_BITS - 1);
    for (size_t t = 0; t < taps; t++)
        sum += in[t * step] * shares[t];
    return to_byte(sum);
}

static void scale_columns(const image *from, size_t first_row, size_t rows, const axis *a, size_t width,
                          unsigned char *out)
{
    size_t channels = from->channels;
    for (size_t y = 0; y < rows; y++) {
        const unsigned char *row = from->pixels + (first_row + y) * from->width * channels;
        for (size_t x = 0; x < width; x++)
            for (size_t c = 0; c < channels; c++)
                *out++ = blend(row + a->first[x] * channels + c, channels, a->shares + x * a->most_taps, a->taps[x]);
    }
}

/* `in` begins with row `first_row` of the picture and has rows of `stride` bytes. */
static void scale_rows(const unsigned char *in, size_t first_row, size_t stride, const axis *a, size_t height,
                       unsigned char *out)
{
    for (size_t y = 0; y < height; y++) {
        const unsigned char *rows = in + (a->first[y] - first_row) * stride;
        for (size_t i = 0; i < stride; i++)
            *out++ = blend(rows + i, stride, a->shares + y * a->most_taps, a->taps[y]);
    }
}

gbv_status image_resize(image *picture, size_t side, gbv_error *error)
{
    size_t shorter = picture->height < picture->width ? picture->height : picture->width;
    size_t height = side * picture->height / shorter, width = side * picture->width / shorter;
    axis columns = {0}, rows = {0};
    image made = {0};
    unsigned char *between = NULL;
    gbv_status status = axis_make(picture->width, width, (width - side) / 2, side, &columns, error);
    if (status == GBV_OK)
        status = axis_make(picture->height, height, (height - side) / 2, side, &rows, error);
    if (status == GBV_OK)
        status = image_make(&made, side, side, picture->channels, IMAGE_PIXELS, error);
    if (status != GBV_OK)
        goto done;
    size_t first = rows.first[0], needed = rows.first[side - 1] + rows.taps[side - 1] - first;
    if (!(between = memory_array(needed, side * picture->channels))) {
        status = error_out_of_memory(error, "resizing an image");
        goto done;
    }
    scale_columns(picture, first, needed, &columns, side, between);
    scale_rows(between, first, side * picture->channels, &rows, side, made.pixels);
    image_free(picture);
    *picture = made;
    made.pixels = NULL;
done:
    free(between);
    axis_free(&columns);
    axis_free(&rows);
    image_free(&made);
    return status;
}
