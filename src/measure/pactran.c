#include "measure/pactran.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "compute/dense.h"
#include "compute/digamma.h"

enum { ROUNDS = 10 };
static const double guard = 1e-10;

double pactran_log_gamma(double x)
{
    int sign; /* lgamma would write a global */
    return lgamma_r(x, &sign);
}

double pactran_divergence(const pactran *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->rows * p->columns; i++)
        if (p->shares[i] > 0)
            sum += p->shares[i] * (log(p->shares[i]) - p->logarithms[i]);
    return sum;
}

static void count(pactran *p)
{
    size_t columns = p->columns;
    memset(p->totals, 0, columns * sizeof *p->totals);
    for (size_t y = 0; y < p->classes.count; y++)
        for (size_t z = 0; z < columns; z++)
            p->counts[y * columns + z] = p->prior[y];
    for (size_t i = 0; i < p->rows; i++)
        dense_add_f64(p->counts + (size_t)p->classes.ranks[i] * columns, p->shares + i * columns, columns);
    for (size_t y = 0; y < p->classes.count; y++)
        dense_add_f64(p->totals, p->counts + y * columns, columns);
}

static void share_out(pactran *p, bool dirichlet)
{
    size_t columns = p->columns;
    for (size_t z = 0; z < columns; z++) {
        double base = dirichlet ? digamma(p->totals[z]) : 0;
        for (size_t y = 0; y < p->classes.count; y++)
            p->terms[y * columns + z] = digamma(p->counts[y * columns + z]) - base;
    }
    memcpy(p->shares, p->logarithms, p->rows * columns * sizeof *p->shares);
    for (size_t i = 0; i < p->rows; i++)
        dense_add_f64(p->shares + i * columns, p->terms + (size_t)p->classes.ranks[i] * columns, columns);
    dense_softmax_rows(p->shares, p->rows, columns);
}

gbv_status pactran_open(const gbv_measure_input *input, bool dirichlet, pactran *p, gbv_error *error)
{
    const gbv_matrix *matrix = &input->probabilities;
    size_t rows = input->rows, columns = matrix->columns, cells, table_cells;
    *p = (pactran){.rows = rows, .columns = columns};
    gbv_status status = present_classes_create(input, &p->classes, error);
    if (status != GBV_OK)
        return status;
    if (!__builtin_mul_overflow(rows, columns, &cells) &&
        !__builtin_mul_overflow(p->classes.count, columns, &table_cells)) {
        p->logarithms = memory_array(cells, sizeof(double));
        p->shares = memory_array(cells, sizeof(double));
        p->counts = memory_array(table_cells, sizeof(double));
        p->terms = memory_array(table_cells, sizeof(double));
    }
    p->prior = memory_array(p->classes.count, sizeof(double));
    p->totals = memory_array(columns, sizeof(double));
    if (!p->logarithms || !p->shares || !p->counts || !p->terms || !p->prior || !p->totals)
        return error_out_of_memory(error, "the shares of the source classes");
    for (size_t y = 0; y < p->classes.count; y++)
        p->prior[y] = (double)p->classes.sizes[y] / (double)rows + guard;
    for (size_t i = 0; i < rows; i++)
        matrix_row_f64(matrix, i, p->shares + i * columns);
    for (size_t i = 0; i < cells; i++)
        p->logarithms[i] = log(p->shares[i] + guard);
    for (int round = 0; round < ROUNDS; round++) {
        count(p);
        share_out(p, dirichlet);
    }
    return GBV_OK;
}

void pactran_close(pactran *p)
{
    present_classes_free(&p->classes);
    free(p->prior);
    free(p->logarithms);
    free(p->shares);
    free(p->counts);
    free(p->totals);
    free(p->terms);
}
