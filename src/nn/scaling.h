/* scaling.h - each feature's weighted mean and standard deviation, by which models see their inputs. */
#ifndef NN_SCALING_H
#define NN_SCALING_H

#include "nn/kind.h"

typedef struct scaling {
    double *mean;
    double *inverse; /* 1 / standard deviation; 0 for a feature that does not vary: it gets no weight */
} scaling;

/* Rows in one block so that a block stays in the cache whatever the width. */
size_t scaling_block_rows(size_t columns);

GBV_MUST_CHECK gbv_status scaling_fit(const fit_task *task, scaling *s, gbv_error *error);

/* Rows first..first+count-1 of the data, standardised, into `out` (dense row-major). */
void scaling_block(const scaling *s, const sample *data, size_t first, size_t count, double *out);

/* Turns weights (inputs x outputs) and bias meant for standardised inputs into those for inputs as they are. */
void scaling_fold(const scaling *s, size_t inputs, size_t outputs, double *weights, double *bias);
/* And back. */
void scaling_unfold(const scaling *s, size_t inputs, size_t outputs, double *weights, double *bias);

#endif
