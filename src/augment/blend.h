/* blend.h - between an image and what it is when something is taken out of it, or beyond either: to the bit Pillow's
 * ImageEnhance. A factor of 0 is the poorer image, 1 the image itself. */
#ifndef AUGMENT_BLEND_H
#define AUGMENT_BLEND_H

#include <stdbool.h>
#include <stddef.h>

/* out may be poorer. */
void blend_bytes(const unsigned char *poorer, const unsigned char *in, size_t count, float factor, unsigned char *out);
void blend_with_one(unsigned char poorer, const unsigned char *in, size_t count, float factor, unsigned char *out);
bool blend_is_identity(double factor);

/* The grey of colours by ITU-R 601-2 luma, as Pillow rounds it. */
static inline unsigned blend_luma(unsigned red, unsigned green, unsigned blue)
{
    return (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16;
}

#endif
