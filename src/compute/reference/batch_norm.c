/* batch_norm.c - batch norm, channel by channel, with or without a rectifier after it. Forward keeps the mean and the
 * reciprocal deviation that each channel was normalised with. */
#include "compute/reference/reference.h"

#include <math.h>

#include "compute/sizes.h"

/* The numbers of one channel: `batch` stretches of `plane`, `step` apart. */
typedef struct channel {
    size_t batch, plane, step;
} channel;

static void mean_and_variance(channel c, const float *in, double *mean, double *variance)
{
    double count = (double)c.batch * (double)c.plane, sum = 0, squares = 0;
    for (size_t n = 0; n < c.batch; n++)
        for (size_t i = 0; i < c.plane; i++)
            sum += in[n * c.step + i];
    *mean = sum / count;
    for (size_t n = 0; n < c.batch; n++)
        for (size_t i = 0; i < c.plane; i++) {
            double from_mean = in[n * c.step + i] - *mean;
            squares += from_mean * from_mean;
        }
    *variance = squares / count;
}

static channel channel_of(const reference_op *own)
{
    extent of = own->batch_norm.of;
    return (channel){own->setting.batch, of.height * of.width, extent_count(of)};
}

static void forward(const op *self, const op_io *io)
{
    const reference_op *own = reference_of(self);
    const batch_norm_shape *b = &own->batch_norm;
    size_t channels = b->of.channels;
    channel c = channel_of(own);
    bool uses_batch = own->setting.train && !b->frozen;
#pragma omp parallel for num_threads((int)own->setting.threads) if (own->setting.threads > 1) schedule(static)
    for (size_t k = 0; k < channels; k++) {
        const float *in = io->in + k * c.plane;
        float *out = io->out + k * c.plane;
        double mean = io->statistics[k], variance = io->statistics[channels + k];
        if (uses_batch) {
            mean_and_variance(c, in, &mean, &variance);
            double count = (double)c.batch * (double)c.plane, unbiased = count > 1 ? variance * count / (count - 1) : 0;
            io->statistics[k] = (float)((1 - b->momentum) * io->statistics[k] + b->momentum * mean);
            io->statistics[channels + k] =
                (float)((1 - b->momentum) * io->statistics[channels + k] + b->momentum * unbiased);
        }
        float centre = (float)mean, reciprocal = (float)(1 / sqrt(variance + b->epsilon));
        float weight = io->parameters[k] * reciprocal, bias = io->parameters[channels + k];
        for (size_t n = 0; n < c.batch; n++)
            for (size_t i = 0; i < c.plane; i++) {
                float value = (in[n * c.step + i] - centre) * weight + bias;
                out[n * c.step + i] = b->relu && value < 0 ? 0 : value;
            }
        if (own->setting.train) {
            ((float *)io->kept)[k] = centre;
            ((float *)io->kept)[channels + k] = reciprocal;
        }
    }
}

static void backward(const op *self, const op_io *io)
{
    const reference_op *own = reference_of(self);
    const batch_norm_shape *b = &own->batch_norm;
    size_t channels = b->of.channels;
    channel c = channel_of(own);
#pragma omp parallel for num_threads((int)own->setting.threads) if (own->setting.threads > 1) schedule(static)
    for (size_t k = 0; k < channels; k++) {
        const float *in = io->in + k * c.plane, *out = io->out + k * c.plane, *by = io->out_gradient + k * c.plane;
        float centre = ((const float *)io->kept)[k], reciprocal = ((const float *)io->kept)[channels + k];
        double by_weight = 0, by_bias = 0;
        for (size_t n = 0; n < c.batch; n++)
            for (size_t i = n * c.step; i < n * c.step + c.plane; i++) {
                float gradient = b->relu && out[i] <= 0 ? 0 : by[i];
                by_weight += gradient * (in[i] - centre) * reciprocal;
                by_bias += gradient;
            }
        io->gradient[k] = (float)by_weight;
        io->gradient[channels + k] = (float)by_bias;
        if (!io->in_gradient)
            continue;
        /* The batch's mean and variance depend on every number of the channel: by the chain rule their share of the
         * gradient is its mean, and its mean along the normalised numbers. */
        double count = (double)c.batch * (double)c.plane;
        float mean = b->frozen ? 0 : (float)(by_bias / count), along = b->frozen ? 0 : (float)(by_weight / count);
        float *in_gradient = io->in_gradient + k * c.plane;
        for (size_t n = 0; n < c.batch; n++)
            for (size_t i = n * c.step; i < n * c.step + c.plane; i++) {
                float gradient = b->relu && out[i] <= 0 ? 0 : by[i];
                float normalised = (in[i] - centre) * reciprocal;
                in_gradient[i] = io->parameters[k] * reciprocal * (gradient - mean - normalised * along);
            }
    }
}

gbv_status reference_batch_norm(const batch_norm_shape *shape, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = batch_norm_check(shape, setting, error);
    if (status != GBV_OK)
        return status;
    size_t count = 2 * shape->of.channels;
    return reference_op_create(&(reference_op){.op = {.parameter_count = count,
                                                      .plain_count = count,
                                                      .kept_bytes = setting->train ? count * sizeof(float) : 0,
                                                      .forward = forward,
                                                      .backward = backward},
                                               .setting = *setting,
                                               .batch_norm = *shape},
                               made, error);
}
