#include "nn/feed.h"

#include "base/error.h"

bool feed_open(feed *f, size_t batch, arena *scratch)
{
    size_t columns = f->data->columns;
    if (f->scale)
        f->row = arena_array(scratch, columns, sizeof *f->row);
    if (!f->scale && sample_is_bytes(f->data))
        f->bytes = arena_array(scratch, columns, batch);
    else
        f->floats = arena_array(scratch, columns, batch * sizeof *f->floats);
    return (f->bytes || f->floats) && (f->row || !f->scale);
}

static void take_features(const feed *f, size_t row, float *out)
{
    const sample_part *part = sample_find_part(f->data, &row);
    sample alone = {.parts = part, .part_count = 1, .rows = part->count, .columns = f->data->columns};
    scaling_block(f->scale, &alone, row, 1, f->row);
    for (size_t j = 0; j < f->data->columns; j++)
        out[j] = (float)f->row[j];
}

gbv_status feed_batch(feed *f, program *p, const size_t *rows, size_t batch, gbv_error *error)
{
    if (f->scale) {
        for (size_t i = 0; i < batch; i++)
            take_features(f, rows[i], f->floats + i * f->data->columns);
        program_rows(p, f->floats);
        return GBV_OK;
    }
    gbv_status status = sample_images(f->data, rows, batch, f->threads ? f->threads : 1, f->bytes, f->floats, error);
    if (status != GBV_OK)
        return status;
    image_batch images = {.bytes = f->bytes,
                          .floats = f->floats,
                          .of = f->in,
                          .channels = f->data->columns / (f->in.height * f->in.width)};
    for (size_t c = 0; c < 3; c++) {
        images.mean[c] = f->normalise->mean[c];
        images.deviation[c] = f->normalise->deviation[c];
    }
    program_images(p, &images);
    return GBV_OK;
}
