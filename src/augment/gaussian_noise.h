/* gaussian_noise.h - the operator that draws numbers; they depend on the key and the place of a pixel alone. */
#ifndef AUGMENT_GAUSSIAN_NOISE_H
#define AUGMENT_GAUSSIAN_NOISE_H

#include "augment/augment.h"

extern const augment_operator augment_gaussian_noise;

/* Normal numbers are made a run at a time: those of the places run * NOISE_RUN, ... */
enum { NOISE_RUN = 1024 };
void gaussian_noise_draw(uint64_t key, size_t run, float normals[NOISE_RUN]);

/* Noise as the authors' program adds it, to normalised pixels, which it then cuts to 0..1. The pixels go in and out as
 * they are before normalisation, channels x plane of them. */
void gaussian_noise_normalised(float *pixels, size_t channels, size_t plane, double magnitude, uint64_t key,
                               const float *mean, const float *deviation);
/* The arithmetic of it, with the normal numbers handed in. */
void gaussian_noise_add(float *pixels, const float *normals, size_t count, float magnitude, float mean,
                        float deviation);

#endif
