/* lines.h - numbers over time, epochs or a scale, one line for each series, labelled at its end. */
#ifndef REPORT_SVG_LINES_H
#define REPORT_SVG_LINES_H

#include <stddef.h>

#include "report/svg/figure.h"

typedef struct series {
    const char *label;
    const double *values;      /* one for each point; NaN: a gap */
    const double *low, *high;  /* a band around it; NULL: none */
    const signed char *alarms; /* -1: its point is a mark that points down, 1: up; NULL: none */
    size_t color;              /* from 1, so that it is the same in every figure of a page; 0: by its place */
    bool faint;                /* in the background, without a label */
} series;

typedef struct lines_chart {
    const char *label;
    const char *x_name, *y_name;
    const double *x;             /* where the points are; NULL: one after the other */
    const char *const *x_labels; /* names of the points (batches); NULL: the numbers of x */
    size_t points;
    const series *series;
    size_t count;
    bool logarithmic; /* x */
    bool share;       /* y, in percent */
    bool from_zero;   /* y begins at zero */
    double mark;      /* a vertical line at this x; NaN: none. Zero is not none: set it */
    const char *mark_name;
    double height; /* of the plot; 0: 260 */
} lines_chart;

figure_draw lines_draw;

#endif
