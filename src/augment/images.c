/* images.c - the images of a batch through the operators drawn for each, side by side. */
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "augment/augment.h"
#include "augment/gaussian_noise.h"
#include "base/plan.h"

static bool is_noise(const gbv_augmentor *step)
{
    return augment_operator_of(step->op) == &augment_gaussian_noise;
}

/* Two steps of one image draw different numbers. */
static uint64_t key_of(const augment_draw *draw, size_t step)
{
    return draw->key ^ step * UINT64_C(0x9E3779B97F4A7C15);
}

static void change(const augment_batch *batch, size_t index, size_t thread)
{
    size_t size = batch->height * batch->width * batch->channels,
           scratch = augment_scratch_bytes(batch->height, batch->width, batch->channels);
    unsigned char *own = batch->bytes + index * size, *spare = batch->spare + thread * size;
    const augment_draw *draw = &batch->draws[index];
    augment_image image = {.height = batch->height,
                           .width = batch->width,
                           .channels = batch->channels,
                           .in = own,
                           .out = spare,
                           .scratch = (unsigned char *)batch->scratch + thread * scratch};
    for (size_t s = 0; s < draw->count; s++) {
        const augment_operator *op = augment_operator_of(draw->steps[s].op);
        double magnitude = draw->steps[s].magnitude;
        if (is_noise(&draw->steps[s]) && batch->noise == GBV_NOISE_CODE)
            continue; /* comes last, in floats */
        if (op->is_identity && op->is_identity(magnitude))
            continue;
        op->apply(&image, magnitude, key_of(draw, s));
        const unsigned char *made = image.out;
        image.out = image.in == own ? own : spare;
        image.in = made;
    }
    if (image.in != own)
        memcpy(own, image.in, size);
}

static void change_to_floats(const augment_batch *batch, size_t index)
{
    size_t pixels = batch->height * batch->width, size = pixels * batch->channels;
    const augment_draw *draw = &batch->draws[index];
    float *floats = batch->floats + index * size;
    const unsigned char *bytes = batch->bytes + index * size;
    for (size_t i = 0; i < size; i++)
        floats[i] = (float)bytes[i] / 255;
    for (size_t s = 0; s < draw->count; s++)
        if (is_noise(&draw->steps[s]))
            gaussian_noise_normalised(floats, batch->channels, pixels, draw->steps[s].magnitude, key_of(draw, s),
                                      batch->mean, batch->deviation);
}

static bool any_noise_in_floats(const augment_batch *batch)
{
    for (size_t i = 0; batch->floats && batch->noise == GBV_NOISE_CODE && i < batch->count; i++)
        for (size_t s = 0; s < batch->draws[i].count; s++)
            if (is_noise(&batch->draws[i].steps[s]))
                return true;
    return false;
}

bool augment_images(const augment_batch *batch)
{
    bool in_floats = any_noise_in_floats(batch);
    int workers = (int)plan_workers(batch->threads, batch->count);
#pragma omp parallel for schedule(dynamic) num_threads(workers)
    for (size_t i = 0; i < batch->count; i++) {
        size_t thread = 0;
#ifdef _OPENMP
        thread = (size_t)omp_get_thread_num();
#endif
        change(batch, i, thread);
        if (in_floats)
            change_to_floats(batch, i);
    }
    return in_floats;
}
