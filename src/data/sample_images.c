/* sample_images.c - rows of a sample as images for a network: planes of bytes or floats, in the order asked for. */
#include "base/error.h"
#include "base/plan.h"
#include "data/image_shape.h"
#include "data/image_store.h"
#include "data/sample.h"

#include <string.h>

gbv_image_shape sample_shape(const sample *s)
{
    gbv_image_shape shape = s->part_count ? s->parts[0].shape : (gbv_image_shape){0};
    for (size_t p = 1; p < s->part_count; p++) {
        gbv_image_shape own = s->parts[p].shape;
        if (own.height != shape.height || own.width != shape.width || own.channels != shape.channels)
            return (gbv_image_shape){0};
    }
    shape.channels_last = false; /* whatever the data are, sample_images gives planes */
    return shape;
}

bool sample_is_bytes(const sample *s)
{
    for (size_t p = 0; p < s->part_count; p++)
        if (s->parts[p].features.type != GBV_U8)
            return false;
    return true;
}

/* One plane of a row in memory, seen as a row of its own: the pixels of a channel lie apart when channels come last. */
static gbv_matrix plane_of(const sample_part *part, size_t row, size_t channel)
{
    gbv_matrix plane = part->features;
    size_t pixels = part->shape.height * part->shape.width, channels = part->shape.channels;
    ptrdiff_t step = plane.column_stride;
    plane.data = (const unsigned char *)plane.data + (ptrdiff_t)row * plane.row_stride +
                 (ptrdiff_t)(part->shape.channels_last ? channel : channel * pixels) * step;
    plane.rows = 1;
    plane.columns = pixels;
    plane.column_stride = part->shape.channels_last ? (ptrdiff_t)channels * step : step;
    return plane;
}

static void copy_bytes(const gbv_matrix *plane, unsigned char *out)
{
    const unsigned char *in = plane->data;
    if (plane->column_stride == 1)
        memcpy(out, in, plane->columns);
    else
        for (size_t i = 0; i < plane->columns; i++, in += plane->column_stride)
            out[i] = *in;
}

static void copy_image(const sample_part *part, size_t row, unsigned char *bytes, float *floats)
{
    size_t pixels = part->shape.height * part->shape.width;
    for (size_t c = 0; c < part->shape.channels; c++) {
        gbv_matrix plane = plane_of(part, row, c);
        if (floats)
            matrix_row_f32(&plane, 0, floats + c * pixels);
        else
            copy_bytes(&plane, bytes + c * pixels);
    }
    for (size_t j = 0; floats && part->features.type == GBV_U8 && j < part->features.columns; j++)
        floats[j] /= 255;
}

/* Images of a store are planes already. Floats are made from the end of their own array, which has the bytes first. */
static gbv_status decode_image(const sample_part *part, size_t row, unsigned char *bytes, float *floats,
                               gbv_error *error)
{
    size_t columns = part->features.columns;
    if (floats)
        bytes = (unsigned char *)(floats + columns) - columns;
    gbv_status status = image_store_decode(part->images, row, bytes, error);
    for (size_t j = 0; floats && status == GBV_OK && j < columns; j++)
        floats[j] = (float)bytes[j] / 255;
    return status;
}

static gbv_status take_image(const sample *s, size_t row, unsigned char *bytes, float *floats, gbv_error *error)
{
    const sample_part *part = sample_find_part(s, &row);
    if (part->rows)
        row = part->rows[row];
    if (!image_store_holds(part->images, row))
        return decode_image(part, row, bytes, floats, error);
    copy_image(part, row, bytes, floats);
    return GBV_OK;
}

static bool all_in_memory(const sample *s)
{
    for (size_t p = 0; p < s->part_count; p++)
        if (!image_store_is_whole(s->parts[p].images))
            return false;
    return true;
}

gbv_status sample_images(const sample *s, const size_t *rows, size_t count, size_t threads, unsigned char *bytes,
                         float *floats, gbv_error *error)
{
    bool as_bytes = sample_is_bytes(s);
    int workers = all_in_memory(s) ? 1 : (int)plan_workers(threads, count);
    size_t failed = SIZE_MAX; /* the first row asked for that could not be read, whichever thread met it */
    gbv_status status = GBV_OK;
#pragma omp parallel for schedule(dynamic) num_threads(workers) if (workers > 1)
    for (size_t i = 0; i < count; i++) {
        gbv_error own = {0};
        gbv_status met = take_image(s, rows[i], as_bytes ? bytes + i * s->columns : NULL,
                                    as_bytes ? NULL : floats + i * s->columns, &own);
        if (met != GBV_OK) {
#pragma omp critical(sample_images_failure)
            if (i < failed) {
                failed = i;
                status = error_set(error, met, "%s", own.message);
            }
        }
    }
    return status;
}
