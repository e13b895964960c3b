/* safetensors.h - the file format of trained weights: a JSON header, then the tensors' bytes.
 * Files come from anywhere: header size, types, shapes, bounds and overlaps are checked before a number is read.
 *
 *     safetensors file;
 *     status = safetensors_parse(bytes, size, path, &file, error);
 *     if (safetensors_matrix(&file, "weight", &view)) ...
 *     safetensors_free(&file);
 */
#ifndef NN_SAFETENSORS_H
#define NN_SAFETENSORS_H

#include <stdio.h>

#include <jansson.h>

#include <gbv/matrix.h>

typedef struct safetensors {
    json_t *header;
    const unsigned char *data; /* borrowed: what the offsets count from */
    size_t data_size;
} safetensors;

GBV_MUST_CHECK gbv_status safetensors_parse(const unsigned char *bytes, size_t size, const char *path,
                                            safetensors *file, gbv_error *error);
void safetensors_free(safetensors *file);

/* A tensor of one axis (as one column) or two, of F32 or F64; false when there is none of that name and kind. */
bool safetensors_matrix(const safetensors *file, const char *name, gbv_matrix *view);
/* A text of the metadata; NULL when there is none. */
const char *safetensors_metadata(const safetensors *file, const char *key);

/* What to write: doubles, written as F64. */
typedef struct tensor {
    const char *name;
    const double *values;
    size_t rows, columns; /* columns 0: one axis */
    bool transposed;      /* values are columns x rows; written as rows x columns */
} tensor;

typedef struct metadata {
    const char *key, *value;
} metadata;

/* False when memory is out; what the stream lost is for the caller to find out. */
bool safetensors_write(FILE *stream, const tensor *tensors, size_t tensor_count, const metadata *texts,
                       size_t text_count);

#endif
