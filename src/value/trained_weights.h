/* trained_weights.h - weights of sources as final models are trained with them. */
#ifndef VALUE_TRAINED_WEIGHTS_H
#define VALUE_TRAINED_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>

/* Leaves out sources whose weight is nothing beside the heaviest's: their rows would cost as much as the others'. */
void trained_weights_trim(double *weights, size_t count);
/* Whether models trained with the two are the same. */
bool trained_weights_same(const double *a, const double *b, size_t count);

#endif
