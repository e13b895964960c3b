#include "base/random.h"

#include <math.h>

#include <Random123/philox.h>

#include "base/cloned.h"
#include "base/hash.h"

random_stream random_stream_open(uint64_t seed, const char *subject, random_purpose purpose)
{
    uint64_t name = hash_text(subject);
    /* The purpose goes into the key, the subject into the counter's upper half, the index into its lower half. */
    return (random_stream){.key = {(uint32_t)seed ^ (uint32_t)purpose * 0x9E3779B9u, (uint32_t)(seed >> 32)},
                           .subject = {(uint32_t)name, (uint32_t)(name >> 32)}};
}

void random_stream_seek(random_stream *stream, uint64_t index)
{
    stream->counter = index;
    stream->left = 0;
}

random_stream random_stream_open_draw(uint64_t seed, const char *subject, random_purpose purpose, uint32_t draw)
{
    random_stream stream = random_stream_open(seed, subject, purpose);
    stream.counter = (uint64_t)draw << 32; /* 2^34 numbers each */
    return stream;
}

static void fill_block(const uint32_t key[2], uint64_t index, const uint32_t subject[2], uint32_t block[RANDOM_BLOCK])
{
    philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), subject[0], subject[1]}};
    philox4x32_key_t philox_key = {{key[0], key[1]}};
    philox4x32_ctr_t numbers = philox4x32(counter, philox_key);
    for (int i = 0; i < RANDOM_BLOCK; i++)
        block[i] = numbers.v[i];
}

void random_block(uint64_t key, uint64_t index, random_purpose purpose, uint32_t block[RANDOM_BLOCK])
{
    fill_block((uint32_t[]){(uint32_t)key, (uint32_t)(key >> 32)}, index, (uint32_t[]){purpose, 0}, block);
}

CLONED void random_blocks(uint64_t key, uint64_t first, random_purpose purpose, size_t count, uint32_t *restrict words)
{
    uint32_t *second = words + count, *third = second + count, *fourth = third + count;
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        uint32_t a = (uint32_t)(first + i), b = (uint32_t)((first + i) >> 32), c = purpose, d = 0;
        uint32_t key_0 = (uint32_t)key, key_1 = (uint32_t)(key >> 32);
        for (int round = 0; round < 10; round++) {
            uint64_t from_a = (uint64_t)a * PHILOX_M4x32_0, from_c = (uint64_t)c * PHILOX_M4x32_1;
            a = (uint32_t)(from_c >> 32) ^ b ^ key_0;
            c = (uint32_t)(from_a >> 32) ^ d ^ key_1;
            b = (uint32_t)from_c;
            d = (uint32_t)from_a;
            key_0 += PHILOX_W32_0;
            key_1 += PHILOX_W32_1;
        }
        words[i] = a;
        second[i] = b;
        third[i] = c;
        fourth[i] = d;
    }
}

random_stream random_stream_open_step(uint64_t seed, const char *subject, random_purpose purpose, uint32_t draw,
                                      uint64_t step)
{
    random_stream stream = random_stream_open_draw(seed, subject, purpose, draw);
    uint64_t place[] = {(uint64_t)stream.subject[1] << 32 | stream.subject[0], step},
             name = hash_bytes(place, sizeof place);
    stream.subject[0] = (uint32_t)name;
    stream.subject[1] = (uint32_t)(name >> 32);
    return stream;
}

uint32_t random_u32(random_stream *stream)
{
    if (!stream->left) {
        fill_block(stream->key, stream->counter, stream->subject, stream->block);
        stream->counter++;
        stream->left = RANDOM_BLOCK;
    }
    return stream->block[--stream->left];
}

uint64_t random_u64(random_stream *stream)
{
    uint64_t high = random_u32(stream);
    return high << 32 | random_u32(stream);
}

double random_uniform(random_stream *stream)
{
    return (double)(random_u64(stream) >> 11) * 0x1p-53;
}

uint64_t random_below(random_stream *stream, uint64_t bound)
{
    uint64_t tail = -bound % bound, draw; /* the first 2^64 mod bound draws would be favoured */
    do
        draw = random_u64(stream);
    while (draw < tail);
    return draw % bound;
}

double random_normal(random_stream *stream)
{
    double radius = sqrt(-2 * log(1 - random_uniform(stream)));
    return radius * cos(2 * M_PI * random_uniform(stream));
}

void random_shuffle(random_stream *stream, size_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)random_below(stream, i), kept = items[i - 1];
        items[i - 1] = items[j];
        items[j] = kept;
    }
}
