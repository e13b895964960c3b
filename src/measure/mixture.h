/* mixture.h - a mixture of Gaussians with full covariances, fitted by expectation maximisation. */
#ifndef MEASURE_MIXTURE_H
#define MEASURE_MIXTURE_H

#include <gbv/status.h>

#include "base/random.h"

/* Fills rows x components responsibilities; each row adds up to one. `points` are rows x dimensions, neither zero, and
 * there are at least as many rows as components. The fit starts from k-means, whose centres the stream draws, and ends
 * when the mean log-likelihood changes by less than 1e-3, or after 100 rounds; `rounds` says after how many. A
 * component that loses all its points stays empty. Fails with GBV_UNDEFINED where numbers overflow. */
GBV_MUST_CHECK gbv_status mixture_fit(const double *points, size_t rows, size_t dimensions, size_t components,
                                      random_stream *stream, double *responsibilities, size_t *rounds,
                                      gbv_error *error);

#endif
