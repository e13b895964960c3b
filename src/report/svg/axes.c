#include "report/svg/axes.h"

#include <math.h>

#include "report/plain.h"
#include "report/svg/figure.h"

/* 1, 2 or 5 times a power of ten, so that about `wanted` steps cover the range. */
static double round_step(double range, size_t wanted)
{
    double step = range / (double)(wanted ? wanted : 1), power = pow(10, floor(log10(step))), lead = step / power;
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

axis axis_over(double low, double high, double from, double to, size_t wanted, bool exact)
{
    if (!isfinite(low) || !isfinite(high) || low > high || fabs(low) > 1e300 || fabs(high) > 1e300)
        low = 0, high = 1;
    if (high - low <= 1e-12 * fmax(fabs(low), fabs(high)) || high == low) {
        double room = low != 0 ? fabs(low) / 2 : 0.5;
        low -= room;
        high += room;
    }
    double step = round_step(high - low, wanted);
    axis a = {.low = low, .high = high, .from = from, .to = to};
    if (!exact) {
        a.low = step * floor(low / step + 1e-9);
        a.high = step * ceil(high / step - 1e-9);
    }
    double first = ceil(a.low / step - 1e-9);
    for (; a.tick_count < AXIS_TICKS; a.tick_count++) {
        double tick = step * (first + (double)a.tick_count);
        if (tick > a.high + 1e-9 * step)
            break;
        a.ticks[a.tick_count] = fabs(tick) < 1e-9 * step ? 0 : tick;
    }
    return a;
}

axis axis_logarithmic(double low, double high, double from, double to)
{
    if (!(low > 0) || !isfinite(low) || !isfinite(high) || high <= low)
        low = 0.1, high = 10;
    axis a = {.low = low, .high = high, .from = from, .to = to, .logarithmic = true};
    double decades = log10(high / low);
    static const double leads[] = {1, 2, 5};
    size_t each = decades < 3 ? 3 : 1;
    for (double power = floor(log10(low)); pow(10, power) <= high; power += decades > 10 ? ceil(decades / 10) : 1)
        for (size_t i = 0; i < each && a.tick_count < AXIS_TICKS; i++) {
            double tick = leads[i] * pow(10, power);
            if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9))
                a.ticks[a.tick_count++] = tick;
        }
    return a;
}

double axis_place(const axis *a, double value)
{
    double low = a->low, high = a->high, at;
    if (a->logarithmic)
        at = value > 0 ? log(value / low) / log(high / low) : 0;
    else
        at = (value - low) / (high - low);
    return a->from + fmin(1, fmax(0, at)) * (a->to - a->from);
}

const char *axis_tick_text(const axis *a, size_t tick, char text[64])
{
    double value = a->ticks[tick], scaled = a->share ? 100 * value : value;
    const char *sign = scaled < 0 ? "\xE2\x88\x92" : "";
    if (fabs(scaled) >= 1e6 || (scaled != 0 && fabs(scaled) < 1e-4))
        snprintf(text, 64, "%s%g", sign, fabs(scaled));
    else { /* as many decimals as tell the ticks apart */
        double step = a->tick_count > 1 && !a->logarithmic ? fabs(a->ticks[1] - a->ticks[0]) : fabs(value);
        step = a->share ? 100 * step : step;
        int decimals = step > 0 ? (int)fmax(0, ceil(-log10(step) - 1e-9)) : 0;
        snprintf(text, 64, "%s%.*f%s", sign, decimals, fabs(scaled), a->share ? "\xE2\x80\xAF%" : "");
    }
    return text;
}

void axis_draw_below(FILE *stream, const axis *a, double top, double bottom, const char *name)
{
    char text[64];
    for (size_t i = 0; i < a->tick_count; i++) {
        double x = axis_place(a, a->ticks[i]);
        svg_line(stream, "grid", x, top, x, bottom);
        svg_text(stream, x, bottom + 16, "middle", "soft", 0, axis_tick_text(a, i, text));
    }
    if (name)
        svg_text(stream, (a->from + a->to) / 2, bottom + 34, "middle", "soft", 0, name);
}

void axis_draw_left(FILE *stream, const axis *a, double left, double right, const char *name)
{
    char text[64];
    for (size_t i = 0; i < a->tick_count; i++) {
        double y = axis_place(a, a->ticks[i]);
        svg_line(stream, "grid", left, y, right, y);
        svg_text(stream, left - 8, y + 4, "end", "soft", 0, axis_tick_text(a, i, text));
    }
    if (name)
        svg_text(stream, 0, fmin(a->from, a->to) - 12, "start", "soft", 0, name);
}
