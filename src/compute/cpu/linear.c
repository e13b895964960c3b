/* linear.c - linear layers; their weights are plain, as PyTorch has them. */
#include <stdlib.h>
#include <string.h>

#include "compute/cpu/cpu.h"
#include "compute/cpu/primitive.h"
#include "compute/cpu/product.h"
#include "compute/sizes.h"

typedef struct linear_op {
    op op;
    product product;
    product_term term;
} linear_op;

static void forward(const op *base, const op_io *io)
{
    const product *p = &((const linear_op *)base)->product;
    const float *bias = io->parameters + p->outputs * p->inputs;
    product_forward(p, io->in, io->parameters, io->out);
    for (size_t n = 0; n < p->rows; n++)
        for (size_t o = 0; o < p->outputs; o++)
            io->out[n * p->outputs + o] += bias[o];
}

static void backward(const op *base, const op_io *io)
{
    const product *p = &((const linear_op *)base)->product;
    float *bias = io->gradient + p->outputs * p->inputs;
    product_backward_weights(p, io->out_gradient, io->in, io->gradient);
    memset(bias, 0, p->outputs * sizeof *bias);
    for (size_t n = 0; n < p->rows; n++)
        for (size_t o = 0; o < p->outputs; o++)
            bias[o] += io->out_gradient[n * p->outputs + o];
    if (io->in_gradient)
        product_backward_data(p, io->out_gradient, io->parameters, io->in_gradient);
}

static void sample_gradient(const op *base, const op_io *io, size_t sample, float *plain)
{
    const product *p = &((const linear_op *)base)->product;
    const float *in = io->in + sample * p->inputs, *by = io->out_gradient + sample * p->outputs;
    for (size_t o = 0; o < p->outputs; o++)
        for (size_t i = 0; i < p->inputs; i++)
            plain[o * p->inputs + i] = by[o] * in[i];
    memcpy(plain + p->outputs * p->inputs, by, p->outputs * sizeof *plain);
}

static void close(op *self)
{
    free(self);
}

gbv_status cpu_linear(const linear_shape *shape, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = linear_check(shape, setting, error);
    if (status == GBV_OK)
        status = setting_check(setting, error);
    if (status != GBV_OK)
        return status;
    linear_op *self = malloc(sizeof *self);
    if (!self)
        return error_out_of_memory(error, "a linear layer");
    size_t count = shape->outputs * (shape->inputs + 1);
    *self = (linear_op){.op = {.parameter_count = count, .plain_count = count, .forward = forward, .close = close},
                        .product = {.rows = setting->batch,
                                    .inputs = shape->inputs,
                                    .outputs = shape->outputs,
                                    .threads = setting->threads,
                                    .in_blocks = 1,
                                    .out_blocks = 1,
                                    .matrices = 1,
                                    .terms = &self->term,
                                    .term_count = 1}};
    product_mark_firsts(&self->product);
    if (setting->train) {
        self->op.backward = backward;
        self->op.sample_gradient = sample_gradient;
    }
    *made = &self->op;
    return GBV_OK;
}
