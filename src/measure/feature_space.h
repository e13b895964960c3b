/* feature_space.h - the features as the measures of class structure see them: centred, with the means of the classes,
 * and read block by block in double precision.
 *
 * Most of these measures do not change when the rows are turned. With fewer rows than columns the rows are then given
 * by their coordinates in the space they span (one QR), so that no matrix is larger than the smaller side squared. */
#ifndef MEASURE_FEATURE_SPACE_H
#define MEASURE_FEATURE_SPACE_H

#include "measure/measure.h"

/* What each centred row is multiplied with before it may be turned. */
typedef enum feature_direction { DIRECTION_NONE, DIRECTION_ONES, DIRECTION_MEAN } feature_direction;

typedef struct feature_space {
    size_t rows;
    size_t columns;      /* coordinates of a row: fewer than full_columns when the rows were turned */
    size_t full_columns; /* D */
    present_classes classes;
    double *mean;        /* full_columns: the mean of all rows as given */
    double *class_means; /* classes.count x columns, of the centred rows */
    double *projections; /* rows: the centred row times the direction; zero for none */
    double scatter;      /* the squared lengths of the centred rows, added up; finite */
    size_t block_rows;   /* at most so many rows at a time */
    double *block;
    gbv_matrix features;
    double *turned; /* rows x full_columns, NULL when the rows are used as given */
} feature_space;

/* Fails with GBV_BAD_INPUT when the squares of the features overflow. */
GBV_MUST_CHECK gbv_status feature_space_create(const gbv_measure_input *input, bool turn, feature_direction direction,
                                               feature_space *space, gbv_error *error);
void feature_space_free(feature_space *space);

/* One centred row; `out` holds space->columns numbers. */
void feature_space_row(const feature_space *space, size_t row, double *out);

/* Rows first to first + count - 1, dense, in space->block: the caller may change them. */
double *feature_space_block(const feature_space *space, size_t first, size_t count);

/* How many rows the block that starts at `first` has. */
static inline size_t feature_space_count(const feature_space *space, size_t first)
{
    return space->rows - first < space->block_rows ? space->rows - first : space->block_rows;
}

/* A columns x columns matrix, or NULL with the error set. */
double *feature_space_matrix(const feature_space *space, gbv_error *error);

/* The sum of h h' over the centred rows h: lower triangle, column-major. */
void feature_space_total(const feature_space *space, double *matrix);

/* sum_c n_c m_c' M^+ m_c over the class means m_c. M (lower triangle, column-major, positive semidefinite, its range
 * holding the means) is overwritten; directions below 1e-12 of its largest diagonal element count as none. */
GBV_MUST_CHECK gbv_status feature_space_between(const feature_space *space, double *matrix, double *sum,
                                                gbv_error *error);

#endif
