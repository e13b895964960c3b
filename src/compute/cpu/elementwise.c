/* elementwise.c - operations that look at one place at a time: relu, add, a sum of two blocks. They are bound by
 * memory, so each is one pass. */
#include <string.h>

#include "compute/cpu/cpu.h"
#include "compute/cpu/loop.h"
#include "compute/sizes.h"

typedef void stretch(const float *a, const float *b, float *out, size_t count);

/* `out` may be `a` or `b`: each place is read before it is written, by the same thread. */
static void in_stretches(stretch *of, const float *a, const float *b, float *out, size_t count, size_t threads)
{
    size_t stretches = (count + LOOP_STRETCH - 1) / LOOP_STRETCH;
#pragma omp parallel for num_threads(loop_threads(count, threads)) schedule(static)
    for (size_t s = 0; s < stretches; s++) {
        size_t first = s * LOOP_STRETCH, left = count - first;
        of(a + first, b + first, out + first, left < LOOP_STRETCH ? left : LOOP_STRETCH);
    }
}

CLONED static void rectify(const float *a, const float *b, float *out, size_t count)
{
    (void)b;
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        out[i] = a[i] < 0 ? 0 : a[i];
}

CLONED static void sum(const float *a, const float *b, float *out, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        out[i] = a[i] + b[i];
}

CLONED static void rectified_sum(const float *a, const float *b, float *out, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        float value = a[i] + b[i];
        out[i] = value < 0 ? 0 : value;
    }
}

/* The gradient b passes where the result a is positive. */
CLONED static void pass_where_positive(const float *a, const float *b, float *out, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        out[i] = a[i] <= 0 ? 0 : b[i];
}

static size_t count_of(const loop_op *self)
{
    return self->batch * extent_count(self->of);
}

static void relu_forward(const op *base, const op_io *io)
{
    const loop_op *self = (const loop_op *)base;
    in_stretches(rectify, io->in, io->in, io->out, count_of(self), self->threads);
}

static void add_forward(const op *base, const op_io *io)
{
    const loop_op *self = (const loop_op *)base;
    in_stretches(self->relu ? rectified_sum : sum, io->in, io->other, io->out, count_of(self), self->threads);
}

static void rectified_backward(const op *base, const op_io *io)
{
    const loop_op *self = (const loop_op *)base;
    if (io->in_gradient)
        in_stretches(pass_where_positive, io->out, io->out_gradient, io->in_gradient, count_of(self), self->threads);
}

static void sum_backward(const op *base, const op_io *io)
{
    const loop_op *self = (const loop_op *)base;
    if (io->in_gradient && io->in_gradient != io->out_gradient)
        memcpy(io->in_gradient, io->out_gradient, count_of(self) * sizeof *io->in_gradient);
}

gbv_status cpu_relu(extent of, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = extent_check(of, setting, error);
    if (status != GBV_OK)
        return status;
    return loop_op_create(
        &(loop_op){.op = {.forward = relu_forward, .backward = setting->train ? rectified_backward : NULL}, .of = of},
        setting, made, error);
}

gbv_status cpu_add(extent of, bool relu, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = extent_check(of, setting, error);
    if (status != GBV_OK)
        return status;
    void (*backward)(const op *, const op_io *) = relu ? rectified_backward : sum_backward;
    return loop_op_create(&(loop_op){.op = {.forward = add_forward, .backward = setting->train ? backward : NULL},
                                     .of = of,
                                     .relu = relu},
                          setting, made, error);
}

void cpu_accumulate(float *to, const float *more, size_t count, size_t threads)
{
    in_stretches(sum, to, more, to, count, threads);
}
