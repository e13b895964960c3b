/* evaluation_sections.h - what the pages of models share: how good they are by class, and the command behind them. */
#ifndef REPORT_HTML_EVALUATION_SECTIONS_H
#define REPORT_HTML_EVALUATION_SECTIONS_H

#include <gbv/report.h>

#include "report/html/page.h"

void evaluation_headline(const gbv_evaluation *evaluation, char *text, size_t size);
void evaluation_sections(page *p, const gbv_evaluation *evaluation);
/* A section with the command of the options, where there is one. */
void page_add_command(page *p, const gbv_page_options *options);

#endif
