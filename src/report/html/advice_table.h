/* advice_table.h - the first screen of every page that speaks of sources: what to do about each, and why. */
#ifndef REPORT_HTML_ADVICE_TABLE_H
#define REPORT_HTML_ADVICE_TABLE_H

#include <gbv/advice.h>

#include "base/sentence.h"
#include "report/html/page.h"

typedef struct advised {
    const char *name;
    double weight, low, high; /* NaN: not known */
    const gbv_advice *advice;
} advised;

extern const page_badge advice_badges[]; /* by gbv_action */
enum { ADVICE_BADGES = 5, ADVICE_ON_ONE_PAGE = 12 };

/* The sentence of the first screen: what to do about whom. */
void advice_headline(const advised *sources, size_t count, sentence *headline);
/* How many sources have each verdict; each source with verdict, weight, reason and what would settle it, in the order
 * given; of many only those that can be printed on one page, in the order of what must be decided first, and the rest
 * is said to be in the table `all_id`. */
void page_advice(page *p, const advised *sources, size_t count, const char *all_id);
/* The rules by which verdicts are chosen, folded away. */
void page_advice_rules(page *p);

#endif
