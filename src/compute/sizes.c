#include "compute/sizes.h"

#include <math.h>

#include "base/error.h"

/* No array of numbers may be longer: it leaves room for their bytes, and for sums of a few such sizes. Sides and
 * kernels are bounded as the libraries below count them, in 32 bits. */
enum { MOST_BITS = 56, LARGEST_SIDE = 1 << 24 };

static bool product_fits(const size_t *factors, size_t count)
{
    size_t product = 1;
    for (size_t i = 0; i < count; i++)
        if (factors[i] == 0 || __builtin_mul_overflow(product, factors[i], &product))
            return false;
    return product >> MOST_BITS == 0;
}

gbv_status extent_check(extent of, const op_setting *setting, gbv_error *error)
{
    if (setting->batch == 0 || of.channels == 0 || of.height == 0 || of.width == 0)
        return error_set(error, GBV_USAGE,
                         "a batch of %zu x %zu channels x %zu x %zu has no numbers; every size must be 1 or more",
                         setting->batch, of.channels, of.height, of.width);
    if (of.channels > LARGEST_SIDE || of.height > LARGEST_SIDE || of.width > LARGEST_SIDE ||
        !product_fits((size_t[]){setting->batch, of.channels, of.height, of.width}, 4))
        return error_set(error, GBV_USAGE,
                         "a batch of %zu x %zu channels x %zu x %zu is larger than any memory; use smaller images",
                         setting->batch, of.channels, of.height, of.width);
    return GBV_OK;
}

/* A window of kernel x kernel places that moves over an image. */
static gbv_status window_check(const char *what, extent in, size_t kernel, size_t stride, size_t padding,
                               gbv_error *error)
{
    if (kernel == 0 || stride == 0 || kernel > LARGEST_SIDE || stride > LARGEST_SIDE || padding > LARGEST_SIDE)
        return error_set(error, GBV_USAGE, "a %s with kernel %zu, stride %zu and padding %zu makes no sense", what,
                         kernel, stride, padding);
    if (kernel > in.height + 2 * padding || kernel > in.width + 2 * padding)
        return error_set(error, GBV_USAGE,
                         "a %s with kernel %zu and padding %zu does not fit an image of %zu x %zu; use larger images",
                         what, kernel, padding, in.height, in.width);
    return GBV_OK;
}

gbv_status convolution_check(const convolution_shape *shape, const op_setting *setting, gbv_error *error)
{
    gbv_status status = extent_check(shape->in, setting, error);
    if (status == GBV_OK)
        status = window_check("convolution", shape->in, shape->kernel, shape->stride, shape->padding, error);
    if (status != GBV_OK)
        return status;
    if (setting->train && (shape->relu || shape->adds))
        return error_set(error, GBV_USAGE,
                         "a convolution that is trained takes no rectifier and no sum; make them operations");
    if (!product_fits((size_t[]){shape->outputs, shape->in.channels, shape->kernel, shape->kernel}, 4))
        return error_set(error, GBV_USAGE, "a convolution of %zu x %zu channels with kernel %zu cannot be held",
                         shape->in.channels, shape->outputs, shape->kernel);
    return extent_check(convolution_out(shape), setting, error);
}

gbv_status batch_norm_check(const batch_norm_shape *shape, const op_setting *setting, gbv_error *error)
{
    if (!(shape->epsilon >= 0) || !(shape->momentum >= 0 && shape->momentum <= 1))
        return error_set(error, GBV_USAGE,
                         "batch norm with epsilon %g and momentum %g; epsilon must be 0 or more, momentum in 0..1",
                         (double)shape->epsilon, (double)shape->momentum);
    return extent_check(shape->of, setting, error);
}

gbv_status max_pool_check(const max_pool_shape *shape, const op_setting *setting, gbv_error *error)
{
    gbv_status status = extent_check(shape->in, setting, error);
    if (status == GBV_OK)
        status = window_check("pool", shape->in, shape->kernel, shape->stride, shape->padding, error);
    if (status != GBV_OK)
        return status;
    if (shape->padding > shape->kernel / 2)
        return error_set(error, GBV_USAGE,
                         "a pool with kernel %zu and padding %zu has windows outside the image; the padding may be %zu "
                         "at most",
                         shape->kernel, shape->padding, shape->kernel / 2);
    if (!product_fits((size_t[]){shape->in.height, shape->in.width}, 2) ||
        shape->in.height * shape->in.width > UINT32_MAX)
        return error_set(error, GBV_USAGE, "an image of %zu x %zu is too large to be pooled", shape->in.height,
                         shape->in.width);
    return GBV_OK;
}

gbv_status linear_check(const linear_shape *shape, const op_setting *setting, gbv_error *error)
{
    gbv_status status = extent_check((extent){shape->inputs, 1, 1}, setting, error);
    return status == GBV_OK ? extent_check((extent){shape->outputs, 1, 1}, setting, error) : status;
}

gbv_status dropout_check(extent of, float rate, const op_setting *setting, gbv_error *error)
{
    if (!(rate >= 0 && rate < 1))
        return error_set(error, GBV_USAGE, "a dropout of %g makes no sense; it must be 0 or more and less than 1",
                         (double)rate);
    return extent_check(of, setting, error);
}
