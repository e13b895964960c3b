/* mean_pool.c - the mean of each channel's map. */
#include <string.h>

#include "compute/cpu/cpu.h"
#include "compute/cpu/layout.h"
#include "compute/cpu/loop.h"
#include "compute/sizes.h"

enum { WIDEST_BLOCK = 16 };

CLONED static void mean_of_blocks(const float *in, float *out, size_t count, size_t places)
{
    for (size_t b = 0; b < count; b++, in += places * WIDEST_BLOCK, out += WIDEST_BLOCK) {
        float sums[WIDEST_BLOCK] = {0};
        for (size_t i = 0; i < places; i++)
#pragma omp simd
            for (size_t c = 0; c < WIDEST_BLOCK; c++)
                sums[c] += in[i * WIDEST_BLOCK + c];
        for (size_t c = 0; c < WIDEST_BLOCK; c++)
            out[c] = sums[c] / (float)places;
    }
}

static void mean_of_any(const float *in, float *out, size_t count, size_t places, size_t block)
{
    for (size_t b = 0; b < count; b++)
        for (size_t c = 0; c < block; c++) {
            float sum = 0;
            for (size_t i = 0; i < places; i++)
                sum += in[(b * places + i) * block + c];
            out[b * block + c] = sum / (float)places;
        }
}

static void forward(const op *base, const op_io *io)
{
    const loop_op *self = (const loop_op *)base;
    size_t places = self->of.height * self->of.width, block = layout_block(self->of.channels);
    size_t blocks = self->batch * self->of.channels / block;
#pragma omp parallel for num_threads(loop_threads(blocks *places *block, self->threads)) schedule(static)
    for (size_t n = 0; n < self->batch; n++) {
        const float *in = io->in + n * extent_count(self->of);
        float *out = io->out + n * self->of.channels;
        if (block == WIDEST_BLOCK)
            mean_of_blocks(in, out, blocks / self->batch, places);
        else
            mean_of_any(in, out, blocks / self->batch, places, block);
    }
}

static void backward(const op *base, const op_io *io)
{
    const loop_op *self = (const loop_op *)base;
    size_t places = self->of.height * self->of.width, block = layout_block(self->of.channels);
    size_t blocks = self->batch * self->of.channels / block;
    if (!io->in_gradient)
        return;
#pragma omp parallel for num_threads(loop_threads(blocks *places *block, self->threads)) schedule(static)
    for (size_t b = 0; b < blocks; b++)
        for (size_t i = 0; i < places; i++)
            for (size_t c = 0; c < block; c++)
                io->in_gradient[(b * places + i) * block + c] = io->out_gradient[b * block + c] / (float)places;
}

gbv_status cpu_mean_pool(extent in, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = extent_check(in, setting, error);
    if (status != GBV_OK)
        return status;
    return loop_op_create(
        &(loop_op){.op = {.forward = forward, .backward = setting->train ? backward : NULL}, .of = in}, setting, made,
        error);
}
