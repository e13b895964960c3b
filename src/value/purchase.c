#include "value/purchase.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/plan.h"
#include "value/trained_weights.h"
#include "value/watch.h"

static size_t weight_count(const purchase_task *task)
{
    return task->data.sources->count + (task->data.reference != NULL);
}

static void normalise(double *weights, size_t count)
{
    double sum = 0;
    trained_weights_trim(weights, count);
    for (size_t s = 0; s < count; s++)
        sum += weights[s];
    for (size_t s = 0; s < count; s++)
        weights[s] /= sum;
}

/* The first of the list that has these weights. */
static size_t find_same(const purchase *list, size_t index, size_t count)
{
    size_t i = 0;
    while (i < index && !trained_weights_same(list[i].weights, list[index].weights, count))
        i++;
    return i;
}

/* All that is to be trained on the rows of one seed, each fit following on the one before. */
static gbv_status train_seed(const purchase_task *task, const gbv_model_options *model, purchase *list,
                             const size_t *same_as, size_t count, size_t seed, watch *seen, gbv_error *error)
{
    arena scratch = {0};
    fit_shape shape = {0};
    gbv_model *before = NULL;
    gbv_status status = GBV_OK;
    for (size_t i = 0; i < count && status == GBV_OK; i++) {
        if (same_as[i] != i) {
            list[i].accuracies[seed] = list[same_as[i]].accuracies[seed];
            continue;
        }
        gbv_model *fitted;
        /* A rough fit is off by a tenth of the standard error over the seeds on images, and takes half the time. */
        refit how = {.start = before, .shape = &shape, .rough = true, .draw = (uint32_t)seed + 1};
        arena_reset(&scratch);
        status = final_fit(&task->data, list[i].weights, model, &how, &scratch, &fitted, error);
        if (status != GBV_OK)
            break;
        gbv_model_free(before);
        before = fitted;
        status = test_set_judge(task->test, fitted, &scratch, &list[i].accuracies[seed], error);
        if (watch_count(seen) && status == GBV_OK)
            status = error_set(error, GBV_INTERRUPTED, "interrupted while training final models");
    }
    gbv_model_free(before);
    fit_shape_free(&shape);
    arena_free(&scratch);
    return status;
}

gbv_status purchases_train(const purchase_task *task, purchase *list, size_t count, gbv_error *error)
{
    size_t distinct = 0, failed_seed = SIZE_MAX, *same_as = memory_array(count, sizeof *same_as);
    gbv_status failed = GBV_OK;
    if (!same_as)
        return error_out_of_memory(error, "the final models");
    for (size_t i = 0; i < count; i++) {
        normalise(list[i].weights, weight_count(task));
        same_as[i] = find_same(list, i, weight_count(task));
        distinct += same_as[i] == i;
    }
    watch seen = {.asked = task->model, .stage = "final models", .total = distinct * task->seeds};
    gbv_model_options model = *task->model;
    int workers = (int)plan_fits(task->model->threads, model.threads_per_model, task->seeds);
    model.threads = 1;
    watch_over(&model, &seen);
#pragma omp parallel for num_threads(workers) schedule(dynamic)
    for (size_t r = 0; r < task->seeds; r++) {
        gbv_error own;
        gbv_status status = seen.stop ? GBV_OK : train_seed(task, &model, list, same_as, count, r, &seen, &own);
#pragma omp critical(gbv_purchase_report)
        if (status != GBV_OK && r < failed_seed) {
            failed_seed = r;
            failed = status;
            if (error)
                *error = own;
        }
    }
    free(same_as);
    return seen.stop
               ? error_set(error, GBV_INTERRUPTED, "interrupted after %zu of %zu final models", seen.done, seen.total)
               : failed;
}

void mean_and_error(const double *values, size_t count, double *mean, double *standard_error)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    *mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - *mean) * (values[i] - *mean);
    *standard_error = sqrt(squares / (double)(count - 1) / (double)count);
}
