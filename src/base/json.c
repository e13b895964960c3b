#include "base/json.h"

#include <stdlib.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

json_writer json_open(FILE *stream)
{
    return (json_writer){.stream = stream};
}

/* A byte that is no UTF-8, as where a sentence was cut, becomes the replacement character: JSON has no other way. */
static void quoted(const json_writer *json, const char *text)
{
    FILE *stream = json->stream;
    const char *end = text + strlen(text);
    uint32_t character;
    fputc('"', stream);
    for (size_t length; text < end; text += length)
        if (!(length = text_decode(text, end, &character))) {
            fputs("\xEF\xBF\xBD", stream);
            length = 1;
        } else if (character == '"' || character == '\\')
            fprintf(stream, "\\%c", *text);
        else if (character == '\n')
            fputs("\\n", stream);
        else if (character < 0x20 || character == 0x7F ||
                 (json->in_markup && (character == '<' || character == '>' || character == '&' || character == 0x2028 ||
                                      character == 0x2029)))
            fprintf(stream, "\\u%04x", (unsigned)character);
        else
            fwrite(text, 1, length, stream);
    fputc('"', stream);
}

static void place(json_writer *json, const char *key)
{
    if (json->depth > 0) {
        bool *filled = &json->filled[json->depth - 1];
        if (*filled)
            fputs(json->compact ? ", " : ",", json->stream);
        *filled = true;
        if (!json->compact)
            fprintf(json->stream, "\n%*s", 2 * json->depth, "");
    }
    if (key) {
        quoted(json, key);
        fputs(": ", json->stream);
    }
}

static void begin(json_writer *json, const char *key, char opening, char closing)
{
    place(json, key);
    fputc(opening, json->stream);
    json->closing[json->depth] = closing;
    json->filled[json->depth++] = false;
}

void json_begin_object(json_writer *json, const char *key)
{
    begin(json, key, '{', '}');
}

void json_begin_array(json_writer *json, const char *key)
{
    begin(json, key, '[', ']');
}

void json_end(json_writer *json)
{
    json->depth--;
    if (json->filled[json->depth] && !json->compact)
        fprintf(json->stream, "\n%*s", 2 * json->depth, "");
    fputc(json->closing[json->depth], json->stream);
    if (json->depth == 0)
        fputc('\n', json->stream);
}

void json_text(json_writer *json, const char *key, const char *text)
{
    place(json, key);
    if (text)
        quoted(json, text);
    else
        fputs("null", json->stream);
}

void json_number(json_writer *json, const char *key, double value)
{
    char text[NUMBER_TEXT];
    place(json, key);
    fputs(isfinite(value) ? number_format(value, text) : "null", json->stream);
}

void json_count(json_writer *json, const char *key, uint64_t value)
{
    place(json, key);
    fprintf(json->stream, "%" PRIu64, value);
}

void json_bool(json_writer *json, const char *key, bool value)
{
    place(json, key);
    fputs(value ? "true" : "false", json->stream);
}

bool json_line_open(json_line *line)
{
    *line = (json_line){0};
    FILE *stream = open_memstream(&line->text, &line->length);
    if (!stream)
        return false;
    line->json = json_open(stream);
    line->json.compact = true;
    return true;
}

char *json_line_close(json_line *line)
{
    if (fclose(line->json.stream) != 0 || !line->text) {
        free(line->text);
        return NULL;
    }
    line->text[strcspn(line->text, "\n")] = '\0';
    return line->text;
}
