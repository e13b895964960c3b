/* sharpness.c - towards a smoothed image, or away from it. */
#include <string.h>

#include "augment/augment.h"
#include "augment/blend.h"
#include "base/cloned.h"

/* The weights are 1 around 5, over 13. Pillow adds in float32 and cuts 0.5 + sum / 13; since 13 + 2 sum is odd, that is
 * never nearer than 1/26 to an integer, so this is the same number. */
CLONED static void smooth(const unsigned char *in, size_t begin, size_t end, size_t width, unsigned char *restrict out)
{
    for (size_t i = begin; i < end; i++) {
        const unsigned char *above = in + i - width, *here = in + i, *below = in + i + width;
        uint16_t sum = (uint16_t)(above[-1] + above[0] + above[1] + here[-1] + 5 * here[0] + here[1] + below[-1] +
                                  below[0] + below[1]);
        out[i] = (unsigned char)((uint16_t)(2 * sum + 13) / 26);
    }
}

/* The first and last row and column stay as they are. */
static void keep_border(const unsigned char *in, size_t height, size_t width, unsigned char *out)
{
    memcpy(out, in, width);
    memcpy(out + (height - 1) * width, in + (height - 1) * width, width);
    for (size_t y = 1; y + 1 < height; y++) {
        out[y * width] = in[y * width];
        out[(y + 1) * width - 1] = in[(y + 1) * width - 1];
    }
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    size_t width = image->width, height = image->height, plane = height * width;
    if (width < 3 || height < 3) { /* is all border */
        memcpy(image->out, image->in, image->channels * plane);
        return;
    }
    for (size_t c = 0; c < image->channels; c++) {
        const unsigned char *in = image->in + c * plane;
        unsigned char *out = image->out + c * plane;
        /* As one long row, which is faster than many short ones and wrong only where the border is put back. */
        size_t begin = width + 1, end = plane - width - 1;
        smooth(in, begin, end, width, out);
        blend_bytes(out + begin, in + begin, end - begin, (float)magnitude, out + begin);
        keep_border(in, height, width, out);
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
