/* translate_x.c - the image moves sideways by whole pixels. */
#include <math.h>

#include "augment/affine.h"

static bool is_identity(double magnitude)
{
    return fabs(magnitude) < 1;
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    affine_translate(image, magnitude, 0);
}

extern const augment_operator augment_translate_x;
const augment_operator augment_translate_x = {
    .info = {.name = "translate_x",
             .summary = "moves the image right by so many pixels, fractions cut off",
             .has_magnitude = true,
             .is_signed = true,
             .of_side = true,
             .least = -1,
             .most = 1},
    .grid = {{0, 32}, {0, 150.0 / 331}},
    .coin = {false, true},
    .whole_number = true,
    .along_width = true,
    .is_identity = is_identity,
    .apply = apply,
};
