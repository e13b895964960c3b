/* evaluation.h - how one class of an evaluation did. */
#ifndef REPORT_EVALUATION_H
#define REPORT_EVALUATION_H

#include <gbv/train.h>

typedef struct class_summary {
    size_t rows, predicted, correct;
    double recall, precision; /* NaN when there is nothing to divide by */
    size_t confused_with;     /* the class most often said instead; class_count when there is none */
} class_summary;

class_summary evaluation_summarise(const gbv_evaluation *evaluation, size_t class_index);

#endif
