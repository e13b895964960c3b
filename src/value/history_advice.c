/* history_advice.c - what to do about each source of a ledger: its accumulated weight, what its last delivery says by
 * itself, alarms, and who has not delivered. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/plain.h"
#include "value/advice.h"
#include "value/flags.h"

enum { LONG_ABSENT = 3, RECENT = 3 }; /* batches: without a delivery, and that an alarm is not forgotten */

static const gbv_history_point *point_of(const gbv_history *h, size_t s, size_t t)
{
    return &h->points[s * h->batch_count + t];
}

/* The last batch in which the source delivered; batch_count: none that is known. */
static size_t last_delivery(const gbv_history *h, size_t s)
{
    for (size_t t = h->batch_count; t-- > 0;)
        if (point_of(h, s, t)->present)
            return t;
    return h->batch_count;
}

/* Its weight by one batch alone, over its share of those who delivered, whose priors add up to `present`. */
static double ratio_alone(const gbv_history_point *p, double present)
{
    return p->batch_posterior * present / p->prior;
}

static bool say_unknown(gbv_advice *out, const char *reason, const char *settles)
{
    out->action = GBV_ACTION_UNKNOWN;
    return advice_say(&out->reason, "%s", reason) && advice_say(&out->settles, "%s", settles);
}

/* The last alarm of late; batch_count: there was none. */
static size_t recent_alarm(const gbv_history *h, size_t s)
{
    for (size_t t = h->batch_count; t-- > 0 && h->batch_count - t <= RECENT;)
        if (point_of(h, s, t)->present && point_of(h, s, t)->alarm)
            return t;
    return h->batch_count;
}

static bool say_alarm(const gbv_history *h, size_t s, size_t t, gbv_advice *out)
{
    const gbv_history_batch *batch = &h->batches[t];
    const gbv_history_point *p = point_of(h, s, t);
    out->action = GBV_ACTION_QUESTION;
    return advice_say(
               &out->reason,
               "its score got %s than its past explains: in batch %s it was %.1f standard errors %s it, beyond what "
               "all sources moved by, and such deviations added up to %.1f (the limit is %.1f)",
               p->alarm < 0 ? "worse" : "better", batch->name, fabs(p->z), p->z < 0 ? "below" : "above", fabs(p->cusum),
               batch->alarm_threshold) &&
           advice_say(
               &out->settles,
               p->alarm < 0
                   ? "ask what changed: who labels, by which instructions, where the rows come from; without any "
                     "change there is such an alarm once in %.3g batches"
                   : "see that rows of the reference did not come to it; without any change there is such an alarm "
                     "once in %.3g batches",
               batch->alarm_batches);
}

static bool say_flag(const char *flag, gbv_advice *out)
{
    const char *kind, *summary = flag;
    for (size_t k = 0; flag_kind_at(k, &kind, &summary); k++)
        if (strcmp(kind, flag) == 0)
            break;
    return advice_question(flag, summary, out);
}

/* `held_back` is what the accumulated weight says and the last delivery alone does not; GBV_ACTION_KEEP: nothing. */
static bool say_weight(const gbv_history *h, size_t s, size_t delivered, const share_ratio *ratio, double alone,
                       gbv_action held_back, gbv_advice *out)
{
    char weight[RATIO_TEXT], times[PLAIN_TEXT], late[80] = "";
    size_t missed = h->batch_count - 1 - delivered;
    advice_ratio_text(ratio, point_of(h, s, h->batch_count - 1)->prior, weight);
    if (missed)
        snprintf(late, sizeof late,
                 missed == 1 ? "; it did not deliver in the last batch"
                             : "; it did not deliver in the last %zu batches",
                 missed);
    if (!isfinite(alone))
        return advice_say(&out->reason, "its weight has come to %s%s", weight, late);
    return advice_say(&out->reason, "its weight has come to %s, %s batch %s alone gives it %s times%s%s", weight,
                      held_back == GBV_ACTION_KEEP ? "and" : "but", h->batches[delivered].name,
                      plain_ratio(alone, times),
                      held_back == GBV_ACTION_BUY    ? ", which is no reason to buy more"
                      : held_back == GBV_ACTION_STOP ? ", which is not below a half"
                                                     : "",
                      late);
}

/* `present` has the priors of those who delivered, added up for each batch; NaN where not all are known. */
static bool advise(const gbv_history *h, size_t s, const double *present, gbv_advice *out)
{
    size_t last = h->batch_count - 1, delivered = last_delivery(h, s);
    const gbv_history_point *p = point_of(h, s, last);
    const gbv_history_batch *batch = &h->batches[last];
    if (isnan(p->posterior)) {
        out->action = GBV_ACTION_STOP;
        return advice_say(&out->reason, "it left: it will not deliver again");
    }
    if (recent_alarm(h, s) < h->batch_count)
        return say_alarm(h, s, recent_alarm(h, s), out);
    if (delivered == h->batch_count || last - delivered >= LONG_ABSENT)
        return say_unknown(out,
                           delivered == h->batch_count ? "it delivered in none of these batches"
                                                       : "it has not delivered for three batches or more",
                           "a new delivery, or taking it out (--leave)");
    if (point_of(h, s, delivered)->flag)
        return say_flag(point_of(h, s, delivered)->flag, out);
    if (p->prior >= 1 - 1e-9)
        return say_unknown(out, "there is no other source to compare it with", "another source beside it");
    if (isnan(point_of(h, s, delivered)->score))
        return say_unknown(out, "its last delivery has no score", "a delivery that the measure can score");
    if (!(p->prior > 0))
        return say_unknown(out, "its prior is zero, so that nothing can give it weight", "a prior above zero");
    if (isnan(p->posterior_interval[0]) || isnan(p->posterior_interval[1]))
        return say_unknown(out, "how sure its weight is was not found out in every batch",
                           "intervals in the batches to come (--intervals 200)");
    if (batch->replicates && !batch->refits)
        return say_unknown(out,
                           "no model was fitted again, so that its interval covers the choice of reference rows only",
                           "--refits 5, in five times the time of training");
    share_ratio ratio = share_ratio_of(p->posterior, p->posterior_interval, p->prior);
    double alone = ratio_alone(point_of(h, s, delivered), present[delivered]);
    size_t count = h->source_count > batch->present ? h->source_count : batch->present;
    out->action = advice_by_weight(&ratio, count);
    /* Small differences add up over many batches until one source has everything: the last one must say it, too. */
    gbv_action held_back = GBV_ACTION_KEEP;
    if ((out->action == GBV_ACTION_BUY && alone < 1) || (out->action == GBV_ACTION_STOP && alone > .5)) {
        held_back = out->action;
        out->action = GBV_ACTION_KEEP;
    }
    return say_weight(h, s, delivered, &ratio, alone, held_back, out) &&
           (out->action != GBV_ACTION_UNKNOWN ||
            advice_say(&out->settles, "further batches, or more reference rows (there are %zu)",
                       batch->reference_rows));
}

gbv_status gbv_history_advise(const gbv_history *history, gbv_advice **advice, gbv_error *error)
{
    size_t batches = history->batch_count;
    gbv_advice *made = memory_zeroed(history->source_count, sizeof *made);
    double *present = memory_zeroed(batches, sizeof *present);
    bool complete = made && present;
    for (size_t t = 0; t < batches && complete; t++) {
        size_t seen = 0;
        for (size_t s = 0; s < history->source_count; s++)
            if (point_of(history, s, t)->present) {
                present[t] += point_of(history, s, t)->prior;
                seen++;
            }
        if (seen < history->batches[t].present) /* others are not shown */
            present[t] = NAN;
    }
    for (size_t s = 0; s < history->source_count && complete; s++)
        complete = batches ? advise(history, s, present, &made[s])
                           : say_unknown(&made[s], "there is no batch yet", "a first batch (gbv update)");
    free(present);
    return advice_done(made, history->source_count, complete, advice, error);
}
