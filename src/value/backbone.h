/* backbone.h - the rows of the sources and targets as the pretrained network sees them before any training: its pooled
 * features are the embedding in which methods that look at the data itself (lava, knn-shapley, mmd, davinz) measure
 * distances. Pixels would say next to nothing about photographs. */
#ifndef VALUE_BACKBONE_H
#define VALUE_BACKBONE_H

#include "value/valuation.h"

#define BACKBONE_SPACE "pooled features of the pretrained network"

typedef struct backbone backbone;

/* Whether these options have one: a network of images with pretrained weights. */
bool backbone_is_there(const gbv_model_options *options);

/* Embeds all rows; the result does not depend on the number of threads. */
GBV_MUST_CHECK gbv_status backbone_create(const valuation *v, backbone **made, gbv_error *error);
void backbone_free(backbone *b);

/* Rows of a source, and of a target, in their order: floats. */
gbv_matrix backbone_of_source(const backbone *b, size_t source_index);
gbv_matrix backbone_of_target(const backbone *b, const valuation *v, const target *t);

#endif
