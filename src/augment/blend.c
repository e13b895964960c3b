#include "augment/blend.h"

#include "augment/lookup.h"
#include "base/cloned.h"

/* Cut, not rounded. Within 0..1 the result needs no bounds, and they change nothing. */
static inline unsigned char mix(int poorer, int rich, float factor)
{
    float mixed = (float)poorer + factor * (float)(rich - poorer);
    mixed = mixed < 0 ? 0 : mixed;
    mixed = mixed > 255 ? 255 : mixed;
    return (unsigned char)(int)mixed;
}

CLONED void blend_bytes(const unsigned char *poorer, const unsigned char *in, size_t count, float factor,
                        unsigned char *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = mix(poorer[i], in[i], factor);
}

void blend_with_one(unsigned char poorer, const unsigned char *in, size_t count, float factor, unsigned char *out)
{
    unsigned char table[LOOKUP_VALUES];
    for (int value = 0; value < LOOKUP_VALUES; value++)
        table[value] = mix(poorer, value, factor);
    lookup_map(in, count, table, out);
}

bool blend_is_identity(double factor)
{
    return (float)factor == 1;
}
