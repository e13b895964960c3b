#include "say.h"

#include <stdarg.h>
#include <stdlib.h>

enum { GOES_ON = 2 }; /* lines after the first, a little to the right of the head */

void say(FILE *stream, gbv_style style, const char *head, const char *format, ...)
{
    gbv_terminal terminal = gbv_terminal_of(stream);
    va_list arguments;
    char *text;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    gbv_terminal_line(stream, &terminal, style, head, *head ? GOES_ON : 0, length < 0 ? "not enough memory" : text);
    if (length >= 0)
        free(text);
}

void say_item(const char *name, size_t indent, const char *text)
{
    gbv_terminal terminal = gbv_terminal_of(stdout);
    gbv_terminal_line(stdout, &terminal, GBV_STYLE_BOLD, name, indent, text);
}
