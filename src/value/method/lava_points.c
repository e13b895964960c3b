#include "value/method/lava_points.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "compute/dense.h"

/* Squared distances and what becomes of them at the lowest temperature must fit a float. */
static const double LARGEST_SQUARE = 1e34;

void classes_free(classes_of_rows *c)
{
    free(c->row);
    free(c->class);
    free(c->end);
    *c = (classes_of_rows){0};
}

bool classes_create(const int32_t *labels, const size_t *subset, size_t count, size_t class_count, classes_of_rows *c)
{
    size_t *sizes = memory_zeroed(class_count, 2 * sizeof *sizes), *place = sizes ? sizes + class_count : NULL;
    c->row = memory_array(count, sizeof *c->row);
    c->class = memory_array(count, sizeof *c->class);
    c->end = memory_array(class_count, sizeof *c->end);
    bool made = sizes && c->row && c->class && c->end;
    for (size_t i = 0; made && i < count; i++) {
        int32_t label = labels[subset ? subset[i] : i];
        if (label >= 0)
            sizes[label]++;
    }
    for (size_t k = 0; made && k < class_count; k++)
        if (sizes[k] >= 2) {
            place[k] = c->rows;
            for (size_t i = 0; i < sizes[k]; i++)
                c->class[c->rows++] = (int32_t)c->classes;
            c->end[c->classes++] = c->rows;
        }
    for (size_t i = 0; made && i < count; i++) {
        size_t row = subset ? subset[i] : i;
        if (labels[row] >= 0 && sizes[labels[row]] >= 2)
            c->row[place[labels[row]]++] = row;
    }
    free(sizes);
    return made;
}

size_t classes_start(const classes_of_rows *c, size_t class)
{
    return class ? c->end[class - 1] : 0;
}

void points_free(point_set *p)
{
    free(p->values);
    free(p->halves);
    *p = (point_set){0};
}

CLONED static double centre_row(const float *restrict from, const double *restrict centre, size_t columns,
                                float *restrict to)
{
    double squares = 0;
#pragma omp simd reduction(+ : squares)
    for (size_t j = 0; j < columns; j++) {
        to[j] = (float)((double)from[j] - centre[j]);
        squares += (double)to[j] * (double)to[j];
    }
    return squares;
}

gbv_status points_create(const float *values, const size_t *order, size_t rows, size_t columns, const double *centre,
                         const char *what, point_set *p, gbv_error *error)
{
    size_t cells;
    if (!__builtin_mul_overflow(rows, columns, &cells))
        p->values = memory_array(cells, sizeof *p->values);
    p->halves = memory_array(rows, sizeof *p->halves);
    if (!p->values || !p->halves)
        return error_out_of_memory(error, "the features of the transport problem");
    double farthest = 0;
    size_t at = 0;
    for (size_t i = 0; i < rows; i++) {
        size_t row = order ? order[i] : i;
        double squares = centre_row(values + row * columns, centre, columns, p->values + i * columns);
        if (!(squares <= farthest) && !isnan(farthest))
            farthest = squares, at = row;
        p->halves[i] = (float)(squares / 2);
    }
    if (!(farthest < LARGEST_SQUARE))
        return error_set(error, GBV_BAD_INPUT,
                         "row %zu of the %s is %g away from the centre of all rows, too far to compare distances: "
                         "scale the features first",
                         at + 1, what, sqrt(farthest));
    return GBV_OK;
}

CLONED static void finish_line(float *restrict line, float half, const float *restrict halves, size_t columns)
{
#pragma omp simd
    for (size_t i = 0; i < columns; i++) {
        float cost = line[i] + (half + halves[i]);
        line[i] = cost > 0 ? cost : 0;
    }
}

void points_costs(const point_set *u, size_t first_u, size_t rows, const point_set *v, size_t first_v, size_t columns,
                  size_t dimensions, float *out, size_t stride)
{
    int inner = (int)dimensions;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)columns, inner, -1,
                u->values + first_u * dimensions, inner, v->values + first_v * dimensions, inner, 0, out, (int)stride);
    for (size_t r = 0; r < rows; r++)
        finish_line(out + r * stride, u->halves[first_u + r], v->halves + first_v, columns);
}

/* The least and the greatest of each column over rows of `values`, named by `order`. */
CLONED static void box_of_rows(const float *values, const size_t *order, size_t rows, size_t columns, float *box)
{
    float *restrict low = box, *restrict high = box + columns;
    for (size_t j = 0; j < columns; j++)
        low[j] = INFINITY, high[j] = -INFINITY;
    for (size_t i = 0; i < rows; i++) {
        const float *row = values + (order ? order[i] : i) * columns;
#pragma omp simd
        for (size_t j = 0; j < columns; j++) {
            low[j] = row[j] < low[j] ? row[j] : low[j];
            high[j] = row[j] > high[j] ? row[j] : high[j];
        }
    }
}

float *boxes_create(const float *values, const classes_of_rows *c, bool sorted, size_t columns)
{
    size_t cells;
    float *boxes = __builtin_mul_overflow(columns, 2 * c->classes, &cells) ? NULL : memory_array(cells, sizeof *boxes);
    for (size_t k = 0; boxes && k < c->classes; k++) {
        size_t start = classes_start(c, k);
        box_of_rows(sorted ? values + start * columns : values, sorted ? NULL : c->row + start, c->end[k] - start,
                    columns, boxes + k * 2 * columns);
    }
    return boxes;
}

void box_join(float *box, const float *other, size_t columns)
{
    for (size_t j = 0; j < columns; j++) {
        box[j] = fminf(box[j], other[j]);
        box[columns + j] = fmaxf(box[columns + j], other[columns + j]);
    }
}

double boxes_squared_diameter(const float *a, const float *b, size_t columns)
{
    double sum = 0;
    for (size_t j = 0; j < columns; j++) {
        double low = fminf(a[j], b[j]), high = fmaxf(a[columns + j], b[columns + j]);
        sum += (high - low) * (high - low);
    }
    return sum;
}
