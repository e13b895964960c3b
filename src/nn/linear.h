/* linear.h - the pieces of the linear model's fit that live in different files: the objective over rows held in memory
 * or read block by block, and the change to the coordinates of the row space when there are fewer rows than features.
 */
#ifndef NN_LINEAR_H
#define NN_LINEAR_H

#include "nn/scaling.h"

/* F(W, b) = sum_i weight_i CE(softmax(z_i W + b), target_i) + l2/2 |W|^2, the intercept b not penalised.
 * A point is W (width x outputs, row-major) followed by b. */
typedef struct linear_objective {
    const fit_task *task;
    const scaling *scale;
    const double *rows; /* rows x width, dense; NULL: standardised rows of task->data are read block by block */
    size_t width, outputs, padded; /* padded: outputs as compute/narrow.h wants them */
    double l2;
    size_t block_rows, chunk_count, threads;
    double *weights;         /* width x padded: the point being looked at */
    double *chunk_gradients; /* chunk_count x (width + 1) x padded */
    double *chunk_losses;
    double *row_buffers; /* threads x block_rows x width, only without `rows` */
    double *residuals;   /* threads x block_rows x padded */
    double *inverse;     /* width x width: the preconditioner; NULL: a multiple of the identity */
    double curvature;    /* what the cross-entropy's second derivative is taken to be */
    fit_shape *shape;    /* where the preconditioner may be found and is left for others; NULL: neither */
} linear_objective;

GBV_MUST_CHECK gbv_status linear_objective_open(linear_objective *objective, gbv_error *error);
double linear_objective_evaluate(void *objective, const double *point, double *gradient);
void linear_objective_precondition(void *objective, double *vector);

/* Fewer rows than features: the weights at the minimum are combinations of the standardised rows, so W = Q V with an
 * orthonormal basis Q of the row space. */
typedef struct row_space {
    size_t rank;
    double *coordinates; /* rows x rank: z_i Q */
    double *factor;      /* rows x rows, row-major lower: the pivoted Cholesky factor of Z Z' */
    int *pivots;
} row_space;

/* `rows` are the standardised rows, or NULL to read them block by block. */
GBV_MUST_CHECK gbv_status row_space_open(row_space *space, const fit_task *task, const scaling *scale,
                                         const double *rows, gbv_error *error);
/* point = Q' weights: columns x outputs becomes rank x outputs. */
GBV_MUST_CHECK gbv_status row_space_map_into(const row_space *space, const fit_task *task, const scaling *scale,
                                             const double *rows, const double *weights, double *point,
                                             gbv_error *error);
/* weights = Q point: rank x outputs becomes columns x outputs. `point` is overwritten. */
GBV_MUST_CHECK gbv_status row_space_map_back(const row_space *space, const fit_task *task, const scaling *scale,
                                             const double *rows, double *point, double *weights, gbv_error *error);

#endif
