/* panels.h - many small curves beside each other, each with a scale of its own: densities, one for each operator. */
#ifndef REPORT_SVG_PANELS_H
#define REPORT_SVG_PANELS_H

#include <stddef.h>

#include "report/svg/figure.h"

typedef struct panel {
    const char *title, *note; /* above the curve: what it is, and under that what to know of it */
    const char *tip;
    const double *x, *y; /* the curve, x increasing, y not below zero */
    size_t points;
    const double *node_x, *node_y; /* dots on it */
    size_t nodes;
} panel;

typedef struct panels_chart {
    const char *label;
    const panel *panels;
    size_t count;
    double mark; /* a line across each panel at this y; NaN: none. Zero is not none: set it */
} panels_chart;

figure_draw panels_draw;

#endif
