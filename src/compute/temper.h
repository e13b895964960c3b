/* temper.h - one temperature t for a model's probabilities: p_z^(1/t) / sum p^(1/t), fitted to labels.
 *
 * Models are often too sure or not sure enough, which this mends. Works with the inverse 1/t between 1/20 and 20. */
#ifndef COMPUTE_TEMPER_H
#define COMPUTE_TEMPER_H

#include <stddef.h>
#include <stdint.h>

enum { TEMPER_BLOCK = 1024 }; /* powers taken at a time */

/* Rows whose labels the temperature is fitted to or judged by. Borrowed. */
typedef struct temper_rows {
    size_t rows, columns;
    const double *logarithms; /* rows x columns: ln p minus the row's largest, from temper_logarithms */
    const int32_t *labels;    /* a class per row */
    /* The columns that stand for class c are own[first[c]] ... own[first[c + 1] - 1]. */
    const size_t *first, *own;
    double *powers; /* room for max(columns, TEMPER_BLOCK) */
} temper_rows;

/* ln p of a row of probabilities minus its largest; zeros are allowed for. `out` may be `probabilities`. */
void temper_logarithms(const double *probabilities, size_t columns, double *out);

/* Fills `first` (class_count + 1 entries, zeroed) and `own` (columns) from each column's class, -1 for none. */
void temper_sort_columns(const int32_t *column_class, size_t columns, size_t class_count, size_t *first, size_t *own);

/* The inverse temperature under which the labels are likeliest; 1 when the rows do not say. */
double temper_fit(const temper_rows *rows);

/* The likelihood of each row's label at an inverse temperature; 0 for a class without a column. */
void temper_likelihoods(const temper_rows *rows, double inverse, double *likelihoods);

#endif
