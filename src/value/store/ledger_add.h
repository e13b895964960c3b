/* ledger_add.h - folds the scores of a batch into the ledger and writes both down, in one transaction. */
#ifndef VALUE_STORE_LEDGER_ADD_H
#define VALUE_STORE_LEDGER_ADD_H

#include "value/store/ledger_rules.h"

GBV_MUST_CHECK gbv_status ledger_add(gbv_ledger *ledger, const gbv_result *result, const ledger_request *request,
                                     size_t threads, gbv_error *error);

#endif
