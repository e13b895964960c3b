/* feed.h - rows of a sample as the input of a program: images, changed or as they are, or features that are
 * standardised.
 *
 *     feed rows = {.data = data, .normalise = model->normalise, .in = model->input};
 *     feed_open(&rows, batch, scratch);
 *     feed_batch(&rows, program, numbers, batch, error);
 */
#ifndef NN_FEED_H
#define NN_FEED_H

#include "augment/augment.h"
#include "nn/program.h"
#include "nn/scaling.h"

typedef struct feed {
    const sample *data;             /* borrowed */
    const scaling *scale;           /* features; NULL: images */
    const normalisation *normalise; /* of images */
    extent in;                      /* as the program takes them */
    size_t threads;                 /* that may decode and change images; 0: one */
    /* What is done to images on their way; may be set anew, or to NULL and back, between batches. */
    augment_chooser *choose; /* NULL: nothing. Images of bytes only */
    const void *choosing;    /* its context */
    gbv_noise noise;         /* paper or code */
    uint64_t visit;          /* that the first image of the batch is; the next one's is one more, and so on */
    size_t before;           /* rows before the sample's, where `choose` counts them from another start */
    /* Memory of feed_open. */
    unsigned char *bytes; /* of a batch; NULL: floats */
    float *floats;        /* with bytes: for images that noise has taken out of them; NULL: there are none */
    double *row;          /* one of features, as it comes */
    augment_draw *draws;
    unsigned char *spare;
    void *scratch;
} feed;

/* Memory for batches of up to `batch` rows; false when there is not enough. What is done to images must be set, if
 * anything ever is. */
bool feed_open(feed *f, size_t batch, arena *scratch);

/* Hands the rows (numbers of rows of the sample, in any order) to a program of that batch. GBV_BAD_INPUT when something
 * is to be done to images that cannot be decoded or are not bytes. */
GBV_MUST_CHECK gbv_status feed_batch(feed *f, program *p, const size_t *rows, size_t batch, gbv_error *error);

#endif
