/* report.h - a result as people and programs want to see it.
 *
 *     gbv_report_table(result, stdout, true, &error);
 */
#ifndef GBV_REPORT_H
#define GBV_REPORT_H

#include <stdio.h>

#include <gbv/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ranking, best first, with bars; `color` uses terminal colours. */
GBV_API GBV_MUST_CHECK gbv_status gbv_report_table(const gbv_result *result, FILE *stream, bool color,
                                                   gbv_error *error);
/* One line per source in the order given, with a header. */
GBV_API GBV_MUST_CHECK gbv_status gbv_report_csv(const gbv_result *result, FILE *stream, gbv_error *error);
/* The whole result as one JSON document (docs/formats.md), every double surviving the round trip. */
GBV_API GBV_MUST_CHECK gbv_status gbv_report_json(const gbv_result *result, FILE *stream, gbv_error *error);

/* The JSON document as a file. A file that cannot be written whole is not left behind. */
GBV_API GBV_MUST_CHECK gbv_status gbv_result_write(const gbv_result *result, const char *path, gbv_error *error);
GBV_API GBV_MUST_CHECK gbv_status gbv_result_read(const char *path, gbv_result **result, gbv_error *error);

#ifdef __cplusplus
}
#endif
#endif
