/* pieces.h - all that any measure may be given of one source: what its model makes of the rows of a target. */
#ifndef VALUE_PIECES_H
#define VALUE_PIECES_H

#include "value/valuation.h"

typedef struct pieces {
    gbv_measure_input shared; /* labels, probabilities and what their columns are */
    gbv_matrix features;      /* of the model, when a measure wants them */
    gbv_matrix own_outputs;   /* the model's probabilities of the source's own rows, when a measure wants them */
    gbv_matrix embedded,
        own_embedded; /* the target's and the source's rows by the pretrained network, where it is asked */
} pieces;

/* For the first `scorings` ways of scoring. Memory comes from `scratch`. A source that is given as probabilities has no
 * model (NULL): they are what a model fitted elsewhere makes of the reference. */
GBV_MUST_CHECK gbv_status pieces_read(const valuation *v, size_t scorings, const gbv_model *model, size_t source_index,
                                      const target *t, arena *scratch, pieces *out, gbv_error *error);

/* What one of the measures is given. */
gbv_measure_input pieces_input(const pieces *p, const scoring *by);

#endif
