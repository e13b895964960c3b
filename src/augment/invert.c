/* invert.c - the negative. */
#include "augment/augment.h"
#include "base/cloned.h"

CLONED static void negative(const unsigned char *in, size_t count, unsigned char *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (unsigned char)~in[i];
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)magnitude;
    (void)key;
    negative(image->in, image->channels * image->height * image->width, image->out);
}

extern const augment_operator augment_invert;
const augment_operator augment_invert = {
    .info = {.name = "invert", .summary = "the negative of the image"},
    .apply = apply,
};
