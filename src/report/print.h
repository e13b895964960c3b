/* print.h - results and evaluations onto a stream; whether all of it arrived is for the caller to check. */
#ifndef REPORT_PRINT_H
#define REPORT_PRINT_H

#include <gbv/report.h>

bool result_print_table(const gbv_result *result, FILE *stream, bool color); /* false when memory is out */
void result_print_csv(const gbv_result *result, FILE *stream);
void result_print_json(const gbv_result *result, FILE *stream);
void evaluation_print(const gbv_evaluation *evaluation, gbv_report_format format, FILE *stream);

#endif
