#include "augment/affine.h"

#include <math.h>
#include <string.h>

/* 16.16 fixed point holds what lies within 2^15 pixels of the corner. */
static bool fits_fixed(const double map[6], double x, double y)
{
    return fabs(x * map[0] + y * map[1] + map[2]) < 32768 && fabs(x * map[3] + y * map[4] + map[5]) < 32768;
}

static int64_t fixed(double value)
{
    return (int64_t)floor(value * 65536 + 0.5);
}

static void pixel(const augment_image *image, size_t x, size_t y, int64_t from_x, int64_t from_y)
{
    size_t plane = image->height * image->width;
    bool inside = from_x >= 0 && from_y >= 0 && from_x < (int64_t)image->width && from_y < (int64_t)image->height;
    for (size_t c = 0; c < image->channels; c++)
        image->out[c * plane + y * image->width + x] =
            inside ? image->in[c * plane + (size_t)from_y * image->width + (size_t)from_x] : 0;
}

void affine_nearest(const augment_image *image, const double map[6])
{
    double width = (double)image->width, height = (double)image->height;
    double x0 = map[2] + map[0] * 0.5 + map[1] * 0.5, y0 = map[5] + map[3] * 0.5 + map[4] * 0.5;
    bool fit = fits_fixed(map, 0, 0) && fits_fixed(map, width, height) && fits_fixed(map, 0, height) &&
               fits_fixed(map, width, 0);
    for (size_t y = 0; y < image->height; y++) {
        if (fit) {
            int64_t from_x = fixed(x0) + (int64_t)y * fixed(map[1]), from_y = fixed(y0) + (int64_t)y * fixed(map[4]);
            for (size_t x = 0; x < image->width; x++, from_x += fixed(map[0]), from_y += fixed(map[3]))
                pixel(image, x, y, from_x >> 16, from_y >> 16);
        } else {
            double from_x = x0, from_y = y0;
            for (size_t x = 0; x < image->width; x++, from_x += map[0], from_y += map[3])
                pixel(image, x, y, from_x < 0 ? -1 : (int64_t)from_x, from_y < 0 ? -1 : (int64_t)from_y);
            x0 += map[1];
            y0 += map[4];
        }
    }
}

/* The angle goes through degrees, as it does there: the last bit of the map may depend on it. */
static double angle_of(double slope)
{
    double degrees = atan(slope) * (180 / M_PI);
    return degrees * (M_PI / 180);
}

void affine_shear(const augment_image *image, double along_x, double along_y)
{
    double x = angle_of(along_x), y = angle_of(along_y);
    double map[6] = {
        -sin(-y) * tan(x) / cos(y) + 1, cos(-y) * tan(x) / cos(y), 0, -sin(-y) / cos(y), cos(-y) / cos(y), 0};
    if (along_x == 0 && along_y == 0)
        memcpy(image->out, image->in, image->channels * image->height * image->width);
    else
        affine_nearest(image, map);
}

void affine_translate(const augment_image *image, double right, double down)
{
    ptrdiff_t dx = (ptrdiff_t)right, dy = (ptrdiff_t)down, width = (ptrdiff_t)image->width,
              height = (ptrdiff_t)image->height;
    ptrdiff_t begin = dx > 0 ? dx : 0, end = dx < 0 ? width + dx : width; /* columns that are filled */
    for (size_t c = 0; c < image->channels; c++)
        for (ptrdiff_t y = 0; y < height; y++) {
            unsigned char *out = image->out + ((ptrdiff_t)c * height + y) * width;
            const unsigned char *in = image->in + ((ptrdiff_t)c * height + y - dy) * width;
            if (y < dy || y >= height + dy || begin >= end) {
                memset(out, 0, (size_t)width);
                continue;
            }
            memset(out, 0, (size_t)begin);
            memcpy(out + begin, in + begin - dx, (size_t)(end - begin));
            memset(out + end, 0, (size_t)(width - end));
        }
}
