/* convolution_small.c - a convolution whose result is a map of a few places, as a sum of matrix products: the rows of
 * each product are the images of the batch, at one place of the map. oneDNN's kernels run along the rows of a map,
 * which here are too short for them, and want other orders of the weights for backward, which costs more than the
 * products.
 *
 * Weights lie tap by tap, outputs x channels. Activations are gathered place by place, batch x channels. */
#include <stdlib.h>

#include "compute/cpu/convolution.h"
#include "compute/cpu/layout.h"
#include "compute/cpu/loop.h"

/* On maps of up to 2 x 2 products are several times faster (measured); with fewer rows or columns than taps oneDNN has
 * no kernels at all for some processors. */
enum { SMALL_PLACES = 4 };

bool convolution_is_small(const convolution_op *self)
{
    extent in = self->shape.in;
    return self->out.height * self->out.width <= SMALL_PLACES || self->rows.count > in.height ||
           self->columns.count > in.width;
}

/* Place by place from the order of activations; nothing to do for a map of one place, which lies the same in both. */
static const float *gather(extent of, size_t batch, size_t threads, const float *own, float *places)
{
    size_t count = of.height * of.width, block = layout_block(of.channels);
    if (count == 1)
        return own;
#pragma omp parallel for num_threads(loop_threads(batch *extent_count(of), threads)) schedule(static)
    for (size_t n = 0; n < batch; n++)
        for (size_t b = 0; b < of.channels / block; b++)
            for (size_t i = 0; i < count; i++) {
                const float *from = own + n * extent_count(of) + (b * count + i) * block;
                float *to = places + (i * batch + n) * of.channels + b * block;
                for (size_t c = 0; c < block; c++)
                    to[c] = from[c];
            }
    return places;
}

static void scatter(extent of, size_t batch, size_t threads, const float *places, float *own)
{
    size_t count = of.height * of.width, block = layout_block(of.channels);
    if (places == own)
        return;
#pragma omp parallel for num_threads(loop_threads(batch *extent_count(of), threads)) schedule(static)
    for (size_t n = 0; n < batch; n++)
        for (size_t b = 0; b < of.channels / block; b++)
            for (size_t i = 0; i < count; i++) {
                const float *from = places + (i * batch + n) * of.channels + b * block;
                float *to = own + n * extent_count(of) + (b * count + i) * block;
                for (size_t c = 0; c < block; c++)
                    to[c] = from[c];
            }
}

/* What follows the products, on the result place by place; `other` is in the same order, or NULL. */
static void finish(const convolution_op *self, const float *bias, const float *other, float *places)
{
    size_t outputs = self->out.channels, rows = self->batch * self->out.height * self->out.width;
    if (!bias && !other && !self->shape.relu)
        return;
    for (size_t r = 0; r < rows; r++)
        for (size_t o = 0; o < outputs; o++) {
            float value = places[r * outputs + o] + (bias ? bias[o] : 0) + (other ? other[r * outputs + o] : 0);
            places[r * outputs + o] = self->shape.relu && value < 0 ? 0 : value;
        }
}

static size_t in_count(const convolution_op *self)
{
    return self->batch * extent_count(self->shape.in);
}

static size_t out_count(const convolution_op *self)
{
    return self->batch * extent_count(self->out);
}

static void forward(const op *base, const op_io *io)
{
    const convolution_op *self = (const convolution_op *)base;
    float *room = io->scratch, *out = room + in_count(self), *other = out + out_count(self);
    const float *in = gather(self->shape.in, self->batch, self->threads, io->in, room);
    const float *bias = self->shape.bias ? io->parameters + self->weight_count : NULL, *added = NULL;
    if (self->shape.adds)
        added = gather(self->out, self->batch, self->threads, io->out, other);
    else if (self->out.height * self->out.width == 1)
        out = io->out;
    product_forward(&self->product, in, io->parameters, out);
    finish(self, bias, added, out);
    scatter(self->out, self->batch, self->threads, out, io->out);
}

static void backward(const op *base, const op_io *io)
{
    const convolution_op *self = (const convolution_op *)base;
    float *room = io->scratch;
    extent in = self->shape.in;
    const float *by = gather(self->out, self->batch, self->threads, io->out_gradient, room + in_count(self));
    product_backward_weights(&self->product, by, gather(in, self->batch, self->threads, io->in, room), io->gradient);
    if (self->shape.bias) {
        float *bias = io->gradient + self->weight_count;
        size_t outputs = self->out.channels, rows = out_count(self) / outputs;
        for (size_t o = 0; o < outputs; o++)
            bias[o] = 0;
        for (size_t r = 0; r < rows; r++)
            for (size_t o = 0; o < outputs; o++)
                bias[o] += by[r * outputs + o];
    }
    if (io->in_gradient) {
        float *to = in.height * in.width == 1 ? io->in_gradient : room;
        product_backward_data(&self->product, by, io->parameters, to);
        scatter(in, self->batch, self->threads, to, io->in_gradient);
    }
}

/* The place of the image that tap `tap` meets from place `out` of the result; `side` or more when it meets none. */
static size_t met(const window *w, size_t out, size_t tap, size_t stride, size_t side)
{
    size_t from = out * stride + tap;
    return from < w->before ? side : from - w->before;
}

static void list_terms(convolution_op *self)
{
    extent in = self->shape.in;
    size_t stride = self->shape.stride;
    product *p = &self->product;
    for (size_t o = 0; o < p->out_blocks; o++)
        for (size_t tap = 0; tap < p->matrices; tap++) {
            size_t y = met(&self->rows, o / self->out.width, tap / self->columns.count, stride, in.height);
            size_t x = met(&self->columns, o % self->out.width, tap % self->columns.count, stride, in.width);
            if (y < in.height && x < in.width)
                p->terms[p->term_count++] = (product_term){.in = y * in.width + x, .out = o, .weights = tap};
        }
    product_mark_firsts(p);
}

dnnl_status_t convolution_small(convolution_op *self, bool train)
{
    const convolution_shape *s = &self->shape;
    product *p = &self->product;
    *p = (product){.rows = self->batch,
                   .inputs = s->in.channels,
                   .outputs = s->outputs,
                   .threads = self->threads,
                   .in_blocks = s->in.height * s->in.width,
                   .out_blocks = self->out.height * self->out.width,
                   .matrices = self->rows.count * self->columns.count};
    p->terms = calloc(p->out_blocks * p->matrices, sizeof *p->terms);
    if (!p->terms)
        return dnnl_out_of_memory;
    list_terms(self);
    dnnl_memory_desc_t own;
    dnnl_dim_t inputs = (dnnl_dim_t)s->in.channels, matrix = inputs * (dnnl_dim_t)s->outputs;
    dnnl_status_t status = dnnl_memory_desc_init_by_strides(
        &own, 4,
        (const dnnl_dims_t){(dnnl_dim_t)s->outputs, inputs, (dnnl_dim_t)self->rows.count,
                            (dnnl_dim_t)self->columns.count},
        dnnl_f32, (const dnnl_dims_t){inputs, 1, matrix * (dnnl_dim_t)self->columns.count, matrix});
    if (status == dnnl_success)
        status = convolution_plan_load(self, &own, train);
    self->weight_count = p->matrices * s->outputs * s->in.channels;
    self->op.scratch_bytes = (in_count(self) + (s->adds ? 2 : 1) * out_count(self)) * sizeof(float);
    self->op.forward = forward;
    self->op.backward = train ? backward : NULL;
    return status;
}
