/* brightness.c - towards black, or away from it. */
#include "augment/augment.h"
#include "augment/blend.h"

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    blend_with_one(0, image->in, image->channels * image->height * image->width, (float)magnitude, image->out);
}

extern const augment_operator augment_brightness;
const augment_operator augment_brightness = {
    .info = {.name = "brightness",
             .summary = "multiplies the pixels by the magnitude: 0 is black, 1 the image",
             .has_magnitude = true,
             .is_signed = true,
             .least = -5,
             .most = 5},
    .grid = {{0, 5}, {0, 5}},
    .coin = {false, true},
    .is_identity = blend_is_identity,
    .apply = apply,
};
