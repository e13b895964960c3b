#include "compute/sinkhorn.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "compute/dense.h"
#include "compute/power.h"

enum { TILE_ROWS = SINKHORN_TILE_ROWS, TILE_COLUMNS = SINKHORN_TILE_COLUMNS, MOST_CONVERGING_SWEEPS = 2000 };

/* Powers are exact down to 2^-110 below the largest; sums within this many binary orders keep their digits. */
#define NARROW 70
/* The level of columns that only fill a vector: far below all others, and finite after a cost is taken off. */
#define WEIGHTLESS -1e38f

/* Below this the clouds are one point as far as the blur can tell, and 1 / temperature would overflow. */
static const double SMALLEST_SQUARED_DIAMETER = 1e-12;
/* Potentials stand still when no one moves by more than this share of the blur, or than what single precision sees. */
static const double STANDING_STILL = 1e-4, SINGLE_ROUNDING = 2e-7;

size_t sinkhorn_schedule(double diameter, double *temperatures)
{
    size_t count = 0;
    if (diameter * diameter >= SMALLEST_SQUARED_DIAMETER) {
        double first = 2 * log(diameter), last = log(SINKHORN_BLUR), step = 2 * log(0.5);
        double between = ceil((last - first) / step);
        temperatures[count++] = diameter * diameter;
        for (double k = 0; k < between && count + 1 < SINKHORN_MOST_STEPS; k++)
            temperatures[count++] = exp(first + k * step);
    }
    temperatures[count++] = SINKHORN_BLUR;
    return count;
}

/* A sum of powers of two, sum * 2^top, that may be far outside the range of a float. */
typedef struct power_sum {
    float top, sum;
} power_sum;

/* One sweep at one temperature. Costs, potentials and weights are in units in which the kernel is a power of two. */
typedef struct sweep {
    const sinkhorn_task *task;
    double *columns, *rows;           /* potentials */
    double unit;                      /* log2(e) / temperature */
    double column_weight, row_weight; /* log2 of a column's and a row's share */
    bool narrow;                      /* no two terms are more than 2^NARROW apart */
    double addition_low, addition_high;
    float highest;       /* then: the exponent that none exceeds */
    double step;         /* how far the potentials move: 1, or 1/2 when damped */
    power_sum *row_sums; /* for each strip of columns, what it gives to each row */
    float *row_levels;   /* row_weight + potential, in units */
    double *strip_moves; /* the largest change of a potential in each strip */
} sweep;

/* Where the rows of one tile stand, and the levels from which its costs are taken off. Columns are filled up to whole
 * vectors with some of no weight. */
typedef struct tile {
    const float *lines[TILE_ROWS];
    const float *coming[TILE_ROWS]; /* the lines of the next tile; NULL: none */
    size_t rows, columns, width;    /* width: columns and filling */
    float unit;
    const float *row_levels;
    float row_top[TILE_ROWS], row_sum[TILE_ROWS];
    _Alignas(64) float column_levels[TILE_COLUMNS]; /* column_weight + potential - addition, in units */
    _Alignas(64) float column_top[TILE_COLUMNS];
    _Alignas(64) float column_sum[TILE_COLUMNS];
} tile;

/* Asks for what will be needed next while there is something to compute: lines are too short for the processor to
 * guess where the next one is. */
static inline void prefetch_line(const float *line, size_t width)
{
    for (size_t i = 0; line && i < width; i += 64 / sizeof *line)
        __builtin_prefetch(line + i, 0, 2);
}

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

/* The largest exponent of each row and of each column. */
CLONED static void tile_tops(tile *t)
{
    enum { LANES = SINKHORN_FILLING };
    float unit = t->unit;
    for (size_t i = 0; i < t->width; i++)
        t->column_top[i] = -INFINITY;
    for (size_t r = 0; r < t->rows; r++) {
        const float *restrict line = t->lines[r];
        float lanes[LANES], level = t->row_levels[r];
        for (size_t k = 0; k < LANES; k++)
            lanes[k] = -INFINITY;
        for (size_t i = 0; i < t->width; i += LANES)
#pragma omp simd
            for (size_t k = 0; k < LANES; k++) {
                float cost = line[i + k] * unit;
                lanes[k] = larger(lanes[k], t->column_levels[i + k] - cost);
                t->column_top[i + k] = larger(t->column_top[i + k], level - cost);
            }
        for (size_t half = LANES / 2; half; half /= 2)
            for (size_t k = 0; k < half; k++)
                lanes[k] = larger(lanes[k], lanes[k + half]);
        t->row_top[r] = lanes[0];
    }
}

/* Sums of powers below each row's and each column's top. */
CLONED static void tile_sums(tile *t)
{
    size_t width = t->width;
    float unit = t->unit;
    for (size_t i = 0; i < width; i++)
        t->column_sum[i] = 0;
    for (size_t r = 0; r < t->rows; r++) {
        const float *restrict line = t->lines[r];
        float level = t->row_levels[r], top = t->row_top[r], sum = 0;
        prefetch_line(t->coming[r], width);
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < width; i++) {
            float cost = line[i] * unit;
            sum += power_inverse_f32(top - (t->column_levels[i] - cost));
            t->column_sum[i] += power_inverse_f32(t->column_top[i] - (level - cost));
        }
        t->row_sum[r] = sum;
    }
}

/* The same from one power an element, 2^(row level + column level - cost - top), which takes the levels of both sides
 * off again afterwards. The sums must then be within the range of a float: see tile_is_narrow. */
CLONED static void tile_joint_sums(tile *t, float top)
{
    size_t width = t->width;
    float unit = t->unit;
    for (size_t i = 0; i < width; i++) {
        t->column_sum[i] = 0;
        t->column_top[i] = top - t->column_levels[i];
    }
    for (size_t r = 0; r < t->rows; r++) {
        const float *restrict line = t->lines[r];
        float row_top = top - t->row_levels[r], sum = 0;
        prefetch_line(t->coming[r], width);
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < width; i++) {
            float power = power_inverse_f32(row_top - (t->column_levels[i] - line[i] * unit));
            sum += power;
            t->column_sum[i] += power;
        }
        t->row_top[r] = row_top;
        t->row_sum[r] = sum;
    }
}

/* Whether the largest terms of all rows and columns are so close together that one scale serves all; *top is the
 * largest of all terms. */
static bool tile_is_narrow(const tile *t, float *top)
{
    float low = INFINITY, high = -INFINITY;
    for (size_t r = 0; r < t->rows; r++) {
        float level = t->row_top[r] + t->row_levels[r];
        low = level < low ? level : low;
        high = larger(high, level);
    }
    for (size_t i = 0; i < t->columns; i++) {
        float level = t->column_top[i] + t->column_levels[i];
        low = level < low ? level : low;
        high = larger(high, level);
    }
    *top = high;
    return high - low <= NARROW;
}

/* The sums of a tile in the cheapest way that is exact enough. `known`: the whole sweep is known to be narrow, with
 * terms up to 2^known_top. */
static void tile_sum(tile *t, bool known, float known_top)
{
    float top;
    if (known)
        tile_joint_sums(t, known_top);
    else if (tile_tops(t), tile_is_narrow(t, &top))
        tile_joint_sums(t, top);
    else
        tile_sums(t);
}

static inline power_sum power_sum_add(power_sum a, power_sum b)
{
    float top = larger(a.top, b.top);
    return (power_sum){top, a.sum * power_inverse_f32(top - a.top) + b.sum * power_inverse_f32(top - b.top)};
}

/* What the tile gives to its columns, which the addition of its group of rows makes dearer. */
CLONED static void add_to_columns(const tile *t, const float *additions, power_sum *sums)
{
#pragma omp simd
    for (size_t i = 0; i < t->columns; i++)
        sums[i] = power_sum_add(sums[i], (power_sum){t->column_top[i] - additions[i], t->column_sum[i]});
}

/* The tile's rows, which must be of one group: from the matrix of costs, or made now in `made`. */
static void tile_open(tile *t, const sweep *s, size_t row, size_t rows, size_t column, float *made)
{
    const sinkhorn_task *task = s->task;
    size_t first_row = task->first_row + row, first_column = task->first_column + column;
    t->rows = rows;
    t->row_levels = s->row_levels + row;
    if (!task->costs)
        task->fill(task->points, first_row, rows, first_column, t->columns, made);
    for (size_t r = 0; r < rows; r++) {
        size_t after = first_row + rows + r;
        t->coming[r] = task->costs && row + rows + r < task->rows ? task->costs[after] + first_column : NULL;
        t->lines[r] = task->costs ? task->costs[first_row + r] + first_column : made + r * TILE_COLUMNS;
    }
}

/* The levels of the strip's columns as rows of group `group` see them, and the group's additions in units. */
static void set_column_levels(tile *t, const sweep *s, size_t group, size_t first_column, float *additions)
{
    const sinkhorn_task *task = s->task;
    for (size_t i = 0; i < t->columns; i++) {
        size_t column = first_column + i;
        double addition =
            task->additions ? task->additions[group * task->column_groups + (size_t)task->column_group[column]] : 0;
        additions[i] = (float)(addition * s->unit);
        t->column_levels[i] = (float)((s->columns[column] - addition) * s->unit + s->column_weight);
    }
}

/* New potentials of the strip's columns, in place: no other strip looks at them. */
static double move_columns(const sweep *s, size_t first_column, size_t count, const power_sum *sums)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        double *potential = s->columns + first_column + i;
        double move = -((double)sums[i].top + log2((double)sums[i].sum)) / s->unit - *potential;
        *potential += s->step * move;
        largest = fmax(largest, fabs(move));
    }
    return largest;
}

/* All rows against one strip of columns. */
static void sweep_strip(const sweep *s, size_t strip)
{
    const sinkhorn_task *task = s->task;
    size_t first_column = strip * TILE_COLUMNS, left = task->columns - first_column;
    size_t groups = task->additions ? task->row_groups : 1;
    power_sum *row_sums = s->row_sums + strip * task->rows, column_sums[TILE_COLUMNS];
    float made[TILE_ROWS * TILE_COLUMNS], additions[TILE_COLUMNS];
    tile t = {.columns = left < TILE_COLUMNS ? left : TILE_COLUMNS, .unit = (float)s->unit};
    t.width = (t.columns + SINKHORN_FILLING - 1) / SINKHORN_FILLING * SINKHORN_FILLING;
    for (size_t i = t.columns; i < t.width; i++)
        t.column_levels[i] = WEIGHTLESS;
    if (!task->costs)
        memset(made, 0, sizeof made); /* so that the filling is finite */
    for (size_t i = 0; i < t.columns; i++)
        column_sums[i] = (power_sum){-INFINITY, 0};
    for (size_t group = 0, row = 0; group < groups; group++) {
        size_t end = task->additions ? task->row_group_end[group] : task->rows;
        set_column_levels(&t, s, group, first_column, additions);
        for (size_t rows; row < end; row += rows) {
            rows = end - row < TILE_ROWS ? end - row : TILE_ROWS;
            tile_open(&t, s, row, rows, first_column, made);
            tile_sum(&t, s->narrow, s->highest);
            add_to_columns(&t, additions, column_sums);
            for (size_t r = 0; r < rows; r++)
                row_sums[row + r] = (power_sum){t.row_top[r], t.row_sum[r]};
        }
    }
    s->strip_moves[strip] = move_columns(s, first_column, t.columns, column_sums);
}

static double move_rows(const sweep *s, size_t strips)
{
    double largest = 0;
    for (size_t r = 0; r < s->task->rows; r++) {
        double top = -INFINITY, sum = 0;
        for (size_t k = 0; k < strips; k++)
            top = fmax(top, (double)s->row_sums[k * s->task->rows + r].top);
        for (size_t k = 0; k < strips; k++) {
            power_sum part = s->row_sums[k * s->task->rows + r];
            sum += (double)part.sum * exp2((double)part.top - top);
        }
        double move = -(top + log2(sum)) / s->unit - s->rows[r];
        s->rows[r] += s->step * move;
        largest = fmax(largest, fabs(move));
    }
    return largest;
}

/* Whether the exponents of all pairs are bound to lie close together: costs are between 0 and half the squared
 * diameter, to which additions come. */
static void bound_sweep(sweep *s)
{
    const sinkhorn_task *task = s->task;
    double column_low = INFINITY, column_high = -INFINITY, row_low = INFINITY, row_high = -INFINITY;
    for (size_t i = 0; i < task->columns; i++) {
        column_low = fmin(column_low, s->columns[i]);
        column_high = fmax(column_high, s->columns[i]);
    }
    for (size_t r = 0; r < task->rows; r++) {
        row_low = fmin(row_low, s->rows[r]);
        row_high = fmax(row_high, s->rows[r]);
    }
    double range = task->diameter * task->diameter / 2 + s->addition_high - s->addition_low + column_high - column_low +
                   row_high - row_low;
    s->narrow = range * s->unit <= NARROW;
    s->highest = (float)((column_high + row_high - s->addition_low) * s->unit + s->column_weight + s->row_weight);
}

/* Both potentials from their old values. `done` and `total` sweeps are what progress hears. Returns false when it said
 * stop; otherwise *largest is the largest change of a potential, before damping. */
static bool sweep_once(sweep *s, double temperature, double step, size_t done, size_t total, double *largest)
{
    const sinkhorn_task *task = s->task;
    size_t strips = (task->columns + TILE_COLUMNS - 1) / TILE_COLUMNS, threads = plan_workers(task->threads, strips);
    bool stop = false;
    s->unit = M_LOG2E / temperature;
    s->step = step;
    bound_sweep(s);
    for (size_t r = 0; r < task->rows; r++)
        s->row_levels[r] = (float)(s->rows[r] * s->unit + s->row_weight);
#pragma omp parallel for schedule(dynamic) num_threads((int)threads) if (threads > 1)
    for (size_t strip = 0; strip < strips; strip++) {
        bool stopped;
#pragma omp atomic read
        stopped = stop;
        if (stopped)
            continue;
        sweep_strip(s, strip);
        if (task->progress && (threads == 1 || omp_get_thread_num() == 0) &&
            task->progress(task->context, "transport", done, total)) {
#pragma omp atomic write
            stop = true;
        }
    }
    if (stop)
        return false;
    *largest = move_rows(s, strips);
    for (size_t strip = 0; strip < strips; strip++)
        *largest = fmax(*largest, s->strip_moves[strip]);
    return true;
}

static double largest_size(const sinkhorn_task *task, const double *columns, const double *rows)
{
    double largest = 0;
    for (size_t i = 0; i < task->columns; i++)
        largest = fmax(largest, fabs(columns[i]));
    for (size_t r = 0; r < task->rows; r++)
        largest = fmax(largest, fabs(rows[r]));
    return largest;
}

static bool sweep_all(sweep *s)
{
    double temperatures[SINKHORN_MOST_STEPS], largest = INFINITY;
    size_t steps = sinkhorn_schedule(s->task->diameter, temperatures), done = 0;
    size_t extra = s->task->converged ? MOST_CONVERGING_SWEEPS : 0, total = steps + extra + 2;
    /* The first sweep starts from potentials of zero, the last one is not damped. */
    bool going = sweep_once(s, temperatures[0], 1, done++, total, &largest);
    for (size_t k = 0; k < steps && going; k++)
        going = sweep_once(s, temperatures[k], 0.5, done++, total, &largest);
    for (size_t k = 0; k < extra && going; k++) {
        double small = SINGLE_ROUNDING * largest_size(s->task, s->columns, s->rows);
        if (largest <= fmax(STANDING_STILL * SINKHORN_BLUR, small))
            break;
        going = sweep_once(s, SINKHORN_BLUR, 0.5, done++, total, &largest);
    }
    return going && sweep_once(s, SINKHORN_BLUR, 1, total - 1, total, &largest);
}

gbv_status sinkhorn_solve(const sinkhorn_task *task, double *column_potentials, double *row_potentials,
                          gbv_error *error)
{
    size_t strips = (task->columns + TILE_COLUMNS - 1) / TILE_COLUMNS, row_strips;
    sweep s = {.task = task, .columns = column_potentials, .rows = row_potentials};
    gbv_status status = GBV_FAILED;
    s.column_weight = -log2((double)task->columns);
    s.row_weight = -log2((double)task->rows);
    if (!__builtin_mul_overflow(strips, task->rows, &row_strips))
        s.row_sums = memory_array(row_strips, sizeof *s.row_sums);
    s.row_levels = memory_array(task->rows, sizeof *s.row_levels);
    s.strip_moves = memory_array(strips, sizeof *s.strip_moves);
    if (!s.row_sums || !s.row_levels || !s.strip_moves) {
        error_out_of_memory(error, "the transport problem");
        goto done;
    }
    for (size_t k = 0; task->additions && k < task->row_groups * task->column_groups; k++) {
        s.addition_low = k ? fmin(s.addition_low, task->additions[k]) : task->additions[k];
        s.addition_high = k ? fmax(s.addition_high, task->additions[k]) : task->additions[k];
    }
    for (size_t i = 0; i < task->columns; i++)
        column_potentials[i] = 0;
    for (size_t r = 0; r < task->rows; r++)
        row_potentials[r] = 0;
    status = sweep_all(&s) ? GBV_OK : error_set(error, GBV_INTERRUPTED, "interrupted");
done:
    free(s.row_sums);
    free(s.row_levels);
    free(s.strip_moves);
    return status;
}
