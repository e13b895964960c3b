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

/* For t < height: out row t (+)= sum_k a[t * a_row + k * a_step] * narrow row k, `steps` (one or two) times NARROW_STEP
 * columns wide. `height` and `steps` are constants where this is inlined, so that the sums live in registers; two steps
 * at once use each number of `a` twice for one load. */
static inline __attribute__((always_inline)) void tile(size_t height, size_t steps, size_t inner, const double *a,
                                                       size_t a_row, size_t a_step, const double *narrow, size_t padded,
                                                       double *out, int add)
{
    lanes sums[TALLEST_TILE][2];
#pragma GCC unroll 8
    for (size_t t = 0; t < height; t++)
#pragma GCC unroll 2
        for (size_t s = 0; s < steps; s++)
            sums[t][s] = add ? *(const lanes *)(out + t * padded + s * NARROW_STEP) : (lanes){0};
    for (size_t k = 0; k < inner; k++) {
        lanes first = *(const lanes *)(narrow + k * padded), second = first;
        if (steps == 2)
            second = *(const lanes *)(narrow + k * padded + NARROW_STEP);
#pragma GCC unroll 8
        for (size_t t = 0; t < height; t++) {
            double value = a[t * a_row + k * a_step];
            sums[t][0] += value * first;
            if (steps == 2)
                sums[t][1] += value * second;
        }
    }
#pragma GCC unroll 8
    for (size_t t = 0; t < height; t++)
#pragma GCC unroll 2
        for (size_t s = 0; s < steps; s++)
            *(lanes *)(out + t * padded + s * NARROW_STEP) = sums[t][s];
}

/* All columns of `height` rows of the result. */
static inline __attribute__((always_inline)) void strip(size_t height, size_t inner, const double *a, size_t a_row,
                                                        size_t a_step, const double *narrow, size_t padded, double *out,
                                                        int add)
{
    size_t c = 0;
    for (; c + 2 * NARROW_STEP <= padded; c += 2 * NARROW_STEP)
        tile(height, 2, inner, a, a_row, a_step, narrow + c, padded, out + c, add);
    for (; c < padded; c += NARROW_STEP)
        tile(height, 1, inner, a, a_row, a_step, narrow + c, padded, out + c, add);
}

CLONED void narrow_multiply(const double *tall, size_t rows, size_t inner, const double *narrow, size_t padded,
                            double *out)
{
    size_t i = 0;
    for (; i + TALLEST_TILE <= rows; i += TALLEST_TILE)
        strip(TALLEST_TILE, inner, tall + i * inner, inner, 1, narrow, padded, out + i * padded, 0);
    for (; i < rows; i++)
        strip(1, inner, tall + i * inner, inner, 1, narrow, padded, out + i * padded, 0);
}

CLONED void narrow_add_transposed(const double *tall, size_t rows, size_t inner, const double *narrow, size_t padded,
                                  double *out)
{
    /* Few rows at a time: their stretches of TALLEST_TILE columns are then still in the nearest cache for the next. */
    for (size_t first = 0; first < rows; first += ROWS_AT_ONCE) {
        size_t count = rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE, j = 0;
        const double *from = tall + first * inner, *with = narrow + first * padded;
        for (; j + TALLEST_TILE <= inner; j += TALLEST_TILE)
            strip(TALLEST_TILE, count, from + j, 1, inner, with, padded, out + j * padded, 1);
        for (; j < inner; j++)
            strip(1, count, from + j, 1, inner, with, padded, out + j * padded, 1);
    }
}
