/* linear_objective.c - value and gradient of the regularised cross-entropy in a fixed order of summation, whatever the
 * number of threads, and a preconditioner made from the features' covariance. */
#include "nn/linear.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/error.h"
#include "base/plan.h"
#include "compute/dense.h"
#include "compute/narrow.h"

enum {
    MOST_CHUNKS = 16,
    FEWEST_CHUNK_ROWS = 128,
    CHUNK_MEMORY = 256 << 20,
    WIDEST_PRECONDITIONER = 4096,
    PRECONDITIONER_ROWS = 4, /* rows looked at for each feature */
};

/* Products in an evaluation from which on it is worth waking other threads: a few milliseconds. */
static const double THREADS_FROM = 4e7;

/* Block [first, first + count) as dense rows of the objective's width. */
static const double *block(const linear_objective *o, size_t first, size_t count, double *buffer)
{
    if (o->rows)
        return o->rows + first * o->width;
    scaling_block(o->scale, o->task->data, first, count, buffer);
    return buffer;
}

/* Logits become weight * (probability - indicator of the target); returns the weighted loss. */
static double to_residuals(const linear_objective *o, size_t first, size_t count, const double *bias, double *logits)
{
    double loss = 0;
    for (size_t i = 0; i < count; i++) {
        double *row = logits + i * o->padded, weight = o->task->weights[first + i], largest = -INFINITY, sum = 0;
        size_t target = (size_t)o->task->targets[first + i];
        for (size_t k = 0; k < o->outputs; k++) {
            row[k] += bias[k];
            largest = row[k] > largest ? row[k] : largest;
        }
        double of_target = row[target] - largest;
        for (size_t k = 0; k < o->outputs; k++)
            sum += row[k] = exp(row[k] - largest);
        loss += weight * (log(sum) - of_target);
        for (size_t k = 0; k < o->outputs; k++)
            row[k] *= weight / sum;
        row[target] -= weight;
    }
    return loss;
}

static void evaluate_chunk(const linear_objective *o, size_t chunk, const double *bias, size_t thread)
{
    size_t rows = o->task->data->rows, width = o->width, padded = o->padded;
    size_t first = rows * chunk / o->chunk_count, end = rows * (chunk + 1) / o->chunk_count;
    double *gradient = o->chunk_gradients + chunk * (width + 1) * padded, *bias_gradient = gradient + width * padded;
    double *buffer = o->row_buffers ? o->row_buffers + thread * o->block_rows * width : NULL;
    double *residuals = o->residuals + thread * o->block_rows * padded;
    memset(gradient, 0, (width + 1) * padded * sizeof *gradient);
    o->chunk_losses[chunk] = 0;
    for (; first < end; first += o->block_rows) {
        size_t count = end - first < o->block_rows ? end - first : o->block_rows;
        const double *z = block(o, first, count, buffer);
        narrow_multiply(z, count, width, o->weights, padded, residuals);
        o->chunk_losses[chunk] += to_residuals(o, first, count, bias, residuals);
        narrow_add_transposed(z, count, width, residuals, padded, gradient);
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < padded; k++)
                bias_gradient[k] += residuals[i * padded + k];
    }
}

double linear_objective_evaluate(void *objective, const double *point, double *gradient)
{
    const linear_objective *o = objective;
    size_t penalised = o->width * o->outputs, chunk_size = (o->width + 1) * o->padded;
    narrow_pad(point, o->width, o->outputs, o->weights);
#pragma omp parallel for num_threads((int)o->threads) if (o->threads > 1) schedule(static)
    for (size_t chunk = 0; chunk < o->chunk_count; chunk++)
        evaluate_chunk(o, chunk, point + penalised, o->threads > 1 ? (size_t)omp_get_thread_num() : 0);
    double loss = 0;
    for (size_t chunk = 0; chunk < o->chunk_count; chunk++) {
        loss += o->chunk_losses[chunk];
        if (chunk > 0)
            cblas_daxpy((int)chunk_size, 1, o->chunk_gradients + chunk * chunk_size, 1, o->chunk_gradients, 1);
    }
    narrow_unpad(o->chunk_gradients, o->width + 1, o->outputs, gradient);
    cblas_daxpy((int)penalised, o->l2, point, 1, gradient, 1);
    return loss + 0.5 * o->l2 * cblas_ddot((int)penalised, point, 1, point, 1);
}

void linear_objective_precondition(void *objective, double *vector)
{
    const linear_objective *o = objective;
    size_t penalised = o->width * o->outputs;
    if (o->inverse) { /* the buffers of the evaluation are free now */
        narrow_pad(vector, o->width, o->outputs, o->weights);
        narrow_multiply(o->inverse, o->width, o->width, o->weights, o->padded, o->chunk_gradients);
        narrow_unpad(o->chunk_gradients, o->width, o->outputs, vector);
    } else {
        cblas_dscal((int)penalised, 1 / (o->curvature + o->l2), vector, 1);
    }
    for (size_t k = 0; k < o->outputs; k++)
        vector[penalised + k] /= o->curvature;
}

/* sums += rows' rows (lower triangle) over some of the blocks, evenly spread, each row by its weight. Returns the sum
 * of the weights. */
static double add_squares(const linear_objective *o, float *scaled, float *sums)
{
    size_t width = o->width, rows = o->task->data->rows, blocks = (rows + o->block_rows - 1) / o->block_rows;
    size_t wanted = (PRECONDITIONER_ROWS * width + o->block_rows - 1) / o->block_rows;
    size_t taken = blocks < wanted ? blocks : wanted;
    double total = 0;
    for (size_t b = 0; b < taken; b++) {
        size_t first = b * blocks / taken * o->block_rows;
        size_t count = rows - first < o->block_rows ? rows - first : o->block_rows;
        const double *z = block(o, first, count, o->row_buffers);
        for (size_t i = 0; i < count; i++) {
            double weight = o->task->weights[first + i] * (double)rows, root = sqrt(weight);
            total += weight;
            for (size_t j = 0; j < width; j++)
                scaled[i * width + j] = (float)(root * z[i * width + j]);
        }
        cblas_ssyrk(CblasRowMajor, CblasLower, CblasTrans, (int)width, (int)count, 1, scaled, (int)width, 1, sums,
                    (int)width);
    }
    return total;
}

/* inverse = (curvature * covariance + l2)^-1. Single precision is enough for an approximation. */
static gbv_status make_preconditioner(linear_objective *o, gbv_error *error)
{
    size_t width = o->width;
    float *scaled = arena_array(o->task->scratch, width, o->block_rows * sizeof *scaled);
    float *square = arena_zeroed(o->task->scratch, width, width * sizeof *square);
    double *inverse = arena_array(o->task->scratch, width, width * sizeof *inverse);
    if (!scaled || !square || !inverse)
        return error_out_of_memory(error, "fitting a linear model");
    double total = add_squares(o, scaled, square), factor = total > 0 ? o->curvature / total : 0, trace = 0;
    for (size_t i = 0; i < width; i++)
        trace += factor * square[i * width + i];
    /* Enough on the diagonal for single precision to stay positive definite. */
    double ridge = fmax(o->l2, fmax(1e-6 * trace, 1e-30));
    for (size_t i = 0; i < width; i++) {
        for (size_t j = 0; j <= i; j++)
            square[i * width + j] *= (float)factor;
        square[i * width + i] += (float)ridge;
    }
    int n = (int)width, info;
    spotrf_("U", &n, square, &n, &info); /* column-major upper is row-major lower */
    if (info == 0)
        spotri_("U", &n, square, &n, &info);
    if (info != 0)
        return GBV_OK; /* the plain scaling of linear_objective_precondition will have to do */
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j <= i; j++)
            inverse[i * width + j] = inverse[j * width + i] = square[i * width + j];
    o->inverse = inverse;
    return GBV_OK;
}

/* The preconditioner another fit has left, or one of our own, left for others in turn. It is an approximation anyway,
 * so that other rows of the same kind serve. */
static gbv_status find_preconditioner(linear_objective *o, gbv_error *error)
{
    fit_shape *shape = o->shape;
    if (shape && shape->inverse && shape->width == o->width) {
        o->inverse = shape->inverse;
        return GBV_OK;
    }
    gbv_status status = make_preconditioner(o, error);
    if (status != GBV_OK || !shape || !o->inverse)
        return status;
    fit_shape_free(shape);
    if (!(shape->inverse = memory_array(o->width, o->width * sizeof *shape->inverse)))
        return error_out_of_memory(error, "fitting a linear model");
    memcpy(shape->inverse, o->inverse, o->width * o->width * sizeof *shape->inverse);
    shape->width = o->width;
    return GBV_OK;
}

gbv_status linear_objective_open(linear_objective *o, gbv_error *error)
{
    arena *scratch = o->task->scratch;
    o->padded = narrow_padded(o->outputs);
    size_t rows = o->task->data->rows, count = (o->width + 1) * o->padded;
    /* The number of chunks depends on the problem only, so that sums are taken in the same order on any machine. */
    size_t chunks = rows / FEWEST_CHUNK_ROWS, fitting = CHUNK_MEMORY / sizeof(double) / count;
    chunks = chunks < fitting ? chunks : fitting;
    o->chunk_count = chunks < 1 ? 1 : chunks > MOST_CHUNKS ? MOST_CHUNKS : chunks;
    o->block_rows = scaling_block_rows(o->width);
    bool worth_it = (double)rows * (double)count > THREADS_FROM && !omp_in_parallel();
    o->threads = worth_it ? plan_workers(o->task->options->threads, o->chunk_count) : 1;
    o->weights = arena_array(scratch, count, sizeof(double));
    o->chunk_gradients = arena_array(scratch, count, o->chunk_count * sizeof(double));
    o->chunk_losses = arena_array(scratch, o->chunk_count, sizeof(double));
    o->residuals = arena_array(scratch, o->threads * o->block_rows, o->padded * sizeof(double));
    o->row_buffers = o->rows ? NULL : arena_array(scratch, o->threads * o->block_rows, o->width * sizeof(double));
    if (!o->weights || !o->chunk_gradients || !o->chunk_losses || !o->residuals || (!o->rows && !o->row_buffers))
        return error_out_of_memory(error, "fitting a linear model");
    o->curvature = 0.5 / (double)o->outputs;
    return o->width > 0 && o->width <= WIDEST_PRECONDITIONER ? find_preconditioner(o, error) : GBV_OK;
}
