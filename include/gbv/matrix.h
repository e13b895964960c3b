/* matrix.h - a borrowed view of numbers that stay as they were given: any numeric type, byte order and stride.
 *
 *     float features[200][512];
 *     gbv_matrix view = gbv_matrix_f32(&features[0][0], 200, 512);
 */
#ifndef GBV_MATRIX_H
#define GBV_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gbv/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gbv_type {
    GBV_U8,
    GBV_I8,
    GBV_U16,
    GBV_I16,
    GBV_U32,
    GBV_I32,
    GBV_U64,
    GBV_I64,
    GBV_F16,
    GBV_F32,
    GBV_F64,
} gbv_type;

typedef struct gbv_matrix {
    const void *data;        /* first element; need not be aligned; NULL for "not given" */
    size_t rows;             /* N */
    size_t columns;          /* D */
    ptrdiff_t row_stride;    /* bytes from one row to the next */
    ptrdiff_t column_stride; /* bytes from one column to the next */
    gbv_type type;
    bool swapped; /* the elements are in the other byte order than this machine's */
} gbv_matrix;

/* Views of dense row-major arrays. The caller keeps the array alive as long as the view is used. */
GBV_API gbv_matrix gbv_matrix_f32(const float *data, size_t rows, size_t columns);
GBV_API gbv_matrix gbv_matrix_f64(const double *data, size_t rows, size_t columns);
GBV_API gbv_matrix gbv_matrix_u8(const uint8_t *data, size_t rows, size_t columns);

/* One element as a double (integers beyond 2^53 are rounded). */
GBV_API double gbv_matrix_get(const gbv_matrix *matrix, size_t row, size_t column);

#ifdef __cplusplus
}
#endif
#endif
