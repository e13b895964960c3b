/* advice.h - what the advice on a result and on a ledger have in common: a weight beside its share, and texts. */
#ifndef VALUE_ADVICE_H
#define VALUE_ADVICE_H

#include <gbv/advice.h>

/* P(s)/p(s) and its interval at 90 %. */
typedef struct share_ratio {
    double now, low, high;
} share_ratio;

static inline share_ratio share_ratio_of(double weight, const double interval[2], double share)
{
    return (share_ratio){weight / share, interval[0] / share, interval[1] / share};
}

/* The rules on weights: GBV_ACTION_BUY, KEEP, STOP or UNKNOWN. So that nobody of many sources stands out by chance, the
 * interval is widened to hold for all of them at once before anything is sure. */
gbv_action advice_by_weight(const share_ratio *ratio, size_t source_count);

/* "1.55 times its share of 16.7 % (90 %: 1.42 to 1.66)". */
enum { RATIO_TEXT = 320 };
const char *advice_ratio_text(const share_ratio *ratio, double share, char text[RATIO_TEXT]);

/* Questions a source for a flag: `found` says what was found, and the advice how to find out why. */
bool advice_question(const char *kind, const char *found, gbv_advice *out);

/* Sets *text, or leaves it NULL for GBV_FAILED. */
bool advice_say(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Turns missing texts into a failure. */
GBV_MUST_CHECK gbv_status advice_done(gbv_advice *made, size_t count, bool complete, gbv_advice **advice,
                                      gbv_error *error);

#endif
