/* confusion.h - how the model of a source labels the rows of the reference: how often as the reference does, and what
 * it takes for what. */
#ifndef VALUE_CONFUSION_H
#define VALUE_CONFUSION_H

#include "value/valuation.h"

/* Beyond so many numbers for all sources together, confusion is not kept. */
enum { MOST_CONFUSION = 1000000 };

/* Fills agreement, confusion where there is room for it, and the flag of a model that agrees no more often than chance.
 * Leaves them as they are where none of the model's classes is the reference's. `source_count` is that of the run. */
GBV_MUST_CHECK gbv_status confusion_judge(gbv_source_result *judged, const gbv_measure_input *input,
                                          size_t source_count, gbv_error *error);

/* The names of the classes that confusion counts. */
bool confusion_name_classes(gbv_result *result, const valuation *v);

#endif
