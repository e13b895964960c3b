#include "base/markup.h"

#include <string.h>

#include "base/text.h"

void markup_write(FILE *stream, const char *text)
{
    const char *end = text ? text + strlen(text) : text;
    uint32_t character;
    for (size_t length; text < end; text += length) {
        length = text_decode(text, end, &character);
        bool control = character < 0x20 && character != '\t' && character != '\n';
        if (!length || control || character == 0x7F || character == 0xFFFE || character == 0xFFFF) {
            fputs("\xEF\xBF\xBD", stream);
            length = length ? length : 1;
        } else if (character == '&')
            fputs("&amp;", stream);
        else if (character == '<')
            fputs("&lt;", stream);
        else if (character == '>')
            fputs("&gt;", stream);
        else if (character == '"')
            fputs("&quot;", stream);
        else if (character == '\'')
            fputs("&#39;", stream);
        else
            fwrite(text, 1, length, stream);
    }
}
