/* purchase.h - how good the final model is that one gets for weights: trained R times on rows of every source drawn
 * anew, judged on a test set. For the same seed every list of weights sees the same rows, so that differences are
 * paired. */
#ifndef VALUE_PURCHASE_H
#define VALUE_PURCHASE_H

#include "nn/final.h"
#include "value/test_set.h"

/* Borrowed. */
typedef struct purchase_task {
    final_data data;
    const test_set *test;
    size_t seeds;
    const gbv_model_options *model; /* its threads and progress (stage "final models") serve all fits */
} purchase_task;

typedef struct purchase {
    double *weights;    /* of every source, then of the reference where there is one; they are brought to the sum one */
    double *accuracies; /* one per seed, filled */
} purchase;

/* Equal weights are trained once. The accuracies depend on the options' seed and on the order of the list (a fit begins
 * where the one before it ended), never on threads. Runs inside the caller's plan. */
GBV_MUST_CHECK gbv_status purchases_train(const purchase_task *task, purchase *list, size_t count, gbv_error *error);

/* Mean and standard error of `count` >= 2 numbers. */
void mean_and_error(const double *values, size_t count, double *mean, double *standard_error);

#endif
