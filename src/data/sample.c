/* sample.c - rows of several datasets seen as one table, copied only where they are not already dense doubles. */
#include "data/sample.h"

#include <string.h>

#include "base/error.h"
#include "data/dataset.h"
#include "data/image_store.h"

sample_part sample_part_of(const gbv_dataset *dataset, const size_t *rows, size_t count, const int32_t *labels,
                           const int32_t *class_of)
{
    return (sample_part){.features = dataset->features,
                         .shape = dataset->shape,
                         .images = dataset->images,
                         .rows = rows,
                         .labels = labels,
                         .class_of = class_of,
                         .count = count,
                         .row_weight = 1};
}

sample sample_of(const sample_part *part)
{
    return (sample){.parts = part, .part_count = 1, .rows = part->count, .columns = part->features.columns};
}

bool sample_index(sample *s, arena *scratch)
{
    size_t *starts = arena_array(scratch, s->part_count, sizeof *starts);
    if (!starts)
        return false;
    for (size_t p = 0, row = 0; p < s->part_count; row += s->parts[p++].count)
        starts[p] = row;
    s->starts = starts;
    return true;
}

const sample_part *sample_find_part(const sample *s, size_t *row)
{
    const sample_part *part = s->parts;
    if (!s->starts) {
        while (*row >= part->count)
            *row -= part++->count;
        return part;
    }
    size_t low = 0, high = s->part_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (s->starts[middle] <= *row)
            low = middle;
        else
            high = middle;
    }
    *row -= s->starts[low];
    return part + low;
}

/* The rows as one dense array where they already are one; NULL otherwise. */
static const double *rows_in_place(const sample_part *part, size_t first, size_t count)
{
    const gbv_matrix *features = &part->features;
    if (part->dense)
        return part->dense + first * features->columns;
    if (!matrix_is_plain(features, GBV_F64) ||
        (count > 1 && features->row_stride != (ptrdiff_t)(features->columns * sizeof(double))))
        return NULL;
    if (part->rows)
        for (size_t i = 1; i < count; i++)
            if (part->rows[first + i] != part->rows[first] + i)
                return NULL;
    return matrix_block(features, part->rows ? part->rows[first] : first, count, NULL);
}

/* Decodes into the end of the array that the numbers then fill from its beginning. */
#define DEFINE_ROW(NUMBER, NAME, MATRIX_ROW)                                                                           \
    static void NAME(const sample_part *part, size_t index, NUMBER *out)                                               \
    {                                                                                                                  \
        size_t row = part->rows ? part->rows[index] : index, columns = part->features.columns;                         \
        if (part->dense) {                                                                                             \
            for (size_t j = 0; j < columns; j++)                                                                       \
                out[j] = (NUMBER)part->dense[index * columns + j];                                                     \
        } else if (image_store_holds(part->images, row)) {                                                             \
            MATRIX_ROW(&part->features, row, out);                                                                     \
        } else {                                                                                                       \
            unsigned char *bytes = (unsigned char *)(out + columns) - columns;                                         \
            image_store_read(part->images, row, bytes);                                                                \
            for (size_t j = 0; j < columns; j++)                                                                       \
                out[j] = bytes[j];                                                                                     \
        }                                                                                                              \
    }

DEFINE_ROW(double, row_f64, matrix_row_f64)
DEFINE_ROW(float, row_f32, matrix_row_f32)

void sample_part_row_f64(const sample_part *part, size_t index, double *out)
{
    row_f64(part, index, out);
}

const double *sample_block_f64(const sample *s, size_t first, size_t count, double *buffer)
{
    if (count == 0)
        return buffer;
    const sample_part *part = sample_find_part(s, &first);
    if (count <= part->count - first) {
        const double *in_place = rows_in_place(part, first, count);
        if (in_place)
            return in_place;
    }
    double *out = buffer;
    for (; count; part++, first = 0)
        for (; first < part->count && count; first++, count--, out += s->columns)
            row_f64(part, first, out);
    return buffer;
}

void sample_block_f32(const sample *s, size_t first, size_t count, float *buffer)
{
    if (count == 0)
        return;
    const sample_part *part = sample_find_part(s, &first);
    for (; count; part++, first = 0)
        for (; first < part->count && count; first++, count--, buffer += s->columns)
            row_f32(part, first, buffer);
}

gbv_status sample_check(const sample *s, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t p = 0; p < s->part_count && status == GBV_OK; p++)
        status = image_store_check(s->parts[p].images, error);
    return status;
}

void sample_labels(const sample *s, int32_t *classes, double *weights)
{
    for (const sample_part *part = s->parts; part < s->parts + s->part_count; part++) {
        if (classes)
            for (size_t i = 0; i < part->count; i++) {
                int32_t label = part->labels ? part->labels[i] : -1;
                *classes++ = label >= 0 && part->class_of ? part->class_of[label] : label;
            }
        if (weights)
            for (size_t i = 0; i < part->count; i++)
                *weights++ = part->row_weight * (part->weights ? part->weights[i] : 1);
    }
}

/* How often each of `count` rows is drawn. */
static bool draw_times(size_t count, random_stream *stream, bool half, arena *scratch, size_t *times)
{
    if (!half) {
        for (size_t i = 0; i < count; i++)
            times[random_below(stream, count)]++;
        return true;
    }
    size_t *order = arena_array(scratch, count, sizeof *order);
    if (!order)
        return false;
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    random_shuffle(stream, order, count);
    for (size_t i = 0; i < count - count / 2; i++)
        times[order[i]] = 1;
    return true;
}

bool sample_part_draw(const sample_part *part, random_stream *stream, bool half, arena *scratch, sample_part *drawn)
{
    size_t count = part->count, kept = 0;
    size_t *times = arena_zeroed(scratch, count, sizeof *times), *rows = arena_array(scratch, count, sizeof *rows);
    int32_t *labels = part->labels ? arena_array(scratch, count, sizeof *labels) : NULL;
    double *weights = arena_array(scratch, count, sizeof *weights);
    if (!times || !rows || (part->labels && !labels) || !weights || !draw_times(count, stream, half, scratch, times))
        return false;
    for (size_t i = 0; i < count; i++)
        if (times[i]) {
            rows[kept] = part->rows ? part->rows[i] : i;
            if (labels)
                labels[kept] = part->labels[i];
            weights[kept++] = (double)times[i] * (part->weights ? part->weights[i] : 1);
        }
    *drawn = *part;
    drawn->rows = rows;
    drawn->dense = NULL;
    drawn->labels = labels;
    drawn->weights = weights;
    drawn->count = kept;
    return true;
}
