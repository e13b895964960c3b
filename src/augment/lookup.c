#include "augment/lookup.h"

#include <string.h>

void lookup_count(const unsigned char *in, size_t count, uint64_t histogram[LOOKUP_VALUES])
{
    memset(histogram, 0, LOOKUP_VALUES * sizeof *histogram);
    for (size_t i = 0; i < count; i++)
        histogram[in[i]]++;
}

void lookup_map(const unsigned char *in, size_t count, const unsigned char table[LOOKUP_VALUES], unsigned char *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = table[in[i]];
}
