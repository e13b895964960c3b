/* posterior.h - what the rest of the room needs of the posterior beside the public gbv_posterior. */
#ifndef VALUE_POSTERIOR_H
#define VALUE_POSTERIOR_H

#include <gbv/value.h>

/* What scores (standardised ones for GBV_TAU_CODE) are multiplied by; 0 for one source in the quick and code modes. */
double posterior_inverse_tau(gbv_tau_mode mode, double tau, size_t count);

gbv_status posterior_check_tau(gbv_tau_mode mode, double tau, gbv_error *error);
/* Fails with GBV_USAGE unless every entry is finite and not negative, and one positive. */
gbv_status posterior_check_prior(const double *prior, size_t count, gbv_error *error);

typedef struct posterior_summary {
    double entropy;           /* -sum P ln P */
    double effective_sources; /* 1 / sum P^2 */
    double effective_rows;    /* 1 / sum P^2/n; NaN when a source without rows has weight */
} posterior_summary;

posterior_summary posterior_summarise(const double *posterior, const size_t *rows, size_t count);

#endif
