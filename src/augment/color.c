/* color.c - towards shades of grey, or away from them. */
#include <string.h>

#include "augment/augment.h"
#include "augment/blend.h"
#include "base/cloned.h"

CLONED static void luma(const unsigned char *red, const unsigned char *green, const unsigned char *blue, size_t count,
                        unsigned char *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (unsigned char)blend_luma(red[i], green[i], blue[i]);
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    size_t pixels = image->height * image->width;
    if (image->channels == 1) { /* is grey already */
        memcpy(image->out, image->in, pixels);
        return;
    }
    unsigned char *grey = image->out + 2 * pixels; /* the last plane to be written */
    luma(image->in, image->in + pixels, image->in + 2 * pixels, pixels, grey);
    for (size_t c = 0; c < 3; c++)
        blend_bytes(grey, image->in + c * pixels, pixels, (float)magnitude, image->out + c * pixels);
}

extern const augment_operator augment_color;
const augment_operator augment_color = {
    .info = {.name = "color",
             .summary = "multiplies the distance of colours to their grey by the magnitude: 0 is grey, 1 the image",
             .has_magnitude = true,
             .is_signed = true,
             .least = -5,
             .most = 5},
    .grid = {{0, 5}, {0, 5}},
    .coin = {false, true},
    .colours_only = true,
    .is_identity = blend_is_identity,
    .apply = apply,
};
