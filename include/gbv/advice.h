/* advice.h - what to do about each source, by stated rules on intervals and flags.
 *
 *     gbv_advice *advice;
 *     gbv_result_advise(result, &advice, &error);
 *     printf("%s: %s, because %s\n", result->sources[0].name, gbv_action_word(advice[0].action), advice[0].reason);
 *     gbv_advice_free(advice, result->source_count);
 */
#ifndef GBV_ADVICE_H
#define GBV_ADVICE_H

#include <gbv/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gbv_action {
    GBV_ACTION_BUY,      /* surely worth more than its share */
    GBV_ACTION_KEEP,     /* worth about its share */
    GBV_ACTION_QUESTION, /* a flag or an alarm: ask before relying on it */
    GBV_ACTION_STOP,     /* surely worth less than half of its share */
    GBV_ACTION_UNKNOWN,  /* we can't tell */
} gbv_action;

typedef struct gbv_advice {
    gbv_action action;
    char *reason;  /* a clause with the numbers */
    char *settles; /* what would settle it, where something would; NULL otherwise */
} gbv_advice;

/* "buy", "keep", "question", "stop", "can't tell". */
GBV_API const char *gbv_action_word(gbv_action action);
/* The rule by which the action is chosen, as a sentence. */
GBV_API const char *gbv_action_rule(gbv_action action);

/* What to do about a flag (gbv_flag.kind), as a clause. */
GBV_API const char *gbv_flag_remedy(const char *kind);

/* One for each source of the result, in its order; the caller frees them. */
GBV_API GBV_MUST_CHECK gbv_status gbv_result_advise(const gbv_result *result, gbv_advice **advice, gbv_error *error);
/* The same of the last batch of a ledger: accumulated weights, alarms, and who has not delivered. */
GBV_API GBV_MUST_CHECK gbv_status gbv_history_advise(const gbv_history *history, gbv_advice **advice, gbv_error *error);
GBV_API void gbv_advice_free(gbv_advice *advice, size_t count);

#ifdef __cplusplus
}
#endif
#endif
