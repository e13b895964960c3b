/* rotate.c - the image turns about its middle. */
#include <math.h>
#include <string.h>

#include "augment/affine.h"

static bool is_identity(double magnitude)
{
    return fmod(magnitude, 360) == 0;
}

/* Quarter turns of a square and half turns lose nothing. */
static void turn(const augment_image *image, int quarters)
{
    size_t width = image->width, height = image->height;
    for (size_t c = 0; c < image->channels; c++) {
        const unsigned char *in = image->in + c * height * width;
        unsigned char *out = image->out + c * height * width;
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++)
                out[y * width + x] = quarters == 1   ? in[x * width + width - 1 - y]
                                     : quarters == 2 ? in[(height - 1 - y) * width + width - 1 - x]
                                                     : in[(height - 1 - x) * width + y];
    }
}

/* Fifteen decimals, so that the cosine of 90 degrees is 0. */
static double rounded(double value)
{
    return rint(value * 1e15) / 1e15;
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    double degrees = fmod(magnitude, 360);
    if (degrees < 0)
        degrees += 360;
    if (degrees == 0) {
        memcpy(image->out, image->in, image->channels * image->height * image->width);
    } else if (degrees == 180 || (image->width == image->height && (degrees == 90 || degrees == 270))) {
        turn(image, (int)(degrees / 90));
    } else {
        double angle = -degrees * (M_PI / 180), x = (double)image->width / 2, y = (double)image->height / 2;
        double map[6] = {rounded(cos(angle)), rounded(sin(angle)), 0, rounded(-sin(angle)), rounded(cos(angle)), 0};
        map[2] = map[0] * -x + map[1] * -y + x;
        map[5] = map[3] * -x + map[4] * -y + y;
        affine_nearest(image, map);
    }
}

extern const augment_operator augment_rotate;
const augment_operator augment_rotate = {
    .info = {.name = "rotate",
             .summary = "turns the image about its middle by so many degrees, counter-clockwise",
             .has_magnitude = true,
             .is_signed = true,
             .least = -180,
             .most = 180},
    .grid = {{-90, 90}, {0, 90}},
    .coin = {false, true},
    .is_identity = is_identity,
    .apply = apply,
};
