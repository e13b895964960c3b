/* schedule.h - the learning rate over the steps of a training, and the names of optimizers.
 *
 *     schedule_kind how;
 *     schedule_find("paper", &how);
 *     double rate = 1e-4 * schedule_factor(how, &(schedule_place){.epoch = 20, .epochs = 40, ...});     1e-5
 */
#ifndef NN_SCHEDULE_H
#define NN_SCHEDULE_H

#include "compute/backend.h"

typedef enum schedule_kind {
    SCHEDULE_CONSTANT,
    SCHEDULE_LINEAR,     /* to zero, step by step */
    SCHEDULE_STEP,       /* a tenth every 10 epochs */
    SCHEDULE_PAPER,      /* a tenth at epoch 20 (from 0) and every 10 after (paper, section 6) */
    SCHEDULE_PAPER_LATE, /* a tenth at epoch 30 and every 10 after, as the authors' program trains with SRA */
    SCHEDULE_COSINE,     /* half a wave over the epochs */
} schedule_kind;

/* Where a training is; everything counts from zero. */
typedef struct schedule_place {
    size_t epoch, epochs;
    uint64_t step, steps;
} schedule_place;

double schedule_factor(schedule_kind kind, const schedule_place *at);

/* False when there is none of that name. */
bool schedule_find(const char *name, schedule_kind *kind);
bool optimizer_find(const char *name, optimizer_kind *kind);

#endif
