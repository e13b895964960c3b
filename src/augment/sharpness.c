/* sharpness.c - towards a smoothed image, or away from it. */
#include <string.h>

#include "augment/augment.h"
#include "augment/blend.h"
#include "base/cloned.h"

/* The weights are 1 around 5, over 13. Pillow adds in float32 and cuts 0.5 + sum / 13; since 13 + 2 sum is odd, that is
 * never nearer than 1/26 to an integer, so this is the same number. */
CLONED static void smooth_row(const unsigned char *above, const unsigned char *here, const unsigned char *below,
                              size_t width, unsigned char *restrict out)
{
    out[0] = here[0];
    out[width - 1] = here[width - 1];
    for (size_t x = 1; x + 1 < width; x++) {
        uint16_t sum = (uint16_t)(above[x - 1] + above[x] + above[x + 1] + here[x - 1] + 5 * here[x] + here[x + 1] +
                                  below[x - 1] + below[x] + below[x + 1]);
        out[x] = (unsigned char)((uint16_t)(2 * sum + 13) / 26);
    }
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    size_t width = image->width, height = image->height;
    for (size_t c = 0; c < image->channels; c++)
        for (size_t y = 0; y < height; y++) {
            const unsigned char *in = image->in + (c * height + y) * width;
            unsigned char *out = image->out + (c * height + y) * width;
            if (y == 0 || y + 1 == height || width < 3) { /* the border stays as it is */
                memcpy(out, in, width);
                continue;
            }
            smooth_row(in - width, in, in + width, width, out);
            blend_bytes(out, in, width, (float)magnitude, out);
        }
}

extern const augment_operator augment_sharpness;
const augment_operator augment_sharpness = {
    .info = {.name = "sharpness",
             .summary = "multiplies the distance to a smoothed image by the magnitude: 0 is smooth, 1 the image",
             .has_magnitude = true,
             .is_signed = true,
             .least = -5,
             .most = 5},
    .grid = {{0, 5}, {0, 5}},
    .coin = {false, true},
    .is_identity = blend_is_identity,
    .apply = apply,
};
