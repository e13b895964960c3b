/* contrast.c - towards an even grey, the mean of the image, or away from it. */
#include "augment/augment.h"
#include "augment/blend.h"
#include "base/cloned.h"

CLONED static uint64_t sum_of_luma(const unsigned char *red, const unsigned char *green, const unsigned char *blue,
                                   size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += blend_luma(red[i], green[i], blue[i]);
    return sum;
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    size_t pixels = image->height * image->width, second = image->channels == 3 ? pixels : 0;
    /* The luma of equal red, green and blue is their value: a grey image needs no sum of its own. */
    uint64_t sum = sum_of_luma(image->in, image->in + second, image->in + 2 * second, pixels);
    int mean = (int)((double)sum / (double)pixels + 0.5);
    blend_with_one((unsigned char)mean, image->in, image->channels * pixels, (float)magnitude, image->out);
}

extern const augment_operator augment_contrast;
const augment_operator augment_contrast = {
    .info = {.name = "contrast",
             .summary = "multiplies the distance to the mean grey by the magnitude: 0 is all grey, 1 the image",
             .has_magnitude = true,
             .is_signed = true,
             .least = -5,
             .most = 5},
    .grid = {{0, 0.9}, {0, 0.9}},
    .coin = {false, true},
    .is_identity = blend_is_identity,
    .apply = apply,
};
