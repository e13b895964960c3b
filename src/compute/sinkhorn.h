/* sinkhorn.h - entropic optimal transport between two clouds of equally weighted points, in single precision, as
 * geomloss computes it (p = 2, blur^2 = SINKHORN_BLUR, scaling 1/2): one damped sweep for each temperature, which falls
 * from the squared diameter of the clouds to the blur. Each sweep reads a tile of costs once for both potentials.
 *
 *     sinkhorn_task task = {.rows = m, .columns = n, .costs = lines, .diameter = diameter, .threads = 2};
 *     sinkhorn_solve(&task, columns, rows, error);
 *     value = mean(columns) + mean(rows)
 */
#ifndef COMPUTE_SINKHORN_H
#define COMPUTE_SINKHORN_H

#include <stdint.h>

#include <gbv/data.h>

/* The last temperature. */
#define SINKHORN_BLUR 0.1

/* A tile of costs has at most this many rows and columns; its lines are read in whole vectors of SINKHORN_FILLING. */
enum { SINKHORN_TILE_ROWS = 32, SINKHORN_TILE_COLUMNS = 256, SINKHORN_FILLING = 16 };

/* Writes the costs of some rows against some columns to `tile`, whose lines are SINKHORN_TILE_COLUMNS apart. */
typedef void sinkhorn_fill(const void *points, size_t first_row, size_t rows, size_t first_column, size_t columns,
                           float *tile);

typedef struct sinkhorn_task {
    size_t rows, columns; /* points on either side, at least 1 */
    /* For each row where its costs stand, each at most half the squared diameter, with SINKHORN_FILLING - 1 further
     * finite numbers behind the last; NULL: `fill` makes them in each sweep. */
    const float *const *costs;
    sinkhorn_fill *fill;            /* must be safe to call from several threads */
    const void *points;             /* handed to `fill` */
    size_t first_row, first_column; /* where the problem begins in `costs` and in the numbers that `fill` gets */

    /* Groups of rows whose costs all get something added that depends on the column: row_group_end[k] is the row after
     * the last one of group k, column_group[i] the group of column i, and additions[k * column_groups + that] what is
     * added. NULL: nothing. */
    size_t row_groups, column_groups;
    const size_t *row_group_end;
    const int32_t *column_group;
    const double *additions;

    double diameter; /* of the box around both clouds; the first temperature is its square */
    bool converged;  /* go on at the last temperature until the potentials stand still */
    size_t threads;
    gbv_progress_callback *progress; /* asked by the calling thread several times a sweep, with sweeps done and to do */
    void *context;
} sinkhorn_task;

/* Potentials of the columns and of the rows. Does not depend on the number of threads. */
GBV_MUST_CHECK gbv_status sinkhorn_solve(const sinkhorn_task *task, double *column_potentials, double *row_potentials,
                                         gbv_error *error);

/* The temperatures of the damped sweeps, first to last; at most SINKHORN_MOST_STEPS. Returns how many. */
enum { SINKHORN_MOST_STEPS = 1100 };
size_t sinkhorn_schedule(double diameter, double *temperatures);

#endif
