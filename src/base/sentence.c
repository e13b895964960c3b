/* sentence.c - messages that may quote anything a file holds, and stay one readable line. */
#include "base/sentence.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sentence_add(sentence *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(s->text + s->length, sizeof s->text - s->length, format, arguments);
    va_end(arguments);
    if (added > 0)
        s->length += (size_t)added;
    if (s->length >= sizeof s->text)
        s->length = sizeof s->text - 1;
}

void sentence_quote(sentence *s, const char *text)
{
    enum { LONGEST = 60 };
    char shown[LONGEST + 1];
    size_t length = strnlen(text, LONGEST + 1);
    int cut = length > LONGEST;
    if (cut)
        for (length = LONGEST; length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80;)
            length--;
    for (size_t i = 0; i < length; i++)
        shown[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7F ? '?' : text[i];
    shown[length] = '\0';
    sentence_add(s, "'%s%s'", shown, cut ? "..." : "");
}
