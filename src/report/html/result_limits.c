#include "report/html/result_limits.h"

#include <math.h>
#include <string.h>

/* Rows of the reference by class: the row sums of any confusion matrix, which all sources share. */
static double class_rows(const gbv_result *r, const size_t *confusion, size_t class)
{
    double sum = 0;
    for (size_t k = 0; k <= r->class_count; k++)
        sum += (double)confusion[class * (r->class_count + 1) + k];
    return sum;
}

static const size_t *any_confusion(const gbv_result *r, double *total)
{
    *total = 0;
    for (size_t i = 0; i < r->source_count; i++)
        if (r->sources[i].confusion) {
            for (size_t c = 0; c < r->class_count; c++)
                *total += class_rows(r, r->sources[i].confusion, c);
            return *total > 0 ? r->sources[i].confusion : NULL;
        }
    return NULL;
}

double result_commonest_class(const gbv_result *r)
{
    double total, largest = 0;
    const size_t *confusion = any_confusion(r, &total);
    if (!confusion)
        return NAN;
    for (size_t c = 0; c < r->class_count; c++)
        largest = fmax(largest, class_rows(r, confusion, c));
    return largest / total;
}

static double minus_entropy(const gbv_result *r)
{
    double total, sum = 0;
    const size_t *confusion = any_confusion(r, &total);
    if (!confusion)
        return NAN;
    for (size_t c = 0; c < r->class_count; c++) {
        double share = class_rows(r, confusion, c) / total;
        sum += share > 0 ? share * log(share) : 0;
    }
    return sum;
}

result_limits result_limits_of(const gbv_result *r)
{
    const char *by = *r->measure ? r->measure : r->method;
    if (strcmp(by, "leep") == 0 || strcmp(by, "nce") == 0) {
        double floor = minus_entropy(r);
        return (result_limits){floor, 0,
                               isnan(floor) ? "The ceiling is what a model without any doubt or error has."
                                            : "The floor is minus the entropy of the reference's classes: what a model "
                                              "that knows nothing of the rows has. The ceiling is what one without any "
                                              "doubt or error has."};
    }
    if (strcmp(by, "accuracy") == 0) {
        double floor = result_commonest_class(r);
        return (result_limits){floor, 1,
                               isnan(floor) ? "The ceiling is every row right."
                                            : "The floor is what always saying the commonest class would get, the "
                                              "ceiling every row right."};
    }
    return (result_limits){NAN, NAN, NULL};
}
