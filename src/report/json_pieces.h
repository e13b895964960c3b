/* json_pieces.h - what the JSON of a result and that of a comparison have in common; each writes its keys into the
 * object that is open. */
#ifndef REPORT_JSON_PIECES_H
#define REPORT_JSON_PIECES_H

#include <gbv/value.h>

#include "base/json.h"

void result_json_texts(json_writer *json, const char *key, char **texts, size_t count);
void result_json_interval(json_writer *json, const char *key, const double interval[2]);
void result_json_run(json_writer *json, const gbv_result *r);
void result_json_inputs(json_writer *json, const gbv_result *r);
void result_json_flags(json_writer *json, const gbv_source_result *s);
void result_json_sureness(json_writer *json, const gbv_source_result *s);
void result_json_confusion(json_writer *json, const gbv_source_result *s, size_t class_count);
void result_json_certainty(json_writer *json, const gbv_result *r);
void result_json_measure(json_writer *json, const gbv_result *r, const gbv_measure_result *by);

#endif
