/* forecast.h - what one fit takes, for those who add fits of their own to a plan. */
#ifndef VALUE_FORECAST_H
#define VALUE_FORECAST_H

#include <gbv/plan.h>

/* Seconds of one worker that fits such a model to so many rows, from what the pilot of the plan measured. */
double forecast_fit(const gbv_plan *expected, const gbv_model_options *model, size_t rows);

#endif
