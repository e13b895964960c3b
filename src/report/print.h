/* print.h - results, comparisons and evaluations onto a stream; whether all of it arrived is for the caller to check.
 */
#ifndef REPORT_PRINT_H
#define REPORT_PRINT_H

#include <gbv/compare.h>
#include <gbv/report.h>

bool result_print_table(const gbv_result *result, FILE *stream, bool color); /* false when memory is out */
void result_print_csv(const gbv_result *result, FILE *stream);
void result_print_json(const gbv_result *result, FILE *stream);
/* Notes, warnings and flags, as a table ends; sources in this order, NULL: as given. */
void result_print_warnings(const gbv_result *result, gbv_source_result *const *order, FILE *stream);
void comparison_print_table(const gbv_comparison *comparison, FILE *stream, size_t width);
void comparison_print_csv(const gbv_comparison *comparison, FILE *stream);
void comparison_print_json(const gbv_comparison *comparison, FILE *stream);
void evaluation_print(const gbv_evaluation *evaluation, gbv_report_format format, FILE *stream);

#endif
