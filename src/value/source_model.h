/* source_model.h - m_s of a source: fitted by phi, or found where an earlier run left it. */
#ifndef VALUE_SOURCE_MODEL_H
#define VALUE_SOURCE_MODEL_H

#include "value/valuation.h"

/* As problem.phi. Networks are looked for in the options' cache first, and kept there. *found says which it was. */
GBV_MUST_CHECK gbv_status source_model(const valuation *v, size_t source_index, const refit *how, arena *scratch,
                                       gbv_model **model, bool *found, gbv_error *error);

/* Whether it is there already, for those who reckon what a run will take. */
GBV_MUST_CHECK gbv_status source_model_is_kept(const valuation *v, size_t source_index, uint32_t draw, bool *kept,
                                               gbv_error *error);

#endif
