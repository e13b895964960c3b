/* verdict.h - does buying by any of the valuations pay? */
#ifndef VALUE_VERDICT_H
#define VALUE_VERDICT_H

#include <gbv/compare.h>

/* The baselines of a comparison, in its order. */
typedef enum baseline_kind {
    BASELINE_REFERENCE,
    BASELINE_POOLED,
    BASELINE_BEST_SOURCE,
    BASELINE_REFERENCE_TOO,
    BASELINE_COUNT,
} baseline_kind;

/* Fills the verdict and its sentence from the accuracies. Fails when memory is out. */
GBV_MUST_CHECK gbv_status verdict_give(gbv_comparison *c, gbv_error *error);

#endif
