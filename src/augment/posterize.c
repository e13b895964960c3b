/* posterize.c - fewer shades. */
#include "augment/augment.h"
#include "base/cloned.h"

static bool is_identity(double magnitude)
{
    return magnitude >= 8;
}

CLONED static void keep(const unsigned char *in, size_t count, unsigned char mask, unsigned char *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = in[i] & mask;
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    int lost = 8 - (int)magnitude;
    keep(image->in, image->channels * image->height * image->width, (unsigned char)(0xFF << lost), image->out);
}

extern const augment_operator augment_posterize;
const augment_operator augment_posterize = {
    .info = {.name = "posterize",
             .summary = "keeps so many of the eight bits of each pixel, fractions cut off",
             .has_magnitude = true,
             .least = 1,
             .most = 8},
    .grid = {{8, 2}, {8, 4}},
    .whole_number = true,
    .is_identity = is_identity,
    .apply = apply,
};
