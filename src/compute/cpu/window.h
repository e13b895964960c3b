/* window.h - the taps of a kernel that ever meet the image. On a small map with padding the outer ones never do (at 1 x
 * 1 a 3 x 3 kernel has only its centre), so that a smaller kernel with other paddings computes the same. */
#ifndef COMPUTE_CPU_WINDOW_H
#define COMPUTE_CPU_WINDOW_H

#include "compute/backend.h"

/* One axis of an image. */
typedef struct window {
    size_t first, count;  /* taps that are kept: first .. first + count - 1 */
    size_t before, after; /* padding that they need on either side */
} window;

/* `out` is the number of places of the result. With keep_all every tap is kept. */
window window_of(size_t side, size_t out, size_t kernel, size_t stride, size_t padding, bool keep_all);

#endif
