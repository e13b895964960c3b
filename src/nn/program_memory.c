/* program_memory.c - where everything of a step lies. Time runs forward through the steps, over the loss, and back
 * through the steps; a buffer is alive from the time it is written until it is last read, and buffers that are never
 * alive together share memory. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "nn/program_parts.h"

enum { OWN_ALIGNMENT = 16 }; /* floats */

/* Of one tensor. */
typedef struct life {
    size_t writer;             /* the step that makes it; NONE: the input */
    size_t first, last, count; /* the steps that read it */
    size_t value, gradient;    /* buffers; gradient is NONE for the input */
} life;

/* Of one step. */
typedef struct places {
    size_t kept;   /* buffer, or NONE */
    size_t before; /* the buffer of a gradient before it is added to another, or NONE */
} places;

typedef struct layout {
    program *p;
    buffers all;
    life *tensors;
    places *steps;
    size_t scratch;
} layout;

static size_t forward_time(size_t index)
{
    return index + 1; /* the input is written at time 0 */
}

static size_t backward_time(const layout *l, size_t index)
{
    return 2 * l->p->step_count + 1 - index; /* the loss is at step_count + 1 */
}

static size_t last_time(const layout *l)
{
    return 2 * l->p->step_count + 2;
}

static size_t tensor_bytes(const layout *l, size_t tensor)
{
    return extent_count(l->p->extents[tensor]) * l->p->setting.batch * sizeof(float);
}

static void read_by(life *t, size_t index)
{
    if (t->count++ == 0)
        t->first = index;
    t->last = index;
}

static void find_lives(layout *l)
{
    for (size_t t = 0; t <= l->p->net->layer_count; t++)
        l->tensors[t] = (life){.writer = NONE, .value = NONE, .gradient = NONE};
    for (size_t i = 0; i < l->p->step_count; i++) {
        const step *s = &l->p->steps[i];
        read_by(&l->tensors[s->in], i);
        if (s->other != NONE)
            read_by(&l->tensors[s->other], i);
        l->tensors[s->out].writer = i;
    }
}

static const layer *layer_of(const layout *l, size_t step_index)
{
    return &l->p->net->layers[l->p->steps[step_index].layer];
}

/* Whether the gradients of what the step reads can be made without what it wrote. */
static bool forgets_output(const layer *l)
{
    return l->kind == LAYER_CONVOLUTION || l->kind == LAYER_LINEAR ||
           (l->kind == LAYER_BATCH_NORM && !l->batch_norm.relu) || (l->kind == LAYER_ADD && !l->add.relu);
}

/* Whether the step may write its output over its input. */
static bool overwrites(const layout *l, size_t index)
{
    const step *s = &l->p->steps[index];
    const life *in = &l->tensors[s->in];
    layer_kind kind = layer_of(l, index)->kind;
    if ((kind != LAYER_RELU && kind != LAYER_ADD && kind != LAYER_DROPOUT) || in->count != 1 || in->writer == NONE ||
        s->in == l->p->net->features)
        return false;
    return !l->p->options.train || (kind != LAYER_DROPOUT && forgets_output(layer_of(l, in->writer)));
}

static void place_values(layout *l)
{
    program *p = l->p;
    bool train = p->options.train;
    l->tensors[0].value = buffers_add(&l->all, tensor_bytes(l, 0), 0, train ? last_time(l) : 0);
    for (size_t i = 0; i < p->step_count; i++) {
        const step *s = &p->steps[i];
        life *out = &l->tensors[s->out];
        if (s->norm != NONE && s->other != NONE)
            out->value = l->tensors[s->other].value;
        else if (overwrites(l, i))
            out->value = l->tensors[s->in].value;
        else
            out->value = buffers_add(&l->all, tensor_bytes(l, s->out), forward_time(i), forward_time(i));
        buffers_use(&l->all, l->tensors[s->in].value, forward_time(i));
        buffers_use(&l->all, out->value,
                    p->options.samples ? last_time(l)
                    : train            ? backward_time(l, i)
                                       : forward_time(i));
        if (s->other != NONE)
            buffers_use(&l->all, l->tensors[s->other].value, forward_time(i));
    }
    buffers_use(&l->all, l->tensors[p->net->features].value, last_time(l));
    buffers_use(&l->all, l->tensors[p->net->layer_count].value, last_time(l));
}

/* A gradient is written by the last step that reads the tensor, which is the first to run backwards, and is read by the
 * one that wrote the tensor. */
static size_t add_gradient(layout *l, size_t tensor, size_t written)
{
    const life *t = &l->tensors[tensor];
    return buffers_add(&l->all, tensor_bytes(l, tensor), written,
                       l->p->options.samples ? last_time(l) : backward_time(l, t->writer));
}

static bool shares_gradient(layout *l, size_t tensor, size_t with)
{
    if (l->tensors[tensor].writer == NONE)
        return false;
    l->tensors[tensor].gradient = l->tensors[with].gradient;
    buffers_use(&l->all, l->tensors[tensor].gradient, backward_time(l, l->tensors[tensor].writer));
    return true;
}

/* Whether the second summand's gradient may lie where the first's does: whoever adds to the second must come after the
 * first has been read. */
static bool summands_share(const layout *l, size_t index)
{
    const step *s = &l->p->steps[index];
    const life *in = &l->tensors[s->in], *other = &l->tensors[s->other];
    if (l->p->options.samples || in->count != 1 || other->last != index || s->in == s->other)
        return false;
    for (size_t i = in->writer; i < index; i++)
        if (l->p->steps[i].in == s->other || l->p->steps[i].other == s->other)
            return false;
    return in->writer != NONE;
}

static void place_gradients(layout *l)
{
    program *p = l->p;
    l->tensors[p->net->layer_count].gradient = add_gradient(l, p->net->layer_count, p->step_count + 1);
    for (size_t i = p->step_count; i-- > 0;) {
        const step *s = &p->steps[i];
        life *in = &l->tensors[s->in];
        layer_kind kind = layer_of(l, i)->kind;
        bool in_place = kind == LAYER_RELU || kind == LAYER_ADD || kind == LAYER_DROPOUT;
        size_t now = backward_time(l, i);
        if (in->writer != NONE) {
            bool first = in->last == i;
            if (first && (!in_place || in->count != 1 || !shares_gradient(l, s->in, s->out)))
                in->gradient = add_gradient(l, s->in, now);
            if (!first)
                l->steps[i].before = buffers_add(&l->all, tensor_bytes(l, s->in), now, now);
            buffers_use(&l->all, in->gradient, now);
        }
        if (s->other != NONE && l->tensors[s->other].writer != NONE) {
            life *other = &l->tensors[s->other];
            if (other->last == i && other->gradient == NONE &&
                !(summands_share(l, i) && shares_gradient(l, s->other, s->in)))
                other->gradient = add_gradient(l, s->other, now);
            buffers_use(&l->all, other->gradient, now);
        }
    }
}

static void place_the_rest(layout *l)
{
    program *p = l->p;
    size_t most = 0;
    for (size_t i = 0; i < p->step_count; i++) {
        const op *o = p->steps[i].op;
        if (o->kept_bytes)
            l->steps[i].kept = buffers_add(&l->all, o->kept_bytes, forward_time(i),
                                           p->options.train ? backward_time(l, i) : forward_time(i));
        most = o->scratch_bytes > most ? o->scratch_bytes : most;
    }
    l->scratch = buffers_add(&l->all, most, 0, last_time(l));
}

static void *at(const layout *l, size_t index)
{
    return index == NONE ? NULL : l->p->memory + l->all.items[index].offset;
}

/* The pointers of a step into the memory. */
static void connect(const layout *l, size_t index)
{
    program *p = l->p;
    step *s = &p->steps[index];
    const life *in = &l->tensors[s->in], *out = &l->tensors[s->out];
    s->io = (op_io){.in = at(l, in->value),
                    .other = s->other == NONE ? NULL : at(l, l->tensors[s->other].value),
                    .out = at(l, out->value),
                    .out_gradient = at(l, out->gradient),
                    .parameters = p->parameters + s->own,
                    .gradient = p->gradient ? p->gradient + s->own : NULL,
                    .statistics = p->statistics + s->plain.statistics,
                    .kept = at(l, l->steps[index].kept),
                    .scratch = at(l, l->scratch)};
    if (!p->options.train)
        return;
    bool added = l->steps[index].before != NONE;
    s->gradient_count = extent_count(p->extents[s->in]) * p->setting.batch;
    s->io.in_gradient = added ? at(l, l->steps[index].before) : at(l, in->gradient);
    s->gradient_sum = added ? at(l, in->gradient) : NULL;
    if (s->other == NONE || l->tensors[s->other].gradient == NONE || l->tensors[s->other].gradient == in->gradient)
        return;
    s->other_gradient = at(l, l->tensors[s->other].gradient);
    s->other_is_first = l->tensors[s->other].last == index;
}

static bool make_parameters(program *p)
{
    size_t folded = 1;
    for (size_t i = 0; i < p->step_count; i++) {
        step *s = &p->steps[i];
        s->own = p->own_count;
        p->own_count += (s->op->parameter_count + OWN_ALIGNMENT - 1) / OWN_ALIGNMENT * OWN_ALIGNMENT;
        if (s->norm != NONE && s->op->plain_count > folded)
            folded = s->op->plain_count;
    }
    p->parameters = memory_zeroed(p->own_count, sizeof *p->parameters);
    p->statistics = memory_zeroed(p->net->statistic_count, sizeof *p->statistics);
    if (!p->parameters || !p->statistics)
        return false;
    if (!p->options.train)
        return (p->folded = memory_zeroed(folded, sizeof *p->folded));
    bool two = p->options.moments != 1;
    p->gradient = memory_zeroed(p->own_count, sizeof *p->gradient);
    p->first = memory_zeroed(p->own_count, sizeof *p->first);
    p->second = two ? memory_zeroed(p->own_count, sizeof *p->second) : NULL;
    return p->gradient && p->first && (!two || p->second);
}

gbv_status program_lay_out(program *p, gbv_error *error)
{
    layout l = {.p = p,
                .tensors = memory_array(p->net->layer_count + 1, sizeof *l.tensors),
                .steps = memory_array(p->step_count, sizeof *l.steps)};
    bool made = l.tensors && l.steps && make_parameters(p);
    if (made) {
        for (size_t i = 0; i < p->step_count; i++)
            l.steps[i] = (places){NONE, NONE};
        find_lives(&l);
        place_values(&l);
        if (p->options.train)
            place_gradients(&l);
        place_the_rest(&l);
        made = buffers_place(&l.all) && (p->memory = memory_zeroed(l.all.bytes, 1));
    }
    if (made) {
        p->memory_bytes = l.all.bytes;
        for (size_t i = 0; i < p->step_count; i++)
            connect(&l, i);
        const life *last = &l.tensors[p->net->layer_count];
        p->input = at(&l, l.tensors[0].value);
        p->features = at(&l, l.tensors[p->net->features].value);
        p->logits = at(&l, last->value);
        p->logits_gradient = at(&l, last->gradient);
    }
    buffers_free(&l.all);
    free(l.tensors);
    free(l.steps);
    return made ? GBV_OK
                : error_set(error, GBV_FAILED,
                            "not enough memory for a %s on batches of %zu images: use a smaller --batch-size",
                            p->net->kind, p->setting.batch);
}
