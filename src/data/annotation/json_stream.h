/* json_stream.h - the objects of a long JSON list, or of one object a line, one at a time: only one is in memory.
 *
 *     json_stream stream;
 *     json_stream_open(&stream, path, bytes, size);
 *     while ((status = json_stream_next(&stream, error)) == GBV_OK && stream.element)
 *         ... stream.element, stream.place ...
 *     json_stream_close(&stream);
 */
#ifndef DATA_ANNOTATION_JSON_STREAM_H
#define DATA_ANNOTATION_JSON_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include <gbv/status.h>

typedef struct json_stream {
    const char *path;
    const char *begin, *next, *end;
    bool in_list, ended;
    size_t count;    /* elements read */
    char place[64];  /* of the element in hand, for messages: "task 17 (byte 1234)" */
    json_t *element; /* in hand, an object; NULL at the end */
} json_stream;

/* True when the bytes begin as a JSON list of objects or an object does. */
bool json_stream_begins(const unsigned char *bytes, size_t size);

void json_stream_open(json_stream *stream, const char *path, const void *bytes, size_t size);
/* The next element; that before it is gone. */
GBV_MUST_CHECK gbv_status json_stream_next(json_stream *stream, gbv_error *error);
void json_stream_close(json_stream *stream);

/* The first element, to recognise a file by; the caller drops it. NULL when there is none. */
json_t *json_stream_first(const unsigned char *bytes, size_t size);

/* A text or number of an object as text: the text itself, or the number written to `number`; NULL when it is neither.
 */
enum { JSON_NUMBER_TEXT = 32 };
const char *json_plain_text(const json_t *value, char number[JSON_NUMBER_TEXT]);

#endif
