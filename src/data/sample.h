/* sample.h - labelled, weighted rows from one or several datasets, handed to a model block by block without copying
 * the data first. */
#ifndef DATA_SAMPLE_H
#define DATA_SAMPLE_H

#include "base/matrix.h"
#include "base/memory.h"
#include "base/random.h"

typedef struct sample_part {
    gbv_matrix features;
    const size_t *rows;      /* rows of `features`; NULL: all in order */
    const int32_t *labels;   /* a class per row, or NULL; see `class_of` */
    const int32_t *class_of; /* what labels[i] indexes: class = class_of[labels[i]]; NULL: labels are classes */
    size_t count;
    double row_weight;     /* the weight of each row of this part in the loss */
    const double *weights; /* of each row, times row_weight; NULL: one */
} sample_part;

typedef struct sample {
    const sample_part *parts;
    size_t part_count;
    size_t rows;    /* of all parts */
    size_t columns; /* D */
} sample;

/* Rows first..first+count-1 (counted over all parts) as dense row-major arrays. The f64 form returns the data itself
 * where it already has that shape, and fills `buffer` otherwise. */
const double *sample_block_f64(const sample *s, size_t first, size_t count, double *buffer);
void sample_block_f32(const sample *s, size_t first, size_t count, float *buffer);
/* Class (-1: unlabelled) and weight of every row, in order. Either may be NULL. */
void sample_labels(const sample *s, int32_t *classes, double *weights);

/* The rows of a part drawn anew: as many as there are, with replacement, or with `half` half of them (rounded up)
 * without. A row that is drawn stands in `drawn` once, by its number, and weighs as often as it was drawn; one that is
 * not drawn is left out. Memory comes from `scratch`; false when it is out. */
bool sample_part_draw(const sample_part *part, random_stream *stream, bool half, arena *scratch, sample_part *drawn);

#endif
