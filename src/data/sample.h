/* sample.h - labelled, weighted rows from one or several datasets, handed to a model block by block without copying
 * the data first. Images that the cache has no room for are decoded when their rows are asked for. */
#ifndef DATA_SAMPLE_H
#define DATA_SAMPLE_H

#include <gbv/data.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "base/random.h"

typedef struct sample_part {
    gbv_matrix features;        /* see `images`: rows are read through the functions below, never directly */
    gbv_image_shape shape;      /* of the images that the rows are; zeros: they are none */
    struct image_store *images; /* where rows of `features` that are not in memory come from; NULL: all are */
    const size_t *rows;         /* rows of `features`; NULL: all in order */
    const double *dense;        /* the rows as doubles, count x columns, for who reads them often; NULL: not made */
    const int32_t *labels;      /* a class per row, or NULL; see `class_of` */
    const int32_t *class_of;    /* what labels[i] indexes: class = class_of[labels[i]]; NULL: labels are classes */
    size_t count;
    double row_weight;     /* the weight of each row of this part in the loss */
    const double *weights; /* of each row, times row_weight; NULL: one */
} sample_part;

typedef struct sample {
    const sample_part *parts;
    size_t part_count;
    size_t rows;          /* of all parts */
    size_t columns;       /* D */
    const size_t *starts; /* the first row of each part, by which many are searched; NULL: they are walked through */
} sample;

/* Rows of a dataset, each of weight one: `rows` of its features (NULL: all in order), `count` of them. `labels` is NULL
 * for rows without; `class_of` as above. All of it is borrowed. */
sample_part sample_part_of(const gbv_dataset *dataset, const size_t *rows, size_t count, const int32_t *labels,
                           const int32_t *class_of);
/* A single part as a sample; `part` is borrowed. */
sample sample_of(const sample_part *part);
/* Fills `starts`, so that finding a row of one of many parts takes no longer. False when memory is out. */
bool sample_index(sample *s, arena *scratch);

/* Rows first..first+count-1 (counted over all parts) as dense row-major arrays. The f64 form returns the data itself
 * where it already has that shape, and fills `buffer` otherwise. An image that can no longer be decoded is zeros:
 * sample_check tells. */
const double *sample_block_f64(const sample *s, size_t first, size_t count, double *buffer);
void sample_block_f32(const sample *s, size_t first, size_t count, float *buffer);
/* One row of a part. */
void sample_part_row_f64(const sample_part *part, size_t index, double *out);
/* Fails when any row of these datasets, asked for at any time, could not be read any more: a file was changed or
 * removed. Whoever has read blocks asks before it hands on what it made of them. */
GBV_MUST_CHECK gbv_status sample_check(const sample *s, gbv_error *error);
/* Class (-1: unlabelled) and weight of every row, in order. Either may be NULL. */
void sample_labels(const sample *s, int32_t *classes, double *weights);

/* Of the images that all rows are; zeros when they are none, or differ. */
gbv_image_shape sample_shape(const sample *s);
/* Every part holds bytes. */
bool sample_is_bytes(const sample *s);
/* The given rows (counted over all parts, in any order, also twice) as images of channels x height x width, one after
 * another: into `bytes` when sample_is_bytes, else into `floats`, where bytes become 0 to 1. Images that are not in
 * memory are decoded by up to `threads` threads. Only for a sample with a shape. */
GBV_MUST_CHECK gbv_status sample_images(const sample *s, const size_t *rows, size_t count, size_t threads,
                                        unsigned char *bytes, float *floats, gbv_error *error);

/* The part that holds row *row, of a sample that has it; *row becomes the row's place in that part. */
const sample_part *sample_find_part(const sample *s, size_t *row);

/* The rows of a part drawn anew: as many as there are, with replacement, or with `half` half of them (rounded up)
 * without. A row that is drawn stands in `drawn` once, by its number, and weighs as often as it was drawn; one that is
 * not drawn is left out. Memory comes from `scratch`; false when it is out. */
bool sample_part_draw(const sample_part *part, random_stream *stream, bool half, arena *scratch, sample_part *drawn);

#endif
