#include "report/svg/bars.h"

#include <math.h>

#include "report/plain.h"
#include "report/svg/axes.h"
#include "report/svg/rows.h"

enum { THICKNESS = 12 };

static void tip_of(const bars_chart *c, const bar *b, char *tip, size_t size)
{
    char value[PLAIN_TEXT], low[PLAIN_TEXT], high[PLAIN_TEXT];
    plain_value(c->share, b->value, value);
    if (isfinite(b->low) && isfinite(b->high))
        snprintf(tip, size, "%s: %s (%s to %s)", b->label, value, plain_value(c->share, b->low, low),
                 plain_value(c->share, b->high, high));
    else
        snprintf(tip, size, "%s: %s", b->label, value);
}

static void draw_bar(FILE *stream, const bars_chart *c, const bar *b, const axis *a, const rows_frame *f, size_t row,
                     double width)
{
    char tip[600], text[PLAIN_TEXT];
    double y = rows_middle(f, row), zero = axis_place(a, 0), end = zero;
    tip_of(c, b, tip, sizeof tip);
    svg_mark_begin(stream, b->tip ? b->tip : tip);
    fprintf(stream, "<rect class=\"touch\" x=\"0\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\"/>", y - f->row / 2, width,
            f->row);
    svg_text(stream, f->label_width, y + 4, "end", "", f->label_width, b->label);
    if (isfinite(b->value)) {
        end = axis_place(a, b->value);
        fprintf(stream, "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"1.5\"/>",
                fmin(zero, end), y - THICKNESS / 2, fmax(1, fabs(end - zero)), THICKNESS);
    }
    if (isfinite(b->low) && isfinite(b->high)) {
        double low = axis_place(a, b->low), high = axis_place(a, b->high);
        svg_line(stream, "halo", low, y, high, y);
        svg_line(stream, "interval", low, y, high, y);
        svg_line(stream, "interval", low, y - 3, low, y + 3);
        svg_line(stream, "interval", high, y - 3, high, y + 3);
        end = fmax(end, high);
    }
    svg_text(stream, fmax(end, zero) + 7, y + 4, "start", "number", 0, plain_value(c->share, b->value, text));
    if (b->note)
        svg_text(stream, width - 2, y + 4, "end", "number soft", 0, b->note);
    svg_mark_end(stream);
}

void bars_draw(FILE *stream, const svg_form *form, const void *chart)
{
    const bars_chart *c = chart;
    double label = 0, note = c->note_name ? svg_text_width(c->note_name) : 0, low = 0, high = 0;
    for (size_t i = 0; i < c->count; i++) {
        const bar *b = &c->bars[i];
        label = fmax(label, svg_text_width(b->label));
        note = b->note ? fmax(note, svg_text_width(b->note)) : note;
        const double ends[] = {b->value, b->low, b->high};
        for (size_t k = 0; k < 3; k++)
            if (isfinite(ends[k])) {
                low = fmin(low, ends[k]);
                high = fmax(high, ends[k]);
            }
    }
    bool marked = isfinite(c->mark);
    high = marked ? fmax(high, c->mark) : high;
    rows_frame f = rows_frame_of(form, c->count, label, note, 52, marked || c->note_name);
    axis a = axis_over(low, high > low ? high : low + 1, f.left, f.right, form->width < 500 ? 3 : 5, false);
    if (c->share && a.high > 1)
        a.high = 1;
    a.share = c->share;
    svg_open(stream, form, f.height, c->label);
    axis_draw_below(stream, &a, f.top, f.bottom, c->axis);
    for (size_t i = 0; i < c->count; i++)
        draw_bar(stream, c, &c->bars[i], &a, &f, i, form->width);
    if (marked) {
        double x = axis_place(&a, c->mark);
        svg_line(stream, "guide", x, f.top - 6, x, f.bottom);
        svg_text(stream, x, f.top - 12, x > form->width * 0.6 ? "end" : "start", "soft", 0,
                 c->mark_name ? c->mark_name : "");
    }
    if (c->note_name)
        svg_text(stream, form->width - 2, f.top - 12, "end", "soft", 0, c->note_name);
    svg_close(stream);
}
