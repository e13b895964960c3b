/* valuation.h - what one run of gbv_value works with. */
#ifndef VALUE_VALUATION_H
#define VALUE_VALUATION_H

#include <gbv/value.h>

#include "problem/problem.h"

typedef struct valuation {
    const gbv_dataset *reference;
    const gbv_sources *sources;
    const gbv_value_options *options;
    const gbv_measure_info *measure;
    char variant[GBV_VARIANT_LENGTH]; /* "" for a measure with one form */
    const problem *problem;
    const char *feature_space;
    size_t threads;
    class_table classes;
    problem_case given;
    double *reference_rows; /* D* as doubles */
    sample_part reference_part;
    sample reference_sample;
} valuation;

#endif
