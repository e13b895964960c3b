/* result_limits.h - the floor and the ceiling of a score where they are known. */
#ifndef REPORT_HTML_RESULT_LIMITS_H
#define REPORT_HTML_RESULT_LIMITS_H

#include <gbv/value.h>

typedef struct result_limits {
    double floor, ceiling; /* NaN: not known */
    const char *meaning;   /* of the two in a sentence; NULL: neither is known */
} result_limits;

/* Of the measure or method that the weights are of. */
result_limits result_limits_of(const gbv_result *result);
/* The share of the reference's commonest class, from any confusion matrix; NaN: not known. */
double result_commonest_class(const gbv_result *result);

#endif
