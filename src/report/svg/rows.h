/* rows.h - the frame that bars and dots share: a label at the left, a plot, perhaps a note at the right. */
#ifndef REPORT_SVG_ROWS_H
#define REPORT_SVG_ROWS_H

#include <stddef.h>

#include "report/svg/figure.h"

typedef struct rows_frame {
    double label_width, left, right; /* of the plot */
    double top, row, bottom, height; /* `row`: the height of one */
} rows_frame;

/* `value_room` is kept free at the right of the plot; `above` for names of marks. */
rows_frame rows_frame_of(const svg_form *form, size_t count, double widest_label, double widest_note, double value_room,
                         bool above);
double rows_middle(const rows_frame *f, size_t row);

#endif
