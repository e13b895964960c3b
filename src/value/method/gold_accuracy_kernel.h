/* gold_accuracy_kernel.h - how often a source labels an item as its gold label says.
 * The plain share, with Wilson's 90 % interval. Items are those that have a gold label and were labelled by the source;
 * nothing needs to be trained, and the features are not looked at. */
#ifndef VALUE_METHOD_GOLD_ACCURACY_KERNEL_H
#define VALUE_METHOD_GOLD_ACCURACY_KERNEL_H

#include "data/overlap.h"
#include "value/method/annotator_score.h"

/* scores: one per source, NaN for a source that labelled no gold item. */
GBV_MUST_CHECK gbv_status gold_accuracy_kernel(const overlap *o, annotator_score *scores, gbv_error *error);

#endif
