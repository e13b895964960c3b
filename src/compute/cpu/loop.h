/* loop.h - operations that are loops of our own. The inner ones are cloned by instruction set; stretches of them are
 * shared out to threads. */
#ifndef COMPUTE_CPU_LOOP_H
#define COMPUTE_CPU_LOOP_H

#include "compute/backend.h"
#include "compute/dense.h"

typedef struct loop_op {
    op op;
    extent of;
    size_t batch, threads;
    bool relu;  /* add */
    float rate; /* dropout */
} loop_op;

/* A copy with the setting filled in, that the caller closes. */
gbv_status loop_op_create(const loop_op *from, const op_setting *setting, op **made, gbv_error *error);

/* Numbers of a stretch, and the threads that `count` numbers are worth: starting one costs as much as some thousand. */
enum { LOOP_STRETCH = 8192 };
int loop_threads(size_t count, size_t threads);

#endif
