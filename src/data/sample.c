/* sample.c - rows of several datasets seen as one table, copied only where they are not already dense doubles. */
#include "data/sample.h"

/* The part that holds row *first; *first becomes the row's place in that part. */
static const sample_part *find_part(const sample *s, size_t *first)
{
    const sample_part *part = s->parts;
    while (*first >= part->count)
        *first -= part++->count;
    return part;
}

/* The rows as one dense array where they already are one; NULL otherwise. */
static const double *rows_in_place(const sample_part *part, size_t first, size_t count)
{
    const gbv_matrix *features = &part->features;
    if (!matrix_is_plain(features, GBV_F64) ||
        (count > 1 && features->row_stride != (ptrdiff_t)(features->columns * sizeof(double))))
        return NULL;
    if (part->rows)
        for (size_t i = 1; i < count; i++)
            if (part->rows[first + i] != part->rows[first] + i)
                return NULL;
    return matrix_block(features, part->rows ? part->rows[first] : first, count, NULL);
}

const double *sample_block_f64(const sample *s, size_t first, size_t count, double *buffer)
{
    if (count == 0)
        return buffer;
    const sample_part *part = find_part(s, &first);
    if (count <= part->count - first) {
        const double *in_place = rows_in_place(part, first, count);
        if (in_place)
            return in_place;
    }
    double *out = buffer;
    for (; count; part++, first = 0)
        for (; first < part->count && count; first++, count--, out += s->columns)
            matrix_row_f64(&part->features, part->rows ? part->rows[first] : first, out);
    return buffer;
}

void sample_block_f32(const sample *s, size_t first, size_t count, float *buffer)
{
    if (count == 0)
        return;
    const sample_part *part = find_part(s, &first);
    for (; count; part++, first = 0)
        for (; first < part->count && count; first++, count--, buffer += s->columns)
            matrix_row_f32(&part->features, part->rows ? part->rows[first] : first, buffer);
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
    drawn->labels = labels;
    drawn->weights = weights;
    drawn->count = kept;
    return true;
}
