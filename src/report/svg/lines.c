#include "report/svg/lines.h"

#include <math.h>
#include <string.h>

#include "report/plain.h"
#include "report/svg/axes.h"

enum { COLORS = 7, LABELS = 64, LABEL_HEIGHT = 14, DOTTED_POINTS = 40 };

static size_t color_of(const lines_chart *c, size_t k)
{
    return c->series[k].color ? c->series[k].color - 1 : k;
}

static double x_of(const lines_chart *c, size_t point)
{
    return c->x ? c->x[point] : (double)point;
}

static void range_of(const double *values, size_t count, double *low, double *high)
{
    for (size_t i = 0; values && i < count; i++)
        if (isfinite(values[i])) {
            *low = fmin(*low, values[i]);
            *high = fmax(*high, values[i]);
        }
}

/* The place of an infinite x, such as the temperature at which only the prior counts, is the right end. */
static double place(const axis *x, double value)
{
    return axis_place(x, isinf(value) ? x->high : value);
}

static void draw_path(FILE *stream, const lines_chart *c, const series *s, const axis *x, const axis *y,
                      const char *class)
{
    bool down = false;
    fprintf(stream, "<path class=\"%s\" d=\"", class);
    for (size_t i = 0; i < c->points; i++) {
        if (!isfinite(s->values[i])) {
            down = false;
            continue;
        }
        fprintf(stream, "%c%.1f %.1f", down ? 'L' : 'M', place(x, x_of(c, i)), axis_place(y, s->values[i]));
        down = true;
    }
    fputs("\"/>\n", stream);
}

static bool has_band(const series *s, size_t i)
{
    return isfinite(s->low[i]) && isfinite(s->high[i]);
}

/* Each stretch of points that have a band is one area. */
static void draw_band(FILE *stream, const lines_chart *c, const series *s, const axis *x, const axis *y,
                      const char *class)
{
    for (size_t begin = 0, end; begin < c->points; begin = end + 1) {
        for (end = begin; end < c->points && has_band(s, end); end++)
            ;
        if (end - begin < 2)
            continue;
        fprintf(stream, "<path class=\"%s\" d=\"", class);
        for (size_t i = begin; i < end; i++)
            fprintf(stream, "%c%.1f %.1f", i == begin ? 'M' : 'L', place(x, x_of(c, i)), axis_place(y, s->high[i]));
        for (size_t i = end; i-- > begin;)
            fprintf(stream, "L%.1f %.1f", place(x, x_of(c, i)), axis_place(y, s->low[i]));
        fputs("z\"/>\n", stream);
    }
}

static void tip_of(const lines_chart *c, const series *s, size_t i, char *tip, size_t size)
{
    char value[PLAIN_TEXT], at[PLAIN_TEXT], low[PLAIN_TEXT], high[PLAIN_TEXT];
    const char *alarm = "";
    if (s->alarms && s->alarms[i])
        alarm = s->alarms[i] < 0 ? "; alarm: it got worse" : "; alarm: it got better";
    int used = snprintf(tip, size, "%s, %s %s: %s", s->label,
                        c->x_labels ? ""
                        : c->x_name ? c->x_name
                                    : "",
                        c->x_labels ? c->x_labels[i] : plain_number(x_of(c, i), at),
                        plain_value(c->share, s->values[i], value));
    if (s->low && s->high && has_band(s, i) && (size_t)used < size)
        used += snprintf(tip + used, size - (size_t)used, " (%s to %s)", plain_value(c->share, s->low[i], low),
                         plain_value(c->share, s->high[i], high));
    if ((size_t)used < size)
        snprintf(tip + used, size - (size_t)used, "%s", alarm);
}

static void draw_points(FILE *stream, const lines_chart *c, const series *s, const axis *x, const axis *y, size_t color)
{
    char tip[600];
    for (size_t i = 0; i < c->points; i++) {
        int alarm = s->alarms ? s->alarms[i] : 0;
        if (!isfinite(s->values[i]) || (c->points > DOTTED_POINTS && !alarm))
            continue;
        double at = place(x, x_of(c, i)), height = axis_place(y, s->values[i]);
        tip_of(c, s, i, tip, sizeof tip);
        svg_mark_begin(stream, tip);
        if (alarm) /* on the point: beside it, it might be another line's */
            fprintf(stream, "<path class=\"alarm\" d=\"M%.1f %.1fl-7 %dh14z\"/>", at, height + (alarm < 0 ? 7 : -7),
                    alarm < 0 ? -12 : 12);
        else
            fprintf(stream, "<circle class=\"point s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", color, at, height);
        svg_mark_end(stream);
    }
}

/* The last point of a series from left to right; `points` when it has none. */
static size_t rightmost(const lines_chart *c, const series *s)
{
    size_t last = c->points;
    for (size_t i = 0; i < c->points; i++)
        if (isfinite(s->values[i]) && (last == c->points || x_of(c, i) > x_of(c, last)))
            last = i;
    return last;
}

/* Names at the ends of their lines, moved apart where they would lie on each other. */
static void draw_labels(FILE *stream, const lines_chart *c, const axis *x, const axis *y, double room)
{
    size_t order[LABELS], count = 0;
    double heights[LABELS], ends[LABELS];
    for (size_t k = 0; k < c->count && count < LABELS; k++) {
        size_t last = rightmost(c, &c->series[k]);
        if (last == c->points || c->series[k].faint)
            continue;
        double height = axis_place(y, c->series[k].values[last]);
        size_t at = count++;
        for (; at > 0 && heights[at - 1] > height; at--) {
            ends[at] = heights[at] = heights[at - 1];
            order[at] = order[at - 1];
        }
        ends[at] = heights[at] = height;
        order[at] = k;
    }
    for (size_t i = 1; i < count; i++)
        heights[i] = fmax(heights[i], heights[i - 1] + LABEL_HEIGHT);
    for (size_t i = count; i-- > 0;) { /* back up from the bottom, where the names of batches are */
        double bottom = y->from - 4 - LABEL_HEIGHT * (double)(count - 1 - i);
        heights[i] = fmin(heights[i], bottom);
    }
    for (size_t i = 0; i < count; i++) {
        char class[32];
        if (fabs(heights[i] - ends[i]) > 3) /* which line it is of */
            svg_line(stream, "leader", x->to + 3, ends[i], x->to + 11, heights[i]);
        snprintf(class, sizeof class, "name s%zu", color_of(c, order[i]) % COLORS);
        svg_text(stream, x->to + 13, heights[i] + 4, "start", class, room, c->series[order[i]].label);
    }
}

static void draw_batches(FILE *stream, const lines_chart *c, const axis *x, double bottom)
{
    double widest = 20;
    for (size_t i = 0; i < c->points; i++)
        widest = fmax(widest, fmin(90, svg_text_width(c->x_labels[i]) + 10));
    size_t fits = (size_t)fmax(1, (x->to - x->from) / widest + 1), every = (c->points + fits - 1) / fits;
    for (size_t i = 0; i < c->points; i += every ? every : 1)
        svg_text(stream, place(x, x_of(c, i)), bottom + 16, "middle", "soft", widest, c->x_labels[i]);
    if (c->x_name)
        svg_text(stream, (x->from + x->to) / 2, bottom + 34, "middle", "soft", 0, c->x_name);
}

void lines_draw(FILE *stream, const svg_form *form, const void *chart)
{
    const lines_chart *c = chart;
    bool narrow = form->width < 500;
    double low = c->from_zero ? 0 : INFINITY, high = -INFINITY, x_low = INFINITY, x_high = -INFINITY, label = 0;
    for (size_t k = 0; k < c->count; k++) {
        const series *s = &c->series[k];
        range_of(s->values, c->points, &low, &high);
        range_of(s->low, c->points, &low, &high);
        range_of(s->high, c->points, &low, &high);
        label = s->faint ? label : fmax(label, svg_text_width(s->label));
    }
    bool whole = true; /* epochs have no halves */
    for (size_t i = 0; i < c->points; i++) {
        double at = x_of(c, i);
        range_of(&at, 1, &x_low, &x_high);
        whole &= at == floor(at);
    }
    size_t ticks = narrow ? 4 : 8;
    if (whole && x_high - x_low < (double)ticks && x_high > x_low)
        ticks = (size_t)(x_high - x_low);
    label = fmin(label, narrow ? 84 : 150);
    double top = isfinite(c->mark) ? 42 : 26, left = narrow ? 44 : 52,
           bottom = top + (c->height > 0 ? c->height
                           : narrow      ? 200
                                         : 260);
    double right = form->width - label - 18;
    axis y = axis_over(low, high, bottom, top, 5, false);
    if (c->share && y.high > 1)
        y.high = 1;
    y.share = c->share;
    axis x = c->logarithmic ? axis_logarithmic(x_low, x_high, left + 6, right - 4)
                            : axis_over(x_low, x_high, left + 6, right - 4, ticks, true);
    if (!c->logarithmic && x_low == x_high)
        x = axis_over(x_low - 1, x_low + 1, left + 6, right - 4, 2, true);
    svg_open(stream, form, bottom + 40, c->label);
    axis_draw_left(stream, &y, left, right, NULL);
    if (c->y_name)
        svg_text(stream, 0, 12, "start", "soft", form->width, c->y_name);
    if (c->x_labels)
        draw_batches(stream, c, &x, bottom);
    else
        axis_draw_below(stream, &x, bottom, bottom + 4, c->x_name);
    if (isfinite(c->mark)) {
        double at = place(&x, c->mark);
        svg_line(stream, "guide", at, top, at, bottom);
        svg_text(stream, at, top - 8, at > form->width / 2 ? "end" : "start", "soft", 0,
                 c->mark_name ? c->mark_name : "");
    }
    char class[32];
    for (size_t pass = 0; pass < 3; pass++) /* what is faint and what is wide lies below */
        for (size_t k = 0; k < c->count; k++) {
            const series *s = &c->series[k];
            size_t color = color_of(c, k);
            if (pass == 0 && s->low && s->high) {
                snprintf(class, sizeof class, "band s%zu", color % COLORS);
                draw_band(stream, c, s, &x, &y, class);
            }
            if ((pass == 0 && s->faint) || (pass == 1 && !s->faint)) {
                snprintf(class, sizeof class, s->faint ? "line faint" : "line s%zu d%zu", color % COLORS,
                         color / COLORS % COLORS);
                draw_path(stream, c, s, &x, &y, class);
            }
            if (pass == 2 && !s->faint)
                draw_points(stream, c, s, &x, &y, color % COLORS);
        }
    draw_labels(stream, c, &x, &y, label + 6);
    svg_close(stream);
}
