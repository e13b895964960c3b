/* translate_y.c - the image moves up or down by whole pixels. */
#include <math.h>

#include "augment/affine.h"

static bool is_identity(double magnitude)
{
    return fabs(magnitude) < 1;
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    affine_translate(image, 0, magnitude);
}

extern const augment_operator augment_translate_y;
const augment_operator augment_translate_y = {
    .info = {.name = "translate_y",
             .summary = "moves the image down by so many pixels, fractions cut off",
             .has_magnitude = true,
             .is_signed = true,
             .of_side = true,
             .least = -1,
             .most = 1},
    .grid = {{0, 32}, {0, 150.0 / 331}},
    .coin = {false, true},
    .whole_number = true,
    .is_identity = is_identity,
    .apply = apply,
};
