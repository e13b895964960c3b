/* batch_norm.c - batch norm over oneDNN, with the rectifier behind it in one pass. Forward keeps the mean and variance
 * of the batch, and which numbers the rectifier let through. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute/cpu/cpu.h"
#include "compute/cpu/layout.h"
#include "compute/cpu/primitive.h"
#include "compute/sizes.h"

typedef struct batch_norm_op {
    op op;
    batch_norm_shape shape;
    size_t batch, threads;
    bool own_statistics; /* of the batch, not the running ones */
    primitive forward, backward;
} batch_norm_op;

/* What is kept: the mean and the variance of each channel, then oneDNN's marks. */
static size_t marks_offset(const batch_norm_op *self)
{
    return (2 * self->shape.of.channels * sizeof(float) + 63) / 64 * 64;
}

static void move_running_statistics(const batch_norm_op *self, const float *kept, float *running)
{
    const batch_norm_shape *s = &self->shape;
    size_t channels = s->of.channels;
    double count = (double)self->batch * (double)(s->of.height * s->of.width);
    double unbiased = count > 1 ? count / (count - 1) : 0, momentum = s->momentum;
    for (size_t c = 0; c < channels; c++) {
        running[c] = (float)((1 - momentum) * running[c] + momentum * kept[c]);
        running[channels + c] =
            (float)((1 - momentum) * running[channels + c] + momentum * unbiased * kept[channels + c]);
    }
}

static void forward(const op *base, const op_io *io)
{
    const batch_norm_op *self = (const batch_norm_op *)base;
    const float *used = self->own_statistics ? io->kept : io->statistics;
    const char *marks = io->kept ? (char *)io->kept + marks_offset(self) : NULL;
    int before = threads_enter(self->threads);
    primitive_run(&self->forward,
                  (const void *const[]){io->in, io->out, io->parameters, used, used + self->shape.of.channels, marks},
                  io->scratch);
    threads_leave(before);
    if (self->own_statistics)
        move_running_statistics(self, io->kept, io->statistics);
}

/* oneDNN always writes the gradient by the input; for those who do not want it, the other two. */
static void backward_parameters(const batch_norm_op *self, const op_io *io, const float *used)
{
    extent of = self->shape.of;
    size_t block = layout_block(of.channels), places = of.height * of.width, channels = of.channels;
    for (size_t c = 0; c < channels; c++) {
        double by_weight = 0, by_bias = 0;
        for (size_t n = 0; n < self->batch; n++)
            for (size_t i = 0; i < places; i++) {
                size_t at = n * extent_count(of) + (c / block * places + i) * block + c % block;
                if (self->shape.relu && io->out[at] <= 0)
                    continue;
                by_weight += (double)io->out_gradient[at] * (io->in[at] - used[c]);
                by_bias += io->out_gradient[at];
            }
        io->gradient[c] = (float)(by_weight / sqrt((double)used[channels + c] + self->shape.epsilon));
        io->gradient[channels + c] = (float)by_bias;
    }
}

static void backward(const op *base, const op_io *io)
{
    const batch_norm_op *self = (const batch_norm_op *)base;
    const float *used = self->own_statistics ? io->kept : io->statistics;
    if (!io->in_gradient) {
        backward_parameters(self, io, used);
        return;
    }
    int before = threads_enter(self->threads);
    primitive_run(&self->backward,
                  (const void *const[]){io->in, io->out_gradient, io->in_gradient, io->parameters, used,
                                        used + self->shape.of.channels, io->gradient,
                                        (char *)io->kept + marks_offset(self)},
                  io->scratch);
    threads_leave(before);
}

static void close(op *base)
{
    batch_norm_op *self = (batch_norm_op *)base;
    primitive_destroy(&self->forward);
    primitive_destroy(&self->backward);
    free(self);
}

static dnnl_status_t plan(batch_norm_op *self, bool train, size_t *mark_bytes)
{
    dnnl_memory_desc_t numbers = layout_memory(self->shape.of, self->batch);
    unsigned flags = dnnl_use_scaleshift | (self->shape.relu ? dnnl_fuse_norm_relu : 0) |
                     (self->own_statistics ? 0 : dnnl_use_global_stats);
    dnnl_batch_normalization_desc_t operation;
    dnnl_primitive_desc_t description = NULL, reverse = NULL;
    dnnl_status_t status = dnnl_batch_normalization_forward_desc_init(
        &operation, train ? dnnl_forward_training : dnnl_forward_inference, &numbers, self->shape.epsilon, flags);
    if (status == dnnl_success)
        status = primitive_describe(&operation, NULL, NULL, &description);
    if (status != dnnl_success)
        return status;
    const dnnl_memory_desc_t *marks = dnnl_primitive_desc_query_md(description, dnnl_query_workspace_md, 0);
    *mark_bytes = marks ? dnnl_memory_desc_get_size(marks) : 0;
    int workspace = *mark_bytes ? DNNL_ARG_WORKSPACE : 0;
    status = primitive_create(&self->forward, description,
                              (const int[]){DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_SCALE_SHIFT, DNNL_ARG_MEAN,
                                            DNNL_ARG_VARIANCE, workspace, 0});
    if (status == dnnl_success && train) {
        status = dnnl_batch_normalization_backward_desc_init(&operation, dnnl_backward, &numbers, &numbers,
                                                             self->shape.epsilon, flags);
        if (status == dnnl_success)
            status = primitive_describe(&operation, NULL, description, &reverse);
        if (status == dnnl_success)
            status = primitive_create(&self->backward, reverse,
                                      (const int[]){DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC,
                                                    DNNL_ARG_SCALE_SHIFT, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE,
                                                    DNNL_ARG_DIFF_SCALE_SHIFT, workspace, 0});
        if (reverse)
            dnnl_primitive_desc_destroy(reverse);
    }
    dnnl_primitive_desc_destroy(description);
    return status;
}

gbv_status cpu_batch_norm(const batch_norm_shape *shape, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = batch_norm_check(shape, setting, error);
    if (status == GBV_OK)
        status = setting_check(setting, error);
    if (status != GBV_OK)
        return status;
    batch_norm_op *self = calloc(1, sizeof *self);
    if (!self)
        return error_out_of_memory(error, "batch norm");
    self->shape = *shape;
    self->batch = setting->batch;
    self->threads = setting->threads;
    self->own_statistics = setting->train && !shape->frozen;
    size_t mark_bytes = 0, scratch;
    int before = threads_enter(setting->threads);
    dnnl_status_t planned = plan(self, setting->train, &mark_bytes);
    threads_leave(before);
    if (planned != dnnl_success) {
        close(&self->op);
        return primitive_failed(planned, "batch norm", error);
    }
    scratch = self->forward.scratch_bytes;
    if (scratch < self->backward.scratch_bytes)
        scratch = self->backward.scratch_bytes;
    self->op = (op){.parameter_count = 2 * shape->of.channels,
                    .plain_count = 2 * shape->of.channels,
                    .kept_bytes = setting->train ? marks_offset(self) + mark_bytes : 0,
                    .scratch_bytes = scratch,
                    .forward = forward,
                    .backward = setting->train ? backward : NULL,
                    .close = close};
    *made = &self->op;
    return GBV_OK;
}
