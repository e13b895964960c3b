/* export.h - what an export is inside the room. A new one is one file that defines `const export_target export_<name>`
 * and one line in exports.def. */
#ifndef REPORT_EXPORT_EXPORT_H
#define REPORT_EXPORT_EXPORT_H

#include <stdio.h>

#include <gbv/export.h>

#include "base/json.h"

typedef struct export_target {
    gbv_export info;
    /* One of the two; the caller sees to the stream. */
    void (*policy)(const gbv_policy *policy, FILE *stream);
    void (*result)(const gbv_result *result, FILE *stream);
    /* Of a policy: see gbv_policy_export_note. NULL: it says everything. */
    const char *(*note)(const gbv_policy *policy, size_t index);
    bool needs_rows; /* of a result: a weight for each row of every source */
} export_target;

/* The keys by which every JSON that is exported says what it is; an object must be open. */
void export_head(json_writer *json, const char *library, const char *const *about, size_t about_count);

#endif
