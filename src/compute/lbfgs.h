/* lbfgs.h - the minimum of a smooth convex function by preconditioned L-BFGS.
 *
 * The line search asks the derivative before the value, so that it still works where differences of the function have
 * drowned in rounding; the gradient can thus be driven to about 1e-14. */
#ifndef COMPUTE_LBFGS_H
#define COMPUTE_LBFGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

typedef struct lbfgs_problem {
    size_t count; /* variables */
    /* The value at `point`; fills the gradient. */
    double (*evaluate)(void *context, const double *point, double *gradient);
    /* Multiplies `vector` by an approximation of the inverse Hessian, in place. */
    void (*precondition)(void *context, double *vector);
    bool cheap_precondition; /* it costs next to nothing: its scale is then measured at every step */
    /* Told of each iteration; true stops. */
    bool (*interrupted)(void *context, size_t iteration, size_t limit);
    void *context;
    double tolerance;   /* on the Euclidean norm of the gradient */
    double share, most; /* a looser one: this share of the norm at the start, but at most so much; 0: none */
    size_t iteration_limit;
} lbfgs_problem;

typedef enum lbfgs_end {
    LBFGS_CONVERGED,
    LBFGS_STALLED, /* no further progress is possible in this arithmetic */
    LBFGS_LIMIT,
    LBFGS_INTERRUPTED,
    LBFGS_NO_MEMORY,
} lbfgs_end;

/* Starts at `point` and leaves the best point there. */
lbfgs_end lbfgs_minimise(const lbfgs_problem *problem, double *point, arena *scratch);

#endif
