/* program_parts.h - the inside of a program, shared by its compilation (program_build.c, program_memory.c) and its runs
 * (program.c). */
#ifndef NN_PROGRAM_PARTS_H
#define NN_PROGRAM_PARTS_H

#include "nn/buffers.h"
#include "nn/program.h"

#define NONE SIZE_MAX
#define BATCH_NORM_EPSILON 1e-5f

/* Where the arrays of a layer begin in the blocks of a net's values. */
typedef struct place {
    size_t parameters, statistics;
} place;

/* One operation, with the tensors of the net it works on and where its numbers are. */
typedef struct step {
    op *op;
    size_t layer;            /* whose parameters it has */
    size_t norm;             /* the batch norm that is folded into a convolution, or NONE */
    size_t in, other, out;   /* tensors; other is NONE for all but sums */
    size_t own;              /* where its parameters begin in the program's block */
    place plain, norm_plain; /* where its numbers and those of `norm` begin in the net's */
    op_io io;
    float *gradient_sum;   /* to which in_gradient is added after backward; NULL: it is there already */
    float *other_gradient; /* of a sum whose second summand's gradient has a place of its own; else NULL */
    bool other_is_first;   /* that gradient is written, not added to */
    size_t gradient_count; /* floats of in_gradient */
} step;

struct program {
    const net *net; /* borrowed */
    program_options options;
    op_setting setting;
    extent *extents; /* of each tensor */
    step *steps;
    size_t step_count;
    char *memory; /* of activations, gradients and what operations keep */
    size_t memory_bytes;
    size_t own_count; /* floats of all operations' parameters */
    float *parameters, *gradient, *first, *second;
    float *statistics;
    float *folded; /* room for one convolution's weights and bias while batch norm is folded into it */
    float *input;
    const float *features;
    float *logits, *logits_gradient;
};

/* program_build.c: the extents and the steps, each with its operation. */
GBV_MUST_CHECK gbv_status program_build(program *p, gbv_error *error);
/* program_memory.c: the memory, and the pointers of every step into it. */
GBV_MUST_CHECK gbv_status program_lay_out(program *p, gbv_error *error);

#endif
