/* matrix.h - reading the public matrix view: whole rows at a time, whatever the type, byte order and stride. */
#ifndef BASE_MATRIX_H
#define BASE_MATRIX_H

#include <gbv/matrix.h>

size_t type_size(gbv_type type);
bool type_is_float(gbv_type type);

/* True when rows of this matrix are plain arrays of the type, native order, aligned: the fast path. */
bool matrix_is_plain(const gbv_matrix *matrix, gbv_type type);

/* One row, converted. `out` holds matrix->columns numbers. */
void matrix_row_f32(const gbv_matrix *matrix, size_t row, float *out);
void matrix_row_f64(const gbv_matrix *matrix, size_t row, double *out);

/* A pointer to the row as doubles: the row itself when the matrix is plain f64, else converted into `buffer`. */
const double *matrix_row(const gbv_matrix *matrix, size_t row, double *buffer);

/* A pointer to a block of rows as one dense row-major array: in place when possible, else converted. */
const double *matrix_block(const gbv_matrix *matrix, size_t first, size_t count, double *buffer);

/* An integer element exactly; false when the type is a float that holds no integer of 64 bits. */
bool matrix_integer(const gbv_matrix *matrix, size_t row, size_t column, int64_t *value);

/* The first row and column that hold NaN or an infinity; false when all is finite. */
bool matrix_find_non_finite(const gbv_matrix *matrix, size_t *row, size_t *column);
bool matrix_row_is_finite(const gbv_matrix *matrix, size_t row, size_t *column);

#endif
