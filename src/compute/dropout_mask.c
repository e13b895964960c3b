#include "compute/dropout_mask.h"

#include "base/random.h"

void dropout_factors(uint64_t key, float rate, size_t first, size_t count, float *factors)
{
    uint32_t below = (uint32_t)((double)rate * 0x1p32); /* the rate is less than 1 */
    float kept = 1 / (1 - rate);
    uint32_t block[RANDOM_BLOCK];
    for (size_t i = 0; i < count; i++) {
        size_t place = first + i;
        if (i == 0 || place % RANDOM_BLOCK == 0)
            random_block(key, place / RANDOM_BLOCK, RANDOM_DROPOUT, block);
        factors[i] = block[place % RANDOM_BLOCK] < below ? 0 : kept;
    }
}
