/* uniform.c - every source alike: what any valuation has to beat. */
#include "value/method/method.h"
#include "value/valuation.h"

static gbv_status score(const valuation *v, scoring *by, gbv_error *error)
{
    (void)error;
    for (size_t i = 0; i < v->source_count * by->draws.count; i++)
        by->scores[i] = 0;
    return GBV_OK;
}

extern const method method_uniform;
const method method_uniform = {
    .name = "uniform",
    .summary = "every source alike, whatever it holds",
    .variants = "",
    .score = score,
};
