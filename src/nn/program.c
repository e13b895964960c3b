#include "nn/program.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "nn/program_parts.h"

gbv_status program_compile(const net *n, const program_options *options, program **made, gbv_error *error)
{
    *made = NULL;
    program *p = memory_zeroed(1, sizeof *p);
    if (!p)
        return error_out_of_memory(error, "a network");
    p->net = n;
    p->options = *options;
    p->setting = (op_setting){.batch = options->batch,
                              .train = options->train,
                              .keep_all = options->decays,
                              .threads = options->threads ? options->threads : 1};
    int before = omp_get_max_threads();
    omp_set_num_threads((int)p->setting.threads);
    gbv_status status = program_build(p, error);
    if (status == GBV_OK)
        status = program_lay_out(p, error);
    omp_set_num_threads(before);
    if (status == GBV_OK)
        *made = p;
    else
        program_free(p);
    return status;
}

void program_free(program *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->step_count; i++)
        p->steps[i].op->close(p->steps[i].op);
    free(p->steps);
    free(p->extents);
    free(p->memory);
    free(p->parameters);
    free(p->gradient);
    free(p->first);
    free(p->second);
    free(p->statistics);
    free(p->folded);
    free(p);
}

static void load(const step *s, const float *plain, float *own)
{
    if (s->op->load)
        s->op->load(s->op, plain, own + s->own);
    else
        memcpy(own + s->own, plain, s->op->plain_count * sizeof *plain);
}

static void store(const step *s, const float *own, float *plain)
{
    if (s->op->store)
        s->op->store(s->op, own + s->own, plain);
    else
        memcpy(plain, own + s->own, s->op->plain_count * sizeof *plain);
}

/* What batch norm makes of what a convolution makes is a convolution with other weights and a bias. */
static const float *fold(program *p, const step *s, const net_values *values)
{
    const net *n = p->net;
    size_t outputs = net_channels(n, s->out), weights = s->op->plain_count - outputs, each = weights / outputs;
    const float *gain = values->parameters + s->norm_plain.parameters, *shift = gain + outputs;
    const float *mean = values->statistics + s->norm_plain.statistics, *variance = mean + outputs;
    const float *plain = values->parameters + s->plain.parameters;
    const float *bias = n->layers[s->layer].convolution.bias ? plain + weights : NULL;
    for (size_t k = 0; k < outputs; k++) {
        double scale = gain[k] / sqrt((double)variance[k] + BATCH_NORM_EPSILON);
        for (size_t i = k * each; i < (k + 1) * each; i++)
            p->folded[i] = (float)(plain[i] * scale);
        p->folded[weights + k] = (float)(shift[k] + ((bias ? bias[k] : 0) - (double)mean[k]) * scale);
    }
    return p->folded;
}

void program_load(program *p, const net_values *values)
{
    for (const step *s = p->steps; s < p->steps + p->step_count; s++)
        if (s->op->plain_count)
            load(s, s->norm == NONE ? values->parameters + s->plain.parameters : fold(p, s, values), p->parameters);
    memcpy(p->statistics, values->statistics, p->net->statistic_count * sizeof *p->statistics);
}

static void load_all(const program *p, const float *plain, float *own)
{
    for (const step *s = p->steps; s < p->steps + p->step_count; s++)
        if (s->op->plain_count)
            load(s, plain + s->plain.parameters, own);
}

static void store_all(const program *p, const float *own, float *plain)
{
    for (const step *s = p->steps; s < p->steps + p->step_count; s++)
        if (s->op->plain_count)
            store(s, own, plain + s->plain.parameters);
}

void program_store(const program *p, net_values *values)
{
    store_all(p, p->parameters, values->parameters);
    memcpy(values->statistics, p->statistics, p->net->statistic_count * sizeof *p->statistics);
}

void program_load_moments(program *p, const float *first, const float *second)
{
    load_all(p, first, p->first);
    if (p->second)
        load_all(p, second, p->second);
}

void program_store_moments(const program *p, float *first, float *second)
{
    store_all(p, p->first, first);
    if (p->second)
        store_all(p, p->second, second);
}

void program_store_gradient(const program *p, float *gradient)
{
    store_all(p, p->gradient, gradient);
}

void program_images(program *p, const image_batch *images)
{
    p->options.backend->normalise(images, &p->setting, p->input);
}

void program_rows(program *p, const float *rows)
{
    p->options.backend->to_own(p->options.in, p->setting.batch, rows, p->input);
}

void program_forward(program *p, uint64_t key)
{
    int before = omp_get_max_threads();
    omp_set_num_threads((int)p->setting.threads);
    for (step *s = p->steps; s < p->steps + p->step_count; s++) {
        s->io.key = key ^ (uint64_t)s->layer << 48;
        s->op->forward(s->op, &s->io);
    }
    omp_set_num_threads(before);
}

double program_loss(program *p, cross_entropy_task task)
{
    task.batch = p->setting.batch;
    task.classes = p->net->outputs;
    return p->options.backend->cross_entropy(&task, p->logits, p->logits_gradient);
}

void program_set_gradient(program *p, const float *logits_gradient)
{
    memcpy(p->logits_gradient, logits_gradient, p->setting.batch * p->net->outputs * sizeof *logits_gradient);
}

void program_backward(program *p)
{
    const backend *b = p->options.backend;
    int before = omp_get_max_threads();
    omp_set_num_threads((int)p->setting.threads);
    for (step *s = p->steps + p->step_count; s-- > p->steps;) {
        s->op->backward(s->op, &s->io);
        if (s->other_gradient && s->other_is_first)
            memcpy(s->other_gradient, s->io.in_gradient, s->gradient_count * sizeof(float));
        else if (s->other_gradient)
            b->accumulate(s->other_gradient, s->io.in_gradient, s->gradient_count, p->setting.threads);
        if (s->gradient_sum)
            b->accumulate(s->gradient_sum, s->io.in_gradient, s->gradient_count, p->setting.threads);
    }
    omp_set_num_threads(before);
}

/* Batch norm's parameters and biases do not decay unless all do. */
static void update_weights(program *p, const optimizer_step *how)
{
    optimizer_step without = *how;
    without.decay = 0;
    for (const step *s = p->steps; s < p->steps + p->step_count; s++) {
        const layer *l = &p->net->layers[s->layer];
        size_t count = s->op->parameter_count, bias = 0;
        if (l->kind == LAYER_BATCH_NORM)
            bias = count;
        else if (l->kind == LAYER_LINEAR || (l->kind == LAYER_CONVOLUTION && l->convolution.bias))
            bias = net_channels(p->net, s->out);
        for (int part = 0; part < 2; part++) {
            size_t from = s->own + (part ? count - bias : 0), length = part ? bias : count - bias;
            if (length)
                p->options.backend->update(part ? &without : how, p->parameters + from, p->gradient + from,
                                           p->first + from, p->second ? p->second + from : NULL, length,
                                           p->setting.threads);
        }
    }
}

void program_update(program *p, const optimizer_step *how, bool decay_all)
{
    if (how->decay == 0 || decay_all)
        p->options.backend->update(how, p->parameters, p->gradient, p->first, p->second, p->own_count,
                                   p->setting.threads);
    else
        update_weights(p, how);
}

const float *program_logits(const program *p)
{
    return p->logits;
}

const float *program_features(const program *p)
{
    return p->features;
}

bool program_sample_gradients(const program *p, size_t layer_index, size_t first, size_t count, float *gradients)
{
    for (const step *s = p->steps; s < p->steps + p->step_count; s++)
        if (s->layer == layer_index && s->op->sample_gradient) {
            for (size_t i = 0; i < count; i++)
                s->op->sample_gradient(s->op, &s->io, first + i, gradients + i * s->op->plain_count);
            return true;
        }
    return false;
}
