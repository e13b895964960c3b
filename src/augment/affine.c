#include "augment/affine.h"

#include <math.h>
#include <string.h>

#include "base/cloned.h"

/* 16.16 fixed point holds what lies within 2^15 pixels of the corner. */
static bool fits_fixed(const double map[6], double x, double y)
{
    return fabs(x * map[0] + y * map[1] + map[2]) < 32768 && fabs(x * map[3] + y * map[4] + map[5]) < 32768;
}

static int64_t fixed(double value)
{
    return (int64_t)floor(value * 65536 + 0.5);
}

/* Black, without a call for every row. */
static inline void clear(unsigned char *out, size_t count)
{
    enum { PIECE = 32 };
    if (count < PIECE) {
        memset(out, 0, count);
        return;
    }
    for (size_t i = 0; i + PIECE < count; i += PIECE)
        memset(out + i, 0, PIECE);
    memset(out + count - PIECE, 0, PIECE);
}

/* The places of a row, among `count`, whose coordinate start + place * step lies in 0..limit. */
typedef struct span {
    int64_t begin, end;
} span;

static span span_within(int64_t start, int64_t step, int64_t limit, int64_t count)
{
    if (step < 0) { /* the same from the other end of the image: start, start + 1, ... are limit - 1 - start, ... */
        start = limit - 1 - start;
        step = -step;
    }
    span s = {0, start >= 0 && start < limit ? count : 0};
    if (step > 0) {
        s.begin = start >= 0 ? 0 : (-start + step - 1) / step;
        s.end = start >= limit ? 0 : (limit - start + step - 1) / step;
    }
    s.end = s.end < count ? s.end : count;
    s.begin = s.begin < s.end ? s.begin : s.end;
    return s;
}

CLONED static void indices_of(uint32_t x, uint32_t step_x, uint32_t y, uint32_t step_y, uint32_t width, size_t count,
                              int32_t *restrict indices)
{
    for (uint32_t i = 0; i < (uint32_t)count; i++)
        indices[i] = (int32_t)(((y + i * step_y) >> 16) * width + ((x + i * step_x) >> 16));
}

static void take(const unsigned char *in, const int32_t *restrict indices, size_t count, unsigned char *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = in[indices[i]];
}

/* Colours are fetched as one number each, which processors can do for many indices at once. */
CLONED static void pack(const unsigned char *red, const unsigned char *green, const unsigned char *blue, size_t count,
                        uint32_t *restrict colours)
{
    for (size_t i = 0; i < count; i++)
        colours[i] = red[i] | (uint32_t)green[i] << 8 | (uint32_t)blue[i] << 16;
}

CLONED static void take_colours(const uint32_t *colours, const int32_t *restrict indices, size_t count,
                                unsigned char *restrict red, unsigned char *restrict green,
                                unsigned char *restrict blue)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t colour = colours[indices[i]];
        red[i] = (unsigned char)colour;
        green[i] = (unsigned char)(colour >> 8);
        blue[i] = (unsigned char)(colour >> 16);
    }
}

size_t affine_scratch_bytes(size_t height, size_t width)
{
    return (height + 1) * width * sizeof(uint32_t); /* the colours, and the indices of a row */
}

/* A row comes from one row, pixel by pixel: it is copied. */
static bool is_straight(int64_t step_x, int64_t step_y)
{
    return step_x == 65536 && step_y == 0;
}

/* One row of every channel, from (x, y) on in steps; no pixel of the span needs a look at the bounds. */
static void fixed_row(const augment_image *image, size_t row, int64_t x, int64_t step_x, int64_t y, int64_t step_y)
{
    size_t width = image->width, plane = image->height * width;
    span across = span_within(x, step_x, (int64_t)width << 16, (int64_t)width),
         down = span_within(y, step_y, (int64_t)image->height << 16, (int64_t)width);
    int64_t begin = across.begin > down.begin ? across.begin : down.begin,
            end = across.end < down.end ? across.end : down.end;
    if (end < begin)
        end = begin;
    size_t count = (size_t)(end - begin);
    bool straight = is_straight(step_x, step_y);
    uint32_t *colours = image->scratch;
    int32_t *indices = (int32_t *)(colours + plane);
    x += begin * step_x;
    y += begin * step_y;
    if (!straight)
        indices_of((uint32_t)x, (uint32_t)step_x, (uint32_t)y, (uint32_t)step_y, (uint32_t)width, count, indices);
    for (size_t c = 0; c < image->channels; c++) {
        const unsigned char *in = image->in + c * plane;
        unsigned char *out = image->out + c * plane + row * width;
        clear(out, (size_t)begin);
        if (straight && count)
            memcpy(out + begin, in + (size_t)(y >> 16) * width + (size_t)(x >> 16), count);
        else if (image->channels == 1)
            take(in, indices, count, out + begin);
        clear(out + end, width - (size_t)end);
    }
    unsigned char *out = image->out + row * width + begin;
    if (!straight && image->channels == 3)
        take_colours(colours, indices, count, out, out + plane, out + 2 * plane);
}

/* Images too large for fixed point. */
static void plain_row(const augment_image *image, size_t row, double x, double step_x, double y, double step_y)
{
    size_t width = image->width, plane = image->height * width;
    for (size_t i = 0; i < width; i++, x += step_x, y += step_y) {
        bool inside = x >= 0 && y >= 0 && x < (double)width && y < (double)image->height;
        for (size_t c = 0; c < image->channels; c++)
            image->out[c * plane + row * width + i] = inside ? image->in[c * plane + (size_t)y * width + (size_t)x] : 0;
    }
}

void affine_nearest(const augment_image *image, const double map[6])
{
    double width = (double)image->width, height = (double)image->height;
    double x = map[2] + map[0] * 0.5 + map[1] * 0.5, y = map[5] + map[3] * 0.5 + map[4] * 0.5;
    bool fit = fits_fixed(map, 0, 0) && fits_fixed(map, width, height) && fits_fixed(map, 0, height) &&
               fits_fixed(map, width, 0);
    size_t plane = image->height * image->width;
    if (fit && image->channels == 3 && !is_straight(fixed(map[0]), fixed(map[3])))
        pack(image->in, image->in + plane, image->in + 2 * plane, plane, image->scratch);
    for (size_t row = 0; row < image->height; row++) {
        if (fit)
            fixed_row(image, row, fixed(x) + (int64_t)row * fixed(map[1]), fixed(map[0]),
                      fixed(y) + (int64_t)row * fixed(map[4]), fixed(map[3]));
        else {
            plain_row(image, row, x, map[0], y, map[3]);
            x += map[1];
            y += map[4];
        }
    }
}

/* The angle goes through degrees, as it does there: the last bit of the map may depend on it. */
static double angle_of(double slope)
{
    double degrees = atan(slope) * (180 / M_PI);
    return degrees * (M_PI / 180);
}

void affine_shear(const augment_image *image, double along_x, double along_y)
{
    double x = angle_of(along_x), y = angle_of(along_y);
    double map[6] = {
        -sin(-y) * tan(x) / cos(y) + 1, cos(-y) * tan(x) / cos(y), 0, -sin(-y) / cos(y), cos(-y) / cos(y), 0};
    if (along_x == 0 && along_y == 0)
        memcpy(image->out, image->in, image->channels * image->height * image->width);
    else
        affine_nearest(image, map);
}

void affine_translate(const augment_image *image, double right, double down)
{
    ptrdiff_t dx = (ptrdiff_t)right, dy = (ptrdiff_t)down, width = (ptrdiff_t)image->width,
              height = (ptrdiff_t)image->height, plane = height * width;
    ptrdiff_t first = dy > 0 ? dy : 0, rows = height - (dy < 0 ? -dy : dy); /* rows that are filled */
    ptrdiff_t gap = dx > 0 ? 0 : width + dx, gap_width = dx < 0 ? -dx : dx; /* columns that are not */
    for (size_t c = 0; c < image->channels; c++) {
        const unsigned char *in = image->in + (ptrdiff_t)c * plane + (dy < 0 ? -dy : 0) * width;
        unsigned char *out = image->out + (ptrdiff_t)c * plane, *filled = out + first * width;
        memset(out, 0, (size_t)(first * width));
        /* All rows at once, as one long one: what comes round from the row beside falls into the gap. */
        if (rows * width > gap_width)
            memcpy(filled + (dx > 0 ? dx : 0), in + (dx < 0 ? -dx : 0), (size_t)(rows * width - gap_width));
        for (ptrdiff_t y = 0; gap_width && y < rows; y++)
            clear(filled + y * width + gap, (size_t)gap_width);
        memset(filled + rows * width, 0, (size_t)((height - first - rows) * width));
    }
}
