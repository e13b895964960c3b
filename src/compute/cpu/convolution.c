/* convolution.c - what both kinds of convolution have in common: only the taps that ever meet the image are there,
 * unless all are asked for, and weights go in and out by a prepared copy between two orders. */
#include "compute/cpu/convolution.h"

#include <stdlib.h>
#include <string.h>

#include "compute/cpu/cpu.h"
#include "compute/sizes.h"

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
    primitive_destroy(&self->load), primitive_destroy(&self->store);
    primitive_destroy(&self->forward), primitive_destroy(&self->backward_data);
    primitive_destroy(&self->backward_weights), primitive_destroy(&self->weights_for_data);
    primitive_destroy(&self->gradient_to_own);
    free(self->product.terms);
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
    dnnl_status_t planned =
        convolution_is_small(self) ? convolution_small(self, setting->train) : convolution_plan(self, setting->train);
    threads_leave(before);
    if (planned != dnnl_success) {
        close(&self->op);
        return primitive_failed(planned, "a convolution", error);
    }
    size_t biases = shape->bias ? shape->outputs : 0;
    self->op.parameter_count = self->weight_count + biases;
    self->op.plain_count = shape->outputs * shape->in.channels * shape->kernel * shape->kernel + biases;
    self->op.load = load;
    self->op.close = close;
    if (setting->train) {
        self->op.store = store;
        self->op.sample_gradient = convolution_sample_gradient;
        size_t scratch = convolution_sample_scratch(self);
        if (self->op.scratch_bytes < scratch)
            self->op.scratch_bytes = scratch;
    }
    *made = &self->op;
    return GBV_OK;
}
