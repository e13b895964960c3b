/* peer_agreement_kernel.h - how often the others say what a source says.
 * Of each item that others labelled too, the share of these others that gave the source's label; the score is the mean
 * over the source's items, so that an item counts once however many labelled it. A crowd that is wrong together agrees.
 */
#ifndef VALUE_METHOD_PEER_AGREEMENT_KERNEL_H
#define VALUE_METHOD_PEER_AGREEMENT_KERNEL_H

#include "data/overlap.h"
#include "value/method/annotator_score.h"

/* scores: one per source, NaN for a source that shares no item.
 * corrected (NULL: not asked for): (agreement - chance) / (1 - chance), where chance is the agreement of somebody who
 * gives the source's labels to the same items at random; 0 for one who always says the same, NaN where the others
 * do, too. It is told beside the score and decides nothing. */
GBV_MUST_CHECK gbv_status peer_agreement_kernel(const overlap *o, annotator_score *scores, double *corrected,
                                                gbv_error *error);

#endif
