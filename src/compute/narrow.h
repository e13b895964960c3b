/* narrow.h - products of a tall matrix with a matrix of few columns (classes). BLAS packs the tall one anew for each
 * product, which costs more than the product itself; here it is read once, as it lies.
 *
 * The few columns are padded with zeros to a multiple of NARROW_STEP. Row-major throughout. */
#ifndef COMPUTE_NARROW_H
#define COMPUTE_NARROW_H

#include <stddef.h>

enum { NARROW_STEP = 8 };

/* `columns` rounded up to what the products take. */
size_t narrow_padded(size_t columns);
/* rows x columns into rows x padded, zeros behind; and back. */
void narrow_pad(const double *in, size_t rows, size_t columns, double *out);
void narrow_unpad(const double *in, size_t rows, size_t columns, double *out);

/* out (rows x padded) = tall (rows x inner) * narrow (inner x padded). */
void narrow_multiply(const double *tall, size_t rows, size_t inner, const double *narrow, size_t padded, double *out);

/* out (inner x padded) += tall' (inner x rows) * narrow (rows x padded). */
void narrow_add_transposed(const double *tall, size_t rows, size_t inner, const double *narrow, size_t padded,
                           double *out);

#endif
