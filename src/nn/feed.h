/* feed.h - rows of a sample as the input of a program: images, or features that are standardised.
 *
 *     feed rows = {.data = data, .normalise = model->normalise, .in = model->input};
 *     feed_open(&rows, batch, scratch);
 *     feed_batch(&rows, program, numbers, batch, error);
 */
#ifndef NN_FEED_H
#define NN_FEED_H

#include "nn/program.h"
#include "nn/scaling.h"

typedef struct feed {
    const sample *data;             /* borrowed */
    const scaling *scale;           /* features; NULL: images */
    const normalisation *normalise; /* of images */
    extent in;                      /* as the program takes them */
    size_t threads;                 /* that may decode images; 0: one */
    unsigned char *bytes;           /* of a batch; NULL: floats */
    float *floats;
    double *row; /* one of features, as it comes */
} feed;

/* Memory for batches of up to `batch` rows; false when there is not enough. */
bool feed_open(feed *f, size_t batch, arena *scratch);

/* Hands the rows (numbers of rows of the sample, in any order) to a program of that batch. */
GBV_MUST_CHECK gbv_status feed_batch(feed *f, program *p, const size_t *rows, size_t batch, gbv_error *error);

#endif
