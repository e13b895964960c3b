/* axes.h - from numbers to places: scales with round ticks. */
#ifndef REPORT_SVG_AXES_H
#define REPORT_SVG_AXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { AXIS_TICKS = 12 };

typedef struct axis {
    double low, high; /* of the numbers */
    double from, to;  /* of the places */
    bool logarithmic; /* low > 0 */
    bool share;       /* ticks in percent */
    double ticks[AXIS_TICKS];
    size_t tick_count;
} axis;

/* An axis over [low, high], widened to round numbers unless `exact`; the same number twice, or none that is finite,
 * gets some room. About `wanted` ticks at round numbers. */
axis axis_over(double low, double high, double from, double to, size_t wanted, bool exact);
axis axis_logarithmic(double low, double high, double from, double to);
/* Where a number is; those beyond the ends are at the ends. */
double axis_place(const axis *a, double value);
const char *axis_tick_text(const axis *a, size_t tick, char text[64]);

/* Ticks with grid lines between the two places across. */
void axis_draw_below(FILE *stream, const axis *a, double top, double bottom, const char *name);
void axis_draw_left(FILE *stream, const axis *a, double left, double right, const char *name);

#endif
