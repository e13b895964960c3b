/* valuing.h - the options by which commands say how sources are valued (value, compare). */
#ifndef CLI_VALUING_H
#define CLI_VALUING_H

#include "inputs.h"
#include "run.h"

typedef struct valuing {
    gbv_value_options options;
    const char *measure, *variant, *tau, *prior, *undefined, *intervals, *cache;
    const char *prior_ledger; /* whose weights are the prior, and whose tau is taken unless one is given; NULL: none */
    double *prior_numbers;
} valuing;

enum { VALUING_OPTIONS = 18 };

/* Fills `table` with the options of this group, after the defaults were set. */
void valuing_options(valuing *chosen, inputs *in, option table[VALUING_OPTIONS]);
/* Whether the words go together; PARSED or an exit code. */
int valuing_check(const command *self, valuing *chosen, const inputs *in);
/* The pieces of that, for who takes the same words; NULL leaves the default. The cache: $GBV_CACHE or the like, NULL
 * for "off". */
int valuing_tau(const command *self, const char *tau, gbv_tau_mode *mode, double *value);
int valuing_intervals(const command *self, const char *text, size_t *replicates);
const char *valuing_cache(const char *cache);
/* What depends on the sources: the numbers of a prior in a file or a ledger. */
int valuing_read(const command *self, valuing *chosen, const inputs *in);
/* With -v each epoch of a network is told; call it after run_watch. */
void valuing_watch(valuing *chosen, const inputs *in);
/* What a user should know besides the result. */
void valuing_tell(const command *self, const gbv_result *result);
void valuing_free(valuing *chosen);

#endif
