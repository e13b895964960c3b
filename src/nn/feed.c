#include "nn/feed.h"

#include "base/error.h"

static size_t channels_of(const feed *f)
{
    return f->data->columns / (f->in.height * f->in.width);
}

static bool open_augmenting(feed *f, size_t batch, arena *scratch)
{
    size_t threads = f->threads ? f->threads : 1;
    f->draws = arena_array(scratch, batch, sizeof *f->draws);
    f->spare = arena_array(scratch, threads, f->data->columns);
    f->scratch = arena_array(scratch, threads, augment_scratch_bytes(f->in.height, f->in.width, channels_of(f)));
    if (f->noise == GBV_NOISE_CODE)
        f->floats = arena_array(scratch, f->data->columns, batch * sizeof *f->floats);
    return f->draws && f->spare && f->scratch && (f->floats || f->noise != GBV_NOISE_CODE);
}

bool feed_open(feed *f, size_t batch, arena *scratch)
{
    size_t columns = f->data->columns;
    if (f->scale)
        f->row = arena_array(scratch, columns, sizeof *f->row);
    if (!f->scale && sample_is_bytes(f->data))
        f->bytes = arena_array(scratch, columns, batch);
    else
        f->floats = arena_array(scratch, columns, batch * sizeof *f->floats);
    if (!(f->bytes || f->floats) || (f->scale && !f->row))
        return false;
    return !f->choose || !f->bytes || open_augmenting(f, batch, scratch);
}

static void take_features(const feed *f, size_t row, float *out)
{
    const sample_part *part = sample_find_part(f->data, &row);
    sample alone = {.parts = part, .part_count = 1, .rows = part->count, .columns = f->data->columns};
    scaling_block(f->scale, &alone, row, 1, f->row);
    for (size_t j = 0; j < f->data->columns; j++)
        out[j] = (float)f->row[j];
}

/* True when the images are in `floats` now. */
static bool augment(feed *f, const size_t *rows, size_t batch)
{
    for (size_t i = 0; i < batch; i++)
        f->choose(f->choosing, f->before + rows[i], f->visit + i, &f->draws[i]);
    return augment_images(&(augment_batch){.height = f->in.height,
                                           .width = f->in.width,
                                           .channels = channels_of(f),
                                           .count = batch,
                                           .draws = f->draws,
                                           .noise = f->noise,
                                           .mean = f->normalise->mean,
                                           .deviation = f->normalise->deviation,
                                           .threads = f->threads ? f->threads : 1,
                                           .bytes = f->bytes,
                                           .spare = f->spare,
                                           .floats = f->floats,
                                           .scratch = f->scratch});
}

gbv_status feed_batch(feed *f, program *p, const size_t *rows, size_t batch, gbv_error *error)
{
    if (f->scale) {
        for (size_t i = 0; i < batch; i++)
            take_features(f, rows[i], f->floats + i * f->data->columns);
        program_rows(p, f->floats);
        return GBV_OK;
    }
    if (f->choose && !f->bytes)
        return error_set(error, GBV_BAD_INPUT,
                         "augmentations work on images of bytes, and these are of other numbers: give a folder of "
                         "images, or an array of bytes (uint8)");
    float *floats = f->bytes ? NULL : f->floats;
    gbv_status status = sample_images(f->data, rows, batch, f->threads ? f->threads : 1, f->bytes, floats, error);
    if (status != GBV_OK)
        return status;
    if (f->choose && augment(f, rows, batch))
        floats = f->floats;
    image_batch images = {.bytes = floats ? NULL : f->bytes, .floats = floats, .of = f->in, .channels = channels_of(f)};
    for (size_t c = 0; c < 3; c++) {
        images.mean[c] = f->normalise->mean[c];
        images.deviation[c] = f->normalise->deviation[c];
    }
    program_images(p, &images);
    return GBV_OK;
}
