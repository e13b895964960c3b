/* cpu.h - the entries of the backend cpu: oneDNN for convolution, batch norm, pooling and the products of linear
 * layers, and loops of its own. Every operation sets OpenMP's number of threads while it is prepared and run, so the
 * caller need not; an operation for several threads is prepared and run outside of other OpenMP workers. One thread at
 * a time runs an operation; different ones run side by side. */
#ifndef COMPUTE_CPU_CPU_H
#define COMPUTE_CPU_CPU_H

#include "compute/backend.h"

gbv_status cpu_convolution(const convolution_shape *shape, const op_setting *setting, op **made, gbv_error *error);
gbv_status cpu_batch_norm(const batch_norm_shape *shape, const op_setting *setting, op **made, gbv_error *error);
gbv_status cpu_relu(extent of, const op_setting *setting, op **made, gbv_error *error);
gbv_status cpu_add(extent of, bool relu, const op_setting *setting, op **made, gbv_error *error);
gbv_status cpu_max_pool(const max_pool_shape *shape, const op_setting *setting, op **made, gbv_error *error);
gbv_status cpu_mean_pool(extent in, const op_setting *setting, op **made, gbv_error *error);
gbv_status cpu_linear(const linear_shape *shape, const op_setting *setting, op **made, gbv_error *error);
gbv_status cpu_dropout(extent of, float rate, const op_setting *setting, op **made, gbv_error *error);

void cpu_normalise(const image_batch *images, const op_setting *setting, float *own);
void cpu_accumulate(float *sum, const float *more, size_t count, size_t threads);

#endif
