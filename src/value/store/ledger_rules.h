/* ledger_rules.h - which batches a ledger takes: what the first one fixes holds for all that follow, unless the caller
 * says that it may change, and then that is recorded. Everything here can be asked before anything is scored. */
#ifndef VALUE_STORE_LEDGER_RULES_H
#define VALUE_STORE_LEDGER_RULES_H

#include "value/store/ledger_state.h"

/* What is asked of an update, beyond what the result of its scoring says. */
typedef struct ledger_request {
    const gbv_update_options *options;
    gbv_tau_mode tau_mode; /* as asked for: GBV_TAU_OWN leaves it to the ledger */
    double tau;
    const double *prior;          /* p(s) of each source of the batch; NULL: the result's own */
    const char *reference_sha256; /* NULL: by the files that the result names */
    const unsigned char *head;    /* the ledger as it was when the request was made; NULL: as it is */
} ledger_request;

/* Numbers, names and words of the options, whatever the ledger. */
GBV_MUST_CHECK gbv_status rules_check_options(const gbv_update_options *options, gbv_tau_mode tau_mode,
                                              gbv_error *error);
/* That the batch is new, its sources differ, and its leavers are there and deliver nothing. */
GBV_MUST_CHECK gbv_status rules_check_names(gbv_ledger *ledger, const ledger_state *state,
                                            const gbv_update_options *options, const char *const *names, size_t count,
                                            gbv_error *error);
/* Whether the tau asked for is the ledger's own, which then serves. */
bool rules_tau_stays(const ledger_state *state, const gbv_update_options *options, gbv_tau_mode tau_mode, double tau);

/* The settings of the batch from its run, compared with those of the last one: fails with GBV_FAILED when one differs
 * that may not. A run that is not `scored` yet has no tau. settings_free() is due in either case. */
GBV_MUST_CHECK gbv_status rules_settle(const gbv_ledger *ledger, const ledger_state *state,
                                       const ledger_request *request, const gbv_result *run, bool scored,
                                       ledger_settings *settings, gbv_error *error);

/* Warns of samples that are those of the batch before: a name is refused twice, but may be another one. */
GBV_MUST_CHECK gbv_status rules_warn_of_repeats(gbv_ledger *ledger, const ledger_state *state,
                                                const ledger_point *points, size_t count, ledger_settings *settings,
                                                gbv_error *error);

/* The run had this value of the option. */
bool settings_have_option(const ledger_settings *settings, const char *name, const char *value);
bool settings_warn(ledger_settings *settings, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
