#include "value/method/lava_kernel.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "compute/dense.h"
#include "compute/sinkhorn.h"
#include "value/method/lava_points.h"

enum { PROGRESS_TOTAL = 1000, PROGRESS_LABELS = 500 };

/* Pairs of classes up to this many cells are solved side by side, larger ones one after the other by all threads, which
 * then ask for interruptions in between. */
static const size_t LARGE_PAIR = (size_t)1 << 22;
/* The same for whole solutions. */
static const size_t LARGE_SOLUTION = (size_t)1 << 23;

struct lava {
    lava_problem problem;
    classes_of_rows train;
    point_set train_points;     /* in the order of `train` */
    point_set reference_points; /* in the order of the input */
    float *train_box;           /* for each class the least and the greatest of each column */
    size_t stride;              /* from one reference row's costs to the next */
    float *costs;               /* reference rows x train rows; NULL: computed tile by tile */
};

/* One solution: the reference rows by class and what is made for them. */
typedef struct solution {
    const lava *opened;
    size_t threads;
    bool asks; /* progress may be asked: this is the only solution under way */
    classes_of_rows reference;
    const float **lines;                  /* where the costs of each reference row stand, when they are kept */
    point_set points;                     /* the reference rows in their order, when they are not */
    float *box;                           /* as train_box */
    double *additions;                    /* reference classes x train classes: half of their distance */
    double *columns, *rows;               /* potentials of the whole problem */
    size_t progress_base, progress_share; /* of PROGRESS_TOTAL: what is done, and what the running problem makes up */
} solution;

/* Around all rows of both sides; the class is a column more, and no class of one side is one of the
 * other's (the published program counts the reference's on from the training set's). */
static bool whole_diameter(const solution *s, double *diameter)
{
    size_t columns = s->opened->problem.columns, classes = s->opened->train.classes + s->reference.classes;
    float *box = memory_array(columns, 2 * sizeof *box);
    if (!box)
        return false;
    memcpy(box, s->box, 2 * columns * sizeof *box);
    for (size_t k = 1; k < s->reference.classes; k++)
        box_join(box, s->box + k * 2 * columns, columns);
    for (size_t k = 0; k < s->opened->train.classes; k++)
        box_join(box, s->opened->train_box + k * 2 * columns, columns);
    double label_range = (double)(classes - 1);
    *diameter = sqrt(boxes_squared_diameter(box, box, columns) + label_range * label_range);
    free(box);
    return true;
}

/* Room for a line of costs that is read in whole vectors, from wherever in it. */
static size_t filled_stride(size_t columns)
{
    return (columns / SINKHORN_FILLING + 2) * SINKHORN_FILLING;
}

/* A matrix of costs: rows of `points` against training rows, from the first ones named on. */
typedef struct cost_matrix {
    const point_set *points;
    size_t first_row, rows, first_column, columns;
    size_t stride;
    float *costs;
} cost_matrix;

/* Block by block; `base` is what progress hears, unless `asks` forbids it. False when it says stop. */
static bool fill_costs(const lava *l, const cost_matrix *m, size_t threads, bool asks, size_t base)
{
    enum { BLOCK_ROWS = 128, BLOCK_COLUMNS = 512 };
    const lava_problem *p = &l->problem;
    size_t strips = (m->columns + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS;
    size_t blocks = (m->rows + BLOCK_ROWS - 1) / BLOCK_ROWS * strips;
    bool stop = false;
    threads = plan_workers(threads, blocks);
    for (size_t row = 0; row < m->rows; row++)
        memset(m->costs + row * m->stride + m->columns, 0, (m->stride - m->columns) * sizeof *m->costs);
#pragma omp parallel for schedule(dynamic) num_threads((int)threads) if (threads > 1)
    for (size_t block = 0; block < blocks; block++) {
        bool stopped;
#pragma omp atomic read
        stopped = stop;
        if (stopped)
            continue;
        size_t row = block / strips * BLOCK_ROWS, column = block % strips * BLOCK_COLUMNS;
        size_t rows = m->rows - row < BLOCK_ROWS ? m->rows - row : BLOCK_ROWS;
        size_t columns = m->columns - column < BLOCK_COLUMNS ? m->columns - column : BLOCK_COLUMNS;
        points_costs(m->points, m->first_row + row, rows, &l->train_points, m->first_column + column, columns,
                     p->columns, m->costs + row * m->stride + column, m->stride);
        if (asks && p->progress && (threads == 1 || omp_get_thread_num() == 0) &&
            p->progress(p->context, "lava", base, PROGRESS_TOTAL)) {
#pragma omp atomic write
            stop = true;
        }
    }
    return !stop;
}

static size_t memory_allowed(const lava_problem *p)
{
    return p->memory ? p->memory : memory_of_machine() / 4;
}

/* Points around the mean of the training rows that count. */
static gbv_status create_points(lava *l, gbv_error *error)
{
    const lava_problem *p = &l->problem;
    double *centre = memory_zeroed(p->columns, sizeof *centre);
    if (!centre)
        return error_out_of_memory(error, "the features of the transport problem");
    for (size_t i = 0; i < l->train.rows; i++)
        dense_add_f32(centre, p->train + l->train.row[i] * p->columns, p->columns);
    for (size_t j = 0; j < p->columns; j++)
        centre[j] /= (double)l->train.rows;
    gbv_status status =
        points_create(p->train, l->train.row, l->train.rows, p->columns, centre, "sources", &l->train_points, error);
    if (status == GBV_OK)
        status = points_create(p->reference, NULL, p->reference_rows, p->columns, centre, "reference",
                               &l->reference_points, error);
    free(centre);
    return status;
}

static gbv_status fill_all_costs(lava *l, gbv_error *error)
{
    cost_matrix whole = {.points = &l->reference_points,
                         .rows = l->problem.reference_rows,
                         .columns = l->train.rows,
                         .stride = l->stride,
                         .costs = l->costs};
    return fill_costs(l, &whole, l->problem.threads, true, 0)
               ? GBV_OK
               : error_set(error, GBV_INTERRUPTED, "interrupted while computing LAVA's costs");
}

gbv_status lava_open(const lava_problem *problem, lava **opened, gbv_error *error)
{
    *opened = NULL;
    if (problem->columns > INT_MAX || problem->train_rows > INT_MAX - 2 * SINKHORN_FILLING)
        return error_set(error, GBV_BAD_INPUT, "%zu rows of %zu features are more than BLAS can take",
                         problem->train_rows, problem->columns);
    lava *l = memory_zeroed(1, sizeof *l);
    if (!l)
        return error_out_of_memory(error, "LAVA");
    l->problem = *problem;
    gbv_status status = GBV_OK;
    if (!classes_create(problem->train_labels, NULL, problem->train_rows, problem->class_count, &l->train))
        status = error_out_of_memory(error, "LAVA");
    else if (l->train.classes == 0)
        status = error_set(error, GBV_UNDEFINED,
                           "no class has two rows in the sources, which LAVA needs: use another method");
    else
        status = create_points(l, error);
    if (status == GBV_OK && !(l->train_box = boxes_create(l->train_points.values, &l->train, true, problem->columns)))
        status = error_out_of_memory(error, "LAVA");
    size_t bytes;
    l->stride = filled_stride(l->train.rows);
    if (status == GBV_OK && !__builtin_mul_overflow(problem->reference_rows, l->stride * sizeof *l->costs, &bytes) &&
        bytes <= memory_allowed(problem) &&
        (l->costs = memory_array(problem->reference_rows, l->stride * sizeof *l->costs)))
        status = fill_all_costs(l, error);
    l->problem.train = l->problem.reference = NULL; /* borrowed for this call only */
    l->problem.train_labels = NULL;
    if (status == GBV_OK)
        *opened = l;
    else
        lava_close(l);
    return status;
}

void lava_close(lava *opened)
{
    if (!opened)
        return;
    classes_free(&opened->train);
    points_free(&opened->train_points);
    points_free(&opened->reference_points);
    free(opened->train_box);
    free(opened->costs);
    free(opened);
}

/* What tiles of costs are made from when they are not kept. */
static void fill_tile(const void *context, size_t first_row, size_t rows, size_t first_column, size_t columns,
                      float *tile)
{
    const solution *s = context;
    points_costs(&s->points, first_row, rows, &s->opened->train_points, first_column, columns,
                 s->opened->problem.columns, tile, SINKHORN_TILE_COLUMNS);
}

/* Progress of the whole solution from that of one transport problem in it. */
static bool ask(void *context, const char *stage, size_t done, size_t total)
{
    (void)stage;
    const solution *s = context;
    const lava_problem *p = &s->opened->problem;
    size_t part = (size_t)((double)s->progress_share * (double)done / (double)total);
    return p->progress(p->context, "lava", s->progress_base + part, PROGRESS_TOTAL);
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* The costs of one pair of classes, for the time of its solution, when those of all do not fit. */
typedef struct pair_costs {
    float *costs;
    const float **lines; /* NULL: these do not fit either */
} pair_costs;

static gbv_status pair_costs_create(const solution *s, const sinkhorn_task *task, size_t memory, pair_costs *made,
                                    gbv_error *error)
{
    size_t stride = filled_stride(task->columns);
    *made = (pair_costs){0};
    if (stride * sizeof *made->costs > memory / task->rows)
        return GBV_OK;
    made->costs = memory_array(task->rows, stride * sizeof *made->costs);
    made->lines = made->costs ? memory_array(task->rows, sizeof *made->lines) : NULL;
    if (!made->lines)
        return GBV_OK; /* tiles do with less */
    for (size_t r = 0; r < task->rows; r++)
        made->lines[r] = made->costs + r * stride;
    cost_matrix m = {.points = &s->points,
                     .first_row = task->first_row,
                     .rows = task->rows,
                     .first_column = task->first_column,
                     .columns = task->columns,
                     .stride = stride,
                     .costs = made->costs};
    return fill_costs(s->opened, &m, task->threads, task->progress != NULL, s->progress_base)
               ? GBV_OK
               : error_set(error, GBV_INTERRUPTED, "interrupted while computing LAVA's costs");
}

/* Half the transport distance between a reference class and a training class. `alone`: no other pair is being solved,
 * so that all threads are free and progress may be asked. */
static gbv_status solve_pair(solution *s, size_t reference_class, size_t train_class, bool alone, gbv_error *error)
{
    const lava *l = s->opened;
    size_t memory = memory_allowed(&l->problem) / (alone && s->asks ? 1 : l->problem.threads);
    size_t columns = l->problem.columns;
    const float *a = s->box + reference_class * 2 * columns, *b = l->train_box + train_class * 2 * columns;
    sinkhorn_task task = {.costs = s->lines,
                          .fill = fill_tile,
                          .points = s,
                          .first_row = classes_start(&s->reference, reference_class),
                          .first_column = classes_start(&l->train, train_class),
                          .diameter = sqrt(boxes_squared_diameter(a, b, columns)),
                          .threads = alone ? s->threads : 1};
    task.rows = s->reference.end[reference_class] - task.first_row;
    task.columns = l->train.end[train_class] - task.first_column;
    if (alone && s->asks && l->problem.progress)
        task.progress = ask, task.context = s;
    pair_costs made = {0};
    gbv_status status = s->lines ? GBV_OK : pair_costs_create(s, &task, memory, &made, error);
    if (made.lines) {
        task.costs = made.lines;
        task.first_row = task.first_column = 0;
    }
    double *potentials = memory_array(task.rows + task.columns, sizeof *potentials);
    if (status == GBV_OK)
        status = potentials ? sinkhorn_solve(&task, potentials, potentials + task.columns, error)
                            : error_out_of_memory(error, "LAVA");
    if (status == GBV_OK)
        s->additions[reference_class * l->train.classes + train_class] =
            (mean_of(potentials, task.columns) + mean_of(potentials + task.columns, task.rows)) / 2;
    free(potentials);
    free(made.costs);
    free(made.lines);
    return status;
}

static size_t largest_class(const classes_of_rows *c)
{
    size_t largest = 0;
    for (size_t k = 0; k < c->classes; k++)
        largest = c->end[k] - classes_start(c, k) > largest ? c->end[k] - classes_start(c, k) : largest;
    return largest;
}

/* Of failures side by side the lowest-numbered is the one reported, whoever was faster. */
static void keep_first_failure(size_t number, gbv_status mine, const gbv_error *why, size_t *failed, gbv_status *status,
                               gbv_error *error)
{
#pragma omp critical(lava_failed)
    if (number < *failed) {
        *failed = number;
        *status = mine;
        if (error)
            *error = *why;
    }
}

/* Every pair of classes; the lowest-numbered failing one is reported. */
static gbv_status solve_pairs(solution *s, gbv_error *error)
{
    const lava_problem *p = &s->opened->problem;
    size_t train_classes = s->opened->train.classes, pairs = s->reference.classes * train_classes, failed = pairs;
    bool alone = largest_class(&s->reference) > LARGE_PAIR / largest_class(&s->opened->train) || pairs < s->threads;
    size_t threads = alone ? 1 : plan_workers(s->threads, pairs), done = 0;
    gbv_status status = GBV_OK;
    s->progress_share = PROGRESS_LABELS / pairs;
#pragma omp parallel for schedule(dynamic) num_threads((int)threads) if (threads > 1)
    for (size_t pair = 0; pair < pairs; pair++) {
        gbv_error mine = {0};
        size_t earliest, before;
#pragma omp atomic read
        earliest = failed;
        if (earliest < pair)
            continue;
#pragma omp atomic capture
        before = done++;
        bool asks = s->asks && p->progress && (threads == 1 || omp_get_thread_num() == 0);
        size_t part = (size_t)((double)PROGRESS_LABELS * (double)before / (double)pairs);
        if (alone)
            s->progress_base = part;
        gbv_status mine_status = asks && p->progress(p->context, "lava", part, PROGRESS_TOTAL)
                                     ? error_set(&mine, GBV_INTERRUPTED, "interrupted in LAVA's label distances")
                                     : solve_pair(s, pair / train_classes, pair % train_classes, alone, &mine);
        if (mine_status == GBV_OK)
            continue;
        keep_first_failure(pair, mine_status, &mine, &failed, &status, error);
    }
    return status;
}

static gbv_status solve_whole(solution *s, gbv_error *error)
{
    const lava *l = s->opened;
    sinkhorn_task task = {.rows = s->reference.rows,
                          .columns = l->train.rows,
                          .costs = s->lines,
                          .fill = fill_tile,
                          .points = s,
                          .row_groups = s->reference.classes,
                          .column_groups = l->train.classes,
                          .row_group_end = s->reference.end,
                          .column_group = l->train.class,
                          .additions = s->additions,
                          .converged = l->problem.converged,
                          .threads = s->threads};
    if (!whole_diameter(s, &task.diameter))
        return error_out_of_memory(error, "LAVA");
    s->progress_base = PROGRESS_LABELS;
    s->progress_share = PROGRESS_TOTAL - PROGRESS_LABELS;
    if (s->asks && l->problem.progress)
        task.progress = ask, task.context = s;
    return sinkhorn_solve(&task, s->columns, s->rows, error);
}

/* Each row's potential minus the mean of the others' (Just et al., section 3.2). */
static void write_gradients(const solution *s, double *gradients)
{
    const classes_of_rows *train = &s->opened->train;
    double sum = 0, others = (double)train->rows - 1;
    for (size_t i = 0; i < s->opened->problem.train_rows; i++)
        gradients[i] = NAN;
    for (size_t i = 0; i < train->rows; i++)
        sum += s->columns[i];
    for (size_t i = 0; i < train->rows; i++)
        gradients[train->row[i]] = s->columns[i] - (sum - s->columns[i]) / others;
}

/* Costs by line when they are kept, the points in the order of the rows when they are not. */
static gbv_status prepare_costs(solution *s, gbv_error *error)
{
    const lava *l = s->opened;
    size_t rows = s->reference.rows;
    if (!l->costs) {
        double *nowhere = memory_zeroed(l->problem.columns, sizeof *nowhere);
        gbv_status status = nowhere ? points_create(l->reference_points.values, s->reference.row, rows,
                                                    l->problem.columns, nowhere, "reference", &s->points, error)
                                    : error_out_of_memory(error, "LAVA");
        free(nowhere);
        return status;
    }
    if (!(s->lines = memory_array(rows, sizeof *s->lines)))
        return error_out_of_memory(error, "LAVA");
    for (size_t r = 0; r < rows; r++)
        s->lines[r] = l->costs + s->reference.row[r] * l->stride;
    return GBV_OK;
}

static gbv_status solve(const lava *opened, const size_t *reference_rows, size_t count, size_t threads, bool asks,
                        double *gradients, double *distance, gbv_error *error)
{
    const lava_problem *p = &opened->problem;
    solution s = {.opened = opened, .threads = threads, .asks = asks};
    gbv_status status = GBV_FAILED;
    if (!classes_create(p->reference_labels, reference_rows, count, p->class_count, &s.reference)) {
        error_out_of_memory(error, "LAVA");
        goto done;
    }
    if (s.reference.classes == 0) {
        status = error_set(error, GBV_UNDEFINED,
                           "no class has two of the %zu reference rows, which LAVA needs: add rows to the reference or "
                           "use another method",
                           count);
        goto done;
    }
    s.box = boxes_create(opened->reference_points.values, &s.reference, false, p->columns);
    s.additions = memory_array(s.reference.classes, opened->train.classes * sizeof *s.additions);
    s.columns = memory_array(opened->train.rows, sizeof *s.columns);
    s.rows = memory_array(s.reference.rows, sizeof *s.rows);
    if (!s.box || !s.additions || !s.columns || !s.rows) {
        error_out_of_memory(error, "LAVA");
        goto done;
    }
    status = prepare_costs(&s, error);
    if (status == GBV_OK)
        status = solve_pairs(&s, error);
    if (status == GBV_OK)
        status = solve_whole(&s, error);
    if (status != GBV_OK)
        goto done;
    write_gradients(&s, gradients);
    if (distance)
        *distance = mean_of(s.columns, opened->train.rows) + mean_of(s.rows, s.reference.rows);
done:
    classes_free(&s.reference);
    points_free(&s.points);
    free(s.lines);
    free(s.box);
    free(s.additions);
    free(s.columns);
    free(s.rows);
    return status;
}

gbv_status lava_solve(const lava *opened, const size_t *reference_rows, size_t count, double *gradients,
                      double *distance, gbv_error *error)
{
    const lava_problem *p = &opened->problem;
    return solve(opened, reference_rows, reference_rows ? count : p->reference_rows, p->threads, true, gradients,
                 distance, error);
}

gbv_status lava_solve_each(const lava *opened, const size_t *subsets, size_t subset_count, size_t count,
                           double *gradients, gbv_error *error)
{
    const lava_problem *p = &opened->problem;
    bool large = count > LARGE_SOLUTION / opened->train.rows;
    size_t threads = large ? 1 : plan_workers(p->threads, subset_count), done = 0, failed = subset_count;
    gbv_status status = GBV_OK;
#pragma omp parallel for schedule(dynamic) num_threads((int)threads) if (threads > 1)
    for (size_t k = 0; k < subset_count; k++) {
        gbv_error mine = {0};
        size_t earliest, before;
#pragma omp atomic read
        earliest = failed;
        if (earliest < k)
            continue;
#pragma omp atomic capture
        before = done++;
        bool asks = p->progress && !large && (threads == 1 || omp_get_thread_num() == 0);
        gbv_status mine_status = asks && p->progress(p->context, "lava", before, subset_count)
                                     ? error_set(&mine, GBV_INTERRUPTED,
                                                 "interrupted after %zu of %zu solutions of LAVA", before, subset_count)
                                     : solve(opened, subsets + k * count, count, threads > 1 ? 1 : p->threads, large,
                                             gradients + k * p->train_rows, NULL, &mine);
        if (mine_status == GBV_OK)
            continue;
        keep_first_failure(k, mine_status, &mine, &failed, &status, error);
    }
    return status;
}

gbv_status lava_gradients(const lava_problem *problem, double *gradients, double *distance, gbv_error *error)
{
    lava *opened;
    gbv_status status = lava_open(problem, &opened, error);
    if (status == GBV_OK)
        status = lava_solve(opened, NULL, 0, gradients, distance, error);
    lava_close(opened);
    return status;
}
