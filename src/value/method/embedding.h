/* embedding.h - the rows of all sources and of the reference as points whose distances mean something, for methods that
 * look at the data itself: each feature in units of its standard deviation over the sources' rows, cut off at
 * EMBEDDING_LIMIT of them on either side; features that do not vary there are left out.
 *
 *     embedding e;
 *     embedding_create(&pooled, &reference, &e, error);
 *     ... e.train, e.reference: e.columns floats a row ...
 *     embedding_free(&e);
 *
 * Why the cut: a pixel that is nearly always black has a tiny deviation, and a few rows where it is not would be
 * further away than all that the rest of the image says. On five noisy annotators of Fashion-MNIST's pixels the spread
 * of LAVA's scores between the sources is 0.2 to 0.3 of that of the rows' gradients without the cut and 0.9 with it
 * (seeds 1 to 5). */
#ifndef VALUE_METHOD_EMBEDDING_H
#define VALUE_METHOD_EMBEDDING_H

#include "data/sample.h"

#define EMBEDDING_LIMIT 3

typedef struct embedding {
    size_t train_rows, reference_rows;
    size_t columns;   /* features that vary, at least 1: when none does, one that is 0 everywhere */
    float *train;     /* train_rows x columns, dense, in the order of the sample */
    float *reference; /* reference_rows x columns */
} embedding;

/* `sources` holds the rows of all sources, source after source; every row counts alike. Fails when memory is out. */
GBV_MUST_CHECK gbv_status embedding_create(const sample *sources, const sample *reference, embedding *e,
                                           gbv_error *error);
void embedding_free(embedding *e);

#endif
