/* elementwise.c - operations that look at one place at a time: relu, add, dropout, a sum of two blocks, pixels. */
#include "compute/reference/reference.h"

#include "compute/dropout_mask.h"
#include "compute/sizes.h"

static size_t number_count(const reference_op *own)
{
    return own->setting.batch * extent_count(own->plain.of);
}

/* The gradient passes where the output is positive; used by relu and by add with a rectifier. */
static void pass_where_positive(const reference_op *own, const op_io *io)
{
    for (size_t i = 0; io->in_gradient && i < number_count(own); i++)
        io->in_gradient[i] = io->out[i] <= 0 ? 0 : io->out_gradient[i];
}

static void relu_forward(const op *self, const op_io *io)
{
    for (size_t i = 0; i < number_count(reference_of(self)); i++)
        io->out[i] = io->in[i] < 0 ? 0 : io->in[i];
}

static void relu_backward(const op *self, const op_io *io)
{
    pass_where_positive(reference_of(self), io);
}

gbv_status reference_relu(extent of, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = extent_check(of, setting, error);
    if (status != GBV_OK)
        return status;
    return reference_op_create(&(reference_op){.op = {.forward = relu_forward, .backward = relu_backward},
                                               .setting = *setting,
                                               .plain.of = of},
                               made, error);
}

static void add_forward(const op *self, const op_io *io)
{
    const reference_op *own = reference_of(self);
    for (size_t i = 0; i < number_count(own); i++) {
        float sum = io->in[i] + io->other[i];
        io->out[i] = own->plain.relu && sum < 0 ? 0 : sum;
    }
}

static void add_backward(const op *self, const op_io *io)
{
    const reference_op *own = reference_of(self);
    if (own->plain.relu)
        pass_where_positive(own, io);
    else if (io->in_gradient && io->in_gradient != io->out_gradient)
        reference_copy(own->plain.of, own->setting.batch, io->out_gradient, io->in_gradient);
}

gbv_status reference_add(extent of, bool relu, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = extent_check(of, setting, error);
    if (status != GBV_OK)
        return status;
    return reference_op_create(&(reference_op){.op = {.forward = add_forward, .backward = add_backward},
                                               .setting = *setting,
                                               .plain = {.of = of, .relu = relu}},
                               made, error);
}

/* Forward and backward are the same product: the factors are a function of the key. */
static void drop(const reference_op *own, uint64_t key, const float *from, float *to)
{
    enum { AT_ONCE = 256 };
    float factors[AT_ONCE];
    size_t count = number_count(own);
    for (size_t first = 0; first < count; first += AT_ONCE) {
        size_t some = count - first < AT_ONCE ? count - first : AT_ONCE;
        dropout_factors(key, own->plain.rate, first, some, factors);
        for (size_t i = 0; i < some; i++)
            to[first + i] = from[first + i] * factors[i];
    }
}

static void dropout_forward(const op *self, const op_io *io)
{
    const reference_op *own = reference_of(self);
    if (own->setting.train)
        drop(own, io->key, io->in, io->out);
    else if (io->out != io->in)
        reference_copy(own->plain.of, own->setting.batch, io->in, io->out);
}

static void dropout_backward(const op *self, const op_io *io)
{
    if (io->in_gradient)
        drop(reference_of(self), io->key, io->out_gradient, io->in_gradient);
}

gbv_status reference_dropout(extent of, float rate, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = dropout_check(of, rate, setting, error);
    if (status != GBV_OK)
        return status;
    return reference_op_create(&(reference_op){.op = {.forward = dropout_forward, .backward = dropout_backward},
                                               .setting = *setting,
                                               .plain = {.of = of, .rate = rate}},
                               made, error);
}

void reference_accumulate(float *sum, const float *more, size_t count, size_t threads)
{
    (void)threads;
    for (size_t i = 0; i < count; i++)
        sum[i] += more[i];
}

void reference_normalise(const image_batch *images, const op_setting *setting, float *own)
{
    size_t channels = images->of.channels, plane = images->of.height * images->of.width;
    for (size_t p = 0; p < setting->batch * channels; p++) {
        size_t c = p % channels, n = p / channels;
        size_t from = (n * images->channels + (images->channels == 1 ? 0 : c)) * plane;
        float mean = images->mean[c % 3], deviation = images->deviation[c % 3];
        for (size_t i = 0; i < plane; i++) {
            float value = images->bytes ? (float)images->bytes[from + i] / 255 : images->floats[from + i];
            own[p * plane + i] = (value - mean) / deviation;
        }
    }
}
