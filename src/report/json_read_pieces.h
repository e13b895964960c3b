/* json_read_pieces.h - what the JSON of a result and that of a comparison have in common, read back; json_pieces.h
 * writes it. What is read belongs to the result, also after a failure. */
#ifndef REPORT_JSON_READ_PIECES_H
#define REPORT_JSON_READ_PIECES_H

#include <gbv/value.h>

#include "base/json_fields.h"

/* What is said of the whole: version, problem, model, options, inputs, warnings. */
void result_read_head(json_fields *f, const json_t *root, gbv_result *result);

/* The sources, after the head: `rest` reads what is not in both documents. Then how sure the result is. */
typedef void read_source_rest(json_fields *f, const json_t *object, gbv_source_result *source);
void result_read_sources(json_fields *f, const json_t *root, gbv_result *result, read_source_rest *rest);

/* One way of scoring, after the sources. */
void result_read_measure(json_fields *f, const json_t *object, const gbv_result *result, gbv_measure_result *by);

#endif
