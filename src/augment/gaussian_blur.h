/* gaussian_blur.h - what a blur needs beside its image. */
#ifndef AUGMENT_GAUSSIAN_BLUR_H
#define AUGMENT_GAUSSIAN_BLUR_H

#include <stddef.h>

size_t gaussian_blur_scratch_bytes(size_t height, size_t width);

#endif
