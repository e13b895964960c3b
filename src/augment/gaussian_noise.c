#include "augment/gaussian_noise.h"

#include <math.h>

#include "base/cloned.h"
#include "base/random.h"

enum { AT_ONCE = 1024 }; /* a multiple of RANDOM_BLOCK */

void gaussian_noise_draw(uint64_t key, size_t first, size_t count, float *normals)
{
    for (size_t i = 0; i < count; i++) {
        size_t place = first + i;
        uint32_t block[RANDOM_BLOCK];
        random_block(key, place / 2, RANDOM_PIXEL_NOISE, block);
        double u = ((double)block[0] + 0.5) * 0x1p-32, turn = (double)block[1] * 0x1p-32 * 2 * M_PI;
        normals[i] = (float)(sqrt(-2 * log(u)) * (place % 2 ? sin(turn) : cos(turn)));
    }
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

void gaussian_noise_normalised(float *pixels, size_t count, double magnitude, uint64_t key, size_t first, float mean,
                               float deviation)
{
    float normals[AT_ONCE];
    for (size_t i = 0; i < count; i += AT_ONCE) {
        size_t some = count - i < AT_ONCE ? count - i : AT_ONCE;
        gaussian_noise_draw(key, first + i, some, normals);
        gaussian_noise_add(pixels + i, normals, some, (float)magnitude, mean, deviation);
    }
}

CLONED static void add_to_bytes(const unsigned char *in, const float *normals, size_t count, float magnitude,
                                unsigned char *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        float noisy = (float)in[i] + 255 * magnitude * normals[i];
        noisy = noisy < 0 ? 0 : noisy;
        noisy = noisy > 255 ? 255 : noisy;
        out[i] = (unsigned char)(int)rintf(noisy);
    }
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    size_t count = image->channels * image->height * image->width;
    float normals[AT_ONCE];
    for (size_t i = 0; i < count; i += AT_ONCE) {
        size_t some = count - i < AT_ONCE ? count - i : AT_ONCE;
        gaussian_noise_draw(key, i, some, normals);
        add_to_bytes(image->in + i, normals, some, (float)magnitude, image->out + i);
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
