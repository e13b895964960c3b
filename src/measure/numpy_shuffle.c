/* numpy_shuffle.c - MT19937 (Matsumoto and Nishimura) and NumPy's legacy masked bounded draw. */
#include "measure/numpy_shuffle.h"

enum { STATE = 624, SHIFT = 397 };

typedef struct twister {
    uint32_t state[STATE];
    int position;
} twister;

static void twister_seed(twister *t, uint32_t seed)
{
    t->state[0] = seed;
    for (uint32_t i = 1; i < STATE; i++)
        t->state[i] = 1812433253u * (t->state[i - 1] ^ t->state[i - 1] >> 30) + i;
    t->position = STATE;
}

static uint32_t twister_next(twister *t)
{
    if (t->position == STATE) {
        for (int i = 0; i < STATE; i++) {
            uint32_t mixed = (t->state[i] & 0x80000000u) | (t->state[(i + 1) % STATE] & 0x7fffffffu);
            t->state[i] = t->state[(i + SHIFT) % STATE] ^ mixed >> 1 ^ (mixed & 1 ? 0x9908b0dfu : 0);
        }
        t->position = 0;
    }
    uint32_t value = t->state[t->position++];
    value ^= value >> 11;
    value ^= value << 7 & 0x9d2c5680u;
    value ^= value << 15 & 0xefc60000u;
    return value ^ value >> 18;
}

/* In 0..largest: draws under the smallest mask of ones until one fits. */
static uint32_t twister_up_to(twister *t, uint32_t largest)
{
    uint32_t mask = largest, value;
    for (int shift = 1; shift < 32; shift *= 2)
        mask |= mask >> shift;
    do
        value = twister_next(t) & mask;
    while (value > largest);
    return value;
}

void numpy_shuffle(uint32_t seed, size_t *order, size_t count)
{
    twister t;
    twister_seed(&t, seed);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i-- > 1;) {
        size_t j = twister_up_to(&t, (uint32_t)i), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}
