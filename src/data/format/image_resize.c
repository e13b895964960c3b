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
    FRACTION_BITS = 22, /* of a weight: 255 times their sum, rounded up or not, fits 31 bits */
    HALF = 1 << (FRACTION_BITS - 1),
    SPARE = 1 /* bytes behind a row of colours that are loaded or stored with its last pixel */
};

/* Four bytes and the four sums that they make. */
typedef uint8_t byte_lanes __attribute__((vector_size(16)));
typedef uint32_t word_lanes __attribute__((vector_size(16)));
typedef int32_t sum_lanes __attribute__((vector_size(16)));

/* One axis: `length` pixels become `scaled`, of which `count` from `skipped` on are kept, behind `padding` zeros. Each
 * of the kept ones is a sum over `taps` neighbours from `first` on, by their shares; as many for all, though some have
 * a share of zero: loops of one length are faster. */
typedef struct axis {
    size_t length, scaled, skipped, count, padding, out;
    size_t taps;
    size_t *first;
    int32_t *shares; /* count x taps */
} axis;

static void axis_free(axis *a)
{
    free(a->first);
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

/* The neighbours of kept pixel `i`, and how far from it they reach. */
typedef struct reach {
    double centre;
    size_t begin, end;
} reach;

static reach reach_of(const axis *a, size_t i, double scale, double support)
{
    double centre = ((double)(a->skipped + i) + .5) * scale;
    return (reach){.centre = centre,
                   .begin = (size_t)fmax(centre - support + .5, 0),
                   .end = (size_t)fmin(centre + support + .5, (double)a->length)};
}

/* The shares in the order and precision of Pillow's arithmetic. */
static gbv_status axis_open(axis *a, gbv_error *error)
{
    double scale = (double)a->length / (double)a->scaled, support = fmax(scale, 1), inverse = 1 / support;
    for (size_t i = 0; i < a->count; i++) {
        reach r = reach_of(a, i, scale, support);
        a->taps = r.end - r.begin > a->taps ? r.end - r.begin : a->taps;
    }
    a->first = memory_array(a->count, sizeof *a->first);
    a->shares = memory_zeroed(a->count, a->taps * sizeof *a->shares);
    double *weights = memory_array(a->taps, sizeof *weights);
    if (!a->first || !a->shares || !weights) {
        free(weights);
        return error_out_of_memory(error, "resizing an image");
    }
    for (size_t i = 0; i < a->count; i++) {
        reach r = reach_of(a, i, scale, support);
        size_t last = a->length - a->taps, used = r.end - r.begin;
        double sum = 0;
        a->first[i] = r.begin < last ? r.begin : last;
        int32_t *shares = a->shares + i * a->taps + (r.begin - a->first[i]);
        for (size_t t = 0; t < used; t++)
            sum += weights[t] = fmax(1 - fabs(((double)(r.begin + t) - r.centre + .5) * inverse), 0);
        for (size_t t = 0; t < used; t++)
            shares[t] = (int32_t)(.5 + weights[t] / sum * (1 << FRACTION_BITS));
    }
    free(weights);
    return GBV_OK;
}

/* Shares are not negative, but may add up to a little more than one. */
static inline unsigned char to_byte(int32_t sum)
{
    int32_t value = sum >> FRACTION_BITS;
    return (unsigned char)(value > 255 ? 255 : value);
}

CLONED static void scale_gray_row(const unsigned char *in, const axis *a, unsigned char *out)
{
    size_t taps = a->taps;
    for (size_t x = 0; x < a->count; x++) {
        const unsigned char *from = in + a->first[x];
        const int32_t *shares = a->shares + x * taps;
        int32_t sum = HALF;
        for (size_t t = 0; t < taps; t++)
            sum += from[t] * shares[t];
        out[x] = to_byte(sum);
    }
}

/* Pixels are loaded and stored with the byte behind them, which means nothing: both rows must have one to spare. */
CLONED static void scale_colour_row(const unsigned char *in, const axis *a, unsigned char *out)
{
    const byte_lanes zero = {0};
    size_t taps = a->taps;
    for (size_t x = 0; x < a->count; x++) {
        const unsigned char *from = in + 3 * a->first[x];
        const int32_t *shares = a->shares + x * taps;
        sum_lanes sum = {HALF, HALF, HALF, HALF};
        for (size_t t = 0; t < taps; t++) {
            uint32_t word;
            memcpy(&word, from + 3 * t, sizeof word);
            byte_lanes pixel = (byte_lanes)(word_lanes){word};
            sum += (sum_lanes)__builtin_shufflevector(pixel, zero, 0, 16, 16, 16, 1, 16, 16, 16, 2, 16, 16, 16, 3, 16,
                                                      16, 16) *
                   shares[t];
        }
        sum >>= FRACTION_BITS;
        sum_lanes large = sum > 255; /* all bits, or none */
        byte_lanes done = (byte_lanes)((sum & ~large) | (large & 255));
        word_lanes packed = (word_lanes)__builtin_shufflevector(done, zero, 0, 4, 8, 16, 16, 16, 16, 16, 16, 16, 16, 16,
                                                                16, 16, 16, 16);
        uint32_t word = packed[0];
        memcpy(out + 3 * x, &word, sizeof word);
    }
}

/* One kept row of `width` bytes from `taps` rows that are `stride` apart; `sums` is room for as many. */
CLONED static void blend_rows(const unsigned char *restrict in, size_t stride, const int32_t *shares, size_t taps,
                              size_t width, int32_t *restrict sums, unsigned char *restrict out)
{
    for (size_t i = 0; i < width; i++)
        sums[i] = HALF;
    for (size_t t = 0; t < taps; t++) {
        const unsigned char *restrict row = in + t * stride;
        int32_t share = shares[t];
#pragma omp simd
        for (size_t i = 0; i < width; i++)
            sums[i] += row[i] * share;
    }
#pragma omp simd
    for (size_t i = 0; i < width; i++) {
        int32_t value = sums[i] >> FRACTION_BITS;
        out[i] = (unsigned char)(value > 255 ? 255 : value);
    }
}

/* Where the rows that `rows` keeps come from, cut to the columns that are kept and scaled along them. */
static gbv_status scale_columns(const image *from, const axis *columns, size_t first_row, size_t row_count,
                                unsigned char **between, gbv_error *error)
{
    size_t channels = from->channels, stride = columns->count * channels, width = from->width * channels;
    unsigned char *out = memory_array(row_count * stride + SPARE, 1), *spared = memory_zeroed(1, width + SPARE);
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
static gbv_status scale_rows(const unsigned char *in, size_t stride, const axis *rows, image *made, size_t left,
                             gbv_error *error)
{
    size_t first = rows->first ? rows->first[0] : 0;
    int32_t *sums = memory_array(stride, sizeof *sums);
    if (!sums)
        return error_out_of_memory(error, "resizing an image");
    for (size_t y = 0; y < rows->count; y++) {
        unsigned char *out = made->pixels + ((rows->padding + y) * made->width + left) * made->channels;
        if (rows->first)
            blend_rows(in + (rows->first[y] - first) * stride, stride, rows->shares + y * rows->taps, rows->taps,
                       stride, sums, out);
        else
            memcpy(out, in + y * stride, stride);
    }
    free(sums);
    return GBV_OK;
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
        size_t needed = scales_rows ? rows.first[last] + rows.taps - first : rows.count;
        status = scale_columns(picture, &columns, first, needed, &between, error);
    }
    if (status == GBV_OK) {
        if (columns.out > columns.count || rows.out > rows.count)
            memset(made.pixels, 0, made.height * made.width * made.channels);
        status = scale_rows(between, columns.count * picture->channels, &rows, &made, columns.padding, error);
    }
    if (status == GBV_OK) {
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
