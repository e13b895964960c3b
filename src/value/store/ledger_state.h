/* ledger_state.h - where a ledger stands: who is in with which weight, after the last batch that stands. */
#ifndef VALUE_STORE_LEDGER_STATE_H
#define VALUE_STORE_LEDGER_STATE_H

#include "base/text_table.h"
#include "value/continual.h"
#include "value/drift.h"
#include "value/store/ledger_record.h"

/* Source number n is at index n - 1 everywhere. */
typedef struct ledger_state {
    int64_t records; /* on record */
    unsigned char head[DIGEST];
    int64_t last; /* number of the last batch that stands; 0: there is none */
    char *last_name;
    ledger_settings settings; /* of that batch */
    text_table names;         /* of all sources that were ever there */
    continual_source *sources;
    drift_state *drift;
    bool *known; /* the interval of its weight */
} ledger_state;

/* `extra` places are left for sources to come. A ledger that has no file yet has no batches. */
GBV_MUST_CHECK gbv_status state_load(gbv_ledger *ledger, size_t extra, ledger_state *state, gbv_error *error);
void state_free(ledger_state *state);

/* The resampled log weights after the last batch: settings.worlds for each of names.count + extra sources, -INFINITY
 * for those to come. NULL without failure: there are none. The caller frees them. */
GBV_MUST_CHECK gbv_status state_worlds(gbv_ledger *ledger, const ledger_state *state, size_t extra, float **worlds,
                                       gbv_error *error);

/* The sum of squared weights of those who are in, inverted. */
double state_effective_sources(const ledger_state *state);

/* Writes down the drift of every source that has any, instead of what was there. */
GBV_MUST_CHECK gbv_status state_write_drift(gbv_ledger *ledger, const drift_state *drift, size_t count,
                                            gbv_error *error);

#define STANDING "kind = 'batch' AND NOT EXISTS (SELECT 1 FROM record AS later WHERE later.undoes = record.number)"

#endif
