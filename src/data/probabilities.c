#include "data/probabilities.h"

#include <math.h>
#include <stdlib.h>

#include "base/matrix.h"
#include "base/memory.h"
#include "data/sources.h"

/* How far from 1 the sum of a row may be: half precision and rounded decimals pass, percentages and logits do not. */
static const double sum_tolerance = 1e-3;

/* As gbv_measure says it of its probabilities, and stricter about the sum. */
static bool row_fits(const double *values, size_t columns, size_t row, sentence *why)
{
    double sum = 0;
    for (size_t z = 0; z < columns; z++) {
        if (!isfinite(values[z]) || values[z] < 0) {
            sentence_add(why,
                         ": row %zu, column %zu of the probabilities holds %g; they must be finite and not negative: "
                         "mend the row",
                         row + 1, z + 1, values[z]);
            return false;
        }
        sum += values[z];
    }
    if (fabs(sum - 1) <= sum_tolerance)
        return true;
    sentence_add(why,
                 ": row %zu of the probabilities adds up to %g; expected 1 (within %g): give each class's share of the "
                 "row",
                 row + 1, sum, sum_tolerance);
    return false;
}

bool probabilities_fit(const gbv_dataset *probabilities, const gbv_dataset *reference, sentence *why)
{
    const gbv_matrix *matrix = &probabilities->features;
    if (matrix->rows != reference->features.rows) {
        sentence_add(why,
                     " has probabilities of %zu rows and the reference (%s) has %zu: give one row for each, in the "
                     "order of its file",
                     matrix->rows, reference->name, reference->features.rows);
        return false;
    }
    double *buffer = memory_array(matrix->columns, sizeof *buffer);
    if (!buffer) {
        sentence_add(why, ": there is not enough memory for a row of probabilities");
        return false;
    }
    bool fits = true;
    size_t usable = 0; /* how many of the usable rows, which are in rising order, are passed */
    for (size_t i = 0; i < reference->row_count && fits; i++) {
        size_t row = reference->row_index ? reference->row_index[i] : i;
        while (probabilities->row_index && usable < probabilities->row_count && probabilities->row_index[usable] < row)
            usable++;
        if (probabilities->row_index &&
            (usable == probabilities->row_count || probabilities->row_index[usable] != row)) {
            sentence_add(why, ": row %zu of the probabilities cannot be used, and the reference uses it: mend the row",
                         row + 1);
            fits = false;
        } else {
            fits = row_fits(matrix_row(matrix, row, buffer), matrix->columns, row, why);
        }
    }
    free(buffer);
    return fits;
}

int32_t source_column_class(const source *s, const class_table *table, size_t column)
{
    if (s->labels[column] >= 0) {
        int32_t class_index = table->class_of_label[s->labels[column]];
        return (size_t)class_index < table->reference_count ? class_index : -1;
    }
    return s->dataset->features.columns == table->reference_count ? (int32_t)column : -1;
}
