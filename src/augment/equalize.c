/* equalize.c - each channel redistributed so that its values occur about equally often. */
#include <string.h>

#include "augment/augment.h"
#include "augment/lookup.h"

/* How much of a channel one new value stands for; 0: it stays as it is. */
static uint64_t step_of(const uint64_t histogram[LOOKUP_VALUES], size_t pixels)
{
    int last = LOOKUP_VALUES - 1;
    while (!histogram[last])
        last--;
    return (pixels - histogram[last]) / 255; /* the values but the highest; 0 when there is one only */
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)magnitude;
    (void)key;
    size_t pixels = image->height * image->width;
    for (size_t c = 0; c < image->channels; c++) {
        const unsigned char *in = image->in + c * pixels;
        unsigned char *out = image->out + c * pixels, table[LOOKUP_VALUES];
        uint64_t histogram[LOOKUP_VALUES];
        lookup_count(in, pixels, histogram);
        uint64_t step = step_of(histogram, pixels), below = step / 2;
        if (!step) {
            memcpy(out, in, pixels);
            continue;
        }
        for (int v = 0; v < LOOKUP_VALUES; v++) {
            uint64_t level = below / step;
            table[v] = (unsigned char)(level < 255 ? level : 255);
            below += histogram[v];
        }
        lookup_map(in, pixels, table, out);
    }
}

extern const augment_operator augment_equalize;
const augment_operator augment_equalize = {
    .info = {.name = "equalize", .summary = "spreads the values of each channel so that they occur equally often"},
    .apply = apply,
};
