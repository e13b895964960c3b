/* loss.c - the weighted cross-entropy of softmax, row by row, in double. */
#include "compute/reference/reference.h"

#include <math.h>

/* ln of the sum of exponentials, stable. */
static double log_sum_exp(const float *values, size_t count)
{
    double largest = values[0], sum = 0;
    for (size_t k = 1; k < count; k++)
        largest = fmax(largest, values[k]);
    for (size_t k = 0; k < count; k++)
        sum += exp(values[k] - largest);
    return largest + log(sum);
}

double reference_cross_entropy(const cross_entropy_task *task, const float *logits, float *gradient)
{
    size_t classes = task->classes;
    double loss = 0, elsewhere = task->smoothing / (double)classes, at_class = 1 - task->smoothing + elsewhere;
    for (size_t n = 0; n < task->batch; n++) {
        const float *row = logits + n * classes;
        double weight = task->weights[n] / task->rows;
        if (task->weights[n] == 0) { /* padding: whatever the row holds, it must not count */
            for (size_t k = 0; gradient && k < classes; k++)
                gradient[n * classes + k] = 0;
            continue;
        }
        double normaliser = log_sum_exp(row, classes);
        for (size_t k = 0; k < classes; k++) {
            double target = (size_t)task->targets[n] == k ? at_class : elsewhere;
            double logarithm = row[k] - normaliser;
            if (target > 0) /* nothing times minus infinity is nothing */
                loss -= weight * target * logarithm;
            if (gradient)
                gradient[n * classes + k] = (float)(weight * (exp(logarithm) - target));
        }
    }
    return loss;
}
