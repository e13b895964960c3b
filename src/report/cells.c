#include "report/cells.h"

size_t cells_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

void print_padded(FILE *stream, const char *text, size_t width)
{
    size_t used = cells_of(text);
    fprintf(stream, "%s%*s", text, used < width ? (int)(width - used) : 0, "");
}

/* The bytes of the first `count` characters. */
static size_t text_bytes(const char *text, size_t count)
{
    size_t bytes = 0;
    for (; text[bytes] && count; count--)
        do
            bytes++;
        while (((unsigned char)text[bytes] & 0xC0) == 0x80);
    return bytes;
}

void print_short(FILE *stream, const char *text, size_t width)
{
    size_t whole = cells_of(text), head = width / 2, tail = width - head - 1;
    if (whole <= width)
        print_padded(stream, text, width);
    else
        fprintf(stream, "%.*s…%s", (int)text_bytes(text, head), text, text + text_bytes(text, whole - tail));
}
