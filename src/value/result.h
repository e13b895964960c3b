/* result.h - making a result: strings are copied, so that it outlives what it was computed from. */
#ifndef VALUE_RESULT_H
#define VALUE_RESULT_H

#include <gbv/value.h>

/* Zeroed, with `source_count` sources; NULL when memory is out. */
gbv_result *result_create(size_t source_count);

/* Room for the scores of `count` measures; false when memory is out. */
bool result_make_measures(gbv_result *result, size_t count);
void result_forget_measures(gbv_result *result);

/* Append a copy of a text to a list of texts; false when memory is out. */
bool text_list_add(char ***texts, size_t *count, const char *text);
bool result_add_option(gbv_result *result, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool result_warn(gbv_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
