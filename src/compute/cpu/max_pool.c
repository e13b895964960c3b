/* max_pool.c - max pooling over oneDNN, which keeps where each largest number was. */
#include <stdlib.h>

#include "compute/cpu/cpu.h"
#include "compute/cpu/layout.h"
#include "compute/cpu/primitive.h"
#include "compute/cpu/window.h"
#include "compute/sizes.h"

typedef struct max_pool_op {
    op op;
    size_t threads;
    primitive forward, backward;
} max_pool_op;

static void forward(const op *base, const op_io *io)
{
    const max_pool_op *self = (const max_pool_op *)base;
    int before = threads_enter(self->threads);
    primitive_run(&self->forward, (const void *const[]){io->in, io->out, io->kept}, io->scratch);
    threads_leave(before);
}

static void backward(const op *base, const op_io *io)
{
    const max_pool_op *self = (const max_pool_op *)base;
    if (!io->in_gradient)
        return;
    int before = threads_enter(self->threads);
    primitive_run(&self->backward, (const void *const[]){io->out_gradient, io->in_gradient, io->kept}, io->scratch);
    threads_leave(before);
}

static void close(op *base)
{
    max_pool_op *self = (max_pool_op *)base;
    primitive_destroy(&self->forward);
    primitive_destroy(&self->backward);
    free(self);
}

static dnnl_status_t plan(max_pool_op *self, const max_pool_shape *s, const op_setting *setting)
{
    extent out = max_pool_out(s);
    window rows = window_of(s->in.height, out.height, s->kernel, s->stride, s->padding, true);
    window columns = window_of(s->in.width, out.width, s->kernel, s->stride, s->padding, true);
    dnnl_memory_desc_t in = layout_memory(s->in, setting->batch), result = layout_memory(out, setting->batch);
    const dnnl_dims_t strides = {(dnnl_dim_t)s->stride, (dnnl_dim_t)s->stride},
                      kernel = {(dnnl_dim_t)s->kernel, (dnnl_dim_t)s->kernel},
                      before = {(dnnl_dim_t)rows.before, (dnnl_dim_t)columns.before},
                      after = {(dnnl_dim_t)rows.after, (dnnl_dim_t)columns.after};
    dnnl_pooling_desc_t operation;
    dnnl_primitive_desc_t description = NULL, reverse = NULL;
    dnnl_status_t status =
        dnnl_pooling_forward_desc_init(&operation, setting->train ? dnnl_forward_training : dnnl_forward_inference,
                                       dnnl_pooling_max, &in, &result, strides, kernel, before, after);
    if (status == dnnl_success)
        status = primitive_describe(&operation, NULL, NULL, &description);
    if (status != dnnl_success)
        return status;
    int workspace = setting->train ? DNNL_ARG_WORKSPACE : 0;
    status = primitive_create(&self->forward, description, (const int[]){DNNL_ARG_SRC, DNNL_ARG_DST, workspace, 0});
    if (status == dnnl_success && setting->train) {
        self->op.kept_bytes =
            dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(description, dnnl_query_workspace_md, 0));
        status =
            dnnl_pooling_backward_desc_init(&operation, dnnl_pooling_max, &in, &result, strides, kernel, before, after);
        if (status == dnnl_success)
            status = primitive_describe(&operation, NULL, description, &reverse);
        if (status == dnnl_success)
            status = primitive_create(&self->backward, reverse,
                                      (const int[]){DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_WORKSPACE, 0});
        if (reverse)
            dnnl_primitive_desc_destroy(reverse);
    }
    dnnl_primitive_desc_destroy(description);
    return status;
}

gbv_status cpu_max_pool(const max_pool_shape *shape, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = max_pool_check(shape, setting, error);
    if (status == GBV_OK)
        status = setting_check(setting, error);
    if (status != GBV_OK)
        return status;
    max_pool_op *self = calloc(1, sizeof *self);
    if (!self)
        return error_out_of_memory(error, "max pooling");
    self->threads = setting->threads;
    int before = threads_enter(setting->threads);
    dnnl_status_t planned = plan(self, shape, setting);
    threads_leave(before);
    if (planned != dnnl_success) {
        close(&self->op);
        return primitive_failed(planned, "max pooling", error);
    }
    self->op.scratch_bytes = self->forward.scratch_bytes > self->backward.scratch_bytes ? self->forward.scratch_bytes
                                                                                        : self->backward.scratch_bytes;
    self->op.forward = forward;
    self->op.backward = setting->train ? backward : NULL;
    self->op.close = close;
    *made = &self->op;
    return GBV_OK;
}
