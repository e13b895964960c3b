#include "augment/gaussian_blur.h"

#include <math.h>
#include <string.h>

#include "augment/augment.h"
#include "base/cloned.h"

enum { REACH = 5, TAPS = 2 * REACH + 1 };

/* Below this no pixel can change: with e^-8 for a neighbour, all of them together weigh less than half a level. */
static bool is_identity(double magnitude)
{
    return magnitude <= 0.25;
}

/* Where a place outside comes from: mirrored at the first and last pixel, which are not repeated, as often as needed,
 * so that an image may be smaller than the reach. */
static size_t mirrored(ptrdiff_t place, size_t side)
{
    ptrdiff_t period = 2 * ((ptrdiff_t)side - 1);
    if (period == 0)
        return 0;
    place %= period;
    if (place < 0)
        place += period;
    return (size_t)(place < (ptrdiff_t)side ? place : period - place);
}

size_t gaussian_blur_scratch_bytes(size_t height, size_t width)
{
    (void)height;
    return (width + 2 * REACH) * sizeof(float);
}

/* Columns first into a row of floats with its margins, then along it. */
CLONED static void blur_row(const unsigned char *const rows[TAPS], size_t width, const float weights[TAPS],
                            float *restrict sums, unsigned char *restrict out)
{
    float *middle = sums + REACH;
    for (size_t x = 0; x < width; x++) {
        float sum = 0;
        for (int k = 0; k < TAPS; k++)
            sum += weights[k] * (float)rows[k][x];
        middle[x] = sum;
    }
    for (ptrdiff_t k = 1; k <= REACH; k++) {
        middle[-k] = middle[mirrored(-k, width)];
        middle[(ptrdiff_t)width - 1 + k] = middle[mirrored((ptrdiff_t)width - 1 + k, width)];
    }
    for (size_t x = 0; x < width; x++) {
        float sum = 0;
        for (int k = 0; k < TAPS; k++)
            sum += weights[k] * sums[x + (size_t)k];
        out[x] = (unsigned char)(int)rintf(sum);
    }
}

static void apply(const augment_image *image, double magnitude, uint64_t key)
{
    (void)key;
    size_t width = image->width, height = image->height;
    float weights[TAPS], total = 0;
    for (int k = 0; k < TAPS; k++)
        total += weights[k] = (float)exp(-0.5 * pow((k - REACH) / magnitude, 2));
    for (int k = 0; k < TAPS; k++)
        weights[k] /= total;
    for (size_t c = 0; c < image->channels; c++)
        for (size_t y = 0; y < height; y++) {
            const unsigned char *rows[TAPS];
            for (int k = 0; k < TAPS; k++)
                rows[k] = image->in + (c * height + mirrored((ptrdiff_t)y + k - REACH, height)) * width;
            blur_row(rows, width, weights, image->scratch, image->out + (c * height + y) * width);
        }
}

extern const augment_operator augment_gaussian_blur;
const augment_operator augment_gaussian_blur = {
    .info = {.name = "gaussian_blur",
             .summary = "weighs 11 x 11 pixels by a Gaussian whose deviation is the magnitude, in pixels",
             .has_magnitude = true,
             .least = 0.1,
             .most = 5},
    .grid = {{0.1, 5}, {0.1, 5}},
    .is_identity = is_identity,
    .apply = apply,
};
