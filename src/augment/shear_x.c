/* shear_x.c - rows move sideways, the lower the further. */
#include "augment/affine.h"

static bool is_identity(double magnitude)
{
    return magnitude == 0;
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    affine_shear(image, magnitude, 0);
}

extern const augment_operator augment_shear_x;
const augment_operator augment_shear_x = {
    .info = {.name = "shear_x",
             .summary = "moves each row left by the magnitude times its height below the top",
             .has_magnitude = true,
             .is_signed = true,
             .least = -1,
             .most = 1},
    .grid = {{0, 0.3}, {0, 0.3}},
    .coin = {false, true},
    .is_identity = is_identity,
    .apply = apply,
};
