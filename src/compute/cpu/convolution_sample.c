/* convolution_sample.c - the gradient of one image by the weights, as a product of matrices: the gradient by the result
 * times the image unfolded, which holds for each tap and channel what the tap meets at each place of the result. */
#include "compute/cpu/convolution.h"

#include "compute/cpu/layout.h"
#include "compute/cpu/product.h"

/* The unfolded image is made and used in stretches of rows of the result that stay in the cache. */
enum { UNFOLDED_AT_ONCE = 1 << 18 };

static size_t places_of(extent e)
{
    return e.height * e.width;
}

static size_t taps_of(const convolution_shape *s)
{
    return s->in.channels * s->kernel * s->kernel;
}

size_t convolution_sample_scratch(convolution_op *self)
{
    size_t row = taps_of(&self->shape) * self->out.width;
    self->sample_rows = UNFOLDED_AT_ONCE / row;
    if (self->sample_rows < 1)
        self->sample_rows = 1;
    if (self->sample_rows > self->out.height)
        self->sample_rows = self->out.height;
    return (extent_count(self->shape.in) + extent_count(self->out) + row * self->sample_rows) * sizeof(float);
}

/* taps x (rows x out.width) of `image`, for the rows of the result from `first` on. */
static void unfold(const convolution_op *self, const float *image, size_t first, size_t rows, float *unfolded)
{
    const convolution_shape *s = &self->shape;
    for (size_t c = 0; c < s->in.channels; c++)
        for (size_t tap = 0; tap < s->kernel * s->kernel; tap++) {
            size_t down = tap / s->kernel, right = tap % s->kernel;
            for (size_t y = first; y < first + rows; y++)
                for (size_t x = 0; x < self->out.width; x++) {
                    /* Before the image the difference wraps around to a large number. */
                    size_t from_y = y * s->stride + down - s->padding, from_x = x * s->stride + right - s->padding;
                    bool inside = from_y < s->in.height && from_x < s->in.width;
                    *unfolded++ = inside ? image[(c * s->in.height + from_y) * s->in.width + from_x] : 0;
                }
        }
}

void convolution_sample_gradient(const op *base, const op_io *io, size_t sample, float *plain)
{
    const convolution_op *self = (const convolution_op *)base;
    const convolution_shape *s = &self->shape;
    size_t taps = taps_of(s), places = places_of(self->out), width = self->out.width;
    float *image = io->scratch, *gradient = image + extent_count(s->in), *unfolded = gradient + extent_count(self->out);
    layout_to_plain(s->in, 1, io->in + sample * extent_count(s->in), image);
    layout_to_plain(self->out, 1, io->out_gradient + sample * extent_count(self->out), gradient);
    int before = threads_enter(1);
    for (size_t first = 0; first < self->out.height; first += self->sample_rows) {
        size_t left = self->out.height - first, rows = left < self->sample_rows ? left : self->sample_rows;
        unfold(self, image, first, rows, unfolded);
        product_multiply('N', 'T', s->outputs, taps, rows * width, gradient + first * width, places, unfolded,
                         rows * width, first == 0, plain, taps);
    }
    threads_leave(before);
    for (size_t o = 0; s->bias && o < s->outputs; o++) {
        double sum = 0;
        for (size_t i = 0; i < places; i++)
            sum += gradient[o * places + i];
        plain[s->outputs * taps + o] = (float)sum;
    }
}
