#include "measure/pactran.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "compute/dense.h"
#include "compute/digamma.h"
#include "compute/power.h"

enum { ROUNDS = 10 };
static const double guard = 1e-10;

double pactran_log_gamma(double x)
{
    int sign; /* lgamma would write a global */
    return lgamma_r(x, &sign);
}

/* Row sums s and, in `shares`, the sum of the rows' shares. */
CLONED static void share_out(const double *rows, size_t count, size_t columns, const double *weights, double *shares,
                             double *row_sums)
{
    memset(shares, 0, columns * sizeof *shares);
    for (size_t i = 0; i < count; i++) {
        const double *row = rows + i * columns;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t z = 0; z < columns; z++)
            sum += row[z] * weights[z];
        double inverse = 1 / sum;
#pragma omp simd
        for (size_t z = 0; z < columns; z++)
            shares[z] += inverse * row[z];
        row_sums[i] = sum;
    }
#pragma omp simd
    for (size_t z = 0; z < columns; z++)
        shares[z] *= weights[z];
}

CLONED static void weigh(const double *terms, size_t columns, double largest, double *weights)
{
#pragma omp simd
    for (size_t z = 0; z < columns; z++)
        weights[z] = power_of_e(terms[z] - largest);
}

static void count(pactran *p)
{
    size_t columns = p->columns;
    memset(p->totals, 0, columns * sizeof *p->totals);
    for (size_t y = 0; y < p->classes.count; y++) {
        for (size_t z = 0; z < columns; z++)
            p->counts[y * columns + z] = p->prior[y] + p->shares[y * columns + z];
        dense_add_f64(p->totals, p->counts + y * columns, columns);
    }
}

static void find_terms(pactran *p, bool dirichlet)
{
    size_t columns = p->columns;
    for (size_t i = 0; i < p->classes.count * columns; i++)
        p->terms[i] = digamma(p->counts[i]);
    for (size_t z = 0; dirichlet && z < columns; z++) {
        double base = digamma(p->totals[z]);
        for (size_t y = 0; y < p->classes.count; y++)
            p->terms[y * columns + z] -= base;
    }
}

/* A row never vanishes: its p + 1e-10 is positive where the weight is one. */
static void refit(pactran *p)
{
    size_t columns = p->columns, first = 0;
    p->divergence = 0;
    for (size_t y = 0; y < p->classes.count; first += p->classes.sizes[y++]) {
        size_t size = p->classes.sizes[y];
        double *shares = p->shares + y * columns, *terms = p->terms + y * columns;
        double largest = terms[measure_argmax(terms, columns)];
        weigh(terms, columns, largest, p->weights);
        share_out(p->guarded + first * columns, size, columns, p->weights, shares, p->row_sums);
        p->divergence += dense_dot_f64(terms, shares, columns) - (double)size * largest;
        for (size_t i = 0; i < size; i++)
            p->divergence -= log(p->row_sums[i]);
    }
}

/* Rows sorted by class, and the first shares: p itself. */
static gbv_status sort_rows(const gbv_matrix *matrix, pactran *p, gbv_error *error)
{
    size_t columns = p->columns, first = 0, *next = memory_array(p->classes.count, sizeof *next);
    if (!next)
        return error_out_of_memory(error, "the rows of each class");
    for (size_t y = 0; y < p->classes.count; first += p->classes.sizes[y++])
        next[y] = first;
    for (size_t i = 0; i < p->rows; i++) {
        size_t y = (size_t)p->classes.ranks[i];
        double *row = p->guarded + next[y]++ * columns;
        matrix_row_f64(matrix, i, row);
        dense_add_f64(p->shares + y * columns, row, columns);
        for (size_t z = 0; z < columns; z++)
            row[z] += guard;
    }
    free(next);
    return GBV_OK;
}

gbv_status pactran_open(const gbv_measure_input *input, bool dirichlet, pactran *p, gbv_error *error)
{
    size_t rows = input->rows, columns = input->probabilities.columns, cells, table_cells, largest = 0;
    *p = (pactran){.rows = rows, .columns = columns};
    gbv_status status = present_classes_create(input, &p->classes, error);
    if (status != GBV_OK)
        return status;
    for (size_t y = 0; y < p->classes.count; y++)
        largest = p->classes.sizes[y] > largest ? p->classes.sizes[y] : largest;
    if (!__builtin_mul_overflow(rows, columns, &cells) &&
        !__builtin_mul_overflow(p->classes.count, columns, &table_cells)) {
        p->guarded = memory_array(cells, sizeof(double));
        p->counts = memory_array(table_cells, sizeof(double));
        p->terms = memory_array(table_cells, sizeof(double));
        p->shares = memory_zeroed(table_cells, sizeof(double));
    }
    p->prior = memory_array(p->classes.count, sizeof(double));
    p->totals = memory_array(columns, sizeof(double));
    p->weights = memory_array(columns, sizeof(double));
    p->row_sums = memory_array(largest, sizeof(double));
    if (!p->guarded || !p->shares || !p->counts || !p->terms || !p->prior || !p->totals || !p->weights || !p->row_sums)
        return error_out_of_memory(error, "the shares of the source classes");
    for (size_t y = 0; y < p->classes.count; y++)
        p->prior[y] = (double)p->classes.sizes[y] / (double)rows + guard;
    if ((status = sort_rows(&input->probabilities, p, error)) != GBV_OK)
        return status;
    for (int round = 0; round < ROUNDS; round++) {
        count(p);
        find_terms(p, dirichlet);
        refit(p);
    }
    return GBV_OK;
}

void pactran_close(pactran *p)
{
    present_classes_free(&p->classes);
    free(p->prior);
    free(p->guarded);
    free(p->counts);
    free(p->totals);
    free(p->terms);
    free(p->shares);
    free(p->weights);
    free(p->row_sums);
}
