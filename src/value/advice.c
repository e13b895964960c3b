#include "value/advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/html/result_limits.h"
#include "report/plain.h"
#include "value/flags.h"

static const double TOO_LITTLE = 0.5; /* of its share */
static const double NOTABLE = 1.1;    /* times its share: less is not worth a purchase, however sure it is */

const char *gbv_action_word(gbv_action action)
{
    static const char *const words[] = {"buy", "keep", "question", "stop", "can't tell"};
    return words[action];
}

const char *gbv_action_rule(gbv_action action)
{
    static const char *const rules[] = {
        "Its weight is at least a tenth above its share (the prior), and surely above it: the interval of weight over "
        "share, widened so that it holds for all sources at once, lies above 1. In a ledger its last delivery alone "
        "must say so, too.",
        "None of the other rules holds: it is worth about its share.",
        "A flag says that it is inconsistent with the reference or with what others say of the same items (in a "
        "ledger: its last delivery); or in a ledger it raised an alarm in one of the last three batches; or it would "
        "be bought, but a warning says that "
        "its data are odd.",
        "Its weight is surely below half of its share: the widened interval lies below that, and in a ledger its last "
        "delivery alone does, too; or its score does not rise above that of a model that knows nothing.",
        "There is no score, no interval that covers the source, nobody to compare it with, or the interval of weight "
        "over share reaches from below a half to above 1. In a ledger also: nothing was delivered for three batches.",
    };
    return rules[action];
}

/* z with a chance of `tail` above it, tail in (0, 1/2]. */
static double normal_quantile(double tail)
{
    double low = 0, high = 40;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        *(erfc(middle * M_SQRT1_2) / 2 > tail ? &low : &high) = middle;
    }
    return low;
}

/* The ends of a 90 % interval of one among many, on the scale of logarithms (Bonferroni). */
static share_ratio widen(const share_ratio *ratio, size_t source_count)
{
    double factor = normal_quantile(.05 / (double)source_count) / normal_quantile(.05);
    double middle = (log(ratio->low) + log(ratio->high)) / 2, half = (log(ratio->high) - log(ratio->low)) / 2;
    if (!(ratio->low > 0)) /* nothing is sure but the upper end, which is widened from what it is now */
        return (share_ratio){ratio->now, 0,
                             ratio->high > 0 && ratio->now > 0
                                 ? ratio->now * pow(fmax(1, ratio->high / ratio->now), factor)
                                 : ratio->high};
    return (share_ratio){ratio->now, exp(middle - factor * half), exp(middle + factor * half)};
}

gbv_action advice_by_weight(const share_ratio *ratio, size_t source_count)
{
    if (!(ratio->low <= ratio->high)) /* not known */
        return GBV_ACTION_UNKNOWN;
    share_ratio sure = widen(ratio, source_count ? source_count : 1);
    if (sure.low > 1 && ratio->now >= NOTABLE)
        return GBV_ACTION_BUY;
    if (sure.high < TOO_LITTLE)
        return GBV_ACTION_STOP;
    return ratio->low < TOO_LITTLE && ratio->high > 1 ? GBV_ACTION_UNKNOWN : GBV_ACTION_KEEP;
}

bool advice_say(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(text, format, arguments) < 0)
        *text = NULL;
    va_end(arguments);
    return *text;
}

const char *advice_ratio_text(const share_ratio *ratio, double share, char text[RATIO_TEXT])
{
    char now[PLAIN_TEXT], low[PLAIN_TEXT], high[PLAIN_TEXT], of[PLAIN_TEXT];
    snprintf(text, RATIO_TEXT, "%s times its share of %s (90 %%: %s to %s)", plain_ratio(ratio->now, now),
             plain_share(share, of), plain_ratio(ratio->low, low), plain_ratio(ratio->high, high));
    return text;
}

gbv_status advice_done(gbv_advice *made, size_t count, bool complete, gbv_advice **advice, gbv_error *error)
{
    *advice = complete ? made : NULL;
    if (complete)
        return GBV_OK;
    gbv_advice_free(made, made ? count : 0);
    return error_out_of_memory(error, "the advice");
}

void gbv_advice_free(gbv_advice *advice, size_t count)
{
    for (size_t i = 0; advice && i < count; i++) {
        free(advice[i].reason);
        free(advice[i].settles);
    }
    free(advice);
}

/* Advice on all sources of a result. */
typedef struct advising {
    const gbv_result *result;
    size_t best;  /* by corrected score, or by score; source_count: nobody has one */
    double floor; /* the score of a model that knows nothing; NaN: not known */
    bool alike;   /* no score differs from another */
} advising;

static double standing(const gbv_source_result *s)
{
    return isfinite(s->score_corrected) && s->score_interval[0] <= s->score_interval[1] ? s->score_corrected : s->score;
}

static size_t find_best(const gbv_result *r)
{
    size_t best = r->source_count;
    for (size_t i = 0; i < r->source_count; i++)
        if (isfinite(r->sources[i].score) &&
            (best == r->source_count || standing(&r->sources[i]) > standing(&r->sources[best])))
            best = i;
    return best;
}

/* The pair that leaves it open whether this source is the best; NULL: none does. */
static const gbv_pair *open_pair(const advising *a, size_t i)
{
    const gbv_pair *nearest = NULL;
    for (size_t p = 0; p < a->result->certainty.pair_count; p++) {
        const gbv_pair *pair = &a->result->certainty.pairs[p];
        bool with_best = (pair->first == i && pair->second == a->best) || (pair->first == a->best && pair->second == i);
        if (i == a->best ? pair->first == i && (!nearest || pair->difference < nearest->difference) : with_best)
            nearest = pair;
    }
    return nearest;
}

/* What would tell the source from the best one, or the best from the next. */
static bool say_what_separates(const advising *a, size_t i, gbv_advice *out)
{
    const gbv_result *r = a->result;
    const gbv_pair *pair = open_pair(a, i);
    if (!pair)
        return out->action != GBV_ACTION_UNKNOWN ||
               advice_say(&out->settles, "more reference rows (there are %zu), and more rows of the source",
                          r->reference_rows);
    const char *other = r->sources[pair->first == i ? pair->second : pair->first].name;
    if (isfinite(pair->rows_needed))
        return advice_say(&out->settles, "about %.0f reference rows (there are %zu) would tell it from %s",
                          pair->rows_needed, r->reference_rows, other);
    if (isinf(pair->rows_needed))
        return advice_say(&out->settles,
                          "more rows of it and of %s: no number of reference rows alone would tell them apart", other);
    return out->action != GBV_ACTION_UNKNOWN || advice_say(&out->settles, "more rows, to tell it from %s", other);
}

/* Why nothing can be said before weights are looked at; false: something can. */
static bool is_unknown(const advising *a, size_t i, gbv_advice *out, bool *complete)
{
    const gbv_result *r = a->result;
    const gbv_source_result *s = &r->sources[i];
    const char *reason = NULL, *settles = NULL;
    if (s->score_status == GBV_SCORE_UNDEFINED) {
        reason = "it has no score";
        settles = "mend what its flag or warning says, or value it by another measure";
    } else if (s->score_status == GBV_SCORE_MINUS_INFINITY) {
        reason = "its score is minus infinity, to which a single reference row may lead";
        settles = "a measure that stays finite, such as leep";
    } else if (r->source_count == 1) {
        reason = "there is no other source to compare it with";
        settles = "another source beside it";
    } else if (!(s->prior > 0)) {
        reason = "its prior is zero, so that nothing can give it weight";
        settles = "a prior above zero";
    } else if (a->alike) {
        reason = "all sources have the same score, and the weights are the prior";
        settles = "a method or measure that tells them apart, such as gbv by leep";
    } else if (!r->certainty.replicates || isnan(s->posterior_interval[0]) || isnan(s->posterior_interval[1])) {
        reason = "how sure its weight is was not found out";
        settles = "intervals (--intervals 200)";
    } else if (s->rows == 0) {
        reason = "it was given as probabilities, so that its interval covers the choice of reference rows only";
        settles = "its rows themselves (--source)";
    } else if (!r->certainty.refits) {
        reason = "no model was fitted again, so that its interval covers the choice of reference rows only";
        settles = "--refits 5, in five times the time of training";
    }
    if (!reason)
        return false;
    out->action = GBV_ACTION_UNKNOWN;
    *complete = advice_say(&out->reason, "%s", reason) && advice_say(&out->settles, "%s", settles);
    return true;
}

bool advice_question(const char *kind, const char *found, gbv_advice *out)
{
    out->action = GBV_ACTION_QUESTION;
    return advice_say(&out->reason, "%s", found) && advice_say(&out->settles, "%s", gbv_flag_remedy(kind));
}

/* In percent, where the flag's own sentence has shares for programs and experts. */
static bool question(const advising *a, const gbv_source_result *s, gbv_advice *out)
{
    const gbv_flag *flag = &s->flags[0];
    const char *kind, *summary = flag->kind;
    char found[160], agreement[PLAIN_TEXT], rows[PLAIN_TEXT];
    for (size_t k = 0; flag_kind_at(k, &kind, &summary); k++)
        if (strcmp(kind, flag->kind) == 0)
            break;
    if (strcmp(flag->kind, FLAG_CHANCE) != 0 || isnan(s->agreement))
        return advice_question(flag->kind, *flag->detail ? flag->detail : summary, out);
    snprintf(found, sizeof found,
             "its model agrees with the reference on %s of the %s rows, no more often than chance would",
             plain_share(s->agreement, agreement), plain_count(a->result->reference_rows, rows));
    return advice_question(flag->kind, found, out);
}

static bool say_weight(const advising *a, size_t i, const share_ratio *ratio, gbv_advice *out)
{
    const gbv_result *r = a->result;
    const gbv_source_result *s = &r->sources[i];
    char more[240] = "", weight[RATIO_TEXT], own[PLAIN_TEXT], best[PLAIN_TEXT];
    bool stands_out = ratio->low > 1 || ratio->high < TOO_LITTLE;
    if (r->ambiguous)
        snprintf(more, sizeof more, "; all scores differ no more than chance explains");
    else if (out->action == GBV_ACTION_KEEP && stands_out && (ratio->high < 1 || ratio->now >= NOTABLE))
        snprintf(more, sizeof more, ", as chance may bring about for one of %zu sources", r->source_count);
    else if (out->action == GBV_ACTION_STOP && isfinite(s->agreement) && isfinite(r->sources[a->best].agreement))
        snprintf(more, sizeof more,
                 "; its model agrees with the reference on %s of the rows, that of the best source on %s",
                 plain_share(s->agreement, own), plain_share(r->sources[a->best].agreement, best));
    return advice_say(&out->reason, "its weight is %s%s", advice_ratio_text(ratio, s->prior, weight), more);
}

static bool advise(const advising *a, size_t i, gbv_advice *out)
{
    const gbv_result *r = a->result;
    const gbv_source_result *s = &r->sources[i];
    bool complete;
    if (s->flag_count && s->score_status != GBV_SCORE_UNDEFINED)
        return question(a, s, out);
    if (r->certainty.refits && s->rows && s->score_interval[1] <= a->floor) {
        out->action = GBV_ACTION_STOP;
        return advice_say(&out->reason,
                          "its score is at most %.3g (90 %%), and a model that knows nothing but how frequent the "
                          "classes are has %.3g",
                          s->score_interval[1], a->floor);
    }
    if (is_unknown(a, i, out, &complete))
        return complete;
    share_ratio ratio = share_ratio_of(s->posterior, s->posterior_interval, s->prior);
    out->action = advice_by_weight(&ratio, r->source_count);
    if (r->ambiguous && (out->action == GBV_ACTION_BUY || out->action == GBV_ACTION_STOP))
        out->action = GBV_ACTION_KEEP;
    if (out->action == GBV_ACTION_BUY && s->warning_count) {
        out->action = GBV_ACTION_QUESTION;
        return advice_say(&out->reason, "its weight would be worth buying (%.2f times its share), but %s", ratio.now,
                          s->warnings[0]) &&
               advice_say(&out->settles, "mend or explain what the warning says, and value it again");
    }
    if (!say_weight(a, i, &ratio, out))
        return false;
    return out->action == GBV_ACTION_BUY || out->action == GBV_ACTION_STOP || say_what_separates(a, i, out);
}

gbv_status gbv_result_advise(const gbv_result *result, gbv_advice **advice, gbv_error *error)
{
    advising a = {.result = result, .best = find_best(result), .floor = result_limits_of(result).floor, .alike = true};
    for (size_t i = 1; i < result->source_count; i++)
        a.alike &= result->sources[i].score == result->sources[0].score;
    gbv_advice *made = memory_zeroed(result->source_count, sizeof *made);
    bool complete = made;
    for (size_t i = 0; i < result->source_count && complete; i++)
        complete = advise(&a, i, &made[i]);
    return advice_done(made, result->source_count, complete, advice, error);
}
