/* result_json.h - a result as an object inside a larger JSON document, and a comparison from one. */
#ifndef REPORT_RESULT_JSON_H
#define REPORT_RESULT_JSON_H

#include <jansson.h>

#include <gbv/compare.h>

#include "base/json.h"

void result_write_json(json_writer *json, const char *key, const gbv_result *result);
/* `path` is for messages. The caller frees the result. */
GBV_MUST_CHECK gbv_status result_from_json(const json_t *root, const char *path, gbv_result **result, gbv_error *error);
GBV_MUST_CHECK gbv_status comparison_from_json(const json_t *root, const char *path, gbv_comparison **comparison,
                                               gbv_error *error);

#endif
