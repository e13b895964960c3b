/* davinz_kernel.c - the two parts of DAVINZ. Gradients are never formed: with h = relu(x V + a) and logits h W + b,
 *
 *     Theta_ij = 1[y_i = y_j] (h_i.h_j + 1) + (x_i.x_j + 1) sum_k W[k,y_i] W[k,y_j] 1[h_ik > 0] 1[h_jk > 0]
 *
 * and for a linear model, whose rows of different classes do not touch, (x_i.x_j + 1) for each class by itself. */
#include "value/method/davinz_kernel.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/plan.h"
#include "compute/dense.h"

enum { TILE = 256 };
static const double RIDGE = 1e-4;

/* Rows whose gradients are compared with each other. */
typedef struct group {
    const davinz_problem *problem;
    size_t threads, count, tiles, width, hidden; /* width: columns of the rows; hidden: 0 for a linear model */
    size_t done;                                 /* rows of the groups before this one */
    double *rows;                                /* count x width */
    int32_t *labels;
    double *activations; /* count x hidden */
    double *back;        /* count x hidden: W[k, y_i] where unit k is active */
    double *residuals;   /* count: r */
    double *theta;       /* count x count, lower triangle */
    double *products;    /* threads x TILE x TILE */
    bool stopped;
} group;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int leading(size_t columns)
{
    return columns ? (int)columns : 1;
}

/* Only the calling thread asks, the others see what it was answered. */
static bool interrupted(const davinz_problem *p, size_t done, size_t total, bool *stopped)
{
    if (omp_get_thread_num() == 0 && p->progress && p->progress(p->context, "davinz", done, total))
        __atomic_store_n(stopped, true, __ATOMIC_RELAXED);
    return __atomic_load_n(stopped, __ATOMIC_RELAXED);
}

static gbv_status say_interrupted(gbv_error *error)
{
    return error_set(error, GBV_INTERRUPTED, "interrupted while valuing by davinz");
}

/* out (m x n) = a b' with rows of `inner` numbers. */
static void multiply(const double *a, size_t m, const double *b, size_t n, size_t inner, double *out, size_t stride)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)inner, 1, a, leading(inner), b,
                leading(inner), 0, out, (int)stride);
}

/* What the network makes of the group's rows, TILE of them. */
static void read_out_tile(group *g, size_t first)
{
    const gbv_model *network = g->problem->network;
    size_t count = smaller(TILE, g->count - first), inner = g->hidden ? g->hidden : g->width;
    double *activations = g->activations + first * g->hidden;
    const double *last = g->hidden ? activations : g->rows + first * g->width;
    if (g->hidden) {
        for (size_t i = 0; i < count; i++)
            memcpy(activations + i * g->hidden, network->hidden_bias, g->hidden * sizeof *activations);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, (int)g->hidden, (int)g->width, 1,
                    g->rows + first * g->width, leading(g->width), network->hidden_weights, (int)g->hidden, 1,
                    activations, (int)g->hidden);
    }
    for (size_t i = 0; i < count; i++) {
        size_t label = (size_t)g->labels[first + i];
        double logit = network->bias[label];
        for (size_t k = 0; k < inner; k++) {
            double weight = network->weights[k * network->outputs + label], value = last[i * inner + k];
            if (g->hidden) {
                bool active = value > 0;
                activations[i * inner + k] = value = active ? value : 0;
                g->back[(first + i) * inner + k] = active ? weight : 0;
            }
            logit += value * weight;
        }
        g->residuals[first + i] = 1 - logit;
    }
}

/* Tile (row, column) of Theta, with the ridge on its diagonal. */
static void fill_tile(group *g, size_t row, size_t column, double *products)
{
    size_t first = row * TILE, second = column * TILE;
    size_t m = smaller(TILE, g->count - first), n = smaller(TILE, g->count - second);
    double *tile = g->theta + first * g->count + second, bias = g->problem->weights_only ? 0 : 1;
    multiply(g->rows + first * g->width, m, g->rows + second * g->width, n, g->width, tile, g->count);
    if (g->hidden) {
        multiply(g->back + first * g->hidden, m, g->back + second * g->hidden, n, g->hidden, products, TILE);
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n; j++)
                tile[i * g->count + j] = (tile[i * g->count + j] + bias) * products[i * TILE + j];
        multiply(g->activations + first * g->hidden, m, g->activations + second * g->hidden, n, g->hidden, products,
                 TILE);
    }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            if (!g->hidden)
                tile[i * g->count + j] += bias; /* one class only */
            else if (g->labels[first + i] == g->labels[second + j])
                tile[i * g->count + j] += products[i * TILE + j] + bias;
            if (first + i == second + j)
                tile[i * g->count + j] += RIDGE;
        }
}

/* Tile (row, column) less what column k of tiles takes from it. */
static void update_tile(group *g, size_t row, size_t column, size_t k)
{
    size_t first = row * TILE, second = column * TILE;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)smaller(TILE, g->count - first),
                (int)smaller(TILE, g->count - second), TILE, -1, g->theta + first * g->count + k * TILE, (int)g->count,
                g->theta + second * g->count + k * TILE, (int)g->count, 1, g->theta + first * g->count + second,
                (int)g->count);
}

/* Theta = L L' tile by tile, so that threads share it and an interruption is seen; false when it is not positive. */
static bool factor(group *g)
{
    for (size_t k = 0; k < g->tiles && !g->stopped; k++) {
        size_t first = k * TILE;
        int size = (int)smaller(TILE, g->count - first), stride = (int)g->count, info;
        double *diagonal = g->theta + first * g->count + first;
        dpotrf_("U", &size, diagonal, &stride, &info); /* column-major: the upper triangle is our lower one */
        if (info != 0)
            return false;
#pragma omp parallel for schedule(dynamic) num_threads((int)g->threads)
        for (size_t i = k + 1; i < g->tiles; i++)
            cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                        (int)smaller(TILE, g->count - i * TILE), size, 1, diagonal, stride,
                        g->theta + i * TILE * g->count + first, stride);
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads((int)g->threads)
        for (size_t i = k + 1; i < g->tiles; i++)
            for (size_t j = k + 1; j < g->tiles; j++)
                if (j <= i && !interrupted(g->problem, g->done + first, g->problem->features.rows, &g->stopped))
                    update_tile(g, i, j, k);
    }
    return true;
}

static gbv_status check_memory(const group *g, size_t bytes, gbv_error *error)
{
    const davinz_problem *p = g->problem;
    if (p->memory == 0 || bytes <= p->memory)
        return GBV_OK;
    size_t blocks = p->blocks ? p->blocks : 1;
    double times = sqrt((double)bytes / (double)p->memory);
    return error_set(
        error, GBV_FAILED,
        "davinz needs %zu MB to compare %zu rows with each other and may use %zu MB: deal the rows into %.0f "
        "blocks or allow it more memory",
        bytes >> 20, g->count, p->memory >> 20, ceil(times * (double)blocks));
}

static gbv_status group_open(group *g, const size_t *members, arena *scratch, gbv_error *error)
{
    const davinz_problem *p = g->problem;
    size_t cells;
    if (g->count > INT_MAX || __builtin_mul_overflow(g->count, g->count, &cells) || cells > SIZE_MAX / sizeof(double))
        return error_set(error, GBV_BAD_INPUT,
                         "%zu rows are too many to compare with each other: deal them into blocks", g->count);
    gbv_status status = check_memory(g, cells * sizeof *g->theta, error);
    if (status != GBV_OK)
        return status;
    g->tiles = (g->count + TILE - 1) / TILE;
    g->width = p->network->inputs;
    g->hidden = p->network->hidden;
    g->rows = arena_array(scratch, g->count, (g->width + 1) * sizeof *g->rows);
    g->labels = arena_array(scratch, g->count, sizeof *g->labels);
    g->activations = arena_array(scratch, g->count, (g->hidden + 1) * sizeof *g->activations);
    g->back = arena_array(scratch, g->count, (g->hidden + 1) * sizeof *g->back);
    g->residuals = arena_array(scratch, g->count, sizeof *g->residuals);
    g->theta = arena_array(scratch, cells, sizeof *g->theta);
    g->products = arena_array(scratch, g->threads, TILE * TILE * sizeof *g->products);
    if (!g->rows || !g->labels || !g->activations || !g->back || !g->residuals || !g->theta || !g->products)
        return error_out_of_memory(error, "comparing the rows of a source (davinz)");
    for (size_t i = 0; i < g->count; i++) {
        matrix_row_f64(&p->features, members[i], g->rows + i * g->width);
        g->labels[i] = p->labels[members[i]];
    }
    return GBV_OK;
}

/* Adds r' (Theta + ridge)^-1 r of these rows to *sum. */
static gbv_status add_group(const davinz_problem *p, const size_t *members, size_t count, size_t done, size_t threads,
                            arena *scratch, double *sum, gbv_error *error)
{
    group g = {.problem = p, .threads = threads, .count = count, .done = done};
    arena_reset(scratch);
    gbv_status status = group_open(&g, members, scratch, error);
    if (status != GBV_OK)
        return status;
#pragma omp parallel for num_threads((int)threads)
    for (size_t t = 0; t < g.tiles; t++)
        read_out_tile(&g, t * TILE);
#pragma omp parallel for collapse(2) schedule(dynamic) num_threads((int)threads)
    for (size_t i = 0; i < g.tiles; i++)
        for (size_t j = 0; j < g.tiles; j++)
            if (j <= i && !interrupted(p, done, p->features.rows, &g.stopped))
                fill_tile(&g, i, j, g.products + (size_t)omp_get_thread_num() * TILE * TILE);
    bool positive = !g.stopped && factor(&g);
    if (interrupted(p, done + count, p->features.rows, &g.stopped))
        return say_interrupted(error);
    double squares = NAN;
    if (positive) {
        cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)count, g.theta, (int)count, g.residuals,
                    1);
        squares = dense_dot_f64(g.residuals, g.residuals, count);
    }
    if (!isfinite(squares))
        return error_set(error, GBV_UNDEFINED,
                         "the gradients of %zu rows cannot be told apart in double precision (davinz): scale the "
                         "features first",
                         count);
    *sum += squares;
    return GBV_OK;
}

static gbv_status check(const davinz_problem *p, gbv_error *error)
{
    const gbv_model *network = p->network;
    if (p->features.rows < 1 || p->reference.rows < 1)
        return error_set(
            error, GBV_USAGE,
            "davinz was given %zu rows of a source and %zu of the reference: it needs at least one of each",
            p->features.rows, p->reference.rows);
    if (p->features.columns != network->inputs || p->reference.columns != network->inputs)
        return error_set(error, GBV_USAGE,
                         "the source has %zu columns, the reference %zu and the network takes %zu: they must be alike",
                         p->features.columns, p->reference.columns, network->inputs);
    size_t row, column;
    if (matrix_find_non_finite(&p->features, &row, &column))
        return error_set(error, GBV_BAD_INPUT,
                         "row %zu, column %zu of the source is not a finite number: mend or leave out the row", row + 1,
                         column + 1);
    for (size_t i = 0; i < p->features.rows; i++)
        if (p->labels[i] < 0 || (size_t)p->labels[i] >= network->outputs)
            return error_set(error, GBV_BAD_INPUT, "row %zu has label %d: the network has outputs for 0 to %zu", i + 1,
                             p->labels[i], network->outputs - 1);
    return GBV_OK;
}

/* The members of a block, class after class and each in its order: where a linear model's groups end, `ends` says. */
static size_t split_by_class(const davinz_problem *p, const size_t *block, size_t count, size_t *members, size_t *ends)
{
    size_t classes = p->network->outputs, *places = ends;
    memset(places, 0, classes * sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[p->labels[block[i]]]++;
    for (size_t c = 0, start = 0; c < classes; c++) {
        size_t rows = places[c];
        places[c] = start;
        start += rows;
    }
    for (size_t i = 0; i < count; i++)
        members[places[p->labels[block[i]]]++] = block[i];
    return classes;
}

gbv_status davinz_complexity(const davinz_problem *p, double *complexity, gbv_error *error)
{
    gbv_status status = check(p, error);
    if (status != GBV_OK)
        return status;
    size_t rows = p->features.rows, blocks = p->blocks ? p->blocks : 1, classes = p->network->outputs;
    plan kept = plan_begin(p->threads);
    arena scratch = {0};
    size_t *order = memory_array(rows, sizeof *order), *members = memory_array(rows, sizeof *members);
    size_t *ends = memory_array(classes + 1, sizeof *ends);
    double sum = 0;
    if (!order || !members || !ends) {
        status = error_out_of_memory(error, "the order of a source's rows");
        goto done;
    }
    for (size_t i = 0; i < rows; i++)
        order[i] = p->order ? p->order[i] : i;
    blocks = smaller(blocks, rows); /* more would be empty */
    for (size_t b = 0; b < blocks && status == GBV_OK; b++) {
        size_t first = (size_t)((unsigned __int128)b * rows / blocks);
        size_t count = (size_t)((unsigned __int128)(b + 1) * rows / blocks) - first, groups = 1;
        if (p->network->hidden) {
            memcpy(members, order + first, count * sizeof *members);
            ends[0] = count;
        } else {
            groups = split_by_class(p, order + first, count, members, ends);
        }
        for (size_t g = 0, start = 0; g < groups && status == GBV_OK; start = ends[g++])
            if (ends[g] > start)
                status =
                    add_group(p, members + start, ends[g] - start, first + start, kept.threads, &scratch, &sum, error);
    }
    if (status == GBV_OK)
        *complexity = sqrt(sum / (double)rows);
done:
    free(order);
    free(members);
    free(ends);
    arena_free(&scratch);
    plan_end(kept);
    return status;
}
