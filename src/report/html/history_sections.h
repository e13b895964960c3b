/* history_sections.h - the sections of a ledger's page. Each leaves itself out where there is nothing of it. */
#ifndef REPORT_HTML_HISTORY_SECTIONS_H
#define REPORT_HTML_HISTORY_SECTIONS_H

#include <gbv/advice.h>

#include "report/html/page.h"

typedef struct history_view {
    const gbv_history *history;
    const gbv_advice *advice; /* one for each source */
    size_t *order;            /* of the sources, the largest weight first */
} history_view;

static inline const gbv_history_point *history_point(const gbv_history *h, size_t source, size_t batch)
{
    return &h->points[source * h->batch_count + batch];
}

/* NULL without batches. */
static inline const gbv_history_point *history_last_point(const gbv_history *h, size_t source)
{
    return h->batch_count ? history_point(h, source, h->batch_count - 1) : NULL;
}

void history_changes(page *p, const history_view *v);              /* since the batch before; of the first screen */
void history_section_trajectories(page *p, const history_view *v); /* weights over batches, with alarms */
void history_section_sources(page *p, const history_view *v);      /* this batch beside what has come together */
void history_section_drift(page *p, const history_view *v);
void history_section_strategies(page *p, const history_view *v);
/* `command` NULL: that which shows the ledger again; "": none is shown. */
void history_section_batches(page *p, const history_view *v, const char *command);

#endif
