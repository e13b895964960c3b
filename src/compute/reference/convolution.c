/* convolution.c - convolutions, tap by tap. All three sums (outputs, gradient by the input, gradient by the weights)
 * run over the same triples: an output place, the input place that a tap sees from there, and the tap's weight. */
#include "compute/reference/reference.h"

#include "compute/dense.h"
#include "compute/sizes.h"

/* The output rows (or columns) first .. past - 1 from which a tap sees a place inside the image. */
typedef struct span {
    size_t first, past;
} span;

/* One tap of the kernel and where it matters. */
typedef struct tap {
    size_t y, x;
    span rows, columns;
} tap;

static span live_outputs(const convolution_shape *c, size_t place, size_t in_side, size_t out_side)
{
    /* From output o the tap sees o * stride + place - padding, which must be in 0 .. in_side - 1. */
    size_t first = place < c->padding ? (c->padding - place + c->stride - 1) / c->stride : 0;
    size_t past = place < in_side + c->padding ? (in_side - 1 + c->padding - place) / c->stride + 1 : 0;
    past = past < out_side ? past : out_side;
    return (span){first < past ? first : past, past};
}

static tap tap_at(const convolution_shape *c, size_t index)
{
    extent to = convolution_out(c);
    size_t y = index / c->kernel, x = index % c->kernel;
    return (tap){y, x, live_outputs(c, y, c->in.height, to.height), live_outputs(c, x, c->in.width, to.width)};
}

/* One channel of the output of one image; `weights` are those of the channel. */
CLONED static void output_plane(const convolution_shape *c, const float *in, const float *weights, float *restrict out)
{
    size_t width = convolution_out(c).width, taps = c->kernel * c->kernel;
    for (size_t k = 0; k < taps; k++) {
        tap t = tap_at(c, k);
        for (size_t channel = 0; channel < c->in.channels; channel++)
            for (size_t y = t.rows.first; y < t.rows.past; y++) {
                size_t in_row = channel * c->in.height + y * c->stride + t.y - c->padding;
                const float *from = in + in_row * c->in.width;
                const float weight = weights[channel * taps + k];
                for (size_t x = t.columns.first; x < t.columns.past; x++)
                    out[y * width + x] += weight * from[x * c->stride + t.x - c->padding];
            }
    }
}

/* One channel of the gradient by the input of one image. */
CLONED static void input_gradient_plane(const convolution_shape *c, size_t channel, const float *out_gradient,
                                        const float *weights, float *restrict in_gradient)
{
    extent to = convolution_out(c);
    size_t taps = c->kernel * c->kernel;
    for (size_t k = 0; k < taps; k++) {
        tap t = tap_at(c, k);
        for (size_t o = 0; o < c->outputs; o++)
            for (size_t y = t.rows.first; y < t.rows.past; y++) {
                float *by = in_gradient + (y * c->stride + t.y - c->padding) * c->in.width;
                const float *from = out_gradient + (o * to.height + y) * to.width;
                const float weight = weights[(o * c->in.channels + channel) * taps + k];
                for (size_t x = t.columns.first; x < t.columns.past; x++)
                    by[x * c->stride + t.x - c->padding] += weight * from[x];
            }
    }
}

/* What one image adds to the gradient by one weight; `in` and `out_gradient` are the planes that it connects. */
CLONED static double weight_gradient(const convolution_shape *c, tap t, const float *in, const float *out_gradient,
                                     size_t out_width)
{
    double sum = 0;
    for (size_t y = t.rows.first; y < t.rows.past; y++) {
        const float *from = in + (y * c->stride + t.y - c->padding) * c->in.width;
        const float *by = out_gradient + y * out_width;
        float row_sum = 0;
#pragma omp simd reduction(+ : row_sum)
        for (size_t x = t.columns.first; x < t.columns.past; x++)
            row_sum += by[x] * from[x * c->stride + t.x - c->padding];
        sum += row_sum;
    }
    return sum;
}

/* What images first .. past - 1 add to the gradient by the weights and the bias of output channel o. */
static void parameter_gradient(const convolution_shape *c, const op_io *io, size_t o, size_t first, size_t past,
                               float *gradient)
{
    size_t in_plane = c->in.height * c->in.width, taps = c->kernel * c->kernel;
    extent to = convolution_out(c);
    size_t out_plane = to.height * to.width;
    for (size_t k = 0; k < taps; k++) {
        tap t = tap_at(c, k);
        for (size_t channel = 0; channel < c->in.channels; channel++) {
            double sum = 0;
            for (size_t n = first; n < past; n++)
                sum += weight_gradient(c, t, io->in + (n * c->in.channels + channel) * in_plane,
                                       io->out_gradient + (n * c->outputs + o) * out_plane, to.width);
            gradient[(o * c->in.channels + channel) * taps + k] = (float)sum;
        }
    }
    double bias = 0;
    for (size_t n = first; c->bias && n < past; n++)
        for (size_t i = 0; i < out_plane; i++)
            bias += io->out_gradient[(n * c->outputs + o) * out_plane + i];
    if (c->bias)
        gradient[c->outputs * c->in.channels * taps + o] = (float)bias;
}

static void forward(const op *self, const op_io *io)
{
    const reference_op *own = reference_of(self);
    const convolution_shape *c = &own->convolution;
    extent to = convolution_out(c);
    size_t plane = to.height * to.width, weights = c->in.channels * c->kernel * c->kernel;
    const float *bias = io->parameters + c->outputs * weights;
#pragma omp parallel for num_threads((int)own->setting.threads) if (own->setting.threads > 1) schedule(static)
    for (size_t p = 0; p < own->setting.batch * c->outputs; p++) {
        size_t n = p / c->outputs, o = p % c->outputs;
        float *out = io->out + p * plane;
        for (size_t i = 0; i < plane; i++)
            out[i] = (c->bias ? bias[o] : 0) + (c->adds ? io->other[p * plane + i] : 0);
        output_plane(c, io->in + n * extent_count(c->in), io->parameters + o * weights, out);
        for (size_t i = 0; c->relu && i < plane; i++)
            out[i] = out[i] < 0 ? 0 : out[i];
    }
}

static void backward(const op *self, const op_io *io)
{
    const reference_op *own = reference_of(self);
    const convolution_shape *c = &own->convolution;
    size_t batch = own->setting.batch, in_plane = c->in.height * c->in.width;
    size_t out_image = extent_count(convolution_out(c));
#pragma omp parallel for num_threads((int)own->setting.threads) if (own->setting.threads > 1) schedule(static)
    for (size_t o = 0; o < c->outputs; o++)
        parameter_gradient(c, io, o, 0, batch, io->gradient);
    if (!io->in_gradient)
        return;
#pragma omp parallel for num_threads((int)own->setting.threads) if (own->setting.threads > 1) schedule(static)
    for (size_t p = 0; p < batch * c->in.channels; p++) {
        float *in_gradient = io->in_gradient + p * in_plane;
        for (size_t i = 0; i < in_plane; i++)
            in_gradient[i] = 0;
        input_gradient_plane(c, p % c->in.channels, io->out_gradient + p / c->in.channels * out_image, io->parameters,
                             in_gradient);
    }
}

static void sample_gradient(const op *self, const op_io *io, size_t sample, float *plain)
{
    const convolution_shape *c = &reference_of(self)->convolution;
    for (size_t o = 0; o < c->outputs; o++)
        parameter_gradient(c, io, o, sample, sample + 1, plain);
}

gbv_status reference_convolution(const convolution_shape *shape, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = convolution_check(shape, setting, error);
    if (status != GBV_OK)
        return status;
    size_t count = shape->outputs * (shape->in.channels * shape->kernel * shape->kernel + shape->bias);
    return reference_op_create(&(reference_op){.op = {.parameter_count = count,
                                                      .plain_count = count,
                                                      .forward = forward,
                                                      .backward = backward,
                                                      .sample_gradient = sample_gradient},
                                               .setting = *setting,
                                               .convolution = *shape},
                               made, error);
}
