/* loop.h - the training of every net: epochs over rows in random order, the weighted loss of the paper's Eq. 1,
 * held-out rows that choose the epoch, checkpoints.
 *
 *     loop_task training = {.fit = task, .net = n, .values = &values, .rows = feed, .options = &resolved};
 *     loop_train(&training, error);               values: as training leaves them
 *
 * Every random number is keyed by the seed, the subject, the draw and the epoch or step, and the state between two
 * steps is all there is: a training that goes on from a checkpoint ends with the same numbers.
 */
#ifndef NN_LOOP_H
#define NN_LOOP_H

#include "augment/training_policy.h"
#include "nn/feed.h"

typedef struct loop_task loop_task;
struct loop_task {
    const fit_task *fit;              /* rows, targets, weights, subject, draw; its scratch memory serves the loop */
    const gbv_model_options *options; /* resolved: nothing is left to choose */
    const net *net;
    net_values *values;      /* what it begins with, and what it comes to */
    feed rows;               /* not yet open; what is done to images is the loop's to set */
    training_policy *policy; /* of what is done to the images trained on; NULL: nothing */
    double decay;            /* of the weights, and with decay_all of every parameter */
    bool decay_all;
    /* For options->on_epoch: the model as it is, brought up to date by `settle` where its numbers are not `values`. */
    gbv_model *model;
    void (*settle)(const loop_task *task);
    /* Filled in. */
    epoch_record *curve; /* of the epochs done; the caller frees it, also after a failure */
    size_t curve_capacity;
    size_t epochs_done, best_epoch; /* best_epoch counts from 1 */
    size_t threads;                 /* that it was trained by: those of the checkpoint where there was one */
};

/* GBV_FAILED when the loss leaves the range of numbers, GBV_INTERRUPTED when the caller's progress says so. */
GBV_MUST_CHECK gbv_status loop_train(loop_task *task, gbv_error *error);

#endif
