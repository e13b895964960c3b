#include "base/csv_text.h"

#include <string.h>

void csv_text_write(FILE *stream, const char *text)
{
    size_t length = strlen(text);
    if (length && text[0] != ' ' && text[length - 1] != ' ' && !strpbrk(text, ",;\t\"\r\n")) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++)
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, stream);
    fputc('"', stream);
}
