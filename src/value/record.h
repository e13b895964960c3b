/* record.h - what a result says about its run: names, ranks, inputs, options, warnings, the curve over tau. */
#ifndef VALUE_RECORD_H
#define VALUE_RECORD_H

#include "value/valuation.h"

/* Names and row counts of the sources, before scoring. */
bool record_names(gbv_result *result, const valuation *v);
/* Room for the scores by every measure of the run, named. */
bool record_measures(gbv_result *result, const valuation *v);
/* Everything that describes the run, before weighing; then the warnings that follow from scores and weights. */
bool record_run(gbv_result *result, const valuation *v);
bool record_warnings(gbv_result *result);
/* The files of a set that judges final models, as further inputs. */
bool record_test(gbv_result *result, const gbv_dataset *test);
gbv_status record_tau_curve(gbv_result *result, const valuation *v, const double *scores, gbv_error *error);

#endif
