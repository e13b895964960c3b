/* operation_case.h - one operation at one size, run forward and backward on any backend over the same plain numbers,
 * with everything that it computes handed back in plain order.
 *
 *     operation_case c = {.kind = CASE_RELU, .in = {3, 5, 4}, .batch = 2, .train = true, .threads = 1};
 *     case_numbers numbers;
 *     case_numbers_create(&c, &numbers);
 *     operation_run run;
 *     operation_run_create(backend_at(0), &c, &numbers, &run);
 *     ... run.out, run.in_gradient, run.gradient, run.statistics ...
 *     operation_run_free(&run), case_numbers_free(&numbers);
 */
#ifndef OPERATION_CASE_H
#define OPERATION_CASE_H

#include "base/memory.h"
#include "compute/backend.h"
#include "hashed_numbers.h"
#include "test_support.h"

typedef enum case_kind {
    CASE_CONVOLUTION,
    CASE_BATCH_NORM,
    CASE_RELU,
    CASE_ADD,
    CASE_MAX_POOL,
    CASE_MEAN_POOL,
    CASE_LINEAR,
    CASE_DROPOUT,
} case_kind;

typedef struct operation_case {
    case_kind kind;
    extent in;
    size_t batch, outputs, kernel, stride, padding;
    bool train, bias, relu, adds, frozen, keep_all;
    bool in_place; /* out is in, and the gradients share their place */
    bool whole;    /* small whole numbers, many of them equal */
    float rate;
    size_t threads;
} operation_case;

static inline const char *case_text(const operation_case *c)
{
    static const char *const kinds[] = {"convolution", "batch_norm", "relu",   "add",
                                        "max_pool",    "mean_pool",  "linear", "dropout"};
    static char text[200];
    snprintf(text, sizeof text, "%s of %zu x %zu x %zu x %zu to %zu, kernel %zu/%zu+%zu%s%s%s%s%s%s%s, %zu threads",
             kinds[c->kind], c->batch, c->in.channels, c->in.height, c->in.width, c->outputs, c->kernel, c->stride,
             c->padding, c->train ? ", train" : "", c->bias ? ", bias" : "", c->relu ? ", relu" : "",
             c->adds ? ", adds" : "", c->frozen ? ", frozen" : "", c->keep_all ? ", keep_all" : "",
             c->in_place ? ", in place" : "", c->threads);
    return text;
}

static inline convolution_shape case_convolution(const operation_case *c)
{
    return (convolution_shape){.in = c->in,
                               .outputs = c->outputs,
                               .kernel = c->kernel,
                               .stride = c->stride,
                               .padding = c->padding,
                               .bias = c->bias,
                               .relu = c->relu,
                               .adds = c->adds};
}

static inline extent case_out(const operation_case *c)
{
    switch (c->kind) {
    case CASE_CONVOLUTION:
        return convolution_out(&(convolution_shape){c->in, c->outputs, c->kernel, c->stride, c->padding, 0, 0, 0});
    case CASE_MAX_POOL:
        return max_pool_out(&(max_pool_shape){c->in, c->kernel, c->stride, c->padding});
    case CASE_MEAN_POOL:
        return (extent){c->in.channels, 1, 1};
    case CASE_LINEAR:
        return (extent){c->outputs, 1, 1};
    default:
        return c->in;
    }
}

static inline gbv_status case_prepare(const backend *b, const operation_case *c, op **made, gbv_error *error)
{
    op_setting setting = {.batch = c->batch, .train = c->train, .keep_all = c->keep_all, .threads = c->threads};
    convolution_shape convolution = case_convolution(c);
    switch (c->kind) {
    case CASE_CONVOLUTION:
        return b->convolution(&convolution, &setting, made, error);
    case CASE_BATCH_NORM:
        return b->batch_norm(&(batch_norm_shape){c->in, c->relu, c->frozen, 1e-5f, 0.1f}, &setting, made, error);
    case CASE_RELU:
        return b->relu(c->in, &setting, made, error);
    case CASE_ADD:
        return b->add(c->in, c->relu, &setting, made, error);
    case CASE_MAX_POOL:
        return b->max_pool(&(max_pool_shape){c->in, c->kernel, c->stride, c->padding}, &setting, made, error);
    case CASE_MEAN_POOL:
        return b->mean_pool(c->in, &setting, made, error);
    case CASE_LINEAR:
        return b->linear(&(linear_shape){c->in.channels, c->outputs}, &setting, made, error);
    case CASE_DROPOUT:
        return b->dropout(c->in, c->rate, &setting, made, error);
    }
    return GBV_USAGE;
}

static inline float *numbers_create(size_t count)
{
    float *numbers = memory_zeroed(count ? count : 1, sizeof *numbers);
    if (!numbers)
        fail_msg("no memory for %zu numbers", count);
    return numbers;
}

static inline float *numbers_copy(const float *from, size_t count)
{
    float *copy = numbers_create(count);
    memcpy(copy, from, count * sizeof *copy);
    return copy;
}

/* What a case starts from, in plain order. */
typedef struct case_numbers {
    size_t in_count, out_count, parameter_count, statistic_count;
    float *in, *other, *out_gradient, *parameters, *statistics;
} case_numbers;

static inline void case_numbers_create(const operation_case *c, case_numbers *numbers)
{
    size_t taps = c->in.channels * c->kernel * c->kernel, channels = c->in.channels;
    *numbers = (case_numbers){.in_count = c->batch * extent_count(c->in),
                              .out_count = c->batch * extent_count(case_out(c)),
                              .parameter_count = c->kind == CASE_CONVOLUTION  ? c->outputs * (taps + c->bias)
                                                 : c->kind == CASE_LINEAR     ? c->outputs * (channels + 1)
                                                 : c->kind == CASE_BATCH_NORM ? 2 * channels
                                                                              : 0,
                              .statistic_count = c->kind == CASE_BATCH_NORM ? 2 * channels : 0};
    hashed_fill(1, numbers->in_count, numbers->in = numbers_create(numbers->in_count));
    hashed_fill(2, numbers->out_count, numbers->other = numbers_create(numbers->out_count));
    hashed_fill(3, numbers->out_count, numbers->out_gradient = numbers_create(numbers->out_count));
    hashed_fill(4, numbers->parameter_count, numbers->parameters = numbers_create(numbers->parameter_count));
    hashed_fill(5, numbers->statistic_count, numbers->statistics = numbers_create(numbers->statistic_count));
    for (size_t i = 0; c->whole && i < numbers->in_count; i++)
        numbers->in[i] = floorf(3 * numbers->in[i]);
    for (size_t i = 0; i < numbers->statistic_count; i++)
        if (i >= channels) /* a variance */
            numbers->statistics[i] += 1.5f;
}

static inline void case_numbers_free(case_numbers *numbers)
{
    free(numbers->in);
    free(numbers->other);
    free(numbers->out_gradient);
    free(numbers->parameters);
    free(numbers->statistics);
}

/* What came of it, in plain order. What was not computed is NULL. */
typedef struct operation_run {
    float *out, *in_gradient, *gradient, *statistics;
    float *samples; /* batch x parameters: gradients of single images */
} operation_run;

static inline void operation_run_free(operation_run *run)
{
    free(run->out);
    free(run->in_gradient);
    free(run->gradient);
    free(run->statistics);
    free(run->samples);
}

static inline float *to_own(const backend *b, extent of, size_t batch, const float *plain)
{
    float *own = numbers_create(batch * extent_count(of));
    b->to_own(of, batch, plain, own);
    return own;
}

static inline float *to_plain(const backend *b, extent of, size_t batch, const float *own)
{
    float *plain = numbers_create(batch * extent_count(of));
    b->to_plain(of, batch, own, plain);
    return plain;
}

/* Numbers without a place in the backend's order are left as they are in `plain`. */
static inline void store_parameters(const op *o, const float *own, float *plain)
{
    if (o->store)
        o->store(o, own, plain);
    else
        memcpy(plain, own, o->plain_count * sizeof *plain);
}

static inline void load_parameters(const op *o, const float *plain, float *own)
{
    if (o->load)
        o->load(o, plain, own);
    else
        memcpy(own, plain, o->plain_count * sizeof *own);
}

static inline void operation_run_backward(const backend *b, const op *o, const operation_case *c,
                                          const case_numbers *numbers, op_io *io, operation_run *run)
{
    extent to = case_out(c);
    float *by_out = to_own(b, to, c->batch, numbers->out_gradient);
    float *by_in = c->in_place ? by_out : numbers_create(numbers->in_count);
    float *own_gradient = numbers_create(o->parameter_count);
    for (size_t i = 0; i < o->parameter_count; i++)
        own_gradient[i] = NAN; /* written, not added to */
    for (size_t i = 0; !c->in_place && i < numbers->in_count; i++)
        by_in[i] = NAN;
    io->out_gradient = by_out;
    io->in_gradient = by_in;
    io->gradient = own_gradient;
    o->backward(o, io);
    run->in_gradient = to_plain(b, c->in, c->batch, by_in);
    run->gradient = numbers_create(numbers->parameter_count);
    store_parameters(o, own_gradient, run->gradient);
    if (o->sample_gradient) {
        run->samples = numbers_create(c->batch * o->plain_count);
        for (size_t n = 0; n < c->batch; n++)
            o->sample_gradient(o, io, n, run->samples + n * o->plain_count);
    }
    free(own_gradient);
    if (!c->in_place)
        free(by_in);
    free(by_out);
}

static inline void operation_run_create(const backend *b, const operation_case *c, const case_numbers *numbers,
                                        operation_run *run)
{
    gbv_error error;
    op *o = NULL;
    *run = (operation_run){0};
    assert_ok(case_prepare(b, c, &o, &error), error);
    assert_int_equal(o->plain_count, numbers->parameter_count);
    float *in = to_own(b, c->in, c->batch, numbers->in), *other = to_own(b, case_out(c), c->batch, numbers->other);
    float *out = c->in_place ? in : c->adds ? other : numbers_create(numbers->out_count);
    float *parameters = numbers_create(o->parameter_count);
    load_parameters(o, numbers->parameters, parameters);
    run->statistics = numbers_copy(numbers->statistics, numbers->statistic_count);
    void *kept = memory_zeroed(o->kept_bytes, 1), *scratch = memory_zeroed(o->scratch_bytes, 1);
    op_io io = {.in = in,
                .other = other,
                .out = out,
                .parameters = parameters,
                .statistics = run->statistics,
                .kept = kept,
                .scratch = scratch,
                .key = 0x123456789abcdef};
    o->forward(o, &io);
    run->out = to_plain(b, case_out(c), c->batch, out);
    if (c->train)
        operation_run_backward(b, o, c, numbers, &io, run);
    o->close(o);
    free(kept);
    free(scratch);
    free(parameters);
    if (out != in && out != other)
        free(out);
    free(other);
    free(in);
}

/* |found - expected| over |expected|, as norms; NaN when there is one. */
static inline double relative_distance(const float *found, const float *expected, size_t count)
{
    double apart = 0, norm = 0;
    for (size_t i = 0; i < count; i++) {
        double difference = (double)found[i] - expected[i];
        apart += difference * difference;
        norm += (double)expected[i] * expected[i];
    }
    return apart == 0 ? 0 : sqrt(apart / norm);
}

#endif
