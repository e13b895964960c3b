/* reference.h - what the files of this backend share: plain loops over plain row-major arrays, meant to be read. Only
 * the order of sums is a matter of care: it never depends on the number of threads. */
#ifndef COMPUTE_REFERENCE_REFERENCE_H
#define COMPUTE_REFERENCE_REFERENCE_H

#include "compute/backend.h"

/* Every operation of the backend. */
typedef struct reference_op {
    op op; /* first, so that a pointer to it is one to this */
    op_setting setting;
    union {
        convolution_shape convolution;
        batch_norm_shape batch_norm;
        max_pool_shape max_pool;
        linear_shape linear;
        struct {
            extent of;
            bool relu;  /* add */
            float rate; /* dropout */
        } plain;
    };
} reference_op;

static inline const reference_op *reference_of(const op *self)
{
    return (const reference_op *)self;
}

/* A copy that the caller closes. */
gbv_status reference_op_create(const reference_op *from, op **made, gbv_error *error);

gbv_status reference_convolution(const convolution_shape *shape, const op_setting *setting, op **made,
                                 gbv_error *error);
gbv_status reference_batch_norm(const batch_norm_shape *shape, const op_setting *setting, op **made, gbv_error *error);
gbv_status reference_relu(extent of, const op_setting *setting, op **made, gbv_error *error);
gbv_status reference_add(extent of, bool relu, const op_setting *setting, op **made, gbv_error *error);
gbv_status reference_max_pool(const max_pool_shape *shape, const op_setting *setting, op **made, gbv_error *error);
gbv_status reference_mean_pool(extent in, const op_setting *setting, op **made, gbv_error *error);
gbv_status reference_linear(const linear_shape *shape, const op_setting *setting, op **made, gbv_error *error);
gbv_status reference_dropout(extent of, float rate, const op_setting *setting, op **made, gbv_error *error);

void reference_copy(extent of, size_t batch, const float *from, float *to);
void reference_normalise(const image_batch *images, const op_setting *setting, float *own);
double reference_cross_entropy(const cross_entropy_task *task, const float *logits, float *gradient);
void reference_accumulate(float *sum, const float *more, size_t count, size_t threads);
void reference_update(const optimizer_step *step, float *parameters, const float *gradient, float *first, float *second,
                      size_t count, size_t threads);

#endif
