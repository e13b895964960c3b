#include "augment/lookup.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* Where the processor looks up 64 bytes at once (AVX-512 VBMI), a table costs as much as a copy. Returns how many of
 * them are done. */
__attribute__((target("avx512vbmi,avx512bw"))) static size_t
map_by_vectors(const unsigned char *in, size_t count, const unsigned char *table, unsigned char *out)
{
    __m512i parts[4];
    for (int p = 0; p < 4; p++)
        parts[p] = _mm512_loadu_si512(table + 64 * p);
    size_t done = 0;
    for (; count - done >= 64; done += 64) {
        __m512i values = _mm512_loadu_si512(in + done);
        __m512i low = _mm512_permutex2var_epi8(parts[0], values, parts[1]),
                high = _mm512_permutex2var_epi8(parts[2], values, parts[3]);
        _mm512_storeu_si512(out + done, _mm512_mask_blend_epi8(_mm512_movepi8_mask(values), low, high));
    }
    return done;
}

static size_t map_many(const unsigned char *in, size_t count, const unsigned char *table, unsigned char *out)
{
    return __builtin_cpu_supports("avx512vbmi") ? map_by_vectors(in, count, table, out) : 0;
}
#else
static size_t map_many(const unsigned char *in, size_t count, const unsigned char *table, unsigned char *out)
{
    (void)in, (void)count, (void)table, (void)out;
    return 0;
}
#endif

void lookup_map(const unsigned char *in, size_t count, const unsigned char table[LOOKUP_VALUES], unsigned char *out)
{
    for (size_t i = map_many(in, count, table, out); i < count; i++)
        out[i] = table[in[i]];
}

/* Four counts beside each other: equal neighbours do not wait for one another. */
void lookup_count(const unsigned char *in, size_t count, uint64_t histogram[LOOKUP_VALUES])
{
    enum { LANES = 4 };
    uint64_t counts[LANES][LOOKUP_VALUES] = {{0}};
    size_t whole = count - count % LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            counts[l][in[i + l]]++;
    for (size_t i = whole; i < count; i++)
        counts[0][in[i]]++;
    for (int v = 0; v < LOOKUP_VALUES; v++)
        histogram[v] = counts[0][v] + counts[1][v] + counts[2][v] + counts[3][v];
}
