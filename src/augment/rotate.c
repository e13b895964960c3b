/* rotate.c - the image turns about its middle. */
#include <math.h>
#include <string.h>

#include "augment/affine.h"
#include "base/cloned.h"

static bool is_identity(double magnitude)
{
    return fmod(magnitude, 360) == 0;
}

enum { TILE = 16 };

typedef unsigned char tile_row __attribute__((vector_size(TILE)));

/* Rows of either half by turns, four times: what was by rows is by columns. */
static void transpose_tile(const unsigned char *in, ptrdiff_t in_step, unsigned char *out, ptrdiff_t out_step)
{
    tile_row rows[TILE], next[TILE];
    for (ptrdiff_t y = 0; y < TILE; y++)
        memcpy(&rows[y], in + y * in_step, TILE);
    for (int round = 0; round < 4; round++) {
        for (int y = 0; y < TILE / 2; y++) {
            tile_row a = rows[y], b = rows[y + TILE / 2];
            next[2 * y] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            next[2 * y + 1] =
                __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        }
        memcpy(rows, next, sizeof rows);
    }
    for (ptrdiff_t y = 0; y < TILE; y++)
        memcpy(out + y * out_step, &rows[y], TILE);
}

/* out[y][x] = in[x][y] of a square, where rows lie `in_step` and `out_step` apart. */
static void transpose(const unsigned char *in, ptrdiff_t in_step, size_t side, unsigned char *out, ptrdiff_t out_step)
{
    ptrdiff_t whole = (ptrdiff_t)(side - side % TILE), all = (ptrdiff_t)side;
    for (ptrdiff_t y = 0; y < whole; y += TILE)
        for (ptrdiff_t x = 0; x < whole; x += TILE)
            transpose_tile(in + x * in_step + y, in_step, out + y * out_step + x, out_step);
    for (ptrdiff_t y = 0; y < all; y++)
        for (ptrdiff_t x = y < whole ? whole : 0; x < all; x++)
            out[y * out_step + x] = in[x * in_step + y];
}

CLONED static void reverse(const unsigned char *in, size_t count, unsigned char *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = in[count - 1 - i];
}

/* Half turns, and quarter turns of a square, lose nothing. */
static void turn(const augment_image *image, int quarters)
{
    size_t width = image->width, plane = image->height * width;
    for (size_t c = 0; c < image->channels; c++) {
        const unsigned char *in = image->in + c * plane;
        unsigned char *out = image->out + c * plane;
        if (quarters == 2)
            reverse(in, plane, out);
        else if (quarters == 1) /* columns become rows, the last one first */
            transpose(in, (ptrdiff_t)width, width, out + plane - width, -(ptrdiff_t)width);
        else
            transpose(in + plane - width, -(ptrdiff_t)width, width, out, (ptrdiff_t)width);
    }
}

/* Fifteen decimals, so that the cosine of 90 degrees is 0. */
static double rounded(double value)
{
    return rint(value * 1e15) / 1e15;
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    double degrees = fmod(magnitude, 360);
    if (degrees < 0)
        degrees += 360;
    if (degrees == 0) {
        memcpy(image->out, image->in, image->channels * image->height * image->width);
    } else if (degrees == 180 || (image->width == image->height && (degrees == 90 || degrees == 270))) {
        turn(image, (int)(degrees / 90));
    } else {
        double angle = -degrees * (M_PI / 180), x = (double)image->width / 2, y = (double)image->height / 2;
        double map[6] = {rounded(cos(angle)), rounded(sin(angle)), 0, rounded(-sin(angle)), rounded(cos(angle)), 0};
        map[2] = map[0] * -x + map[1] * -y + x;
        map[5] = map[3] * -x + map[4] * -y + y;
        affine_nearest(image, map);
    }
}

extern const augment_operator augment_rotate;
const augment_operator augment_rotate = {
    .info = {.name = "rotate",
             .summary = "turns the image about its middle by so many degrees, counter-clockwise",
             .has_magnitude = true,
             .is_signed = true,
             .least = -180,
             .most = 180},
    .grid = {{-90, 90}, {0, 90}},
    .coin = {false, true},
    .is_identity = is_identity,
    .apply = apply,
};
