/* operators.c - the registry of operators, and what holds for all of them, so that each one is only what it does. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "augment/affine.h"
#include "augment/gaussian_blur.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"

#define OPERATOR(name) extern const augment_operator augment_##name;
#include "augment/augmentors.def"
#undef OPERATOR

#define OPERATOR(name) &augment_##name,
static const augment_operator *const operators[] = {
#include "augment/augmentors.def"
};
#undef OPERATOR

enum { OPERATOR_COUNT = sizeof operators / sizeof operators[0] };

const augment_operator *augment_operator_at(size_t index)
{
    return index < OPERATOR_COUNT ? operators[index] : NULL;
}

const augment_operator *augment_operator_of(const gbv_operator *op)
{
    return (const augment_operator *)((const char *)op - offsetof(augment_operator, info));
}

const gbv_operator *gbv_operator_at(size_t index)
{
    return index < OPERATOR_COUNT ? &operators[index]->info : NULL;
}

const gbv_operator *gbv_operator_find(const char *name)
{
    for (size_t i = 0; name && i < OPERATOR_COUNT; i++)
        if (strcmp(operators[i]->info.name, name) == 0)
            return &operators[i]->info;
    return NULL;
}

const char *augment_operator_name(size_t index)
{
    return index < OPERATOR_COUNT ? operators[index]->info.name : NULL;
}

static gbv_status unknown_operator(const char *name, gbv_error *error)
{
    const char *nearest = nearest_name(name ? name : "", augment_operator_name);
    return error_set(error, GBV_USAGE, "there is no operator \"%.64s\"%s%s: `gbv list operators` names them all",
                     name ? name : "", nearest ? "; the nearest is " : "", nearest ? nearest : "");
}

size_t augment_scratch_bytes(size_t height, size_t width, size_t channels)
{
    (void)channels; /* what is needed is a plane or less */
    size_t affine = affine_scratch_bytes(height, width), blur = gaussian_blur_scratch_bytes(height, width);
    size_t most = affine > blur ? affine : blur;
    return (most + 63) / 64 * 64; /* one behind another, all are aligned for vectors */
}

gbv_status augment_check(const gbv_operator *op, double magnitude, size_t height, size_t width, gbv_error *error)
{
    if (!op->has_magnitude && magnitude != 0)
        return error_set(error, GBV_USAGE, "%s has no magnitude, but %g was given: leave it out", op->name, magnitude);
    size_t side = !op->of_side ? 1 : augment_operator_of(op)->along_width ? width : height;
    double least = op->least * (double)side, most = op->most * (double)side;
    if (isfinite(magnitude) && magnitude >= least && magnitude <= most)
        return GBV_OK;
    return error_set(error, GBV_USAGE, "%s of %g is out of range: its magnitude goes from %g to %g%s", op->name,
                     magnitude, least, most, op->of_side ? " pixels, the side of the image" : "");
}

gbv_status gbv_augment_apply(const char *op, double magnitude, uint64_t key, size_t channels, size_t height,
                             size_t width, const unsigned char *in, unsigned char *out, gbv_error *error)
{
    const gbv_operator *found = gbv_operator_find(op);
    if (!found)
        return unknown_operator(op, error);
    if (!height || !width || (channels != 1 && channels != 3))
        return error_set(error, GBV_BAD_INPUT,
                         "an image of %zu x %zu pixels in %zu channels cannot be augmented: it needs a pixel at least, "
                         "and 1 or 3 channels",
                         height, width, channels);
    gbv_status status = augment_check(found, magnitude, height, width, error);
    if (status != GBV_OK)
        return status;
    void *scratch = memory_array(augment_scratch_bytes(height, width, channels), 1);
    if (!scratch)
        return error_out_of_memory(error, "what an operator needs beside its image");
    augment_image image = {
        .height = height, .width = width, .channels = channels, .in = in, .out = out, .scratch = scratch};
    augment_operator_of(found)->apply(&image, magnitude, key);
    free(scratch);
    return GBV_OK;
}
