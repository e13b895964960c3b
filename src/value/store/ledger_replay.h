/* ledger_replay.h - a ledger gone through from its first record: hashes are made again, and every weight and alarm is
 * computed again from the recorded scores. */
#ifndef VALUE_STORE_LEDGER_REPLAY_H
#define VALUE_STORE_LEDGER_REPLAY_H

#include "value/store/ledger_state.h"

typedef struct ledger_replay {
    ledger_state state; /* after the last record that was looked at */
    int64_t *standing;  /* numbers of the batches that stand */
    size_t standing_count;
    bool met_head; /* the hash that was asked for is one of the chain's */
} ledger_replay;

/* All records whose number is below `limit`. `head` (may be NULL) is a hash to look for. Fails with GBV_BAD_INPUT,
 * naming the first record that is not as it was written or does not follow from the one before. replay_free() is due in
 * either case. */
GBV_MUST_CHECK gbv_status replay_run(gbv_ledger *ledger, int64_t limit, const unsigned char *head,
                                     ledger_replay *replay, gbv_error *error);
void replay_free(ledger_replay *replay);

#endif
