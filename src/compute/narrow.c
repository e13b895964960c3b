/* narrow.c - one tile of sums in registers: a few rows of the result, NARROW_STEP columns wide. */
#include "compute/narrow.h"

#include <string.h>

#include "compute/dense.h"

/* As wide as the widest registers; the compiler splits it where they are narrower. */
typedef double lanes __attribute__((vector_size(NARROW_STEP * sizeof(double)), aligned(sizeof(double)), may_alias));

enum { TALLEST_TILE = 8, ROWS_AT_ONCE = 32 };

size_t narrow_padded(size_t columns)
{
    return (columns + NARROW_STEP - 1) / NARROW_STEP * NARROW_STEP;
}

void narrow_pad(const double *in, size_t rows, size_t columns, double *out)
{
    size_t padded = narrow_padded(columns);
    for (size_t i = 0; i < rows; i++) {
        memcpy(out + i * padded, in + i * columns, columns * sizeof *out);
        memset(out + i * padded + columns, 0, (padded - columns) * sizeof *out);
    }
}

void narrow_unpad(const double *in, size_t rows, size_t columns, double *out)
{
    size_t padded = narrow_padded(columns);
    for (size_t i = 0; i < rows; i++)
        memcpy(out + i * columns, in + i * padded, columns * sizeof *out);
}

/* For t < height: out row t (+)= sum_k a[t * a_row + k * a_step] * narrow row k. `height` is a constant where this is
 * inlined, so that the sums live in registers. */
static inline __attribute__((always_inline)) void tile(size_t height, size_t inner, const double *a, size_t a_row,
                                                       size_t a_step, const double *narrow, size_t padded, double *out,
                                                       int add)
{
    lanes sums[TALLEST_TILE];
#pragma GCC unroll 8
    for (size_t t = 0; t < height; t++)
        sums[t] = add ? *(const lanes *)(out + t * padded) : (lanes){0};
    for (size_t k = 0; k < inner; k++) {
        lanes row = *(const lanes *)(narrow + k * padded);
#pragma GCC unroll 8
        for (size_t t = 0; t < height; t++)
            sums[t] += a[t * a_row + k * a_step] * row;
    }
#pragma GCC unroll 8
    for (size_t t = 0; t < height; t++)
        *(lanes *)(out + t * padded) = sums[t];
}

CLONED void narrow_multiply(const double *tall, size_t rows, size_t inner, const double *narrow, size_t padded,
                            double *out)
{
    size_t i = 0;
    for (; i + TALLEST_TILE <= rows; i += TALLEST_TILE)
        for (size_t c = 0; c < padded; c += NARROW_STEP)
            tile(TALLEST_TILE, inner, tall + i * inner, inner, 1, narrow + c, padded, out + i * padded + c, 0);
    for (; i < rows; i++)
        for (size_t c = 0; c < padded; c += NARROW_STEP)
            tile(1, inner, tall + i * inner, inner, 1, narrow + c, padded, out + i * padded + c, 0);
}

CLONED void narrow_add_transposed(const double *tall, size_t rows, size_t inner, const double *narrow, size_t padded,
                                  double *out)
{
    /* Few rows at a time: their stretches of TALLEST_TILE columns are then still in the nearest cache for the next. */
    for (size_t first = 0; first < rows; first += ROWS_AT_ONCE) {
        size_t count = rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE, j = 0;
        const double *from = tall + first * inner, *with = narrow + first * padded;
        for (; j + TALLEST_TILE <= inner; j += TALLEST_TILE)
            for (size_t c = 0; c < padded; c += NARROW_STEP)
                tile(TALLEST_TILE, count, from + j, 1, inner, with + c, padded, out + j * padded + c, 1);
        for (; j < inner; j++)
            for (size_t c = 0; c < padded; c += NARROW_STEP)
                tile(1, count, from + j, 1, inner, with + c, padded, out + j * padded + c, 1);
    }
}
