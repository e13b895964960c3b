/* pool.h - the rows of all sources side by side with the reference's, for methods that look at the data itself. */
#ifndef VALUE_METHOD_POOL_H
#define VALUE_METHOD_POOL_H

#include "value/method/embedding.h"
#include "value/valuation.h"

typedef struct pool {
    embedding points;        /* of all sources' rows, source after source, and of the reference's */
    size_t *first;           /* source_count + 1: where the rows of each source begin */
    uint32_t *source;        /* of each row */
    int32_t *labels;         /* of each row: its class */
    const int32_t *judgment; /* the reference's labels; NULL: it has none */
} pool;

GBV_MUST_CHECK gbv_status pool_create(const valuation *v, pool **made, gbv_error *error);
void pool_free(pool *p);

/* The score of a source is the mean of its rows' values (NaN ones passed over; NaN when there is no other). */
double pool_mean(const pool *p, const double *values, size_t source_index);

/* Fills the refits of `by`: means over rows of the source drawn anew, with replacement, which is all that other rows of
 * it would change of a mean. */
GBV_MUST_CHECK gbv_status pool_redraw(const valuation *v, const pool *p, const double *values, scoring *by,
                                      gbv_error *error);

#endif
