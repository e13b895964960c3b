/* valuation.h - what one run of gbv_value works with, and its stages. */
#ifndef VALUE_VALUATION_H
#define VALUE_VALUATION_H

#include <gbv/value.h>

#include "problem/problem.h"

/* One of the measures of the run. */
typedef struct scoring {
    const gbv_measure_info *info;
    char variant[GBV_VARIANT_LENGTH]; /* "" for a measure with one form */
    const char *feature_space;
    bool reads_outputs; /* the model's probabilities are what it is given as features */
    double *parts;      /* source_count x part_count: what each source contributes; NaN where undefined */
    size_t part_count;
} scoring;

typedef struct valuation {
    const gbv_dataset *reference;
    const gbv_sources *sources;
    const gbv_value_options *options;
    scoring *measures; /* the first decides the weights */
    size_t measure_count;
    const problem *problem;
    size_t threads;
    class_table classes;
    problem_case given;
    double *reference_rows; /* D* as doubles */
    sample_part reference_part;
    sample reference_sample;
} valuation;

/* choose.c: the measures that the options name, in that order, each once. */
GBV_MUST_CHECK gbv_status valuation_choose(valuation *v, gbv_error *error);
void valuation_forget(valuation *v);
/* Why a measure cannot score a source at all, before anything is fitted; GBV_OK when it can. */
gbv_status scoring_check(const valuation *v, const scoring *m, size_t source_index, gbv_error *error);

/* score.c: fits each m_s once, reads it out once and scores it by every measure; fills agreement, flags that need the
 * readout, and `result->measures`. */
GBV_MUST_CHECK gbv_status score_sources(valuation *v, gbv_result *result, gbv_error *error);

/* weigh.c: the posterior by every measure; that of the first becomes the result's. */
GBV_MUST_CHECK gbv_status weigh_sources(const valuation *v, gbv_result *result, gbv_error *error);

static inline const char *scoring_variant(const scoring *m)
{
    return *m->variant ? m->variant : NULL;
}

#endif
