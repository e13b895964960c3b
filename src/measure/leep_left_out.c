/* leep_left_out.c - how much of a LEEP is each row predicting its own label: the score with a row left out of the table
 * that it is predicted by. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "measure/leep.h"

/* As good as impossible; one such row then does not decide the mean alone. */
static const double LEAST_LIKELIHOOD = 1e-12;

/* sum_z p_z p(y|z), the table without the row: `own` of its label, `totals` of all labels. */
static double likelihood_without(const double *row, const double *own, const double *totals, size_t columns)
{
    double likelihood = 0;
    for (size_t z = 0; z < columns; z++) {
        double others = totals[z] - row[z];
        /* What rounding leaves of a column that no other row has is not to be divided by. */
        if (others > 1e-13 * totals[z])
            likelihood += row[z] * fmax(own[z] - row[z], 0) / others;
    }
    return likelihood;
}

gbv_status leep_left_out(const double *probabilities, size_t rows, size_t columns, const int32_t *labels,
                         size_t class_count, double *log_mean, gbv_error *error)
{
    size_t cells, judged = 0;
    bool fits = !__builtin_mul_overflow(class_count, columns, &cells);
    double *table = fits ? memory_zeroed(cells, sizeof *table) : NULL, *totals = memory_zeroed(columns, sizeof *totals);
    size_t *sizes = memory_zeroed(class_count, sizeof *sizes);
    gbv_status status =
        table && totals && sizes ? GBV_OK : error_out_of_memory(error, "the joint distribution without a row");
    double sum = 0;
    for (size_t i = 0; status == GBV_OK && i < rows; i++) {
        const double *row = probabilities + i * columns;
        double *own = table + (size_t)labels[i] * columns;
        sizes[labels[i]]++;
        for (size_t z = 0; z < columns; z++) {
            own[z] += row[z];
            totals[z] += row[z];
        }
    }
    for (size_t i = 0; status == GBV_OK && i < rows; i++)
        if (sizes[labels[i]] > 1) {
            double likelihood =
                likelihood_without(probabilities + i * columns, table + (size_t)labels[i] * columns, totals, columns);
            sum += log(fmax(likelihood, LEAST_LIKELIHOOD));
            judged++;
        }
    *log_mean = judged ? sum / (double)judged : NAN;
    free(table);
    free(totals);
    free(sizes);
    return status;
}
