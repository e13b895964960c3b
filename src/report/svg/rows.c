#include "report/svg/rows.h"

#include <math.h>

rows_frame rows_frame_of(const svg_form *form, size_t count, double widest_label, double widest_note, double value_room,
                         bool above)
{
    bool narrow = form->width < 500;
    rows_frame f = {.label_width = fmin(widest_label + 4, form->width * (narrow ? 0.3 : 0.32)),
                    .row = count <= 15 ? 26 : 20,
                    .top = above ? 30 : 10};
    f.left = f.label_width + 10;
    f.right = form->width - value_room - (widest_note > 0 ? widest_note + 12 : 0) - 4;
    f.bottom = f.top + f.row * (double)count;
    f.height = f.bottom + 40;
    return f;
}

double rows_middle(const rows_frame *f, size_t row)
{
    return f->top + f->row * ((double)row + 0.5);
}
