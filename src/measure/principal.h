/* principal.h - principal components: the centred features turned into the eigenbasis of their covariance. */
#ifndef MEASURE_PRINCIPAL_H
#define MEASURE_PRINCIPAL_H

#include "measure/measure.h"

typedef struct principal_components {
    size_t rows, count; /* count 0: the features are constant */
    double *scores;     /* rows x count */
    double *squares;    /* count: sum of squares of each column of the scores, falling */
    double total;       /* sum of squares of the centred features */
} principal_components;

/* The fewest components whose squares add up to `share` of the total; INFINITY takes all that are not zero. With fewer
 * rows than columns the rows x rows Gram matrix is decomposed. Refuses features whose squares overflow. */
GBV_MUST_CHECK gbv_status principal_components_create(const gbv_matrix *features, double share,
                                                      principal_components *components, gbv_error *error);
void principal_components_free(principal_components *components);

#endif
