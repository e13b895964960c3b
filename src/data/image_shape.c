#include "data/image_shape.h"

bool image_shapes_differ(gbv_image_shape a, gbv_image_shape b)
{
    return a.channels && b.channels &&
           (a.height != b.height || a.width != b.width || a.channels != b.channels ||
            a.channels_last != b.channels_last);
}

bool image_is_large(gbv_image_shape shape)
{
    return shape.channels && (shape.height > IMAGE_RAW_SIDE || shape.width > IMAGE_RAW_SIDE);
}

void image_shape_add(sentence *s, gbv_image_shape shape)
{
    sentence_add(s, "%zu x %zu pixels, %zu channel%s%s", shape.width, shape.height, shape.channels,
                 shape.channels == 1 ? "" : "s", shape.channels_last ? " last" : "");
}
