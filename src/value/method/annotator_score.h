/* annotator_score.h - what a method that compares labels of the same items says of one source. */
#ifndef VALUE_METHOD_ANNOTATOR_SCORE_H
#define VALUE_METHOD_ANNOTATOR_SCORE_H

#include <stddef.h>

typedef struct annotator_score {
    double score;     /* a share in [0, 1]; NaN: there is no item to judge by */
    double low, high; /* 90 % interval of it; NaN with the score */
    size_t items;     /* how many it was judged by */
} annotator_score;

/* The share with Wilson's interval for that many independent items. Where an item counts by a fraction instead of 0 or
 * 1 the interval is on the wide side: no other values in [0, 1] spread as far around the same mean. */
annotator_score annotator_score_of_share(double share, size_t items);

#endif
