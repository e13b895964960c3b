/* fail_if.h - conditions on a result that make gbv value end with status 5, for scripts that must not go on then.
 *
 *     flag | flag=KIND | ambiguous | NUMBER<VALUE (also <= > >=), NUMBER one of effective_sources, effective_rows,
 * entropy
 */
#ifndef CLI_FAIL_IF_H
#define CLI_FAIL_IF_H

#include <gbv/gbv.h>

#include "options.h"

/* Each text holds conditions separated by '|'. PARSED, or an exit code after saying what cannot be understood. */
int fail_if_check(const command *self, const text_list *texts);
/* GBV_OK, or GBV_CONDITION after naming the first condition that holds. A number that the result does not define makes
 * its condition hold: nothing shows that it does not. */
int fail_if_judge(const command *self, const text_list *texts, const gbv_result *result);

#endif
