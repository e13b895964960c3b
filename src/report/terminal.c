/* terminal.c - what the stream that is written to can show, and sentences that end where it does. */
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/cells.h"

enum { USUAL_WIDTH = 80, LARGEST_WIDTH = 10000, DEEPEST_BELOW = 6 };

/* The characters of the user's locale, whatever the program set: the library leaves the program's locale alone. */
static bool locale_has_unicode(void)
{
    locale_t users = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (!users)
        return false;
    bool unicode = strcmp(nl_langinfo_l(CODESET, users), "UTF-8") == 0;
    freelocale(users);
    return unicode;
}

static size_t width_of(int file)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    size_t said = columns && strlen(columns) < 6 && strspn(columns, "0123456789") == strlen(columns)
                      ? strtoul(columns, NULL, 10)
                      : 0;
    if (!said && ioctl(file, TIOCGWINSZ, &size) == 0)
        said = size.ws_col;
    return said == 0 ? USUAL_WIDTH : said < LARGEST_WIDTH ? said : LARGEST_WIDTH;
}

gbv_terminal gbv_terminal_of(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");
    int file = fileno(stream);
    if (file < 0 || !isatty(file))
        return (gbv_terminal){0};
    return (gbv_terminal){.color = !(no_color && *no_color) && kind && *kind && strcmp(kind, "dumb") != 0,
                          .ascii = !locale_has_unicode(),
                          .width = width_of(file)};
}

/* A line that is being filled with words. */
typedef struct filling {
    FILE *stream;
    size_t width, indent;
    size_t used; /* columns of this line */
    bool begins; /* no word is in it yet */
} filling;

static void next_line(filling *line)
{
    fputc('\n', line->stream);
    print_blanks(line->stream, line->indent);
    line->used = line->indent;
    line->begins = true;
}

static void add_word(filling *line, const char *word, size_t bytes, size_t blanks)
{
    size_t cells = cells_among(word, bytes);
    if (line->begins)
        blanks = 0;
    if (line->used + blanks + cells > line->width && line->used > line->indent)
        next_line(line);
    else {
        print_blanks(line->stream, blanks);
        line->used += blanks;
    }
    while (line->used + cells > line->width) { /* longer than a line is wide, such as a path */
        size_t part = cells_fit(word, bytes, line->width > line->used ? line->width - line->used : 1);
        if (!part || part == bytes)
            break;
        fwrite(word, 1, part, line->stream);
        next_line(line);
        word += part;
        bytes -= part;
        cells = cells_among(word, bytes);
    }
    fwrite(word, 1, bytes, line->stream);
    line->used += cells;
    line->begins = false;
}

static void add_words(filling *line, const char *text)
{
    while (*text) {
        size_t blanks = strspn(text, " \n"), bytes = strcspn(text + blanks, " \n");
        if (bytes)
            add_word(line, text + blanks, bytes, !blanks || memchr(text, '\n', blanks) ? 1 : blanks);
        text += blanks + bytes;
    }
}

void gbv_terminal_line(FILE *stream, const gbv_terminal *terminal, gbv_style style, const char *head, size_t indent,
                       const char *text)
{
    size_t head_cells = cells_of(head), width = terminal ? terminal->width : 0;
    char *shown = width ? cells_shown(text, terminal->ascii) : NULL;
    print_styled(stream, terminal, style, head);
    gbv_style text_style = *head ? GBV_STYLE_PLAIN : style;
    if (shown) { /* memory may be out: then as in a file */
        bool below = indent > width / 2;
        filling line = {stream, width, below ? width / 8 < DEEPEST_BELOW ? width / 8 : DEEPEST_BELOW : indent,
                        head_cells, true};
        if (below && head_cells && *text)
            next_line(&line);
        else if (head_cells < line.indent && *text) {
            print_blanks(stream, line.indent - head_cells);
            line.used = line.indent;
        } else
            line.begins = !head_cells;
        print_style(stream, terminal, text_style);
        add_words(&line, shown);
        print_style_end(stream, terminal, text_style);
    } else {
        if (*text)
            print_blanks(stream, head_cells < indent ? indent - head_cells : head_cells != 0);
        fputs(text, stream);
    }
    fputc('\n', stream);
    free(shown);
}

void print_sentence(FILE *stream, const gbv_terminal *terminal, gbv_style style, const char *head, const char *format,
                    ...)
{
    va_list arguments;
    char *text;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    gbv_terminal_line(stream, terminal, style, head, *head ? GOES_ON : 0,
                      length < 0 ? "(not enough memory for this sentence)" : text);
    if (length >= 0)
        free(text);
}
