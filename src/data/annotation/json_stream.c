#include "data/annotation/json_stream.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void pass_blanks(json_stream *stream)
{
    while (stream->next < stream->end && is_blank(*stream->next))
        stream->next++;
}

static bool take(json_stream *stream, char c)
{
    pass_blanks(stream);
    if (stream->next == stream->end || *stream->next != c)
        return false;
    stream->next++;
    return true;
}

void json_stream_open(json_stream *stream, const char *path, const void *bytes, size_t size)
{
    *stream = (json_stream){.path = path, .begin = bytes, .next = bytes, .end = (const char *)bytes + size};
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
        stream->next += 3;
    stream->in_list = take(stream, '[');
}

void json_stream_close(json_stream *stream)
{
    json_decref(stream->element);
    *stream = (json_stream){0};
}

bool json_stream_begins(const unsigned char *bytes, size_t size)
{
    json_stream stream;
    json_stream_open(&stream, "", bytes, size);
    if (take(&stream, '{'))
        return pass_blanks(&stream), stream.next < stream.end && (*stream.next == '"' || *stream.next == '}');
    return stream.in_list && take(&stream, ']');
}

/* jansson quotes what is near a fault, which may be an e-mail address. */
static gbv_status refuse(const json_stream *stream, const json_error_t *problem, gbv_error *error)
{
    size_t at = (size_t)(stream->next - stream->begin) + (problem->position > 0 ? (size_t)problem->position : 0);
    const char *near = strstr(problem->text, " near ");
    if (json_error_code(problem) == json_error_numeric_overflow)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: task %zu holds a number before byte %zu that is too large to be read: write it as text, "
                         "in quotes",
                         stream->path, stream->count + 1, at);
    if (json_error_code(problem) == json_error_invalid_utf8)
        return error_set(error, GBV_BAD_INPUT, "%s: task %zu is not valid UTF-8 at byte %zu: save the file as UTF-8",
                         stream->path, stream->count + 1, at);
    return error_set(
        error, GBV_BAD_INPUT,
        "%s: task %zu is not valid JSON at byte %zu (%.*s): the file is cut off or damaged: export it again",
        stream->path, stream->count + 1, at, near ? (int)(near - problem->text) : (int)strlen(problem->text),
        problem->text);
}

static gbv_status check_end(json_stream *stream, gbv_error *error)
{
    stream->ended = true;
    pass_blanks(stream);
    if (stream->next == stream->end)
        return GBV_OK;
    return error_set(error, GBV_BAD_INPUT, "%s: has something behind its end, at byte %zu: export it again",
                     stream->path, (size_t)(stream->next - stream->begin));
}

/* Whether another element follows; *more is false at the proper end. */
static gbv_status find_next(json_stream *stream, bool *more, gbv_error *error)
{
    *more = false;
    if (stream->ended)
        return GBV_OK;
    if (stream->in_list && take(stream, ']'))
        return check_end(stream, error);
    pass_blanks(stream);
    if (!stream->in_list && stream->next == stream->end)
        return check_end(stream, error);
    if (stream->in_list && stream->count && !take(stream, ',') && stream->next < stream->end)
        return error_set(error, GBV_BAD_INPUT, "%s: expected a comma behind task %zu, at byte %zu: export it again",
                         stream->path, stream->count, (size_t)(stream->next - stream->begin));
    pass_blanks(stream);
    if (stream->next == stream->end)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: ends behind task %zu, inside the list: the file is cut off: export it "
                         "again",
                         stream->path, stream->count);
    if (*stream->next != '{')
        return error_set(error, GBV_BAD_INPUT, "%s: task %zu, at byte %zu, is no JSON object: export it again",
                         stream->path, stream->count + 1, (size_t)(stream->next - stream->begin));
    *more = true;
    return GBV_OK;
}

gbv_status json_stream_next(json_stream *stream, gbv_error *error)
{
    json_error_t problem = {0};
    bool more;
    json_decref(stream->element);
    stream->element = NULL;
    gbv_status status = find_next(stream, &more, error);
    if (status != GBV_OK || !more)
        return status;
    size_t left = (size_t)(stream->end - stream->next); /* jansson tells places as int */
    stream->element = json_loadb(stream->next, left < INT_MAX ? left : INT_MAX, JSON_DISABLE_EOF_CHECK, &problem);
    if (!stream->element)
        return json_error_code(&problem) == json_error_out_of_memory
                   ? error_out_of_memory(error, "a task of a JSON file")
                   : refuse(stream, &problem, error);
    snprintf(stream->place, sizeof stream->place, "task %zu (byte %zu)", ++stream->count,
             (size_t)(stream->next - stream->begin));
    stream->next += problem.position;
    return GBV_OK;
}

json_t *json_stream_first(const unsigned char *bytes, size_t size)
{
    json_stream stream;
    json_t *first = NULL;
    if (!json_stream_begins(bytes, size))
        return NULL;
    json_stream_open(&stream, "", bytes, size);
    if (json_stream_next(&stream, NULL) == GBV_OK)
        first = json_incref(stream.element);
    json_stream_close(&stream);
    return first;
}

const char *json_plain_text(const json_t *value, char number[JSON_NUMBER_TEXT])
{
    _Static_assert((int)JSON_NUMBER_TEXT >= (int)NUMBER_TEXT, "a number fits");
    if (json_is_string(value))
        return json_string_value(value);
    double real = json_real_value(value);
    if (json_is_integer(value) || (json_is_real(value) && real == trunc(real) && fabs(real) < 1e15))
        snprintf(number, JSON_NUMBER_TEXT, "%lld",
                 json_is_integer(value) ? (long long)json_integer_value(value) : (long long)real);
    else if (json_is_real(value))
        number_format(real, number);
    else if (json_is_boolean(value))
        strcpy(number, json_is_true(value) ? "true" : "false");
    else
        return NULL;
    return number;
}
