/* backend.h - the one table of coarse operations that networks are made of, and the backends that offer it. A backend
 * prepares an operation once for its sizes; running it then allocates nothing and depends on nothing but its numbers,
 * so that a sequence of operations can be recorded and replayed.
 *
 *     const backend *b = backend_find("cpu");
 *     op *convolve;
 *     b->convolution(&(convolution_shape){.in = {3, 32, 32}, .outputs = 16, .kernel = 3, .stride = 1, .padding = 1},
 *                    &(op_setting){.batch = 8, .train = true, .threads = 1}, &convolve, error);
 *     ... room for parameters, kept and scratch of the sizes it says ...
 *     convolve->forward(convolve, &io);
 *     convolve->backward(convolve, &io);
 *     convolve->close(convolve);
 *
 * Activations are batch x channels x height x width floats, in an order that is the backend's own business (blocked on
 * oneDNN); to_own and to_plain change between that and plain row-major order. Parameters are in the backend's order,
 * too: load and store of the operation change between that and PyTorch's. `reference` is plain loops in plain order,
 * and judges the others (tests/compute/test_operations.c). A new backend is a folder here and a line in backends.def.
 */
#ifndef COMPUTE_BACKEND_H
#define COMPUTE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gbv/status.h>

/* Of one image or row of a batch; features are channels of 1 x 1. */
typedef struct extent {
    size_t channels, height, width;
} extent;

static inline size_t extent_count(extent e)
{
    return e.channels * e.height * e.width;
}

/* Where an operation finds its numbers. What it does not use may be NULL. Everything of one operation is disjoint
 * unless said otherwise, and aligned to 64 bytes. */
typedef struct op_io {
    const float *in;
    const float *other;        /* add: the second summand; convolution with adds: what is added, and is `out` itself */
    float *out;                /* may be `in` of relu, add and dropout */
    const float *out_gradient; /* of the loss by `out` */
    float *in_gradient;        /* written, not added to; NULL: nobody needs it. May be out_gradient of relu, add and
                                  dropout. Of add it serves both summands. */
    const float *parameters;   /* weights, then bias (convolution, linear); weight, then bias (batch norm) */
    float *gradient;           /* of the loss by the parameters, in their order; written */
    float *statistics;         /* batch norm: running mean, then running variance; plain order */
    void *kept;                /* what forward leaves for backward */
    void *scratch;             /* may be shared by all operations of a sequence */
    uint64_t key;              /* dropout: of this step; the same key drops the same places */
} op_io;

typedef struct op op;
struct op {
    size_t parameter_count; /* floats in the backend's order */
    size_t plain_count;     /* floats in PyTorch's order */
    size_t kept_bytes, scratch_bytes;
    void (*forward)(const op *self, const op_io *io);
    void (*backward)(const op *self, const op_io *io); /* only where setting.train was true; `out` is still there */
    /* NULL: both orders are the same. Numbers that no output depends on at this size may have no place in the
     * backend's order: store leaves them in `plain` as they are. */
    void (*load)(const op *self, const float *plain, float *own);
    /* Only where setting.train was true: what serves inference may be a transform that cannot be undone. */
    void (*store)(const op *self, const float *own, float *plain);
    /* What one image of the batch alone adds to the gradient by the weights and bias, in PyTorch's order (plain_count);
     * NULL for operations without weights and for batch norm. */
    void (*sample_gradient)(const op *self, const op_io *io, size_t sample, float *plain);
    void (*close)(op *self);
};

typedef struct op_setting {
    size_t batch;
    bool train;     /* backward will be asked for, and batch norm uses the batch's own statistics */
    bool keep_all;  /* every number of the parameters has a place, even where no output depends on it */
    size_t threads; /* that the operation may use; part of what its sums depend on. More than one only outside of other
                       OpenMP workers, in preparing and in running. */
} op_setting;

/* Weights are outputs x in.channels x kernel x kernel, then outputs biases where it has a bias. */
typedef struct convolution_shape {
    extent in;
    size_t outputs, kernel, stride, padding;
    bool bias;
    bool relu; /* of what comes out, and adds: io->other is added before that; both without train only */
    bool adds;
} convolution_shape;

/* Per channel: (x - mean) / sqrt(variance + epsilon) * weight + bias, with the biased variance of the batch. In
 * training running = (1 - momentum) running + momentum (mean | unbiased variance, 0 of a single number). */
typedef struct batch_norm_shape {
    extent of;
    bool relu;   /* of what comes out */
    bool frozen; /* running statistics are used and left as they are, also in training */
    float epsilon, momentum;
} batch_norm_shape;

/* Places outside the image do not count. The last window may begin in the image and end outside. The gradient goes to
 * the first of equal numbers, row by row. */
typedef struct max_pool_shape {
    extent in;
    size_t kernel, stride, padding;
} max_pool_shape;

/* Weights are outputs x inputs, then outputs biases. The input is channels of 1 x 1. */
typedef struct linear_shape {
    size_t inputs, outputs;
} linear_shape;

extent convolution_out(const convolution_shape *shape);
extent max_pool_out(const max_pool_shape *shape);

/* Pixels of a batch and what a net makes of them: (value / 255 - mean[c]) / deviation[c] for bytes, and without the
 * division by 255 for floats. */
typedef struct image_batch {
    const unsigned char *bytes; /* batch x channels x height x width, plain; NULL: floats */
    const float *floats;
    extent of;                   /* as the net wants them */
    size_t channels;             /* as they are: of.channels, or 1 to be repeated */
    float mean[3], deviation[3]; /* channel c takes number c % 3 */
} image_batch;

/* loss = sum_i weight_i CE_i / rows; with smoothing e the target is 1 - e + e/classes at the class, e/classes
 * elsewhere. Rows of weight zero (padding) still count in `rows` unless it is given smaller than the batch; nothing
 * else of them matters, neither what their logits and targets are nor whether these are numbers at all. */
typedef struct cross_entropy_task {
    size_t batch, classes;
    double rows; /* the divisor */
    const int32_t *targets;
    const float *weights;
    float smoothing;
} cross_entropy_task;

typedef enum optimizer_kind { OPTIMIZER_SGD, OPTIMIZER_ADAM, OPTIMIZER_ADAMW } optimizer_kind;

/* One step of the optimizer as PyTorch defines it. SGD: g += decay w; v = momentum v + g (v = g at the first step);
 * w -= rate (nesterov ? g + momentum v : v). Adam: g += decay w, bias-corrected moments. AdamW: w *= 1 - rate decay. */
typedef struct optimizer_step {
    optimizer_kind kind;
    float rate, decay;
    float momentum; /* SGD */
    bool nesterov;
    float first_decay, second_decay, epsilon; /* Adam: 0.9, 0.999, 1e-8 */
    uint64_t step;                            /* from 1 */
} optimizer_step;

typedef struct backend {
    const char *name, *summary;
    unsigned (*level)(void); /* of the instructions it uses here: part of what last bits depend on */
    /* Each prepares an operation that the caller closes. GBV_USAGE for sizes that make no sense: sizes.h. */
    gbv_status (*convolution)(const convolution_shape *shape, const op_setting *setting, op **made, gbv_error *error);
    gbv_status (*batch_norm)(const batch_norm_shape *shape, const op_setting *setting, op **made, gbv_error *error);
    gbv_status (*relu)(extent of, const op_setting *setting, op **made, gbv_error *error);
    gbv_status (*add)(extent of, bool relu, const op_setting *setting, op **made, gbv_error *error);
    gbv_status (*max_pool)(const max_pool_shape *shape, const op_setting *setting, op **made, gbv_error *error);
    gbv_status (*mean_pool)(extent in, const op_setting *setting, op **made, gbv_error *error); /* to 1 x 1 */
    gbv_status (*linear)(const linear_shape *shape, const op_setting *setting, op **made, gbv_error *error);
    /* In training each number is zero with probability `rate` and else divided by 1 - rate; otherwise it is kept. The
     * same ones on every backend: dropout_mask.h. */
    gbv_status (*dropout)(extent of, float rate, const op_setting *setting, op **made, gbv_error *error);

    void (*to_own)(extent of, size_t batch, const float *plain, float *own);
    void (*to_plain)(extent of, size_t batch, const float *own, float *plain);
    void (*normalise)(const image_batch *images, const op_setting *setting, float *own);
    /* Logits are batch x classes in plain order, which channels of 1 x 1 always have. `gradient` may be NULL. */
    double (*cross_entropy)(const cross_entropy_task *task, const float *logits, float *gradient);
    void (*accumulate)(float *sum, const float *more, size_t count, size_t threads); /* sum += more */
    /* `first` and `second` are the moments (SGD: `first` is the velocity), zero before the first step. */
    void (*update)(const optimizer_step *step, float *parameters, const float *gradient, float *first, float *second,
                   size_t count, size_t threads);
} backend;

const backend *backend_at(size_t index);       /* NULL past the last */
const backend *backend_find(const char *name); /* NULL, "auto": the fastest there is */

#endif
