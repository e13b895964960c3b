/* final.h - the final model: the weighted loss of the paper's Eq. 1 over the sources, and over the reference where that
 * is to be trained on too.
 *
 *     final_data data = {.sources = sources, .classes = &classes};
 *     final_fit(&data, posterior, &options, &(refit){0}, &scratch, &model, error);
 */
#ifndef NN_FINAL_H
#define NN_FINAL_H

#include "data/sources.h"
#include "nn/model.h"

/* What may be trained on. Borrowed. */
typedef struct final_data {
    const gbv_sources *sources;
    const class_table *classes;
    const sample_part *reference; /* labelled with classes of the table: one more source, the last; NULL: none */
} final_data;

/* Minimises sum_s weights[s] * mean over the rows of s of the cross-entropy. `weights` has an entry per source and one
 * for the reference where there is one (the reference alone: all others zero); NULL: every row alike. Weights are >= 0.
 * Sources of weight zero or without rows are left out with their classes. With how->draw > 0 every source's rows are
 * drawn anew, with replacement, keyed by the options' seed, its name and the draw. The caller frees the model, which
 * has no names; its memory is not from `scratch`. Runs inside the caller's plan. */
GBV_MUST_CHECK gbv_status final_fit(const final_data *data, const double *weights, const gbv_model_options *options,
                                    const refit *how, arena *scratch, gbv_model **model, gbv_error *error);

#endif
