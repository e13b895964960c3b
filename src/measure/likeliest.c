#include "measure/likeliest.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "compute/dense.h"

/* Columns looked through at a time. */
enum { STRETCH = 64 };

/* The bits of floats that are not negative, read as integers, are in the order of the floats, and those of negative
 * ones and NaN are greater still: one maximum tells both the likeliest column and whether the row is sound. Returns
 * false for rows that are no probabilities, huge, or hold a negative zero; measure_check_probabilities then decides. */
#define DEFINE_ROW(NAME, BITS, BITS_OF_1E20)                                                                           \
    typedef BITS __attribute__((may_alias)) NAME##_bits;                                                               \
    CLONED static bool row_##NAME(const NAME##_bits *values, size_t count, size_t *likeliest)                          \
    {                                                                                                                  \
        BITS largest = 0;                                                                                              \
        size_t z = 0;                                                                                                  \
        for (size_t k = 0; count < STRETCH && k < count; k++) {                                                        \
            z = values[k] > largest ? k : z;                                                                           \
            largest = values[k] > largest ? values[k] : largest;                                                       \
        }                                                                                                              \
        if (count >= STRETCH) { /* shorter rows gain nothing from vectors */                                           \
            _Pragma("omp simd reduction(max : largest)") for (size_t k = 0; k < count; k++) largest =                  \
                values[k] > largest ? values[k] : largest;                                                             \
            for (BITS found = 0; z + STRETCH <= count; z += STRETCH) {                                                 \
                _Pragma("omp simd reduction(| : found)") for (size_t k = 0; k < STRETCH; k++) found |=                 \
                    values[z + k] == largest;                                                                          \
                if (found)                                                                                             \
                    break;                                                                                             \
            }                                                                                                          \
            while (z < count && values[z] != largest)                                                                  \
                z++;                                                                                                   \
        }                                                                                                              \
        *likeliest = z;                                                                                                \
        return largest > 0 && largest < BITS_OF_1E20;                                                                  \
    }

DEFINE_ROW(f32, uint32_t, 0x60ad78ecu)
DEFINE_ROW(f64, uint64_t, 0x4415af1d78b58c40u)

gbv_status likeliest_columns(const gbv_matrix *matrix, size_t *columns, gbv_error *error)
{
    gbv_status status = GBV_OK;
    bool single = matrix_is_plain(matrix, GBV_F32);
    double *buffer = memory_array(matrix->columns, sizeof *buffer);
    if (!buffer)
        return error_out_of_memory(error, "a row of probabilities");
    for (size_t i = 0; i < matrix->rows && status == GBV_OK; i++) {
        const void *values = single ? (const char *)matrix->data + (ptrdiff_t)i * matrix->row_stride
                                    : (const void *)matrix_row(matrix, i, buffer);
        bool sound =
            single ? row_f32(values, matrix->columns, &columns[i]) : row_f64(values, matrix->columns, &columns[i]);
        if (sound)
            continue;
        const double *row = matrix_row(matrix, i, buffer);
        status = measure_check_probabilities(row, matrix->columns, i, error);
        columns[i] = measure_argmax(row, matrix->columns);
    }
    free(buffer);
    return status;
}
