/* npy_array.h - what a NumPy array means as features, labels or sources; shared by NPY and NPZ. */
#ifndef DATA_FORMAT_NPY_ARRAY_H
#define DATA_FORMAT_NPY_ARRAY_H

#include "data/format/format.h"
#include "data/format/npy_header.h"

typedef struct npy_array {
    npy_header header;
    const unsigned char *data; /* header.data_size bytes */
    const char *name;          /* file, or file and array, for messages */
} npy_array;

/* The array that bytes[0..size) are, all of them and no more. The data stay where they are. */
GBV_MUST_CHECK gbv_status npy_array_view(const unsigned char *bytes, size_t size, const char *name, npy_array *array,
                                         gbv_error *error);

/* Rows of numbers; further dimensions are flattened. A copy is made, into *block, only of Fortran-ordered arrays of
 * three dimensions or more. */
GBV_MUST_CHECK gbv_status npy_array_features(const npy_array *array, table *out, void **block, gbv_error *error);

/* Labels, sources or items: one number or text a row. out->rows is the number of rows there must be. */
GBV_MUST_CHECK gbv_status npy_array_column(const npy_array *array, const table_request *request, column_role role,
                                           table *out, gbv_error *error);

#endif
