/* canvas.h - a picture that is drawn on: rectangles, other pictures, text. What lies outside is cut off. */
#ifndef AUGMENT_CANVAS_H
#define AUGMENT_CANVAS_H

#include <stdint.h>

#include "data/format/image.h"

typedef uint32_t canvas_color; /* 0xRRGGBB */

typedef struct canvas {
    image picture; /* three channels */
} canvas;

typedef struct canvas_box {
    size_t x, y, width, height;
} canvas_box;

GBV_MUST_CHECK gbv_status canvas_create(size_t height, size_t width, canvas_color paper, canvas *c, gbv_error *error);
void canvas_free(canvas *c);

void canvas_fill(canvas *c, canvas_box box, canvas_color color);
/* A frame of this many pixels inside the box. */
void canvas_frame(canvas *c, canvas_box box, size_t thickness, canvas_color color);
/* A picture of one or three channels with its top left corner there. */
void canvas_put(canvas *c, size_t x, size_t y, const image *picture);

/* Text from its top left corner, `scale` pixels for each of the font's, with smooth edges. */
void canvas_text(canvas *c, size_t x, size_t y, size_t scale, canvas_color color, const char *text);
size_t canvas_text_width(size_t scale, const char *text);

/* From the one colour (0) to the other (1). */
canvas_color canvas_mix(canvas_color from, canvas_color to, double share);

#endif
