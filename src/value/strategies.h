/* strategies.h - what one could do with the scores of successive batches: the continual posterior and its baselines.
 * Pure functions of arrays. Paper: section 5 (the baselines of CGBV). A new one is a function in strategies.c and a
 * line in strategies.def. */
#ifndef VALUE_STRATEGIES_H
#define VALUE_STRATEGIES_H

#include <stddef.h>

/* Both are batch_count x source_count, from the ledger's first batch on. */
typedef struct strategy_input {
    size_t batch_count, source_count;
    const double *batch_posterior; /* q_t(s): weights by each batch alone; NaN or 0 where a source is absent */
    const double *posterior;       /* P_t(s): accumulated; NaN or 0 where a source is not in */
} strategy_input;

typedef struct strategy {
    const char *name, *summary;
    /* Fills batch_count x source_count weights; 0 for who has none. */
    void (*weigh)(const strategy_input *input, double *weights);
} strategy;

const strategy *strategy_at(size_t index); /* NULL past the last */
const strategy *strategy_find(const char *name);

#endif
