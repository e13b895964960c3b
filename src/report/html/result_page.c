/* result_page.c - the page of a valuation. */
#include <gbv/report.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/html/advice_table.h"
#include "report/html/result_sections.h"
#include "report/plain.h"
#include "report/redact.h"

enum { WARNINGS_FIRST = 2 };

static void write_subject(const gbv_result *r, char *text, size_t size)
{
    char rows[PLAIN_TEXT], sources[PLAIN_TEXT];
    bool fitted = false;
    for (size_t i = 0; i < r->source_count; i++)
        fitted |= r->sources[i].rows > 0;
    snprintf(text, size, "%s source%s by %s%s%s%s%s on %s %srows", plain_count(r->source_count, sources),
             r->source_count == 1 ? "" : "s", *r->measure ? r->measure : r->method, *r->variant ? " " : "", r->variant,
             !*r->measure ? ""
             : fitted     ? " of "
                          : " of given probabilities",
             *r->measure && fitted ? r->model : "", plain_count(r->reference_rows, rows),
             r->reference_use_count ? "reference " : "");
}

static void write_lead(const gbv_result *r, char *text, size_t size)
{
    char effective[PLAIN_TEXT], rows[PLAIN_TEXT], sources[PLAIN_TEXT];
    int used =
        snprintf(text, size, "The weights amount to %s of %s source%s", plain_number(r->effective_sources, effective),
                 plain_count(r->source_count, sources), r->source_count == 1 ? "" : "s");
    if (isfinite(r->effective_rows) && r->effective_rows < 1e15)
        used += snprintf(text + used, size - (size_t)used, " and %s rows",
                         plain_count((size_t)llround(r->effective_rows), rows));
    snprintf(text + used, size - (size_t)used, ". %s%s",
             r->ambiguous ? "The scores differ no more than chance explains. " : "",
             r->certainty.replicates ? "Intervals hold at 90 %." : "How sure that is was not asked for.");
}

static void fill_page(page *p, const result_view *v, const advised *sources)
{
    const gbv_result *r = v->result;
    page_advice(p, sources, r->source_count, "sources");
    for (size_t i = 0; i < r->warning_count && i < WARNINGS_FIRST; i++)
        page_warning(p, r->warnings[i]);
    if (r->warning_count > WARNINGS_FIRST)
        page_link(p, "flags", "And %zu more.", r->warning_count - WARNINGS_FIRST);
    page_advice_rules(p);
    result_sections(p, v);
}

static gbv_status write_page(const gbv_result *result, const char *command, const char *path, gbv_error *error)
{
    gbv_advice *advice;
    gbv_status status = gbv_result_advise(result, &advice, error);
    if (status != GBV_OK)
        return status;
    char subject[200], lead[300];
    sentence headline = {0};
    result_view view = result_view_of(result, advice, command);
    advised *sources = view.order ? advised_of_result(&view) : NULL;
    if (!sources) {
        status = error_out_of_memory(error, "a page");
        goto done;
    }
    write_subject(result, subject, sizeof subject);
    write_lead(result, lead, sizeof lead);
    advice_headline(sources, result->source_count, &headline);
    page *p = page_open(&(page_head){.title = "gbv: what the sources are worth",
                                     .kind = "Valuation",
                                     .subject = subject,
                                     .headline = headline.text,
                                     .lead = lead});
    fill_page(p, &view, sources);
    status = page_close(p, path, error);
done:
    free(sources);
    result_view_free(&view);
    gbv_advice_free(advice, result->source_count);
    return status;
}

gbv_status gbv_result_page(const gbv_result *result, const gbv_page_options *options, const char *path,
                           gbv_error *error)
{
    gbv_result *shown = NULL;
    bool redacted = options && options->redact;
    gbv_status status = redacted ? redact_result(result, options, &shown, error) : GBV_OK;
    if (status == GBV_OK)
        status = write_page(redacted ? shown : result, redacted ? "" : options ? options->command : NULL, path, error);
    gbv_result_free(shown);
    return status;
}
