/* auto_contrast.c - each channel stretched to the whole range. */
#include <string.h>

#include "augment/augment.h"
#include "augment/lookup.h"
#include "base/cloned.h"

CLONED static void extremes(const unsigned char *in, size_t count, unsigned char *least, unsigned char *most)
{
    unsigned char low = 255, high = 0;
    for (size_t i = 0; i < count; i++) {
        low = in[i] < low ? in[i] : low;
        high = in[i] > high ? in[i] : high;
    }
    *least = low;
    *most = high;
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)magnitude;
    (void)key;
    size_t pixels = image->height * image->width;
    for (size_t c = 0; c < image->channels; c++) {
        const unsigned char *in = image->in + c * pixels;
        unsigned char *out = image->out + c * pixels, least, most, table[LOOKUP_VALUES];
        extremes(in, pixels, &least, &most);
        if (most <= least) {
            memcpy(out, in, pixels);
            continue;
        }
        double scale = 255.0 / (most - least), offset = -least * scale;
        for (int v = 0; v < LOOKUP_VALUES; v++) {
            double stretched = v * scale + offset;
            table[v] = stretched < 0 ? 0 : stretched > 255 ? 255 : (unsigned char)stretched;
        }
        lookup_map(in, pixels, table, out);
    }
}

extern const augment_operator augment_auto_contrast;
const augment_operator augment_auto_contrast = {
    .info = {.name = "auto_contrast", .summary = "stretches each channel so that it reaches from 0 to 255"},
    .apply = apply,
};
