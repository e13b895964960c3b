/* dropout.c - which numbers are dropped depends on their place in plain order, so blocked activations are walked image
 * by image and block by block. Forward and backward are the same product. */
#include <string.h>

#include "compute/cpu/cpu.h"
#include "compute/cpu/layout.h"
#include "compute/cpu/loop.h"
#include "compute/dropout_mask.h"
#include "compute/sizes.h"

enum { AT_ONCE = 256 };

static void drop_channel(const loop_op *self, uint64_t key, size_t channel, const float *from, float *to)
{
    float factors[AT_ONCE];
    size_t places = self->of.height * self->of.width, block = layout_block(self->of.channels);
    size_t start = channel / block * block * places + channel % block; /* channels of all images, one after the other */
    for (size_t first = 0; first < places; first += AT_ONCE) {
        size_t some = places - first < AT_ONCE ? places - first : AT_ONCE;
        dropout_factors(key, self->rate, channel * places + first, some, factors);
        for (size_t i = 0; i < some; i++)
            to[start + (first + i) * block] = from[start + (first + i) * block] * factors[i];
    }
}

static void drop(const loop_op *self, uint64_t key, const float *from, float *to)
{
    size_t channels = self->batch * self->of.channels, count = self->batch * extent_count(self->of);
#pragma omp parallel for num_threads(loop_threads(count, self->threads)) schedule(static)
    for (size_t c = 0; c < channels; c++)
        drop_channel(self, key, c, from, to);
}

static void forward_in_training(const op *base, const op_io *io)
{
    drop((const loop_op *)base, io->key, io->in, io->out);
}

static void forward(const op *base, const op_io *io)
{
    const loop_op *self = (const loop_op *)base;
    if (io->out != io->in)
        memcpy(io->out, io->in, self->batch * extent_count(self->of) * sizeof *io->out);
}

static void backward(const op *base, const op_io *io)
{
    if (io->in_gradient)
        drop((const loop_op *)base, io->key, io->out_gradient, io->in_gradient);
}

gbv_status cpu_dropout(extent of, float rate, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = dropout_check(of, rate, setting, error);
    if (status != GBV_OK)
        return status;
    return loop_op_create(&(loop_op){.op = {.forward = setting->train ? forward_in_training : forward,
                                            .backward = setting->train ? backward : NULL},
                                     .of = of,
                                     .rate = rate},
                          setting, made, error);
}
