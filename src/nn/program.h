/* program.h - a net compiled for a backend, a batch, a size of images and a mode: a flat sequence of operations whose
 * buffers lie in one arena, laid out once. A step allocates nothing.
 *
 *     program *p;
 *     program_compile(n, &(program_options){.backend = b, .batch = 32, .in = {3, 32, 32}, .train = true}, &p, error);
 *     program_load(p, &values);
 *     for each batch:
 *         program_images(p, &images);  or  program_rows(p, rows);
 *         program_forward(p, key);
 *         loss = program_loss(p, task);
 *         program_backward(p);
 *         program_update(p, &step, true);
 *     program_store(p, &values);
 *     program_free(p);
 *
 * Without train it only runs forward: batch norm is folded into the convolutions, rectifiers and sums follow them at
 * once. program_load does the folding, so it is called again when the values have changed.
 */
#ifndef NN_PROGRAM_H
#define NN_PROGRAM_H

#include "nn/net.h"

typedef struct program program;

typedef struct program_options {
    const backend *backend;
    size_t batch;
    extent in; /* channels as the net has them */
    bool train;
    bool decays;    /* weights will decay: those that no output depends on must be there, too */
    bool frozen;    /* batch norm uses its running statistics, also in training */
    bool samples;   /* program_sample_gradients will be asked for: nothing of a step is written over */
    size_t moments; /* arrays of numbers that the optimizer keeps: 1 for SGD; 0: 2, as Adam needs */
    size_t threads; /* 0: one */
} program_options;

/* GBV_BAD_INPUT when the images are too small for the net; GBV_FAILED when memory is out. */
GBV_MUST_CHECK gbv_status program_compile(const net *n, const program_options *options, program **made,
                                          gbv_error *error);
void program_free(program *p);

void program_load(program *p, const net_values *values);
void program_store(const program *p, net_values *values); /* training only */

/* The optimizer's moments and the gradient, in PyTorch's order; each parameter_count floats. Training only. */
void program_load_moments(program *p, const float *first, const float *second);
void program_store_moments(const program *p, float *first, float *second);
void program_store_gradient(const program *p, float *gradient);

/* The input of the next step. `images` has a whole batch; rows are batch x channels floats. */
void program_images(program *p, const image_batch *images);
void program_rows(program *p, const float *rows);

/* The numbers of dropout are keyed by `key`; nothing else is random. */
void program_forward(program *p, uint64_t key);
/* Mean loss of the batch by task.targets and weights, with batch and classes filled in; leaves its gradient. */
double program_loss(program *p, cross_entropy_task task);
/* Instead: any gradient by the logits (batch x outputs), such as a one at the class of each row. */
void program_set_gradient(program *p, const float *logits_gradient);
void program_backward(program *p);
/* decay_all: biases and batch norm decay, too. */
void program_update(program *p, const optimizer_step *step, bool decay_all);

/* Of the last forward: batch x outputs and batch x feature_count, plain, until the next step. */
const float *program_logits(const program *p);
const float *program_features(const program *p);

/* After program_backward: what each image alone adds to the gradient of a layer's weights and bias, images x (the
 * layer's plain count). Convolutions and linear layers; false for others. */
bool program_sample_gradients(const program *p, size_t layer, size_t first, size_t count, float *gradients);

#endif
