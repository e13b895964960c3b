/* solarize.c - bright pixels turn into their negative. */
#include <math.h>
#include <string.h>

#include "augment/augment.h"
#include "base/cloned.h"

static bool is_identity(double magnitude)
{
    return magnitude > 255;
}

CLONED static void flip_from(const unsigned char *in, size_t count, unsigned char first, unsigned char *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = in[i] < first ? in[i] : (unsigned char)~in[i];
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    size_t count = image->channels * image->height * image->width;
    if (is_identity(magnitude))
        memcpy(image->out, image->in, count);
    else /* a byte is below a number when it is below the next integer */
        flip_from(image->in, count, (unsigned char)ceil(magnitude), image->out);
}

extern const augment_operator augment_solarize;
const augment_operator augment_solarize = {
    .info = {.name = "solarize",
             .summary = "turns pixels at or above the magnitude into their negative: 256 is the image, 0 its negative",
             .has_magnitude = true,
             .least = 0,
             .most = 256},
    .grid = {{256, 0}, {255, 0}},
    .is_identity = is_identity,
    .apply = apply,
};
