/* pooling.c - the largest of each window, and the mean of a whole channel. */
#include "compute/reference/reference.h"

#include <math.h>

#include "compute/sizes.h"

/* The place of the largest number of the window at output (y, x), in its plane. The first of equal ones; a NaN beats
 * everything, so that it is not lost. */
static uint32_t largest_of_window(const max_pool_shape *m, const float *in, size_t y, size_t x)
{
    size_t top = y * m->stride, left = x * m->stride; /* of the window, as if the padding were part of the image */
    size_t first_row = top < m->padding ? 0 : top - m->padding, past_row = top + m->kernel - m->padding;
    size_t first_column = left < m->padding ? 0 : left - m->padding, past_column = left + m->kernel - m->padding;
    size_t largest = first_row * m->in.width + first_column;
    for (size_t row = first_row; row < past_row && row < m->in.height; row++)
        for (size_t column = first_column; column < past_column && column < m->in.width; column++) {
            size_t place = row * m->in.width + column;
            if (in[place] > in[largest] || (isnan(in[place]) && !isnan(in[largest])))
                largest = place;
        }
    return (uint32_t)largest;
}

static void max_forward(const op *self, const op_io *io)
{
    const reference_op *own = reference_of(self);
    const max_pool_shape *m = &own->max_pool;
    extent to = max_pool_out(m);
    size_t plane = to.height * to.width;
#pragma omp parallel for num_threads((int)own->setting.threads) if (own->setting.threads > 1) schedule(static)
    for (size_t p = 0; p < own->setting.batch * to.channels; p++) {
        const float *in = io->in + p * m->in.height * m->in.width;
        for (size_t i = 0; i < plane; i++) {
            uint32_t place = largest_of_window(m, in, i / to.width, i % to.width);
            io->out[p * plane + i] = in[place];
            if (own->setting.train)
                ((uint32_t *)io->kept)[p * plane + i] = place;
        }
    }
}

static void max_backward(const op *self, const op_io *io)
{
    const reference_op *own = reference_of(self);
    const max_pool_shape *m = &own->max_pool;
    extent to = max_pool_out(m);
    size_t in_plane = m->in.height * m->in.width, plane = to.height * to.width;
    const uint32_t *places = io->kept;
    if (!io->in_gradient)
        return;
#pragma omp parallel for num_threads((int)own->setting.threads) if (own->setting.threads > 1) schedule(static)
    for (size_t p = 0; p < own->setting.batch * to.channels; p++) {
        float *in_gradient = io->in_gradient + p * in_plane;
        for (size_t i = 0; i < in_plane; i++)
            in_gradient[i] = 0;
        for (size_t i = p * plane; i < (p + 1) * plane; i++)
            in_gradient[places[i]] += io->out_gradient[i];
    }
}

gbv_status reference_max_pool(const max_pool_shape *shape, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = max_pool_check(shape, setting, error);
    if (status != GBV_OK)
        return status;
    size_t places = setting->batch * extent_count(max_pool_out(shape));
    return reference_op_create(&(reference_op){.op = {.kept_bytes = setting->train ? places * sizeof(uint32_t) : 0,
                                                      .forward = max_forward,
                                                      .backward = max_backward},
                                               .setting = *setting,
                                               .max_pool = *shape},
                               made, error);
}

static void mean_forward(const op *self, const op_io *io)
{
    const reference_op *own = reference_of(self);
    size_t plane = own->plain.of.height * own->plain.of.width;
    for (size_t p = 0; p < own->setting.batch * own->plain.of.channels; p++) {
        double sum = 0;
        for (size_t i = 0; i < plane; i++)
            sum += io->in[p * plane + i];
        io->out[p] = (float)(sum / (double)plane);
    }
}

static void mean_backward(const op *self, const op_io *io)
{
    const reference_op *own = reference_of(self);
    size_t plane = own->plain.of.height * own->plain.of.width;
    if (!io->in_gradient)
        return;
    for (size_t p = 0; p < own->setting.batch * own->plain.of.channels; p++)
        for (size_t i = 0; i < plane; i++)
            io->in_gradient[p * plane + i] = io->out_gradient[p] / (float)plane;
}

gbv_status reference_mean_pool(extent in, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = extent_check(in, setting, error);
    if (status != GBV_OK)
        return status;
    return reference_op_create(&(reference_op){.op = {.forward = mean_forward, .backward = mean_backward},
                                               .setting = *setting,
                                               .plain.of = in},
                               made, error);
}
