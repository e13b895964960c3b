/* convolution.c - convolution over oneDNN: the weights lie in its order, and only the taps that ever meet the image are
 * there unless all are asked for. */
#include "compute/cpu/convolution.h"

#include <stdlib.h>
#include <string.h>

#include "compute/cpu/cpu.h"
#include "compute/sizes.h"

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void forward(const op *base, const op_io *io)
{
    const convolution_op *self = (const convolution_op *)base;
    int before = threads_enter(self->threads);
    primitive_run(&self->forward,
                  (const void *const[]){io->in, io->parameters, io->out, io->parameters + self->weight_count},
                  io->scratch);
    threads_leave(before);
}

static void backward(const op *base, const op_io *io)
{
    const convolution_op *self = (const convolution_op *)base;
    int before = threads_enter(self->threads);
    char *scratch = io->scratch;
    float *gradient = self->gradient_to_own.made ? (float *)scratch : io->gradient;
    primitive_run(&self->backward_weights,
                  (const void *const[]){io->in, io->out_gradient, gradient, io->gradient + self->weight_count},
                  scratch + rounded(self->gradient_bytes));
    if (self->gradient_to_own.made)
        primitive_run(&self->gradient_to_own, (const void *const[]){gradient, io->gradient}, NULL);
    if (io->in_gradient) {
        const float *weights = io->parameters;
        if (self->weights_for_data.made) {
            weights = (float *)scratch;
            primitive_run(&self->weights_for_data, (const void *const[]){io->parameters, weights}, NULL);
        }
        primitive_run(&self->backward_data, (const void *const[]){io->out_gradient, weights, io->in_gradient},
                      scratch + rounded(self->weights_for_data_bytes));
    }
    threads_leave(before);
}

static void load(const op *base, const float *plain, float *own)
{
    const convolution_op *self = (const convolution_op *)base;
    int before = threads_enter(self->threads);
    primitive_run(&self->load, (const void *const[]){plain, own}, NULL);
    threads_leave(before);
    if (self->shape.bias)
        memcpy(own + self->weight_count, plain + base->plain_count - self->shape.outputs,
               self->shape.outputs * sizeof *own);
}

static void store(const op *base, const float *own, float *plain)
{
    const convolution_op *self = (const convolution_op *)base;
    int before = threads_enter(self->threads);
    primitive_run(&self->store, (const void *const[]){own, plain}, NULL);
    threads_leave(before);
    if (self->shape.bias)
        memcpy(plain + base->plain_count - self->shape.outputs, own + self->weight_count,
               self->shape.outputs * sizeof *own);
}

static void close(op *base)
{
    convolution_op *self = (convolution_op *)base;
    if (!self)
        return;
    primitive_destroy(&self->load), primitive_destroy(&self->store);
    primitive_destroy(&self->forward), primitive_destroy(&self->backward_data);
    primitive_destroy(&self->backward_weights), primitive_destroy(&self->weights_for_data);
    primitive_destroy(&self->gradient_to_own);
    free(self);
}

gbv_status cpu_convolution(const convolution_shape *shape, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = convolution_check(shape, setting, error);
    if (status == GBV_OK)
        status = setting_check(setting, error);
    if (status != GBV_OK)
        return status;
    convolution_op *self = calloc(1, sizeof *self);
    if (!self)
        return error_out_of_memory(error, "a convolution");
    self->shape = *shape;
    self->out = convolution_out(shape);
    self->batch = setting->batch;
    self->threads = setting->threads;
    self->rows =
        window_of(shape->in.height, self->out.height, shape->kernel, shape->stride, shape->padding, setting->keep_all);
    self->columns =
        window_of(shape->in.width, self->out.width, shape->kernel, shape->stride, shape->padding, setting->keep_all);
    int before = threads_enter(setting->threads);
    dnnl_status_t planned = convolution_plan(self, setting->train);
    threads_leave(before);
    if (planned != dnnl_success) {
        close(&self->op);
        return primitive_failed(planned, "a convolution", error);
    }
    size_t biases = shape->bias ? shape->outputs : 0;
    self->op = (op){.parameter_count = self->weight_count + biases,
                    .plain_count = shape->outputs * shape->in.channels * shape->kernel * shape->kernel + biases,
                    .scratch_bytes = self->forward.scratch_bytes,
                    .forward = forward,
                    .load = load,
                    .close = close};
    if (setting->train) {
        self->op.backward = backward;
        self->op.store = store;
        self->op.sample_gradient = convolution_sample_gradient;
        size_t weights = rounded(self->gradient_bytes) + self->backward_weights.scratch_bytes;
        size_t data = rounded(self->weights_for_data_bytes) + self->backward_data.scratch_bytes;
        self->op.scratch_bytes =
            larger(larger(self->op.scratch_bytes, convolution_sample_scratch(self)), larger(weights, data));
    }
    *made = &self->op;
    return GBV_OK;
}
