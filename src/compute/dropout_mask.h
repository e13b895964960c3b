/* dropout_mask.h - which numbers dropout leaves out: the same ones on every backend, order of activations and number of
 * threads, because the answer depends on the step's key and the number's place alone.
 *
 *     float factors[256];
 *     dropout_factors(io->key, 0.1f, 0, 256, factors);
 */
#ifndef COMPUTE_DROPOUT_MASK_H
#define COMPUTE_DROPOUT_MASK_H

#include <stddef.h>
#include <stdint.h>

/* What the numbers at places first .. first + count - 1 are multiplied with: 0 with probability `rate`, else
 * 1 / (1 - rate). A place is a number's index in batch x channels x height x width, in plain order. */
void dropout_factors(uint64_t key, float rate, size_t first, size_t count, float *factors);

#endif
