/* image_resize.c - resizing and cutting out, to the bit as Pillow's bilinear filter and torchvision's CenterCrop do it:
 * columns first, then rows, each in 32-bit integers with bytes in between. Only what is kept is computed. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cloned.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/format/image.h"

enum {
    FRACTION_BITS = 22, /* of a weight: 255 times their sum fits 31 bits */
    HALF = 1 << (FRACTION_BITS - 1),
    LANES = 16,
    SPARE = 1 /* bytes behind a row of colours that are loaded with its last pixel */
};

/* GCC's vectors: a row of bytes and of the sums they make, in whatever registers the machine has. */
typedef uint8_t byte4 __attribute__((vector_size(4)));
typedef int32_t sum4 __attribute__((vector_size(16)));
typedef uint8_t bytes __attribute__((vector_size(LANES)));
typedef int32_t sums __attribute__((vector_size(4 * LANES)));

/* One axis: `length` pixels become `scaled`, of which `count` from `skipped` on are kept, behind `padding` zeros. Each
 * of the kept ones is a sum over `taps` neighbours from `first` on, by their shares. */
typedef struct axis {
    size_t length, scaled, skipped, count, padding, out;
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

/* Which part of the scaled axis is kept when `crop` of it are wanted; 0: all. Halves go to the even number. */
static axis axis_plan(size_t length, size_t scaled, size_t crop)
{
    axis a = {.length = length, .scaled = scaled, .count = scaled, .out = crop ? crop : scaled};
    if (crop > scaled) {
        a.padding = (crop - scaled) / 2;
    } else if (crop) {
        size_t rest = scaled - crop;
        a.skipped = rest / 2 + (rest % 4 == 3);
        a.count = crop;
    }
    return a;
}

/* The shares in the order and precision of Pillow's arithmetic. */
static gbv_status axis_open(axis *a, gbv_error *error)
{
    double scale = (double)a->length / (double)a->scaled, reach = fmax(scale, 1), inverse = 1 / reach;
    a->most_taps = 2 * (size_t)ceil(reach) + 1;
    a->first = memory_array(a->count, sizeof *a->first);
    a->taps = memory_array(a->count, sizeof *a->taps);
    a->shares = memory_array(a->count, a->most_taps * sizeof *a->shares);
    double *weights = memory_array(a->most_taps, sizeof *weights);
    if (!a->first || !a->taps || !a->shares || !weights) {
        free(weights);
        return error_out_of_memory(error, "resizing an image");
    }
    for (size_t i = 0; i < a->count; i++) {
        double centre = ((double)(a->skipped + i) + .5) * scale, sum = 0;
        size_t begin = (size_t)fmax(centre - reach + .5, 0), end = (size_t)fmin(centre + reach + .5, (double)a->length);
        a->first[i] = begin;
        a->taps[i] = end - begin;
        for (size_t t = 0; t < end - begin; t++)
            sum += weights[t] = fmax(1 - fabs(((double)(begin + t) - centre + .5) * inverse), 0);
        for (size_t t = 0; t < end - begin; t++)
            a->shares[i * a->most_taps + t] = (int32_t)(.5 + weights[t] / sum * (1 << FRACTION_BITS));
    }
    free(weights);
    return GBV_OK;
}

static inline unsigned char to_byte(int32_t sum)
{
    int32_t value = sum >> FRACTION_BITS;
    return (unsigned char)(value > 255 ? 255 : value);
}

/* Shares may add up to a little more than one: a sum is never negative, but may reach 256. */
CLONED static void scale_gray_row(const unsigned char *in, const axis *a, unsigned char *out)
{
    for (size_t x = 0; x < a->count; x++) {
        const unsigned char *from = in + a->first[x];
        const int32_t *shares = a->shares + x * a->most_taps;
        int32_t sum = HALF;
        for (size_t t = 0; t < a->taps[x]; t++)
            sum += from[t] * shares[t];
        out[x] = to_byte(sum);
    }
}

/* A pixel is loaded with the byte behind it, whose sum nobody looks at: `in` must have one to spare. */
CLONED static void scale_colour_row(const unsigned char *in, const axis *a, unsigned char *out)
{
    for (size_t x = 0; x < a->count; x++) {
        const unsigned char *from = in + 3 * a->first[x];
        const int32_t *shares = a->shares + x * a->most_taps;
        sum4 sum = {HALF, HALF, HALF, HALF};
        for (size_t t = 0; t < a->taps[x]; t++) {
            byte4 pixel;
            memcpy(&pixel, from + 3 * t, sizeof pixel);
            sum += __builtin_convertvector(pixel, sum4) * shares[t];
        }
        for (size_t c = 0; c < 3; c++)
            out[3 * x + c] = to_byte(sum[c]);
    }
}

/* One kept row of `width` bytes from `taps` rows that are `stride` apart. */
CLONED static void blend_rows(const unsigned char *in, size_t stride, const int32_t *shares, size_t taps, size_t width,
                              unsigned char *out)
{
    size_t i = 0;
    for (; i + LANES <= width; i += LANES) {
        sums sum = {0};
        sum += HALF;
        for (size_t t = 0; t < taps; t++) {
            bytes row;
            memcpy(&row, in + t * stride + i, sizeof row);
            sum += __builtin_convertvector(row, sums) * shares[t];
        }
        sum >>= FRACTION_BITS;
        sums high = sum > 255; /* -1 where true */
        bytes done = __builtin_convertvector((sum & ~high) | (high & 255), bytes);
        memcpy(out + i, &done, sizeof done);
    }
    for (; i < width; i++) {
        int32_t sum = HALF;
        for (size_t t = 0; t < taps; t++)
            sum += in[t * stride + i] * shares[t];
        out[i] = to_byte(sum);
    }
}

/* Where the rows that `rows` keeps come from, cut to the columns that are kept and scaled along them. */
static gbv_status scale_columns(const image *from, const axis *columns, size_t first_row, size_t row_count,
                                unsigned char **between, gbv_error *error)
{
    size_t channels = from->channels, stride = columns->count * channels, width = from->width * channels;
    unsigned char *out = memory_array(row_count, stride), *spared = memory_zeroed(1, width + SPARE);
    gbv_status status = out && spared ? GBV_OK : error_out_of_memory(error, "resizing an image");
    for (size_t y = 0; y < row_count && status == GBV_OK; y++) {
        const unsigned char *row = from->pixels + (first_row + y) * width;
        if (columns->length == columns->scaled) {
            memcpy(out + y * stride, row + columns->skipped * channels, stride);
        } else if (channels == 1) {
            scale_gray_row(row, columns, out + y * stride);
        } else {
            if (first_row + y + 1 == from->height) /* the last row has no byte behind it */
                row = memcpy(spared, row, width);
            scale_colour_row(row, columns, out + y * stride);
        }
    }
    free(spared);
    *between = out;
    return status;
}

/* Rows of `stride` bytes into the middle of rows that may be longer. */
static void scale_rows(const unsigned char *in, size_t stride, const axis *rows, image *made, size_t left)
{
    size_t first = rows->first ? rows->first[0] : 0;
    for (size_t y = 0; y < rows->count; y++) {
        unsigned char *out = made->pixels + ((rows->padding + y) * made->width + left) * made->channels;
        if (rows->first)
            blend_rows(in + (rows->first[y] - first) * stride, stride, rows->shares + y * rows->most_taps,
                       rows->taps[y], stride, out);
        else
            memcpy(out, in + y * stride, stride);
    }
}

gbv_status image_resize(image *picture, size_t side, size_t crop, gbv_error *error)
{
    size_t shorter = picture->height < picture->width ? picture->height : picture->width;
    size_t height = side ? side * picture->height / shorter : picture->height;
    size_t width = side ? side * picture->width / shorter : picture->width;
    if (side && !crop)
        crop = side;
    axis columns = axis_plan(picture->width, width, crop), rows = axis_plan(picture->height, height, crop);
    bool scales_columns = columns.length != columns.scaled, scales_rows = rows.length != rows.scaled;
    image made = {0};
    unsigned char *between = NULL;
    gbv_status status = GBV_OK;
    if (!scales_columns && !scales_rows && columns.out == picture->width && rows.out == picture->height)
        return GBV_OK;
    if (scales_columns)
        status = axis_open(&columns, error);
    if (status == GBV_OK && scales_rows)
        status = axis_open(&rows, error);
    if (status == GBV_OK)
        status = image_make(&made, rows.out, columns.out, picture->channels, IMAGE_PIXELS, error);
    if (status == GBV_OK) {
        size_t last = rows.count - 1, first = scales_rows ? rows.first[0] : rows.skipped;
        size_t needed = scales_rows ? rows.first[last] + rows.taps[last] - first : rows.count;
        status = scale_columns(picture, &columns, first, needed, &between, error);
    }
    if (status == GBV_OK) {
        if (columns.out > columns.count || rows.out > rows.count)
            memset(made.pixels, 0, made.height * made.width * made.channels);
        scale_rows(between, columns.count * picture->channels, &rows, &made, columns.padding);
        image_free(picture);
        *picture = made;
        made.pixels = NULL;
    }
    free(between);
    axis_free(&columns);
    axis_free(&rows);
    image_free(&made);
    return status;
}
