#include "report/svg/heatmap.h"

#include <math.h>

#include "base/markup.h"
#include "report/plain.h"

enum { LARGEST_CELL = 44, SMALLEST_CELL = 7, NUMBER_CELL = 26, NAMED_CELL = 11, LARGEST_TEXT = 92, TEXT_HEIGHT = 36 };

static const double STRONGEST = 0.8; /* how opaque a cell is at most, so that its number can be read */

static double widest_of(const char *const *names, size_t count)
{
    double widest = 0;
    for (size_t i = 0; i < count; i++)
        widest = fmax(widest, svg_text_width(names[i]));
    return widest;
}

typedef struct cell_place {
    double x, y, width, height;
} cell_place;

static void draw_cell(FILE *stream, const heatmap_chart *c, size_t row, size_t column, double largest, cell_place at)
{
    size_t index = row * c->columns + column;
    double value = c->values[index], tint = c->tints ? c->tints[index] : largest > 0 ? value / largest : 0;
    char tip[600], text[PLAIN_TEXT];
    if (c->texts && isnan(value))
        return;
    tint = isfinite(tint) ? fmin(1, fmax(0, tint)) : 0;
    plain_value(c->share, value, text);
    if (!c->share && isfinite(value) && value == floor(value) && value >= 0 && value < 1e15)
        plain_count((size_t)value, text);
    snprintf(tip, sizeof tip, "%s %s, %s %s: %s", c->row_axis, c->row_names[row], c->column_axis,
             c->column_names[column], text);
    svg_mark_begin(stream, c->tips ? c->tips[index] : tip);
    fprintf(stream,
            "<rect class=\"cell%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill-opacity=\"%.3f\"/>",
            c->diagonal && row == column ? " own" : "", at.x + 0.5, at.y + 0.5, at.width - 1, at.height - 1,
            STRONGEST * tint);
    if (c->share && isfinite(value) && svg_text_width(text) > at.width - 2)
        snprintf(text, sizeof text, value > 0 && value < 0.005 ? "<1" : "%.0f", 100 * value);
    double middle = at.x + at.width / 2, line = at.y + at.height / 2 + 4;
    if (c->texts && *c->texts[index]) {
        svg_text(stream, middle, line - 8, "middle", "strong number", at.width, c->texts[index]);
        line += 7;
    }
    if (at.width >= NUMBER_CELL)
        svg_text(stream, middle, line, "middle", "number", at.width, value == 0 && !c->texts ? "" : text);
    svg_mark_end(stream);
}

void heatmap_draw(FILE *stream, const svg_form *form, const void *chart)
{
    const heatmap_chart *c = chart;
    double largest = 0;
    for (size_t i = 0; i < c->rows * c->columns; i++)
        largest = isfinite(c->values[i]) ? fmax(largest, c->values[i]) : largest;
    double row_name = fmin(widest_of(c->row_names, c->rows), form->width * 0.28);
    double column_name = fmin(widest_of(c->column_names, c->columns), 110);
    double left = row_name + 26, most = (form->width - left - 30) / (double)(c->columns ? c->columns : 1);
    double size = fmax(SMALLEST_CELL, fmin(c->texts ? LARGEST_TEXT : LARGEST_CELL, most));
    double height = c->texts ? TEXT_HEIGHT : size, top = 24 + column_name * 0.72 + 8;
    svg_form own = {.width = fmax(form->width, left + size * (double)c->columns + 30), .alone = form->alone};
    svg_open(stream, &own, top + height * (double)c->rows + 8, c->label);
    svg_text(stream, left, 12, "start", "soft", 0, c->column_axis);
    fprintf(stream, "<text class=\"soft\" transform=\"translate(12 %.1f) rotate(-90)\" text-anchor=\"end\">", top);
    markup_write(stream, c->row_axis);
    fputs("</text>\n", stream);
    for (size_t k = 0; k < c->columns && size >= NAMED_CELL; k++) {
        fprintf(stream, "<g transform=\"translate(%.1f %.1f) rotate(-45)\">", left + size * ((double)k + 0.5) + 3,
                top - 6);
        svg_text(stream, 0, 0, "start", "", column_name + 4, c->column_names[k]);
        fputs("</g>", stream);
    }
    for (size_t i = 0; i < c->rows; i++) {
        if (size >= NAMED_CELL)
            svg_text(stream, left - 8, top + height * ((double)i + 0.5) + 4, "end", "", row_name, c->row_names[i]);
        for (size_t k = 0; k < c->columns; k++)
            draw_cell(stream, c, i, k, largest,
                      (cell_place){left + size * (double)k, top + height * (double)i, size, height});
    }
    svg_close(stream);
}
