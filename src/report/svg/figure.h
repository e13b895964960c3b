/* figure.h - what the figures of this folder share: how they are opened, labelled and explained. A figure is one <svg>
 * element, coloured by the classes of figure.css; it goes into a page, or into a file of its own.
 *
 *     bars_chart chart = {.label = "Weights of 5 sources", .bars = bars, .count = 5, .share = true};
 *     bars_draw(stream, &(svg_form){.width = 720}, &chart);
 *     svg_file_write("weights.svg", bars_draw, &chart, 720, &error);
 */
#ifndef REPORT_SVG_FIGURE_H
#define REPORT_SVG_FIGURE_H

#include <stdbool.h>
#include <stdio.h>

#include <gbv/status.h>

/* How wide a figure is drawn; its height follows from what it shows. Text is 12 units high, so that a figure for a
 * narrow screen is drawn anew instead of shrunk. */
typedef struct svg_form {
    double width;
    bool alone; /* a file of its own, with its style and a background */
} svg_form;

/* Draws a chart of its kind (bars_chart, dots_chart, lines_chart, heatmap_chart). */
typedef void figure_draw(FILE *stream, const svg_form *form, const void *chart);

/* A file of its own that appears whole or not at all. */
GBV_MUST_CHECK gbv_status svg_file_write(const char *path, figure_draw *draw, const void *chart, double width,
                                         gbv_error *error);

/* For those who draw: `label` says to people who do not see it what the figure shows. */
void svg_open(FILE *stream, const svg_form *form, double height, const char *label);
void svg_close(FILE *stream);
/* Text with its reference point at the baseline: anchor "start", "middle" or "end"; class "" for plain text. What is
 * longer than `room` units (0: any) is cut with an ellipsis; the whole is in its tooltip. */
void svg_text(FILE *stream, double x, double y, const char *anchor, const char *class, double room, const char *text);
/* About how wide a text is drawn. */
double svg_text_width(const char *text);
/* A group of marks with one tooltip; end it with svg_mark_end. */
void svg_mark_begin(FILE *stream, const char *tip);
void svg_mark_end(FILE *stream);
void svg_line(FILE *stream, const char *class, double x1, double y1, double x2, double y2);

#endif
