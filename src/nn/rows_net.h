/* rows_net.h - the models of rows (linear, mlp) trained by steps: the loop over their net and standardised rows. */
#ifndef NN_ROWS_NET_H
#define NN_ROWS_NET_H

#include "nn/scaling.h"

/* Trains the parameters of `model`, which hold what it begins with for standardised rows, and folds the scaling into
 * them. */
GBV_MUST_CHECK gbv_status rows_net_fit(const fit_task *task, const scaling *scale, gbv_model *model, gbv_error *error);

#endif
