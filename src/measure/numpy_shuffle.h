/* numpy_shuffle.h - the order into which NumPy's RandomState(seed).shuffle puts n items. Published results depend on
 * it (scikit-learn's shuffle with random_state calls it), so it is reproduced here number for number. */
#ifndef MEASURE_NUMPY_SHUFFLE_H
#define MEASURE_NUMPY_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

/* order[0..count-1] becomes the shuffled 0..count-1. count must be below 2^32. */
void numpy_shuffle(uint32_t seed, size_t *order, size_t count);

#endif
