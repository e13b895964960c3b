/* row_draws.h - which rows of a reference count how much in each replicate of a score.
 *
 *     row_draws draws;
 *     row_draws_create(seed, "reference", 200, rows, threads, &draws, error);
 *     draws.weights + b * draws.rows;        the row weights of replicate b
 *     draws.halves + b * draws.half_rows;    the rows of its half-sample
 *     row_draws_free(&draws);
 */
#ifndef MEASURE_ROW_DRAWS_H
#define MEASURE_ROW_DRAWS_H

#include <stddef.h>
#include <stdint.h>

#include <gbv/status.h>

/* How far a row's weight is moved, as a share of it. Chance itself moves rows by their whole weight, so that the scores
 * move by this part of what chance does, and what is of second order by its square. A smaller step tells the two apart
 * better and keeps every row and class. */
#define ROW_WEIGHT_STEP 0.5

/* Replicates come two by two: what 2k does to the rows, 2k + 1 does the other way round. Half the difference of their
 * scores is what chance does to a score, up to its sign; their mean beside the score itself is the bias.
 * Both kinds come from the same draws. That of row i in replicates 2k and 2k + 1 depends on (seed, subject, k, i)
 * alone: neither more rows nor more replicates change it. */
typedef struct row_draws {
    size_t count;     /* B, replicates */
    size_t rows;      /* N */
    size_t half_rows; /* floor(N / 2) */
    double *weights;  /* B x N: 1 + ROW_WEIGHT_STEP or 1 - ROW_WEIGHT_STEP by a coin, made to add up to N */
    uint32_t *halves; /* B x half_rows: the rows of the largest draws, of the smallest for 2k + 1, ascending */
} row_draws;

/* Fails with GBV_BAD_INPUT for more than UINT32_MAX rows, GBV_FAILED without memory; *draws is then empty. */
GBV_MUST_CHECK gbv_status row_draws_create(uint64_t seed, const char *subject, size_t count, size_t rows,
                                           size_t threads, row_draws *draws, gbv_error *error);
void row_draws_free(row_draws *draws);

/* The half-samples as B x N zeros and ones, to be freed; NULL when memory is out. */
double *row_draws_chosen(const row_draws *draws);

#endif
