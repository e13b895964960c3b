/* dots.h - numbers with intervals as dots on a common scale, and where known the floor and the ceiling of the scale. */
#ifndef REPORT_SVG_DOTS_H
#define REPORT_SVG_DOTS_H

#include <stddef.h>

#include "report/svg/figure.h"

typedef struct dot {
    const char *label;
    double value;                 /* NaN: "undefined" is written instead; -INFINITY: an arrow at the left end */
    double low, high;             /* NaN: no interval */
    bool corrected;               /* there is also: */
    double before;                /* the number before a correction, as a hollow dot */
    double inner_low, inner_high; /* a narrower interval, drawn thicker; NaN: none */
    const char *note;             /* at the right end of the row; NULL: none */
    const char *tip;              /* NULL: label and number */
} dot;

typedef struct dots_chart {
    const char *label;
    const char *axis;
    const dot *dots;
    size_t count;
    bool share;
    double floor, ceiling; /* NaN: not known. Zero is not none: set them */
    const char *floor_name, *ceiling_name;
    const char *note_name;
} dots_chart;

figure_draw dots_draw;

#endif
