/* lava_points.h - the rows of LAVA's two sides by class, and the distances between them. */
#ifndef VALUE_METHOD_LAVA_POINTS_H
#define VALUE_METHOD_LAVA_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gbv/status.h>

/* Rows by class; classes with fewer than two rows are not among them. */
typedef struct classes_of_rows {
    size_t rows, classes;
    size_t *row;    /* rows: where each stands in the input */
    int32_t *class; /* rows: its class, counted among those here */
    size_t *end;    /* classes: the row after the class's last one */
} classes_of_rows;

/* Points around the common centre, so that |u|^2 / 2 + |v|^2 / 2 - u.v loses few digits. */
typedef struct point_set {
    float *values; /* rows x columns */
    float *halves; /* rows: |u|^2 / 2 */
} point_set;

/* Sorts rows by class without changing their order within one. `subset` NULL: rows 0..count-1. Labels are below
 * class_count; rows with negative ones are left out. False when memory is out. */
bool classes_create(const int32_t *labels, const size_t *subset, size_t count, size_t class_count, classes_of_rows *c);
void classes_free(classes_of_rows *c);
/* The class's first row. */
size_t classes_start(const classes_of_rows *c, size_t class);

/* Copies rows and moves them by the centre. `order` says which row of `values` comes where; NULL: as they are. `what`
 * names them in the sentence of a failure: GBV_BAD_INPUT when a row is so far away that squares overflow. */
GBV_MUST_CHECK gbv_status points_create(const float *values, const size_t *order, size_t rows, size_t columns,
                                        const double *centre, const char *what, point_set *p, gbv_error *error);
void points_free(point_set *p);

/* Half the squared distances of `rows` points of u, from first_u on, from `columns` points of v: a line for each of u,
 * `stride` apart. */
void points_costs(const point_set *u, size_t first_u, size_t rows, const point_set *v, size_t first_v, size_t columns,
                  size_t dimensions, float *out, size_t stride);

/* For each class the least of each column over its rows, then the greatest; `sorted` when `values` are in the order of
 * the classes. NULL when memory is out. */
float *boxes_create(const float *values, const classes_of_rows *c, bool sorted, size_t columns);
/* Makes `box` large enough for another one. */
void box_join(float *box, const float *other, size_t columns);
/* The squared diagonal of the box around two boxes. */
double boxes_squared_diameter(const float *a, const float *b, size_t columns);

#endif
