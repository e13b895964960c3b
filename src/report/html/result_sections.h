/* result_sections.h - the sections that are of a valuation, for its own page and for pages that have one in them. Each
 * leaves itself out where the result has nothing of it. */
#ifndef REPORT_HTML_RESULT_SECTIONS_H
#define REPORT_HTML_RESULT_SECTIONS_H

#include <gbv/advice.h>
#include <gbv/value.h>

#include "report/html/advice_table.h"
#include "report/html/page.h"

typedef struct result_view {
    const gbv_result *result;
    const gbv_advice *advice; /* one for each source; NULL: none */
    const char *command;      /* the command that made it; NULL: it is made up from the record; "": it is left out */
    size_t *order;            /* of the sources, best first */
} result_view;

/* NULL order when memory is out. Free with result_view_free. */
result_view result_view_of(const gbv_result *result, const gbv_advice *advice, const char *command);
void result_view_free(result_view *view);
/* The sources with their advice, best first, for the first screen; NULL when memory is out. The caller frees it. */
advised *advised_of_result(const result_view *v);

void result_sections(page *p, const result_view *v); /* all of them, in this order */
void result_section_weights(page *p, const result_view *v);
void result_section_scores(page *p, const result_view *v);
void result_section_sources(page *p, const result_view *v); /* the table of all sources, id "sources" */
void result_section_flags(page *p, const result_view *v);
void result_section_pairs(page *p, const result_view *v);
void result_section_confusion(page *p, const result_view *v);
void result_section_methods(page *p, const result_view *v);
void result_section_tau(page *p, const result_view *v);
void result_section_reference(page *p, const result_view *v); /* every use of it */
void result_section_record(page *p, const result_view *v);    /* command, options, inputs, hashes */

#endif
