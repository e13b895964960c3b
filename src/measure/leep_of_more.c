/* leep_of_more.c - LEEP of more rows than there are. Each row is predicted by a table that it is itself in, which makes
 * the score too high, by most of it where rows are few and columns many. Of more rows the others would count more often
 * beside it; making them do so takes that away, but leaves what the table does not know of rows that are not there.
 * Where rows are many both are alike, so that half the step is right; where they are few, almost all of it. How much,
 * the step from halves of the rows to all of them tells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "measure/leep.h"

/* As good as impossible; one such row then does not decide the mean alone. */
static const double LEAST_LIKELIHOOD = 1e-12;

/* sum_z p_z p(y|z) by a table in which the other rows count `others` times: `own` of its label, `totals` of all. */
static double likelihood_among(const double *row, const double *own, const double *totals, size_t columns,
                               double others)
{
    double likelihood = 0;
    for (size_t z = 0; z < columns; z++) {
        double mine = isinf(others) ? 0 : row[z], times = isinf(others) ? 1 : others;
        /* What rounding leaves of a column that no other row has is not to be divided by. */
        double rest = totals[z] - row[z] > 1e-13 * totals[z] ? totals[z] - row[z] : 0;
        if (times * rest + mine > 0)
            likelihood += row[z] * (times * (rest > 0 ? fmax(own[z] - row[z], 0) : 0) + mine) / (times * rest + mine);
    }
    return likelihood;
}

/* What one computation needs: the table of classes x columns, the sums of its columns, and the rows of each class. */
typedef struct joint {
    double *table, *totals;
    size_t *sizes;
} joint;

static void joint_free(joint *j)
{
    free(j->table);
    free(j->totals);
    free(j->sizes);
}

static bool joint_create(const leep_rows *given, joint *j)
{
    size_t cells;
    bool fits = !__builtin_mul_overflow(given->class_count, given->columns, &cells);
    *j = (joint){fits ? memory_array(cells, sizeof *j->table) : NULL, memory_array(given->columns, sizeof *j->totals),
                 memory_array(given->class_count, sizeof *j->sizes)};
    return j->table && j->totals && j->sizes;
}

static void fill_joint(const leep_rows *given, const uint32_t *chosen, size_t count, joint *j)
{
    size_t columns = given->columns;
    memset(j->table, 0, given->class_count * columns * sizeof *j->table);
    memset(j->totals, 0, columns * sizeof *j->totals);
    memset(j->sizes, 0, given->class_count * sizeof *j->sizes);
    for (size_t k = 0; k < count; k++) {
        size_t i = chosen ? chosen[k] : k;
        const double *row = given->probabilities + i * columns;
        double *own = j->table + (size_t)given->labels[i] * columns;
        j->sizes[given->labels[i]]++;
        for (size_t z = 0; z < columns; z++) {
            own[z] += row[z];
            j->totals[z] += row[z];
        }
    }
}

static double score_among(const leep_rows *given, const uint32_t *chosen, size_t count, double others, const joint *j)
{
    size_t columns = given->columns, judged = 0;
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        size_t i = chosen ? chosen[k] : k;
        if (isinf(others) && j->sizes[given->labels[i]] == 1)
            continue;
        double likelihood = likelihood_among(given->probabilities + i * columns,
                                             j->table + (size_t)given->labels[i] * columns, j->totals, columns, others);
        sum += log(fmax(likelihood, LEAST_LIKELIHOOD));
        judged++;
    }
    return judged ? sum / (double)judged : NAN;
}

gbv_status leep_among(const leep_rows *given, double others, double *score, gbv_error *error)
{
    joint j;
    gbv_status status =
        joint_create(given, &j) ? GBV_OK : error_out_of_memory(error, "the joint distribution of other rows");
    if (status == GBV_OK) {
        fill_joint(given, NULL, given->rows, &j);
        *score = score_among(given, NULL, given->rows, others, &j);
    }
    joint_free(&j);
    return status;
}

/* LEEP of each half-sample, and with the others counted as often as in all rows. */
static gbv_status score_halves(const leep_rows *given, const row_draws *draws, size_t threads, double *plain,
                               double *among, gbv_error *error)
{
    size_t half = draws->half_rows;
    double others = (double)(given->rows - 1) / (double)(half - 1);
    bool enough = true;
#pragma omp parallel num_threads((int)threads) if (threads > 1)
    {
        joint j;
        bool mine = joint_create(given, &j);
#pragma omp for schedule(static)
        for (size_t b = 0; b < draws->count; b++) {
            const uint32_t *chosen = draws->halves + b * half;
            if (!mine)
                continue;
            fill_joint(given, chosen, half, &j);
            plain[b] = score_among(given, chosen, half, 1, &j);
            among[b] = score_among(given, chosen, half, others, &j);
        }
        joint_free(&j);
#pragma omp critical(gbv_leep_halves)
        enough = enough && mine;
    }
    return enough ? GBV_OK : error_out_of_memory(error, "the joint distribution of other rows");
}

gbv_status leep_of_more(const leep_rows *given, size_t rows, const row_draws *draws, size_t threads, double *score,
                        double *step, double *replicates, gbv_error *error)
{
    double plain = 0, among = 0, own, told, *halves = memory_array(draws->count, sizeof *halves);
    gbv_status status = halves ? GBV_OK : error_out_of_memory(error, "the halves of rows");
    if (status == GBV_OK)
        status = leep_among(given, 1, &own, error);
    if (status == GBV_OK && draws->half_rows > 1)
        status = leep_among(given, (double)(rows - 1) / (double)(given->rows - 1), &told, error);
    if (status == GBV_OK && draws->half_rows > 1)
        status = score_halves(given, draws, threads, halves, replicates, error);
    if (status != GBV_OK)
        goto done;
    *score = own;
    *step = 0;
    if (draws->half_rows < 2) {
        for (size_t b = 0; b < draws->count; b++)
            replicates[b] = NAN;
        goto done;
    }
    for (size_t b = 0; b < draws->count; b++) {
        plain += halves[b] / (double)draws->count;
        among += replicates[b] / (double)draws->count;
    }
    double part = plain > among ? (plain - own) / (plain - among) : LEEP_LEAST_PART;
    part = fmin(fmax(part, LEEP_LEAST_PART), 1);
    *step = told - own;
    *score = own + part * *step;
    for (size_t b = 0; b < draws->count; b++)
        replicates[b] = halves[b] + part * (replicates[b] - halves[b]);
done:
    free(halves);
    return status;
}
