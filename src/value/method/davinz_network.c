#include "value/method/davinz_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "base/random.h"
#include "compute/dense.h"
#include "nn/feed.h"
#include "nn/kind.h"

enum { MOST_BATCH = 8, SLICE = 1 << 15, DEEP_BLOCKS = 100 };
static const double RIDGE = 1e-4;
static const size_t USUAL_MEMORY = (size_t)1 << 29;

static bool has_weights(const layer *l)
{
    return l->kind == LAYER_CONVOLUTION || l->kind == LAYER_LINEAR;
}

/* Numbers of the weights and bias of a layer. */
static size_t weights_of(const net *n, size_t layer_index)
{
    size_t count = 0;
    for (const net_tensor *t = n->tensors; t < n->tensors + n->tensor_count; t++)
        count += t->layer == layer_index && !t->statistic ? t->count : 0;
    return count;
}

gbv_status davinz_network_open(davinz_network *d, const gbv_model_options *options, const sample *images,
                               size_t classes, size_t memory, size_t threads, gbv_error *error)
{
    gbv_model_options start = *options;
    start.pretrained = NULL;
    start.dropout = 0;
    *d = (davinz_network){.options = options,
                          .memory = memory ? memory : USUAL_MEMORY,
                          .threads = threads,
                          .blocks = strcmp(options->model, "cnn") == 0 ? 1 : DEEP_BLOCKS};
    gbv_status status = network_create(images, &start, classes, &d->model, error);
    if (status != GBV_OK)
        return status;
    /* Batch norm begins with gain and variance 1, shift and mean 0: frozen, it does nothing. */
    net_initialise(d->model->net, options->seed, "davinz", 0, &d->model->values);
    for (size_t l = 0; l < d->model->net->layer_count; l++)
        if (has_weights(&d->model->net->layers[l]))
            d->gradients += weights_of(d->model->net, l);
    return GBV_OK;
}

void davinz_network_close(davinz_network *d)
{
    gbv_model_free(d->model);
    *d = (davinz_network){0};
}

/* One worker's program and memory. */
typedef struct block_worker {
    arena scratch;
    program *p;
    feed images;
    size_t batch, most; /* rows of a program, and of the largest block */
    float *gradients;   /* most x gradients */
    float *one_layer;   /* batch x the largest layer's */
    float *at_labels;   /* batch x classes: the gradient by the logits */
    float *products;    /* most x most */
    double *theta, *residuals;
} block_worker;

static gbv_status worker_open(block_worker *w, const davinz_network *d, const sample *images, size_t most,
                              gbv_error *error)
{
    const gbv_model *m = d->model;
    size_t widest = 0;
    for (size_t l = 0; l < m->net->layer_count; l++) {
        size_t width = weights_of(m->net, l);
        widest = width > widest ? width : widest;
    }
    *w = (block_worker){.batch = most < MOST_BATCH ? most : MOST_BATCH, .most = most};
    w->images = (feed){.data = images, .normalise = m->normalise, .in = m->input};
    w->gradients = arena_array(&w->scratch, most, d->gradients * sizeof *w->gradients);
    w->one_layer = arena_array(&w->scratch, w->batch, widest * sizeof *w->one_layer);
    w->at_labels = arena_array(&w->scratch, w->batch, m->outputs * sizeof *w->at_labels);
    w->products = arena_array(&w->scratch, most, most * sizeof *w->products);
    w->theta = arena_array(&w->scratch, most, most * sizeof *w->theta);
    w->residuals = arena_array(&w->scratch, most, sizeof *w->residuals);
    if (!w->gradients || !w->one_layer || !w->at_labels || !w->products || !w->theta || !w->residuals ||
        !feed_open(&w->images, w->batch, &w->scratch))
        return error_out_of_memory(error, "comparing the rows of a source (davinz)");
    program_options how = {.backend = backend_find(d->options->backend),
                           .batch = w->batch,
                           .in = m->input,
                           .train = true,
                           .decays = true, /* every weight has its place */
                           .frozen = true,
                           .samples = true,
                           .moments = 1,
                           .threads = 1};
    gbv_status status = program_compile(m->net, &how, &w->p, error);
    if (status == GBV_OK)
        program_load(w->p, &m->values);
    return status;
}

static void worker_close(block_worker *w)
{
    program_free(w->p);
    arena_free(&w->scratch);
}

/* The gradients and residuals of rows first..first+count-1 of the block, at most a batch of them. */
static gbv_status take_gradients(block_worker *w, const davinz_network *d, const size_t *members, const int32_t *labels,
                                 size_t first, size_t count, gbv_error *error)
{
    const net *n = d->model->net;
    size_t rows[MOST_BATCH], classes = d->model->outputs, at = 0;
    for (size_t i = 0; i < w->batch; i++)
        rows[i] = members[first + (i < count ? i : 0)];
    gbv_status status = feed_batch(&w->images, w->p, rows, w->batch, error);
    if (status != GBV_OK)
        return status;
    program_forward(w->p, 0);
    memset(w->at_labels, 0, w->batch * classes * sizeof *w->at_labels);
    for (size_t i = 0; i < count; i++) {
        size_t label = (size_t)labels[rows[i]];
        w->at_labels[i * classes + label] = 1;
        w->residuals[first + i] = 1 - (double)program_logits(w->p)[i * classes + label];
    }
    program_set_gradient(w->p, w->at_labels);
    program_backward(w->p);
    for (size_t l = 0; l < n->layer_count; l++)
        if (has_weights(&n->layers[l])) {
            size_t width = weights_of(n, l);
            program_sample_gradients(w->p, l, 0, count, w->one_layer);
            for (size_t i = 0; i < count; i++)
                memcpy(w->gradients + (first + i) * d->gradients + at, w->one_layer + i * width,
                       width * sizeof *w->one_layer);
            at += width;
        }
    return GBV_OK;
}

/* r' (Theta + ridge)^-1 r of one block. */
static gbv_status solve_block(block_worker *w, const davinz_network *d, const size_t *members, const int32_t *labels,
                              size_t count, double *squares, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t first = 0; first < count && status == GBV_OK; first += w->batch)
        status =
            take_gradients(w, d, members, labels, first, count - first < w->batch ? count - first : w->batch, error);
    if (status != GBV_OK)
        return status;
    memset(w->theta, 0, count * count * sizeof *w->theta);
    /* Slice by slice, because single precision does not carry sums of millions of products. */
    for (size_t from = 0; from < d->gradients; from += SLICE) {
        size_t width = d->gradients - from < SLICE ? d->gradients - from : SLICE;
        cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)count, (int)width, 1, w->gradients + from,
                    (int)d->gradients, 0, w->products, (int)count);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j <= i; j++)
                w->theta[i * count + j] += (double)w->products[i * count + j];
    }
    for (size_t i = 0; i < count; i++)
        w->theta[i * count + i] += RIDGE;
    int size = (int)count, info;
    dpotrf_("U", &size, w->theta, &size, &info); /* column-major: the upper triangle is our lower one */
    *squares = NAN;
    if (info == 0) {
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, size, w->theta, size, w->residuals, 1);
        *squares = dense_dot_f64(w->residuals, w->residuals, count);
    }
    return isfinite(*squares)
               ? GBV_OK
               : error_set(error, GBV_UNDEFINED,
                           "the gradients of %zu rows cannot be told apart (davinz): look for images that are repeated",
                           count);
}

gbv_status davinz_network_complexity(const davinz_network *d, const sample *images, const int32_t *labels,
                                     const size_t *members, size_t count, double *complexity, gbv_error *error)
{
    const gbv_model_options *o = d->options;
    size_t together = d->memory / (d->gradients * sizeof(float));
    size_t blocks = together ? (count + together - 1) / together : count;
    blocks = blocks < d->blocks ? d->blocks : blocks;
    blocks = blocks < count ? blocks : count;
    size_t *order = memory_array(count, sizeof *order);
    double *squares = memory_array(blocks, sizeof *squares);
    gbv_status failed = order && squares ? GBV_OK : error_out_of_memory(error, "the order of a source's rows");
    if (failed == GBV_OK) {
        random_stream stream = random_stream_open(o->seed, "davinz", RANDOM_ORDER);
        for (size_t i = 0; i < count; i++)
            order[i] = members ? members[i] : i;
        random_shuffle(&stream, order, count);
    }
    int workers = (int)plan_workers(d->threads, blocks);
#pragma omp parallel num_threads(workers)
    {
        block_worker w;
        gbv_error own;
        gbv_status status = worker_open(&w, d, images, (count + blocks - 1) / blocks, &own);
#pragma omp for schedule(dynamic)
        for (size_t b = 0; b < blocks; b++) {
            size_t first = (size_t)((unsigned __int128)b * count / blocks);
            size_t rows = (size_t)((unsigned __int128)(b + 1) * count / blocks) - first;
            if (__atomic_load_n(&failed, __ATOMIC_RELAXED) != GBV_OK)
                continue;
            if (status == GBV_OK)
                status = solve_block(&w, d, order + first, labels, rows, &squares[b], &own);
#pragma omp critical(gbv_davinz_network)
            {
                if (status == GBV_OK && o->progress && o->progress(o->context, "davinz", b, blocks))
                    status = error_set(&own, GBV_INTERRUPTED, "interrupted while valuing by davinz");
                if (status != GBV_OK && failed == GBV_OK) {
                    __atomic_store_n(&failed, status, __ATOMIC_RELAXED);
                    if (error)
                        *error = own;
                }
            }
        }
        worker_close(&w);
    }
    double sum = 0;
    for (size_t b = 0; b < blocks && failed == GBV_OK; b++)
        sum += squares[b];
    *complexity = sqrt(sum / (double)count);
    free(order);
    free(squares);
    return failed;
}
