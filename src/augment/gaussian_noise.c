#include "augment/gaussian_noise.h"

#include <math.h>
#include <string.h>

#include "base/cloned.h"
#include "base/random.h"

enum { BLOCKS = NOISE_RUN / RANDOM_BLOCK };

/* -2 ln x of a float in (0, 1): the power of two apart, then a polynomial fitted on [sqrt(1/2), sqrt(2)] to 5e-8. */
static inline float twice_minus_logarithm(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t power = (int32_t)(bits - 0x3F3504F3u) >> 23; /* x = 2^power times sqrt(1/2) at least */
    bits -= (uint32_t)power << 23;
    float t;
    memcpy(&t, &bits, sizeof t);
    t -= 1;
    float sum = -0.17919606f;
    sum = sum * t + 0.28964272f;
    sum = sum * t - 0.29834789f;
    sum = sum * t + 0.33087492f;
    sum = sum * t - 0.39916831f;
    sum = sum * t + 0.50005889f;
    sum = sum * t - 0.66668320f;
    sum = sum * t + 0.99999958f;
    sum = sum * t - 2;
    return sum * t - 1.38629436f * (float)power;
}

/* sin(2 pi x) for x within a quarter, to 3e-8. */
static inline float sine_of_turn(float x)
{
    float square = x * x, sum = 39.761616f;
    sum = sum * square - 76.581398f;
    sum = sum * square + 81.602486f;
    sum = sum * square - 41.341682f;
    sum = sum * square + 6.2831855f;
    return sum * x;
}

/* Two uniform numbers make two normal ones (Box and Muller), none of them beyond 5.9. */
CLONED static void make_normal(const uint32_t *radii, const uint32_t *turns, float *restrict first,
                               float *restrict second)
{
#pragma omp simd
    for (size_t i = 0; i < BLOCKS; i++) {
        float uniform = ((float)(int32_t)(radii[i] >> 8) + 0.5f) * 0x1p-24f;
        float squared = twice_minus_logarithm(uniform), radius = sqrtf(squared > 0 ? squared : 0);
        float turn = (float)(int32_t)turns[i] * 0x1p-32f, size = fabsf(turn); /* from -1/2 to 1/2 */
        first[i] = radius * sine_of_turn(0.25f - size);
        second[i] = radius * copysignf(sine_of_turn(0.25f - fabsf(size - 0.25f)), turn);
    }
}

void gaussian_noise_draw(uint64_t key, size_t run, float normals[NOISE_RUN])
{
    uint32_t words[NOISE_RUN];
    random_blocks(key, (uint64_t)run * BLOCKS, RANDOM_PIXEL_NOISE, BLOCKS, words);
    for (size_t half = 0; half < NOISE_RUN; half += NOISE_RUN / 2)
        make_normal(words + half, words + half + BLOCKS, normals + half, normals + half + BLOCKS);
}

CLONED void gaussian_noise_add(float *pixels, const float *normals, size_t count, float magnitude, float mean,
                               float deviation)
{
    for (size_t i = 0; i < count; i++) {
        float noisy = (pixels[i] - mean) / deviation + magnitude * normals[i];
        noisy = noisy < 0 ? 0 : noisy;
        noisy = noisy > 1 ? 1 : noisy;
        pixels[i] = noisy * deviation + mean;
    }
}

void gaussian_noise_normalised(float *pixels, size_t channels, size_t plane, double magnitude, uint64_t key,
                               const float *mean, const float *deviation)
{
    float normals[NOISE_RUN];
    for (size_t begin = 0, end; begin < channels * plane; begin = end) {
        size_t channel = begin / plane, of_channel = (channel + 1) * plane, of_run = begin / NOISE_RUN;
        end = (of_run + 1) * NOISE_RUN;
        if (begin % NOISE_RUN == 0)
            gaussian_noise_draw(key, of_run, normals);
        end = end < of_channel ? end : of_channel;
        gaussian_noise_add(pixels + begin, normals + begin % NOISE_RUN, end - begin, (float)magnitude, mean[channel],
                           deviation[channel]);
    }
}

CLONED static void add_to_bytes(const unsigned char *in, const float *normals, size_t count, float magnitude,
                                unsigned char *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        float noisy = (float)in[i] + 255 * magnitude * normals[i] + 0.5f;
        noisy = noisy < 0 ? 0 : noisy;
        noisy = noisy > 255 ? 255 : noisy;
        out[i] = (unsigned char)(int)noisy;
    }
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    size_t count = image->channels * image->height * image->width;
    float normals[NOISE_RUN];
    for (size_t i = 0; i < count; i += NOISE_RUN) {
        gaussian_noise_draw(key, i / NOISE_RUN, normals);
        add_to_bytes(image->in + i, normals, count - i < NOISE_RUN ? count - i : NOISE_RUN, (float)magnitude,
                     image->out + i);
    }
}

const augment_operator augment_gaussian_noise = {
    .info = {.name = "gaussian_noise",
             .summary = "adds to each pixel, as a number from 0 to 1, normal noise whose deviation is the magnitude",
             .has_magnitude = true,
             .least = 0,
             .most = 3},
    .grid = {{0.1, 3}, {0.1, 3}},
    .apply = apply,
};
