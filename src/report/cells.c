#include "report/cells.h"

#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/text.h"

/* The next character, which is never nothing: a byte that is no UTF-8 stands for itself. */
static size_t next_character(const char *text, const char *end, uint32_t *character)
{
    size_t bytes = text_decode(text, end, character);
    if (bytes)
        return bytes;
    *character = (unsigned char)*text;
    return 1;
}

static locale_t unicode; /* kept to the end of the program, whose own locale stays as it is */

static void find_unicode(void)
{
    unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

static size_t character_cells(uint32_t character)
{
    static pthread_once_t found = PTHREAD_ONCE_INIT;
    if (character < 0x300) /* nothing below combines or is wide */
        return 1;
    pthread_once(&found, find_unicode);
    if (!unicode)
        return 1;
    locale_t before = uselocale(unicode);
    int width = wcwidth((wchar_t)character);
    uselocale(before);
    return width < 0 ? 1 : (size_t)width;
}

size_t cells_among(const char *text, size_t bytes)
{
    size_t cells = 0;
    uint32_t character;
    for (const char *end = text + bytes; text < end;) {
        text += next_character(text, end, &character);
        cells += character_cells(character);
    }
    return cells;
}

size_t cells_of(const char *text)
{
    return cells_among(text, strlen(text));
}

size_t cells_fit(const char *text, size_t bytes, size_t cells)
{
    size_t used = 0, fit = 0;
    uint32_t character;
    while (fit < bytes) {
        size_t length = next_character(text + fit, text + bytes, &character);
        used += character_cells(character);
        if (used > cells)
            break;
        fit += length;
    }
    return fit;
}

/* What stands for our characters where there is nothing but ASCII. */
static const char *ascii_of(uint32_t character)
{
    static const struct {
        uint32_t character;
        const char *ascii;
    } all[] = {{0xB1, "+-"},   {0xB2, "^2"},   {0xB3, "^3"},      {0xB7, "*"},    {0xD7, "x"},     {0x2013, "-"},
               {0x2014, "-"},  {0x2019, "'"},  {0x201C, "\""},    {0x201D, "\""}, {0x2026, "..."}, {0x2192, "->"},
               {0x2264, "<="}, {0x2265, ">="}, {0x3BB, "lambda"}, {0x3C4, "tau"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].character == character)
            return all[i].ascii;
    return NULL;
}

char *cells_shown(const char *text, bool ascii)
{
    enum { LONGEST = 6 }; /* in bytes, of what replaces one character */
    const char *end = text + strlen(text);
    size_t length = (size_t)(end - text);
    char *shown = length < SIZE_MAX / LONGEST ? malloc(length * LONGEST + 1) : NULL, *to = shown;
    while (shown && text < end) {
        uint32_t character;
        size_t bytes = next_character(text, end, &character);
        const char *other = ascii && character > 0x7F ? ascii_of(character) : NULL;
        bool control = character < 0x20 || (character >= 0x7F && character < 0xA0);
        if (control) /* could move the cursor, or change what is on the screen */
            *to++ = character == '\n' ? '\n' : '?';
        else if (other)
            to = stpcpy(to, other);
        else
            to = mempcpy(to, text, bytes);
        text += bytes;
    }
    if (shown)
        *to = '\0';
    return shown;
}

char *cells_shortened(const char *text, size_t cells, bool ascii)
{
    const char *mark = ascii ? "..." : "…";
    size_t mark_cells = cells_of(mark), whole = cells_of(text), bytes = strlen(text);
    if (whole <= cells)
        return strdup(text);
    if (cells <= mark_cells)
        return strndup(text, cells_fit(text, bytes, cells));
    size_t head = (cells - mark_cells + 1) / 2, tail = cells - mark_cells - head;
    size_t first = cells_fit(text, bytes, head), rest = cells_fit(text, bytes, whole - tail);
    uint32_t character;
    while (cells_of(text + rest) > tail) /* half of a wide character cannot be shown */
        rest += next_character(text + rest, text + bytes, &character);
    char *shortened = malloc(first + strlen(mark) + (bytes - rest) + 1);
    if (shortened)
        stpcpy(stpcpy(mempcpy(shortened, text, first), mark), text + rest);
    return shortened;
}

void print_blanks(FILE *stream, size_t count)
{
    fprintf(stream, "%*s", (int)count, "");
}

static bool is_painted(const gbv_terminal *terminal, gbv_style style)
{
    return terminal && terminal->color && style != GBV_STYLE_PLAIN;
}

void print_style(FILE *stream, const gbv_terminal *terminal, gbv_style style)
{
    static const char *const codes[] = {
        [GBV_STYLE_PLAIN] = "",          [GBV_STYLE_BOLD] = "\033[1m",     [GBV_STYLE_DIM] = "\033[2m",
        [GBV_STYLE_ACCENT] = "\033[36m", [GBV_STYLE_CAUTION] = "\033[33m", [GBV_STYLE_ALARM] = "\033[31m",
    };
    if (is_painted(terminal, style))
        fputs(codes[style], stream);
}

void print_style_end(FILE *stream, const gbv_terminal *terminal, gbv_style style)
{
    if (is_painted(terminal, style))
        fputs("\033[0m", stream);
}

void print_styled(FILE *stream, const gbv_terminal *terminal, gbv_style style, const char *text)
{
    style = *text ? style : GBV_STYLE_PLAIN;
    print_style(stream, terminal, style);
    fputs(text, stream);
    print_style_end(stream, terminal, style);
}
