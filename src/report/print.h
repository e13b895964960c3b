/* print.h - results, comparisons and evaluations onto a stream; whether all of it arrived is for the caller to check.
 */
#ifndef REPORT_PRINT_H
#define REPORT_PRINT_H

#include <gbv/compare.h>
#include <gbv/ledger.h>
#include <gbv/report.h>

/* Tables: false when memory is out; `terminal` NULL: for a file. */
bool result_print_table(const gbv_result *result, FILE *stream, const gbv_terminal *terminal);
bool comparison_print_table(const gbv_comparison *comparison, FILE *stream, const gbv_terminal *terminal);
bool evaluation_print_table(const gbv_evaluation *evaluation, FILE *stream, const gbv_terminal *terminal);
bool history_print_table(const gbv_history *history, FILE *stream, const gbv_terminal *terminal);
/* Pieces of a result's table: a line for each way of scoring; the weights of the first sources in order over tau. */
bool measures_print(const gbv_result *result, FILE *stream, const gbv_terminal *terminal);
bool tau_curve_print(const gbv_result *result, gbv_source_result *const *order, size_t shown, size_t name_width,
                     FILE *stream, const gbv_terminal *terminal);
/* Notes, warnings and, where wanted, flags, as a table ends; sources in this order, NULL: as given. `all` says where
 * those are that are too many. */
void result_print_warnings(const gbv_result *result, gbv_source_result *const *order, bool flags, const char *all,
                           FILE *stream, const gbv_terminal *terminal);

void result_print_csv(const gbv_result *result, FILE *stream);
void result_print_json(const gbv_result *result, FILE *stream);
void comparison_print_csv(const gbv_comparison *comparison, FILE *stream);
void comparison_print_json(const gbv_comparison *comparison, FILE *stream);
void evaluation_print_csv(const gbv_evaluation *evaluation, FILE *stream);
void history_print_csv(const gbv_history *history, FILE *stream);
void history_print_json(const gbv_history *history, FILE *stream);
void history_print_weights(const gbv_history *history, FILE *stream); /* the last ones */
void evaluation_print_json(const gbv_evaluation *evaluation, FILE *stream);

#endif
