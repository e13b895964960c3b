#include "base/csv_text.h"

#include <string.h>

void csv_text_write(FILE *stream, const char *text)
{
    csv_text_write_after(stream, "", text);
}

void csv_text_write_after(FILE *stream, const char *word, const char *text)
{
    size_t length = strlen(text);
    if (length && (*word || text[0] != ' ') && text[length - 1] != ' ' && !strpbrk(text, ",;\t\"\r\n")) {
        fprintf(stream, "%s%s", word, text);
        return;
    }
    fprintf(stream, "\"%s", word);
    for (; *text; text++)
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, stream);
    fputc('"', stream);
}
