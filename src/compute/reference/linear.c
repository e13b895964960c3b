/* linear.c - linear layers: out = in weights^T + bias, row by row. */
#include "compute/reference/reference.h"

#include <string.h>

#include "compute/dense.h"
#include "compute/sizes.h"

CLONED static float dot(const float *a, const float *b, size_t count)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* sum += factor * more */
CLONED static void add_times(float factor, const float *more, size_t count, float *sum)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        sum[i] += factor * more[i];
}

static void forward(const op *self, const op_io *io)
{
    const reference_op *own = reference_of(self);
    const linear_shape *l = &own->linear;
    const float *bias = io->parameters + l->outputs * l->inputs;
#pragma omp parallel for num_threads((int)own->setting.threads) if (own->setting.threads > 1) schedule(static)
    for (size_t n = 0; n < own->setting.batch; n++)
        for (size_t o = 0; o < l->outputs; o++)
            io->out[n * l->outputs + o] =
                dot(io->in + n * l->inputs, io->parameters + o * l->inputs, l->inputs) + bias[o];
}

/* What rows first .. past - 1 add to the gradient by the weights and the bias of one output. */
static void parameter_gradient(const linear_shape *l, const op_io *io, size_t output, size_t first, size_t past,
                               float *gradient)
{
    float *by_weights = gradient + output * l->inputs, bias = 0;
    memset(by_weights, 0, l->inputs * sizeof *by_weights);
    for (size_t n = first; n < past; n++) {
        float by = io->out_gradient[n * l->outputs + output];
        add_times(by, io->in + n * l->inputs, l->inputs, by_weights);
        bias += by;
    }
    gradient[l->outputs * l->inputs + output] = bias;
}

static void backward(const op *self, const op_io *io)
{
    const reference_op *own = reference_of(self);
    const linear_shape *l = &own->linear;
#pragma omp parallel for num_threads((int)own->setting.threads) if (own->setting.threads > 1) schedule(static)
    for (size_t o = 0; o < l->outputs; o++)
        parameter_gradient(l, io, o, 0, own->setting.batch, io->gradient);
    if (!io->in_gradient)
        return;
#pragma omp parallel for num_threads((int)own->setting.threads) if (own->setting.threads > 1) schedule(static)
    for (size_t n = 0; n < own->setting.batch; n++) {
        float *in_gradient = io->in_gradient + n * l->inputs;
        memset(in_gradient, 0, l->inputs * sizeof *in_gradient);
        for (size_t o = 0; o < l->outputs; o++)
            add_times(io->out_gradient[n * l->outputs + o], io->parameters + o * l->inputs, l->inputs, in_gradient);
    }
}

static void sample_gradient(const op *self, const op_io *io, size_t sample, float *plain)
{
    const linear_shape *l = &reference_of(self)->linear;
    for (size_t o = 0; o < l->outputs; o++)
        parameter_gradient(l, io, o, sample, sample + 1, plain);
}

gbv_status reference_linear(const linear_shape *shape, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = linear_check(shape, setting, error);
    if (status != GBV_OK)
        return status;
    size_t count = shape->outputs * (shape->inputs + 1);
    return reference_op_create(&(reference_op){.op = {.parameter_count = count,
                                                      .plain_count = count,
                                                      .forward = forward,
                                                      .backward = backward,
                                                      .sample_gradient = sample_gradient},
                                               .setting = *setting,
                                               .linear = *shape},
                               made, error);
}
