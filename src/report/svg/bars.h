/* bars.h - horizontal bars with intervals, one row each, labelled directly. */
#ifndef REPORT_SVG_BARS_H
#define REPORT_SVG_BARS_H

#include <stddef.h>

#include "report/svg/figure.h"

typedef struct bar {
    const char *label;
    double value;     /* NaN: none is drawn */
    double low, high; /* NaN: no interval */
    const char *note; /* at the right end of the row; NULL: none */
    const char *tip;  /* NULL: label and number */
} bar;

typedef struct bars_chart {
    const char *label; /* what it shows, for those who do not see it */
    const char *axis;  /* name of the axis */
    const bar *bars;
    size_t count;
    bool share;            /* numbers are shares of 1, shown in percent */
    const char *note_name; /* above the notes; NULL: none */
    double mark;           /* a line across all bars; NaN: none. Zero is not none: set it */
    const char *mark_name;
} bars_chart;

figure_draw bars_draw;

#endif
