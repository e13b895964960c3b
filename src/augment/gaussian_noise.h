/* gaussian_noise.h - the operator that draws numbers; they depend on the key and the place of a pixel alone. */
#ifndef AUGMENT_GAUSSIAN_NOISE_H
#define AUGMENT_GAUSSIAN_NOISE_H

#include "augment/augment.h"

extern const augment_operator augment_gaussian_noise;

/* Normal numbers of the places first, first + 1, ... */
void gaussian_noise_draw(uint64_t key, size_t first, size_t count, float *normals);

/* Noise as the authors' program adds it, to normalised pixels, which it then cuts to 0..1; the pixels go in and out as
 * they are before normalisation. The second takes the normal numbers as they are handed in. */
void gaussian_noise_normalised(float *pixels, size_t count, double magnitude, uint64_t key, size_t first, float mean,
                               float deviation);
void gaussian_noise_add(float *pixels, const float *normals, size_t count, float magnitude, float mean,
                        float deviation);

#endif
