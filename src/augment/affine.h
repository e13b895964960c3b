/* affine.h - an image seen through an affine map, by the nearest pixel, black where the map leaves it: to the bit what
 * Pillow's Image.transform(AFFINE, NEAREST) makes. */
#ifndef AUGMENT_AFFINE_H
#define AUGMENT_AFFINE_H

#include "augment/augment.h"

/* Where the pixel at (x, y) comes from: (map[0] x + map[1] y + map[2], map[3] x + map[4] y + map[5]), at the middles
 * of pixels. */
void affine_nearest(const augment_image *image, const double map[6]);

/* A shear, as torchvision reckons it: x comes from x + along_x * y, y from y + along_y * x; one of them is 0. */
void affine_shear(const augment_image *image, double along_x, double along_y);

/* Moved by whole pixels to the right and down. */
void affine_translate(const augment_image *image, double right, double down);

size_t affine_scratch_bytes(size_t height, size_t width);

#endif
