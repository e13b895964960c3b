/* shear_y.c - columns move up, the further right the more. */
#include "augment/affine.h"

static bool is_identity(double magnitude)
{
    return magnitude == 0;
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    affine_shear(image, 0, magnitude);
}

extern const augment_operator augment_shear_y;
const augment_operator augment_shear_y = {
    .info = {.name = "shear_y",
             .summary = "moves each column up by the magnitude times its distance from the left edge",
             .has_magnitude = true,
             .is_signed = true,
             .least = -1,
             .most = 1},
    .grid = {{0, 0.3}, {0, 0.3}},
    .coin = {false, true},
    .is_identity = is_identity,
    .apply = apply,
};
