/* source_model.h - m_s of a source: fitted by phi, or found where an earlier run left it. */
#ifndef VALUE_SOURCE_MODEL_H
#define VALUE_SOURCE_MODEL_H

#include "value/valuation.h"

typedef enum model_origin {
    MODEL_TRAINED,
    MODEL_FOUND,    /* in the cache */
    MODEL_NOT_KEPT, /* trained, but the cache could not take it: a full disk, a folder that cannot be written */
} model_origin;

/* As problem.phi. Networks are looked for in the options' cache first, and kept there. */
GBV_MUST_CHECK gbv_status source_model(const valuation *v, size_t source_index, const refit *how, arena *scratch,
                                       gbv_model **model, model_origin *origin, gbv_error *error);

/* Whether it is there already, for those who reckon what a run will take. */
GBV_MUST_CHECK gbv_status source_model_is_kept(const valuation *v, size_t source_index, uint32_t draw, bool *kept,
                                               gbv_error *error);

#endif
