/* history.h - what the forms of a ledger's history have in common. */
#ifndef REPORT_HISTORY_H
#define REPORT_HISTORY_H

#include <math.h>
#include <time.h>

#include <gbv/ledger.h>

enum { TIME_TEXT = 32 };

static inline const gbv_history_point *history_point(const gbv_history *h, size_t source, size_t batch)
{
    return &h->points[source * h->batch_count + batch];
}

/* Of a point's score, beside the words of a result's: why there is none. */
static inline const char *history_score_status(const gbv_history_point *p)
{
    return !p->present ? "absent" : isnan(p->score) ? "undefined" : p->score == -INFINITY ? "minus_infinity" : "ok";
}

static inline const char *history_alarm_word(int alarm)
{
    return alarm < 0 ? "worse" : alarm > 0 ? "better" : "none";
}

/* UTC, by the form that strftime takes; "" for a time beyond the calendar. */
static inline const char *history_time(int64_t time, const char *form, char text[TIME_TEXT])
{
    struct tm parts;
    time_t seconds = (time_t)time;
    if (!gmtime_r(&seconds, &parts) || !strftime(text, TIME_TEXT, form, &parts))
        *text = 0;
    return text;
}

#define HISTORY_TIME_FORM "%Y-%m-%dT%H:%M:%SZ"

#endif
