#include "report/svg/dots.h"

#include <math.h>

#include "report/plain.h"
#include "report/svg/axes.h"
#include "report/svg/rows.h"

static void tip_of(const dots_chart *c, const dot *d, char *tip, size_t size)
{
    char value[PLAIN_TEXT], low[PLAIN_TEXT], high[PLAIN_TEXT];
    if (isnan(d->value))
        snprintf(tip, size, "%s: undefined", d->label);
    else if (isfinite(d->low) && isfinite(d->high))
        snprintf(tip, size, "%s: %s (%s to %s)", d->label, plain_value(c->share, d->value, value),
                 plain_value(c->share, d->low, low), plain_value(c->share, d->high, high));
    else
        snprintf(tip, size, "%s: %s", d->label, plain_value(c->share, d->value, value));
}

static void draw_interval(FILE *stream, const char *class, const axis *a, double low, double high, double y)
{
    if (isfinite(low) && isfinite(high))
        svg_line(stream, class, axis_place(a, low), y, axis_place(a, high), y);
}

static void draw_dot(FILE *stream, const dots_chart *c, const dot *d, const axis *a, const rows_frame *f, size_t row,
                     double width)
{
    char tip[600], text[PLAIN_TEXT];
    double y = rows_middle(f, row), x = axis_place(a, d->value);
    tip_of(c, d, tip, sizeof tip);
    svg_mark_begin(stream, d->tip ? d->tip : tip);
    fprintf(stream, "<rect class=\"touch\" x=\"0\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\"/>", y - f->row / 2, width,
            f->row);
    svg_text(stream, f->label_width, y + 4, "end", "", f->label_width, d->label);
    svg_line(stream, "rule", f->left, y, f->right, y);
    draw_interval(stream, "wide-interval", a, d->low, d->high, y);
    draw_interval(stream, "inner-interval", a, d->inner_low, d->inner_high, y);
    if (d->corrected && isfinite(d->before))
        fprintf(stream, "<circle class=\"hollow\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", axis_place(a, d->before), y);
    if (isfinite(d->value))
        fprintf(stream, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>", x, y);
    else if (isinf(d->value)) /* an arrow out of the plot */
        fprintf(stream, "<path class=\"dot\" d=\"M%.1f %.1fl9 -5v10z\"/>", f->left, y);
    if (isnan(d->value))
        svg_text(stream, f->left + 4, y + 4, "start", "soft", 0, "undefined");
    else
        svg_text(stream, f->right + 8, y + 4, "start", "number", 0, plain_value(c->share, d->value, text));
    if (d->note)
        svg_text(stream, width - 2, y + 4, "end", "number soft", 0, d->note);
    svg_mark_end(stream);
}

/* `raised`: its name stands a line higher than others. */
static void draw_limit(FILE *stream, const axis *a, const rows_frame *f, double value, const char *name,
                       const char *anchor, double raised)
{
    if (!isfinite(value))
        return;
    double x = axis_place(a, value);
    svg_line(stream, "limit", x, f->top - 6 - raised, x, f->bottom);
    svg_text(stream, x, f->top - 12 - raised, anchor, "soft", 0, name ? name : "");
}

/* Whether the names of floor and ceiling would lie on each other. */
static bool names_meet(const dots_chart *c, const axis *a)
{
    if (!isfinite(c->floor) || !isfinite(c->ceiling) || !c->floor_name || !c->ceiling_name)
        return false;
    return axis_place(a, c->floor) + svg_text_width(c->floor_name) + 10 >
           axis_place(a, c->ceiling) - svg_text_width(c->ceiling_name);
}

void dots_draw(FILE *stream, const svg_form *form, const void *chart)
{
    const dots_chart *c = chart;
    double label = 0, note = c->note_name ? svg_text_width(c->note_name) : 0, low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < c->count; i++) {
        const dot *d = &c->dots[i];
        label = fmax(label, svg_text_width(d->label));
        note = d->note ? fmax(note, svg_text_width(d->note)) : note;
        const double ends[] = {d->value, d->low, d->high, d->corrected ? d->before : NAN};
        for (size_t k = 0; k < 4; k++)
            if (isfinite(ends[k])) {
                low = fmin(low, ends[k]);
                high = fmax(high, ends[k]);
            }
    }
    const double limits[] = {c->floor, c->ceiling};
    for (size_t k = 0; k < 2; k++)
        if (isfinite(limits[k])) {
            low = fmin(low, limits[k]);
            high = fmax(high, limits[k]);
        }
    bool limited = isfinite(c->floor) || isfinite(c->ceiling);
    rows_frame f = rows_frame_of(form, c->count, label, note, 52, limited || c->note_name);
    axis a = axis_over(low, high, f.left + 8, f.right - 8, form->width < 500 ? 3 : 6, false);
    a.share = c->share;
    double raised = names_meet(c, &a) ? 15 : 0;
    f.top += raised;
    f.bottom += raised;
    f.height += raised;
    svg_open(stream, form, f.height, c->label);
    axis_draw_below(stream, &a, f.top, f.bottom, c->axis);
    draw_limit(stream, &a, &f, c->floor, c->floor_name, "start", 0);
    draw_limit(stream, &a, &f, c->ceiling, c->ceiling_name, "end", raised);
    for (size_t i = 0; i < c->count; i++)
        draw_dot(stream, c, &c->dots[i], &a, &f, i, form->width);
    if (c->note_name)
        svg_text(stream, form->width - 2, f.top - 12, "end", "soft", 0, c->note_name);
    svg_close(stream);
}
