/* program_build.c - from layers to operations: the size of every tensor, and what is done at once where nobody asks for
 * gradients. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "nn/program_parts.h"

static const float BATCH_NORM_MOMENTUM = 0.1f;

/* Who reads a tensor. */
typedef struct readers {
    size_t count, last; /* layers; last is NONE when there is none */
} readers;

static convolution_shape convolution_of(const program *p, size_t index)
{
    const layer *l = &p->net->layers[index];
    return (convolution_shape){.in = p->extents[l->input],
                               .outputs = l->convolution.outputs,
                               .kernel = l->convolution.kernel,
                               .stride = l->convolution.stride,
                               .padding = l->convolution.padding,
                               .bias = l->convolution.bias};
}

static max_pool_shape max_pool_of(const program *p, size_t index)
{
    const layer *l = &p->net->layers[index];
    return (max_pool_shape){.in = p->extents[l->input],
                            .kernel = l->max_pool.kernel,
                            .stride = l->max_pool.stride,
                            .padding = l->max_pool.padding};
}

static gbv_status check_window(const program *p, size_t index, size_t kernel, size_t padding, gbv_error *error)
{
    extent in = p->extents[p->net->layers[index].input];
    if (in.height + 2 * padding >= kernel && in.width + 2 * padding >= kernel)
        return GBV_OK;
    return error_set(error, GBV_BAD_INPUT,
                     "images of %zu x %zu pixels are too small for a %s: its layer %s needs %zu where %zu x %zu are "
                     "left; use larger images",
                     p->options.in.width, p->options.in.height, p->net->kind, p->net->layers[index].name, kernel,
                     in.width, in.height);
}

static gbv_status find_extent(program *p, size_t index, gbv_error *error)
{
    const layer *l = &p->net->layers[index];
    extent in = p->extents[l->input], *out = &p->extents[index + 1];
    gbv_status status = GBV_OK;
    *out = in;
    switch (l->kind) {
    case LAYER_CONVOLUTION:
        status = check_window(p, index, l->convolution.kernel, l->convolution.padding, error);
        if (status == GBV_OK)
            *out = convolution_out(&(convolution_shape){.in = in,
                                                        .outputs = l->convolution.outputs,
                                                        .kernel = l->convolution.kernel,
                                                        .stride = l->convolution.stride,
                                                        .padding = l->convolution.padding});
        break;
    case LAYER_MAX_POOL:
        status = check_window(p, index, l->max_pool.kernel, l->max_pool.padding, error);
        if (status == GBV_OK) {
            max_pool_shape shape = max_pool_of(p, index);
            *out = max_pool_out(&shape);
        }
        break;
    case LAYER_MEAN_POOL:
        *out = (extent){in.channels, 1, 1};
        break;
    case LAYER_LINEAR:
        if (in.height != 1 || in.width != 1)
            return error_set(error, GBV_USAGE, "the linear layer %s reads maps of %zu x %zu; pool them first", l->name,
                             in.width, in.height);
        *out = (extent){l->linear.outputs, 1, 1};
        break;
    default:
        break;
    }
    return status;
}

static gbv_status find_extents(program *p, gbv_error *error)
{
    gbv_status status = GBV_OK;
    if (!(p->extents = memory_array(p->net->layer_count + 1, sizeof *p->extents)))
        return error_out_of_memory(error, "a network");
    p->extents[0] = p->options.in;
    if (p->options.in.channels != p->net->channels || extent_count(p->options.in) == 0)
        return error_set(error, GBV_BAD_INPUT, "the images have %zu channels of %zu x %zu; the %s takes %zu",
                         p->options.in.channels, p->options.in.width, p->options.in.height, p->net->kind,
                         p->net->channels);
    for (size_t i = 0; i < p->net->layer_count && status == GBV_OK; i++)
        status = find_extent(p, i, error);
    return status;
}

static void find_readers(const net *n, readers *of)
{
    for (size_t t = 0; t <= n->layer_count; t++)
        of[t] = (readers){.last = NONE};
    for (size_t i = 0; i < n->layer_count; i++) {
        const layer *l = &n->layers[i];
        of[l->input].count++;
        of[l->input].last = i;
        if (l->kind == LAYER_ADD) {
            of[l->add.other].count++;
            of[l->add.other].last = i;
        }
    }
}

/* The layer of this kind that alone reads the tensor, or NONE. */
static size_t only_reader(const net *n, const readers *of, size_t tensor, layer_kind kind)
{
    return of[tensor].count == 1 && n->layers[of[tensor].last].kind == kind ? of[tensor].last : NONE;
}

/* Whether the sum `add` may be taken where its second summand lies, by the convolution `index`: that must be there
 * already, and nobody else may read it afterwards. */
static bool sum_in_place(const net *n, const readers *of, size_t add, size_t index)
{
    size_t other = n->layers[add].add.other;
    if (other == 0 || other == n->features || other > index || of[other].last != add)
        return false;
    for (size_t i = index; i < add; i++) { /* the convolution itself reads while it writes */
        const layer *l = &n->layers[i];
        if (l->input == other || (l->kind == LAYER_ADD && l->add.other == other))
            return false;
    }
    return true;
}

/* Where a layer's arrays begin in the net's blocks. */
static place find_place(const net *n, size_t layer_index)
{
    place found = {0};
    for (const net_tensor *t = n->tensors + n->tensor_count; t-- > n->tensors;)
        if (t->layer == layer_index)
            *(t->statistic ? &found.statistics : &found.parameters) = t->offset;
    return found;
}

/* Inference: the batch norm, rectifier and sum behind a convolution become part of it. */
static void fold(const program *p, const readers *of, bool *done, step *s, convolution_shape *shape)
{
    const net *n = p->net;
    size_t norm = only_reader(n, of, s->out, LAYER_BATCH_NORM);
    if (norm == NONE)
        return;
    s->norm = norm;
    s->norm_plain = find_place(n, norm);
    s->out = norm + 1;
    shape->bias = done[norm] = true;
    shape->relu = n->layers[norm].batch_norm.relu;
    size_t add = shape->relu ? NONE : only_reader(n, of, s->out, LAYER_ADD);
    if (add == NONE || n->layers[add].input != s->out || !sum_in_place(n, of, add, s->layer))
        return;
    s->other = n->layers[add].add.other;
    s->out = add + 1;
    shape->adds = done[add] = true;
    shape->relu = n->layers[add].add.relu;
}

static gbv_status prepare(program *p, const readers *of, bool *done, step *s, gbv_error *error)
{
    const backend *b = p->options.backend;
    const layer *l = &p->net->layers[s->layer];
    extent in = p->extents[s->in];
    switch (l->kind) {
    case LAYER_CONVOLUTION: {
        convolution_shape shape = convolution_of(p, s->layer);
        if (!p->options.train)
            fold(p, of, done, s, &shape);
        return b->convolution(&shape, &p->setting, &s->op, error);
    }
    case LAYER_BATCH_NORM:
        return b->batch_norm(&(batch_norm_shape){.of = in,
                                                 .relu = l->batch_norm.relu,
                                                 .frozen = p->options.frozen,
                                                 .epsilon = BATCH_NORM_EPSILON,
                                                 .momentum = BATCH_NORM_MOMENTUM},
                             &p->setting, &s->op, error);
    case LAYER_RELU:
        return b->relu(in, &p->setting, &s->op, error);
    case LAYER_ADD:
        s->other = l->add.other;
        return b->add(in, l->add.relu, &p->setting, &s->op, error);
    case LAYER_MAX_POOL: {
        max_pool_shape shape = max_pool_of(p, s->layer);
        return b->max_pool(&shape, &p->setting, &s->op, error);
    }
    case LAYER_MEAN_POOL:
        return b->mean_pool(in, &p->setting, &s->op, error);
    case LAYER_LINEAR:
        return b->linear(&(linear_shape){.inputs = in.channels, .outputs = l->linear.outputs}, &p->setting, &s->op,
                         error);
    case LAYER_DROPOUT:
        return b->dropout(in, (float)l->dropout.rate, &p->setting, &s->op, error);
    }
    return error_set(error, GBV_USAGE, "a layer of an unknown kind");
}

gbv_status program_build(program *p, gbv_error *error)
{
    const net *n = p->net;
    gbv_status status = find_extents(p, error);
    if (status != GBV_OK)
        return status;
    readers *of = memory_array(n->layer_count + 1, sizeof *of);
    bool *done = memory_zeroed(n->layer_count, sizeof *done);
    p->steps = memory_zeroed(n->layer_count, sizeof *p->steps);
    if (!of || !done || !p->steps)
        status = error_out_of_memory(error, "a network");
    else
        find_readers(n, of);
    for (size_t i = 0; i < n->layer_count && status == GBV_OK; i++) {
        if (done[i])
            continue;
        step *s = &p->steps[p->step_count];
        *s = (step){
            .layer = i, .norm = NONE, .in = n->layers[i].input, .other = NONE, .out = i + 1, .plain = find_place(n, i)};
        status = prepare(p, of, done, s, error);
        p->step_count += status == GBV_OK;
    }
    free(of);
    free(done);
    return status;
}
