/* npy_header.h - the beginning of a NumPy array: a magic string, a version and a Python dictionary as text. */
#ifndef DATA_FORMAT_NPY_HEADER_H
#define DATA_FORMAT_NPY_HEADER_H

#include <gbv/matrix.h>

enum { NPY_PREAMBLE = 12, NPY_DIMENSIONS = 32 };

typedef enum npy_kind { NPY_NUMBERS, NPY_UNICODE, NPY_BYTES } npy_kind;

typedef struct npy_header {
    npy_kind kind;
    gbv_type type;    /* of numbers */
    bool swapped;     /* in the other byte order than this machine's */
    size_t item_size; /* bytes, never 0 */
    bool fortran;     /* the first dimension varies fastest */
    size_t dimensions;
    size_t shape[NPY_DIMENSIONS];
    size_t rows;      /* shape[0], 1 for a lone number */
    size_t columns;   /* product of the other dimensions */
    size_t data_size; /* bytes of all elements */
} npy_header;

/* Where the data begin, from the first NPY_PREAMBLE bytes of a file that may be shorter. */
GBV_MUST_CHECK gbv_status npy_data_offset(const unsigned char *bytes, size_t size, const char *name, size_t *offset,
                                          gbv_error *error);

/* Reads the header, which takes bytes[0..offset). Refuses what is no array of numbers or text, with a remedy. */
GBV_MUST_CHECK gbv_status npy_header_parse(const unsigned char *bytes, size_t offset, const char *name,
                                           npy_header *header, gbv_error *error);

#endif
