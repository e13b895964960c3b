/* image_shape.h - the size of the images whose pixels rows are: whether two go together, and in words. */
#ifndef DATA_IMAGE_SHAPE_H
#define DATA_IMAGE_SHAPE_H

#include <gbv/data.h>

#include "base/sentence.h"

/* The longest side whose raw pixels a linear or small model can still make something of. */
enum { IMAGE_RAW_SIDE = 64 };

/* True when both are known and not the same. */
bool image_shapes_differ(gbv_image_shape a, gbv_image_shape b);
bool image_is_large(gbv_image_shape shape);
/* "32 x 32 pixels, 3 channels" (width first) */
void image_shape_add(sentence *s, gbv_image_shape shape);

#endif
