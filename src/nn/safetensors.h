/* safetensors.h - the file format of trained weights: a JSON header, then the tensors' bytes.
 * Files come from anywhere: header size, types, shapes, bounds, overlaps and names are checked before a number is read.
 *
 *     safetensors file;
 *     status = safetensors_parse(bytes, size, path, &file, error);
 *     float weight[64 * 3 * 7 * 7];
 *     status = safetensors_floats(&file, "conv1.weight", 4, (size_t[]){64, 3, 7, 7}, "a resnet18", weight, error);
 *     safetensors_free(&file);
 */
#ifndef NN_SAFETENSORS_H
#define NN_SAFETENSORS_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include <gbv/status.h>

typedef struct safetensors {
    const char *path; /* borrowed, for messages */
    json_t *header;
    const unsigned char *data; /* borrowed: what the offsets count from */
    size_t data_size;
} safetensors;

GBV_MUST_CHECK gbv_status safetensors_parse(const unsigned char *bytes, size_t size, const char *path,
                                            safetensors *file, gbv_error *error);
void safetensors_free(safetensors *file);

/* A text of the metadata; NULL when there is none. */
const char *safetensors_metadata(const safetensors *file, const char *key);

enum { TENSOR_AXES = 8 };

/* A tensor as it lies in the file. */
typedef struct tensor_view {
    const char *name, *type;
    bool is_weight;                  /* of type F32, F16, BF16 or F64; others (I64, BOOL, ...) are not read */
    size_t axes, shape[TENSOR_AXES]; /* of more axes than that the last are left out of `shape` */
    size_t count;                    /* numbers */
    const unsigned char *bytes;      /* little-endian, anywhere */
} tensor_view;

/* False when the file has no tensor of that name. */
bool safetensors_find(const safetensors *file, const char *name, tensor_view *view);

/* The numbers of a tensor. GBV_BAD_INPUT when it is missing, has another shape, is of no type for weights or holds what
 * is not finite; `of` says in the message whose it should be ("a resnet18"). */
GBV_MUST_CHECK gbv_status safetensors_floats(const safetensors *file, const char *name, size_t axes,
                                             const size_t *shape, const char *of, float *out, gbv_error *error);
GBV_MUST_CHECK gbv_status safetensors_doubles(const safetensors *file, const char *name, size_t axes,
                                              const size_t *shape, const char *of, double *out, gbv_error *error);

/* What to write: floats as F32 or doubles as F64; the other is NULL. */
typedef struct tensor {
    const char *name;
    const float *floats;
    const double *doubles;
    size_t axes, shape[4];
    bool transposed; /* of two axes: the numbers stand as shape[1] x shape[0] */
} tensor;

typedef struct metadata {
    const char *key, *value;
} metadata;

/* False when memory is out; what the stream lost is for the caller to find out. */
bool safetensors_write(FILE *stream, const tensor *tensors, size_t tensor_count, const metadata *texts,
                       size_t text_count);

#endif
