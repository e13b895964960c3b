/* history_page.c - the page of a ledger: what to do now, what changed, and how it came to that. */
#include <gbv/report.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/html/advice_table.h"
#include "report/html/history_sections.h"
#include "report/html/result_sections.h"
#include "report/plain.h"
#include "report/redact.h"

static int by_weight(const void *left, const void *right, void *context)
{
    const gbv_history *h = context;
    const gbv_history_point *a = history_last_point(h, *(const size_t *)left),
                            *b = history_last_point(h, *(const size_t *)right);
    double x = a && !isnan(a->posterior) ? a->posterior : -1, y = b && !isnan(b->posterior) ? b->posterior : -1;
    return x != y ? (x < y) - (x > y)
                  : (*(const size_t *)left > *(const size_t *)right) - (*(const size_t *)left < *(const size_t *)right);
}

static bool view_open(history_view *v, const gbv_history *h, const gbv_advice *advice)
{
    *v = (history_view){.history = h, .advice = advice, .order = memory_array(h->source_count, sizeof *v->order)};
    for (size_t s = 0; v->order && s < h->source_count; s++)
        v->order[s] = s;
    if (v->order)
        qsort_r(v->order, h->source_count, sizeof *v->order, by_weight, (void *)h);
    return v->order;
}

static advised *advised_of_history(const history_view *v)
{
    const gbv_history *h = v->history;
    advised *sources = memory_array(h->source_count, sizeof *sources);
    for (size_t k = 0; sources && k < h->source_count; k++) {
        const gbv_history_point *point = history_last_point(h, v->order[k]);
        sources[k] = (advised){.name = h->names[v->order[k]],
                               .weight = point ? point->posterior : NAN,
                               .low = point ? point->posterior_interval[0] : NAN,
                               .high = point ? point->posterior_interval[1] : NAN,
                               .advice = &v->advice[v->order[k]]};
    }
    return sources;
}

static void write_head(const gbv_history *h, char *subject, size_t subject_size, char *lead, size_t lead_size)
{
    char batches[PLAIN_TEXT], sources[PLAIN_TEXT], effective[PLAIN_TEXT];
    size_t all = h->batch_count + h->first_batch;
    const gbv_history_batch *last = h->batch_count ? &h->batches[h->batch_count - 1] : NULL;
    snprintf(subject, subject_size, "%s batch%s of %s source%s%s%.100s", plain_count(all, batches),
             all == 1 ? "" : "es", plain_count(h->source_count, sources), h->source_count == 1 ? "" : "s",
             last ? ", the last: " : "", last ? last->name : "");
    if (!last) {
        snprintf(lead, lead_size, "Nothing was added yet.");
        return;
    }
    int used = snprintf(lead, lead_size, "The accumulated weights amount to %s sources. ",
                        plain_number(last->effective_sources, effective));
    if (last->forgetting < 1)
        snprintf(lead + used, lead_size - (size_t)used,
                 "Each batch counts %.3g times as much as the one after it: the ledger remembers about %.3g batches.",
                 last->forgetting, 1 / (1 - last->forgetting));
    else
        snprintf(lead + used, lead_size - (size_t)used, "Every batch counts alike (no forgetting).");
}

static void add_last_result(page *p, const gbv_result *last)
{
    result_view view = result_view_of(last, NULL, ""); /* the verdicts are those of all batches, above */
    page_section(p, "last-batch", "The last batch by itself",
                 "What follows is of this batch alone; its prior is what the batches before came to.");
    if (!view.order)
        page_fail(p);
    else
        result_sections(p, &view);
    result_view_free(&view);
}

static gbv_status write_page(const gbv_history *h, const gbv_result *last, const char *command, const char *path,
                             gbv_error *error)
{
    gbv_advice *advice;
    char subject[300], lead[300];
    sentence headline = {0};
    history_view v;
    gbv_status status = gbv_history_advise(h, &advice, error);
    if (status != GBV_OK)
        return status;
    advised *sources = view_open(&v, h, advice) ? advised_of_history(&v) : NULL;
    if (!sources) {
        status = error_out_of_memory(error, "a page");
        goto done;
    }
    advice_headline(sources, h->source_count, &headline);
    write_head(h, subject, sizeof subject, lead, sizeof lead);
    page *p = page_open(&(page_head){.title = "gbv: what the sources are worth over time",
                                     .kind = "Ledger",
                                     .subject = subject,
                                     .headline = headline.text,
                                     .lead = lead});
    page_advice(p, sources, h->source_count, "ledger-sources");
    history_changes(p, &v);
    page_advice_rules(p);
    history_section_trajectories(p, &v);
    history_section_sources(p, &v);
    history_section_drift(p, &v);
    history_section_strategies(p, &v);
    history_section_batches(p, &v, command);
    if (last)
        add_last_result(p, last);
    status = page_close(p, path, error);
done:
    free(sources);
    free(v.order);
    gbv_advice_free(advice, h->source_count);
    return status;
}

gbv_status gbv_history_page(const gbv_history *history, const gbv_result *last, const gbv_page_options *options,
                            const char *path, gbv_error *error)
{
    gbv_history *shown = NULL;
    gbv_result *shown_last = NULL;
    bool redacted = options && options->redact;
    gbv_status status = redacted ? redact_history(history, last, options, &shown, &shown_last, error) : GBV_OK;
    if (status == GBV_OK)
        status = write_page(redacted ? shown : history, redacted ? shown_last : last,
                            redacted  ? ""
                            : options ? options->command
                                      : NULL,
                            path, error);
    gbv_history_free(shown);
    gbv_result_free(shown_last);
    return status;
}
