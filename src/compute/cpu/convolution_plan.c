/* convolution_plan.c - which of oneDNN's algorithms computes a convolution, and in which order it wants the weights.
 *
 * Weights lie as the forward pass likes them. The gradient by the weights is asked for in the same order, because the
 * optimizer takes both; the pass to the input may want the weights in another, which is then made in each step. */
#include "compute/cpu/convolution.h"

#include "compute/cpu/layout.h"

/* Winograd's algorithm makes 4 x 4 places of a 3 x 3 convolution from tiles of 6 x 6 with a quarter of the products. It
 * is the faster one where little of the tiles lies outside the map, and in training, where the weights are transformed
 * in each step, where there are enough tiles to pay for that (measured). */
static bool winograd_is_faster(const convolution_op *self, bool train)
{
    enum { TILE = 4, TILES_IN_TRAINING = 64 };
    size_t height = self->out.height, width = self->out.width;
    size_t tiles = (height + TILE - 1) / TILE * ((width + TILE - 1) / TILE);
    return self->rows.count == 3 && self->columns.count == 3 && self->shape.stride == 1 &&
           10 * height * width >= 6 * tiles * TILE * TILE && (!train || self->batch * tiles >= TILES_IN_TRAINING);
}

typedef struct request {
    const convolution_op *self;
    bool winograd; /* is the faster one */
    dnnl_memory_desc_t in, out, weights, bias;
    dnnl_dims_t strides, before, after;
} request;

static request request_of(const convolution_op *self, bool train)
{
    const convolution_shape *s = &self->shape;
    request r = {.self = self,
                 .winograd = winograd_is_faster(self, train),
                 .in = layout_memory(s->in, self->batch),
                 .out = layout_memory(self->out, self->batch),
                 .strides = {(dnnl_dim_t)s->stride, (dnnl_dim_t)s->stride},
                 .before = {(dnnl_dim_t)self->rows.before, (dnnl_dim_t)self->columns.before},
                 .after = {(dnnl_dim_t)self->rows.after, (dnnl_dim_t)self->columns.after}};
    dnnl_memory_desc_init_by_tag(&r.weights, 4,
                                 (const dnnl_dims_t){(dnnl_dim_t)s->outputs, (dnnl_dim_t)s->in.channels,
                                                     (dnnl_dim_t)self->rows.count, (dnnl_dim_t)self->columns.count},
                                 dnnl_f32, dnnl_format_tag_any);
    dnnl_memory_desc_init_by_tag(&r.bias, 1, (const dnnl_dims_t){(dnnl_dim_t)s->outputs}, dnnl_f32, dnnl_a);
    return r;
}

typedef dnnl_status_t describe(const request *r, dnnl_alg_kind_t algorithm, const_dnnl_primitive_desc_t forward,
                               dnnl_primitive_desc_t *description);

static dnnl_primitive_attr_t follow_ups(const convolution_shape *shape)
{
    dnnl_primitive_attr_t attributes = primitive_attributes();
    dnnl_post_ops_t after = NULL;
    if (!attributes || dnnl_post_ops_create(&after) != dnnl_success)
        goto done;
    if (shape->adds)
        dnnl_post_ops_append_sum(after, 1);
    if (shape->relu)
        dnnl_post_ops_append_eltwise(after, 1, dnnl_eltwise_relu, 0, 0);
    dnnl_primitive_attr_set_post_ops(attributes, after);
done:
    if (after)
        dnnl_post_ops_destroy(after);
    return attributes;
}

static dnnl_status_t describe_forward(const request *r, dnnl_prop_kind_t kind, dnnl_alg_kind_t algorithm,
                                      dnnl_primitive_desc_t *description)
{
    dnnl_convolution_desc_t operation;
    dnnl_status_t status = dnnl_convolution_forward_desc_init(&operation, kind, algorithm, &r->in, &r->weights,
                                                              r->self->shape.bias ? &r->bias : NULL, &r->out,
                                                              r->strides, r->before, r->after);
    if (status != dnnl_success)
        return status;
    dnnl_primitive_attr_t attributes = follow_ups(&r->self->shape);
    if (!attributes)
        return dnnl_out_of_memory;
    status = primitive_describe(&operation, attributes, NULL, description);
    dnnl_primitive_attr_destroy(attributes);
    return status;
}

static dnnl_status_t describe_training(const request *r, dnnl_alg_kind_t algorithm, const_dnnl_primitive_desc_t forward,
                                       dnnl_primitive_desc_t *description)
{
    (void)forward;
    return describe_forward(r, dnnl_forward_training, algorithm, description);
}

static dnnl_status_t describe_inference(const request *r, dnnl_alg_kind_t algorithm,
                                        const_dnnl_primitive_desc_t forward, dnnl_primitive_desc_t *description)
{
    (void)forward;
    return describe_forward(r, dnnl_forward_inference, algorithm, description);
}

static dnnl_status_t describe_data(const request *r, dnnl_alg_kind_t algorithm, const_dnnl_primitive_desc_t forward,
                                   dnnl_primitive_desc_t *description)
{
    dnnl_convolution_desc_t operation;
    dnnl_status_t status = dnnl_convolution_backward_data_desc_init(&operation, algorithm, &r->in, &r->weights, &r->out,
                                                                    r->strides, r->before, r->after);
    return status == dnnl_success ? primitive_describe(&operation, NULL, forward, description) : status;
}

static dnnl_status_t describe_weights(const request *r, dnnl_alg_kind_t algorithm, const_dnnl_primitive_desc_t forward,
                                      dnnl_primitive_desc_t *description)
{
    dnnl_convolution_desc_t operation;
    dnnl_status_t status = dnnl_convolution_backward_weights_desc_init(&operation, algorithm, &r->in, &r->weights,
                                                                       r->self->shape.bias ? &r->bias : NULL, &r->out,
                                                                       r->strides, r->before, r->after);
    return status == dnnl_success ? primitive_describe(&operation, NULL, forward, description) : status;
}

static dnnl_status_t describe_fastest(const request *r, describe *by, const_dnnl_primitive_desc_t forward,
                                      dnnl_primitive_desc_t *description)
{
    if (r->winograd && by(r, dnnl_convolution_winograd, forward, description) == dnnl_success)
        return dnnl_success;
    return by(r, dnnl_convolution_direct, forward, description);
}

dnnl_status_t convolution_plan_load(convolution_op *self, const dnnl_memory_desc_t *own, bool train)
{
    const convolution_shape *s = &self->shape;
    dnnl_memory_desc_t whole, kept;
    dnnl_memory_desc_init_by_tag(&whole, 4,
                                 (const dnnl_dims_t){(dnnl_dim_t)s->outputs, (dnnl_dim_t)s->in.channels,
                                                     (dnnl_dim_t)s->kernel, (dnnl_dim_t)s->kernel},
                                 dnnl_f32, dnnl_oihw);
    dnnl_status_t status = dnnl_memory_desc_init_submemory(
        &kept, &whole,
        (const dnnl_dims_t){(dnnl_dim_t)s->outputs, (dnnl_dim_t)s->in.channels, (dnnl_dim_t)self->rows.count,
                            (dnnl_dim_t)self->columns.count},
        (const dnnl_dims_t){0, 0, (dnnl_dim_t)self->rows.first, (dnnl_dim_t)self->columns.first});
    if (status == dnnl_success)
        status = primitive_create_reorder(&self->load, &kept, own);
    if (status == dnnl_success && train)
        status = primitive_create_reorder(&self->store, own, &kept);
    return status;
}

static const dnnl_memory_desc_t *order_of(const_dnnl_primitive_desc_t description, int argument)
{
    return dnnl_primitive_desc_query_md(description, dnnl_query_exec_arg_md, argument);
}

static dnnl_status_t plan_data(convolution_op *self, const request *r, const_dnnl_primitive_desc_t forward,
                               const dnnl_memory_desc_t *own)
{
    dnnl_primitive_desc_t description;
    dnnl_status_t status = describe_fastest(r, describe_data, forward, &description);
    if (status != dnnl_success)
        return status;
    const dnnl_memory_desc_t *wanted = order_of(description, DNNL_ARG_WEIGHTS);
    if (!dnnl_memory_desc_equal(wanted, own)) {
        status = primitive_create_reorder(&self->weights_for_data, own, wanted);
        self->weights_for_data_bytes = dnnl_memory_desc_get_size(wanted);
    }
    if (status == dnnl_success)
        status = primitive_create(&self->backward_data, description,
                                  (const int[]){DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC, 0});
    dnnl_primitive_desc_destroy(description);
    return status;
}

static dnnl_status_t plan_weights(convolution_op *self, const request *r, const_dnnl_primitive_desc_t forward,
                                  const dnnl_memory_desc_t *own)
{
    dnnl_primitive_desc_t description;
    dnnl_status_t status = describe_fastest(r, describe_weights, forward, &description);
    if (status != dnnl_success)
        return status;
    const dnnl_memory_desc_t *made = order_of(description, DNNL_ARG_DIFF_WEIGHTS);
    if (!dnnl_memory_desc_equal(made, own)) {
        status = primitive_create_reorder(&self->gradient_to_own, made, own);
        self->gradient_bytes = dnnl_memory_desc_get_size(made);
    }
    if (status == dnnl_success)
        status = primitive_create(&self->backward_weights, description,
                                  (const int[]){DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS,
                                                self->shape.bias ? DNNL_ARG_DIFF_BIAS : 0, 0});
    dnnl_primitive_desc_destroy(description);
    return status;
}

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

dnnl_status_t convolution_plan(convolution_op *self, bool train)
{
    request r = request_of(self, train);
    dnnl_primitive_desc_t fastest;
    dnnl_status_t status = describe_fastest(&r, train ? describe_training : describe_inference, NULL, &fastest);
    if (status != dnnl_success)
        return status;
    dnnl_memory_desc_t own = *order_of(fastest, DNNL_ARG_WEIGHTS);
    self->weight_count = (dnnl_memory_desc_get_size(&own) + sizeof(float) - 1) / sizeof(float);
    status = primitive_create(
        &self->forward, fastest,
        (const int[]){DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, self->shape.bias ? DNNL_ARG_BIAS : 0, 0});
    if (status == dnnl_success)
        status = convolution_plan_load(self, &own, train);
    if (status == dnnl_success && train)
        status = plan_data(self, &r, fastest, &own);
    if (status == dnnl_success && train)
        status = plan_weights(self, &r, fastest, &own);
    dnnl_primitive_desc_destroy(fastest);
    self->op.forward = forward;
    self->op.backward = train ? backward : NULL;
    size_t weights = rounded(self->gradient_bytes) + self->backward_weights.scratch_bytes;
    size_t data = rounded(self->weights_for_data_bytes) + self->backward_data.scratch_bytes;
    self->op.scratch_bytes = larger(self->forward.scratch_bytes, larger(weights, data));
    return status;
}
