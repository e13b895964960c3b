#include "report/svg/figure.h"

#include <string.h>

#include "base/markup.h"
#include "base/output.h"
#include "base/text.h"
#include "report/assets.h"

void svg_open(FILE *stream, const svg_form *form, double height, const char *label)
{
    fprintf(stream, "<svg class=\"fig\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\"",
            form->width, height, form->width, height);
    if (form->alone)
        fputs(" xmlns=\"http://www.w3.org/2000/svg\"", stream);
    fputs(" aria-label=\"", stream);
    markup_write(stream, label);
    fputs("\">\n", stream);
    if (form->alone)
        fprintf(stream, "<style>%s</style>\n<rect class=\"ground\" width=\"%.0f\" height=\"%.0f\"/>\n",
                asset_figure_css, form->width, height);
}

void svg_close(FILE *stream)
{
    fputs("</svg>\n", stream);
}

/* Narrow and wide letters as system fonts have them at 12 units. */
static double character_width(uint32_t character)
{
    if (character >= 0x2000 && character < 0x2070) /* spaces and dashes */
        return 4;
    if (character >= 0x1100)
        return 12;
    if (character < 0x80 && strchr("iljtfrI.,:;|!'()[] ", (int)character))
        return 4;
    return character < 0x80 && strchr("mwMW@%", (int)character) ? 10 : 7;
}

/* How many bytes of the text fit. */
static size_t fitting(const char *text, double room, double *width)
{
    const char *at = text, *end = text + strlen(text);
    uint32_t character;
    *width = 0;
    for (size_t length; at < end; at += length) {
        length = text_decode(at, end, &character);
        double more = length ? character_width(character) : 7;
        if (*width + more > room)
            break;
        *width += more;
        length = length ? length : 1;
    }
    return (size_t)(at - text);
}

double svg_text_width(const char *text)
{
    double width;
    fitting(text, 1e9, &width);
    return width;
}

void svg_text(FILE *stream, double x, double y, const char *anchor, const char *class, double room, const char *text)
{
    double width;
    char cut[512];
    size_t fits = strlen(text);
    bool shortened = room > 0 && svg_text_width(text) > room;
    if (shortened)
        fits = fitting(text, room - 8, &width);
    shortened |= fits >= sizeof cut - 4;
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchor);
    if (*class)
        fprintf(stream, " class=\"%s\"", class);
    fputs(">", stream);
    if (shortened) {
        snprintf(cut, sizeof cut, "%.*s\xE2\x80\xA6", (int)(fits < 500 ? fits : 500), text);
        fputs("<title>", stream);
        markup_write(stream, text);
        fputs("</title>", stream);
        markup_write(stream, cut);
    } else
        markup_write(stream, text);
    fputs("</text>\n", stream);
}

void svg_mark_begin(FILE *stream, const char *tip)
{
    fputs("<g class=\"mark\"><title>", stream);
    markup_write(stream, tip);
    fputs("</title>", stream);
}

void svg_mark_end(FILE *stream)
{
    fputs("</g>\n", stream);
}

void svg_line(FILE *stream, const char *class, double x1, double y1, double x2, double y2)
{
    fprintf(stream, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, x1, y1, x2, y2);
}

gbv_status svg_file_write(const char *path, figure_draw *draw, const void *chart, double width, gbv_error *error)
{
    output_file output;
    gbv_status status = output_open(path, &output, error);
    if (status != GBV_OK)
        return status;
    draw(output.stream, &(svg_form){.width = width, .alone = true}, chart);
    return output_commit(&output, error);
}
