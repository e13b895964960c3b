/* ledgers.h - what the commands over a ledger share (update, history, ledger). */
#ifndef CLI_LEDGERS_H
#define CLI_LEDGERS_H

#include "run.h"

/* How many batches the small line of the past shows: that many are read for a table. */
enum { BATCHES_SHOWN = 24 };

/* Whether --ledger was given. PARSED or an exit code. */
int ledgers_check(const command *self, const char *path);
/* Whether there are strategies by these names, separated by commas, or "all"; NULL is fine. PARSED or an exit code. */
int ledgers_check_strategies(const command *self, const char *names);
/* The time that $SOURCE_DATE_EPOCH gives the record, so that a run can be repeated to the byte; 0: now. PARSED or an
 * exit code. */
int ledgers_time(const command *self, int64_t *time);
/* The history where and how it was asked for: `written` to a file or as JSON or CSV, `shown` as the table. With
 * `last` (may be NULL) also what is to be said of that batch, on standard error where no table is shown. GBV_OK or an
 * exit code. */
int ledgers_show(const command *self, const run_options *run, gbv_ledger *ledger, const gbv_history_options *shown,
                 const gbv_history_options *written, const gbv_result *last);
/* The page that is wanted, if any, with every strategy; `last` (may be NULL) is the result of the last batch. GBV_OK or
 * an exit code. */
int ledgers_page(const command *self, gbv_ledger *ledger, const gbv_history_options *options, const gbv_result *last);

#endif
