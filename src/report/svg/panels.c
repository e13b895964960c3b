#include "report/svg/panels.h"

#include <math.h>

#include "report/plain.h"

enum { LEAST_WIDTH = 150, GAP = 22, HEAD = 34, PLOT = 64, FOOT = 26 };

static void draw_curve(FILE *stream, const panel *p, double left, double bottom, double width, double largest)
{
    double low = p->x[0], range = p->x[p->points - 1] - low;
    for (int line = 0; line < 2; line++) { /* what is under it, then the curve */
        fprintf(stream, "<path class=\"%s s0\" d=\"M", line ? "line" : "band");
        if (!line)
            fprintf(stream, "%.1f %.1fL", left, bottom);
        for (size_t i = 0; i < p->points; i++)
            fprintf(stream, "%s%.1f %.1f", i ? "L" : "", left + (p->x[i] - low) / range * width,
                    bottom - p->y[i] / largest * PLOT);
        if (!line)
            fprintf(stream, "L%.1f %.1fZ", left + width, bottom);
        fputs("\"/>", stream);
    }
    for (size_t i = 0; i < p->nodes; i++)
        fprintf(stream, "<circle class=\"point s0\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>",
                left + (p->node_x[i] - low) / range * width, bottom - p->node_y[i] / largest * PLOT);
    fputc('\n', stream);
}

static void draw_panel(FILE *stream, const panels_chart *c, const panel *p, double left, double top, double width)
{
    double largest = isnan(c->mark) ? 0 : 1.25 * c->mark, bottom = top + HEAD + PLOT;
    char text[PLAIN_TEXT];
    for (size_t i = 0; i < p->points; i++)
        largest = fmax(largest, p->y[i]);
    svg_mark_begin(stream, p->tip);
    fprintf(stream, "<rect class=\"touch\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", left, top, width,
            bottom - top);
    svg_text(stream, left, top + 12, "start", "", width, p->title);
    svg_text(stream, left, top + 26, "start", "soft", width, p->note);
    svg_line(stream, "grid", left, bottom, left + width, bottom);
    if (!isnan(c->mark))
        svg_line(stream, "guide", left, bottom - c->mark / largest * PLOT, left + width,
                 bottom - c->mark / largest * PLOT);
    if (largest > 0)
        draw_curve(stream, p, left, bottom, width, largest);
    svg_text(stream, left, bottom + 15, "start", "soft number", width / 2, plain_set(p->x[0], text));
    svg_text(stream, left + width, bottom + 15, "end", "soft number", width / 2, plain_set(p->x[p->points - 1], text));
    svg_mark_end(stream);
}

void panels_draw(FILE *stream, const svg_form *form, const void *chart)
{
    const panels_chart *c = chart;
    double fits = floor((form->width + GAP) / (LEAST_WIDTH + GAP)), height = HEAD + PLOT + FOOT + 8;
    size_t columns = fits > 2 ? (size_t)fits : 2;
    double width = (form->width - GAP * ((double)columns - 1)) / (double)columns;
    size_t lines = (c->count + columns - 1) / columns;
    svg_open(stream, form, height * (double)lines, c->label);
    for (size_t i = 0; i < c->count; i++)
        draw_panel(stream, c, &c->panels[i], (width + GAP) * (double)(i % columns), height * (double)(i / columns),
                   width);
    svg_close(stream);
}
