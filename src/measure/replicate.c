#include "measure/replicate.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/plan.h"
#include "compute/dense.h"

gbv_status replicate_share(const replicate_task *task, size_t pieces, size_t workers, replicate_work *work,
                           void *context, gbv_error *error)
{
    gbv_status failed = GBV_OK;
    size_t failed_piece = SIZE_MAX, done = 0;
    bool stop = false, asked_to = false;
#pragma omp parallel for schedule(dynamic) num_threads((int)workers) if (workers > 1)
    for (size_t piece = 0; piece < pieces; piece++) {
        size_t worker = workers > 1 ? (size_t)omp_get_thread_num() : 0, done_now;
        bool stopped;
        gbv_error own;
#pragma omp atomic read
        stopped = stop;
#pragma omp atomic read
        done_now = done;
        if (!stopped && worker == 0 && task->progress &&
            task->progress(task->context, "replicates", done_now, pieces)) {
            asked_to = stopped = true;
#pragma omp atomic write
            stop = true;
        }
        if (stopped)
            continue;
        gbv_status status = work(context, worker, piece, &own);
#pragma omp atomic
        done++;
        if (status == GBV_OK)
            continue;
#pragma omp critical(gbv_replicate_failure)
        if (piece < failed_piece) {
            failed_piece = piece;
            failed = status;
            if (error)
                *error = own;
        }
#pragma omp atomic write
        stop = true;
    }
    if (asked_to)
        return error_set(error, GBV_INTERRUPTED, "interrupted in the replicates of the measure %s", task->m->info.name);
    return failed;
}

gbv_status replicate_row_means(const replicate_task *task, double *scores, gbv_error *error)
{
    size_t rows = task->draws->rows, count = task->draws->count;
    double score, *terms = memory_array(rows, sizeof *terms);
    if (!terms)
        return error_out_of_memory(error, "the scores of reference rows");
    gbv_status status = task->m->compute(task->input, task->variant, &score, terms, error);
    for (size_t b = 0; status == GBV_OK && b < count; b++)
        scores[b] = dense_dot_f64(task->draws->weights + b * rows, terms, rows) / (double)rows;
    free(terms);
    return status;
}

/* The rows as a dense matrix of the same type; *block is to be freed. False when memory is out. */
static bool take_rows(const gbv_matrix *matrix, const size_t *rows, size_t count, gbv_matrix *out, void **block)
{
    size_t size = type_size(matrix->type), width;
    *out = *matrix;
    *block = NULL;
    if (!matrix->data)
        return true;
    if (__builtin_mul_overflow(matrix->columns, size, &width) || !(*block = memory_array(count, width)))
        return false;
    *out = (gbv_matrix){.data = *block,
                        .rows = count,
                        .columns = matrix->columns,
                        .row_stride = (ptrdiff_t)width,
                        .column_stride = (ptrdiff_t)size,
                        .type = matrix->type,
                        .swapped = matrix->swapped};
    for (size_t i = 0; i < count; i++) {
        const char *from = (const char *)matrix->data + (ptrdiff_t)rows[i] * matrix->row_stride;
        char *to = (char *)*block + i * width;
        if (matrix->column_stride == (ptrdiff_t)size)
            memcpy(to, from, width);
        else
            for (size_t j = 0; j < matrix->columns; j++)
                memcpy(to + j * size, from + (ptrdiff_t)j * matrix->column_stride, size);
    }
    return true;
}

gbv_status measure_rows(const char *name, const char *variant, const gbv_measure_input *input, const size_t *rows,
                        size_t count, double *parts, gbv_error *error)
{
    gbv_measure_input some = *input;
    void *probabilities = NULL, *features = NULL, *targets = NULL;
    int32_t *labels = input->labels ? memory_array(count, sizeof *labels) : NULL;
    gbv_status status = GBV_OK;
    if ((input->labels && !labels) ||
        !take_rows(&input->probabilities, rows, count, &some.probabilities, &probabilities) ||
        !take_rows(&input->features, rows, count, &some.features, &features) ||
        !take_rows(&input->targets, rows, count, &some.targets, &targets)) {
        status = error_out_of_memory(error, "some rows of the reference");
        goto done;
    }
    for (size_t i = 0; labels && i < count; i++)
        labels[i] = input->labels[rows[i]];
    some.rows = count;
    some.labels = labels;
    status = measure_parts(name, variant, &some, parts, NULL, error);
done:
    free(labels);
    free(probabilities);
    free(features);
    free(targets);
    return status;
}

/* Brings half-samples of an odd number of rows to the spread and bias that those of an even number have. What is not
 * finite stays and takes no part. */
static void rescale_halves(const row_draws *draws, const double *whole, size_t part_count, double *parts)
{
    double share = (double)draws->half_rows / (double)(draws->rows - draws->half_rows);
    for (size_t p = 0; share < 1 && p < part_count; p++) {
        double mean = 0;
        size_t finite = 0;
        for (size_t b = 0; b < draws->count; b++)
            if (isfinite(parts[b * part_count + p])) {
                mean += parts[b * part_count + p];
                finite++;
            }
        mean /= (double)finite;
        double centre = whole[p] + (mean - whole[p]) * share;
        for (size_t b = 0; b < draws->count && isfinite(centre); b++)
            if (isfinite(parts[b * part_count + p]))
                parts[b * part_count + p] = centre + (parts[b * part_count + p] - mean) * sqrt(share);
    }
}

/* Half-samples one by one. */
typedef struct half_samples {
    const row_draws *draws;
    const char *name, *variant;
    gbv_measure_input input;
    size_t part_count;
    size_t *rows;  /* workers x half_rows */
    double *parts; /* of all replicates */
} half_samples;

static gbv_status measure_half(void *context, size_t worker, size_t piece, gbv_error *error)
{
    const half_samples *h = context;
    size_t half = h->draws->half_rows, *rows = h->rows + worker * half;
    double *parts = h->parts + piece * h->part_count;
    for (size_t i = 0; i < half; i++)
        rows[i] = h->draws->halves[piece * half + i];
    gbv_status status = measure_rows(h->name, h->variant, &h->input, rows, half, parts, error);
    for (size_t p = 0; status != GBV_OK && p < h->part_count; p++)
        parts[p] = NAN;
    /* A half may lack what the whole has: rows enough, or a class. */
    return status == GBV_UNDEFINED || status == GBV_BAD_INPUT ? GBV_OK : status;
}

static gbv_status measure_halves(const replicate_task *task, const char *variant, size_t part_count, double *parts,
                                 gbv_error *error)
{
    const row_draws *draws = task->draws;
    size_t workers = plan_workers(task->input->threads, draws->count);
    half_samples halves = {.draws = draws,
                           .name = task->m->info.name,
                           .variant = variant,
                           .input = *task->input,
                           .part_count = part_count,
                           .rows = memory_array(workers * draws->half_rows, sizeof *halves.rows),
                           .parts = parts};
    if (!halves.rows)
        return error_out_of_memory(error, "some rows of the reference");
    if (workers > 1)
        halves.input.threads = 1;
    gbv_status status = replicate_share(task, draws->count, workers, measure_half, &halves, error);
    free(halves.rows);
    return status;
}

gbv_status measure_replicates(const char *name, const char *variant, const gbv_measure_input *given,
                              const row_draws *draws, gbv_progress_callback *progress, void *context, double *parts,
                              gbv_error *error)
{
    measure_call call;
    double whole[MEASURE_MAXIMAL_PARTS];
    gbv_status status = measure_prepare(name, variant, given, &call, error);
    if (status != GBV_OK)
        return status;
    if (call.input.rows != draws->rows)
        return error_set(error, GBV_USAGE, "the replicates were drawn for %zu rows and the reference has %zu",
                         draws->rows, call.input.rows);
    size_t part_count = measure_part_count(name, variant);
    const replicate_form *form = &call.m->replicates;
    bool at_once = call.variant < form->variants;
    plan p = plan_begin(call.input.threads);
    call.input.threads = p.threads;
    replicate_task task = {.m = call.m,
                           .variant = call.variant,
                           .input = &call.input,
                           .draws = draws,
                           .progress = progress,
                           .context = context};
    if (at_once && form->weighs_rows) {
        status = form->compute(&task, parts, error);
    } else if ((status = measure_parts(name, variant, &call.input, whole, NULL, error)) == GBV_OK) {
        for (size_t b = 0; b < draws->count * part_count; b++)
            parts[b] = NAN;
        if (at_once && draws->half_rows)
            status = form->compute(&task, parts, error);
        else if (draws->half_rows)
            status = measure_halves(&task, variant, part_count, parts, error);
        rescale_halves(draws, whole, part_count, parts);
    }
    plan_end(p);
    return status;
}
