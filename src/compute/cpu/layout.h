/* layout.h - the order of activations: channels in blocks of as many as a vector register holds, each block's numbers
 * of one place side by side (oneDNN's nChw16c or nChw8c), where the channels come out even; else plain. Nothing is
 * padded, so an activation has the same number of floats in either order, and channels of 1 x 1 lie the same in both.
 */
#ifndef COMPUTE_CPU_LAYOUT_H
#define COMPUTE_CPU_LAYOUT_H

#include <oneapi/dnnl/dnnl.h>

#include "compute/backend.h"

/* Channels of a block: 16, 8, or 1 for plain order. */
size_t layout_block(size_t channels);
dnnl_memory_desc_t layout_memory(extent of, size_t batch);

void layout_to_own(extent of, size_t batch, const float *plain, float *own);
void layout_to_plain(extent of, size_t batch, const float *own, float *plain);

#endif
