/* sizes.h - whether an operation can be had at given sizes, the same answer on every backend: GBV_OK, or GBV_USAGE and
 * a sentence. Once it says yes, no product of the sizes overflows. */
#ifndef COMPUTE_SIZES_H
#define COMPUTE_SIZES_H

#include "compute/backend.h"

GBV_MUST_CHECK gbv_status convolution_check(const convolution_shape *shape, const op_setting *setting,
                                            gbv_error *error);
GBV_MUST_CHECK gbv_status batch_norm_check(const batch_norm_shape *shape, const op_setting *setting, gbv_error *error);
GBV_MUST_CHECK gbv_status max_pool_check(const max_pool_shape *shape, const op_setting *setting, gbv_error *error);
GBV_MUST_CHECK gbv_status linear_check(const linear_shape *shape, const op_setting *setting, gbv_error *error);
GBV_MUST_CHECK gbv_status dropout_check(extent of, float rate, const op_setting *setting, gbv_error *error);
/* For operations that know no other sizes: relu, add, mean_pool. */
GBV_MUST_CHECK gbv_status extent_check(extent of, const op_setting *setting, gbv_error *error);

#endif
