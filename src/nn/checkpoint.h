/* checkpoint.h - the state of a training between two steps, as a safetensors file that is written whole or not at all.
 *
 *     checkpoint file = {.path = "run.checkpoint", .values = ..., .state = &state, ...};
 *     checkpoint_identify(&file, task, error);
 *     checkpoint_read(&file, epochs, error);      before the first step
 *     checkpoint_write(&file, error);             after any
 */
#ifndef NN_CHECKPOINT_H
#define NN_CHECKPOINT_H

#include "nn/loop.h"

/* How far a training has come. */
typedef struct loop_state {
    size_t epoch, batch; /* done: whole epochs, and batches of the next */
    uint64_t step;       /* steps done */
    double loss;         /* sum over the rows of the epoch so far */
    size_t best_epoch;   /* from 1; 0: none yet */
    double best_loss;    /* on the held-out rows */
    size_t threads;      /* of the program: sums depend on it */
} loop_state;

typedef struct checkpoint {
    const char *path;
    bool resume;       /* go on from it; else it must not be there yet */
    char identity[65]; /* of what is trained how on what */
    const net *net;
    loop_state *state;
    net_values *values, *best; /* best NULL: no rows are held out */
    float *first, *second;     /* moments of the optimizer */
    float *policy_scores;      /* of rows, where a policy looks at how the network does; NULL: none */
    size_t policy_score_count;
    epoch_record **curve; /* of the epochs done; grows as memory_grow makes it */
    size_t *curve_capacity;
} checkpoint;

/* Fills the identity: everything that the result depends on, down to the rows' bytes. values hold what the training
 * begins with. */
GBV_MUST_CHECK gbv_status checkpoint_identify(checkpoint *c, const loop_task *task, gbv_error *error);

/* Takes over what the file holds, of at most so many epochs; nothing where there is none. GBV_BAD_INPUT when it is no
 * checkpoint or belongs to another training, GBV_USAGE when it would be written over. */
GBV_MUST_CHECK gbv_status checkpoint_read(checkpoint *c, size_t most_epochs, gbv_error *error);

/* When this fails, the file is what it was before. */
GBV_MUST_CHECK gbv_status checkpoint_write(const checkpoint *c, gbv_error *error);

#endif
