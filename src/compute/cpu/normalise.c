/* normalise.c - pixels as a net wants them, straight into the backend's order. */
#include "compute/cpu/cpu.h"
#include "compute/cpu/layout.h"
#include "compute/cpu/loop.h"

/* out[i * step] = (in[i] - mean) / deviation, with mean and deviation in the units of `in`. */
CLONED static void from_bytes(const unsigned char *in, float mean, float deviation, float *out, size_t step,
                              size_t count)
{
    if (step == 1)
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            out[i] = ((float)in[i] - mean) / deviation;
    else
        for (size_t i = 0; i < count; i++)
            out[i * step] = ((float)in[i] - mean) / deviation;
}

CLONED static void from_floats(const float *in, float mean, float deviation, float *out, size_t step, size_t count)
{
    if (step == 1)
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            out[i] = (in[i] - mean) / deviation;
    else
        for (size_t i = 0; i < count; i++)
            out[i * step] = (in[i] - mean) / deviation;
}

void cpu_normalise(const image_batch *images, const op_setting *setting, float *own)
{
    extent of = images->of;
    size_t places = of.height * of.width, block = layout_block(of.channels), maps = setting->batch * of.channels;
#pragma omp parallel for num_threads(loop_threads(maps *places, setting->threads)) schedule(static)
    for (size_t m = 0; m < maps; m++) {
        size_t image = m / of.channels, c = m % of.channels;
        size_t from = (image * images->channels + (images->channels == 1 ? 0 : c)) * places;
        float *out = own + m / block * block * places + m % block;
        float mean = images->mean[c % 3], deviation = images->deviation[c % 3];
        if (images->bytes)
            from_bytes(images->bytes + from, 255 * mean, 255 * deviation, out, block, places);
        else
            from_floats(images->floats + from, mean, deviation, out, block, places);
    }
}
