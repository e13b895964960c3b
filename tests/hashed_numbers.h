/* hashed_numbers.h - numbers in [-1, 1) that are a pure function of (stream, index), the same in C and in
 * golden/make_training_steps.py: 24 bits of SplitMix64's mixer, so that a float holds them exactly. */
#ifndef HASHED_NUMBERS_H
#define HASHED_NUMBERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static inline uint32_t hashed_bits(uint64_t stream, uint64_t index) /* 24 of them */
{
    uint64_t z = ((stream << 40) + index + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ z >> 31) >> 40);
}

/* A stream by name: 24 bits of FNV-1a of "seed:name". */
static inline uint64_t hashed_stream(unsigned seed, const char *name)
{
    char text[100];
    uint64_t h = 0xCBF29CE484222325u;
    snprintf(text, sizeof text, "%u:%s", seed, name);
    for (const char *c = text; *c; c++)
        h = (h ^ (unsigned char)*c) * 0x100000001B3u;
    return (h ^ h >> 32) & 0xFFFFFF;
}

static inline float hashed_number(uint64_t stream, uint64_t index)
{
    return (float)((int32_t)hashed_bits(stream, index) - (1 << 23)) / (1 << 23);
}

static inline void hashed_fill(uint64_t stream, size_t count, float *numbers)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = hashed_number(stream, i);
}

#endif
