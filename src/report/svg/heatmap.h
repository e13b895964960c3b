/* heatmap.h - a matrix as tinted cells: a confusion matrix, or any two names against each other. */
#ifndef REPORT_SVG_HEATMAP_H
#define REPORT_SVG_HEATMAP_H

#include <stddef.h>

#include "report/svg/figure.h"

typedef struct heatmap_chart {
    const char *label;
    const char *row_axis, *column_axis; /* what rows and columns are */
    const char *const *row_names, *const *column_names;
    size_t rows, columns;
    const double *values; /* rows x columns; NaN: an empty cell */
    const double *tints;  /* 0 to 1, how strongly each cell is tinted; NULL: its value by the largest */
    bool share;           /* values in percent */
    bool diagonal;        /* cells of the diagonal are outlined: there both names mean the same */
    /* What a cell is, above its number, where rows and columns do not say it, and its tooltip; rows x columns each. An
     * empty cell is left out then. NULL: they say it. */
    const char *const *texts, *const *tips;
} heatmap_chart;

figure_draw heatmap_draw;

#endif
