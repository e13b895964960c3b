/* draws.h - the several scores that one source has by one method: on all reference rows, on the two folds that choose
 * tau, on resampled reference rows, and of models fitted again on resampled rows of the source. */
#ifndef VALUE_DRAWS_H
#define VALUE_DRAWS_H

#include <stddef.h>

typedef struct draws {
    size_t folds;      /* 0 or 2 */
    size_t replicates; /* B */
    size_t refits;     /* R */
    size_t ends;       /* 0, or 2: the ends of an interval that the method knows by itself */
    size_t count;      /* 1 + folds + replicates + refits + ends, in this order */
} draws;

static inline draws draws_of(size_t folds, size_t replicates, size_t refits, size_t ends)
{
    return (draws){folds, replicates, refits, ends, 1 + folds + replicates + refits + ends};
}

/* Where each kind begins among the draws; the whole reference is draw 0. */
static inline size_t draws_folds(const draws *d)
{
    (void)d;
    return 1;
}

static inline size_t draws_replicates(const draws *d)
{
    return 1 + d->folds;
}

static inline size_t draws_refits(const draws *d)
{
    return 1 + d->folds + d->replicates;
}

static inline size_t draws_ends(const draws *d)
{
    return 1 + d->folds + d->replicates + d->refits;
}

#endif
