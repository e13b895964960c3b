/* json.h - writing JSON: numbers shortest and exact, text escaped, one level of indentation per nesting.
 * (Reading is jansson's.)
 *
 *     json_writer json = json_open(stream);
 *     json_begin_object(&json, NULL);
 *     json_text(&json, "name", "a");  json_number(&json, "score", -0.5);
 *     json_end(&json);
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 16 };

typedef struct json_writer {
    FILE *stream;
    int depth;
    bool compact;            /* everything on one line */
    bool in_markup;          /* nothing in a text may end the HTML element around it, or a line of a script */
    bool filled[JSON_DEPTH]; /* something was written at this level */
    char closing[JSON_DEPTH];
} json_writer;

json_writer json_open(FILE *stream);
/* `key` is NULL inside an array and at the top. */
void json_begin_object(json_writer *json, const char *key);
void json_begin_array(json_writer *json, const char *key);
void json_end(json_writer *json);
/* NULL text: null. What is no UTF-8 in it is replaced. */
void json_text(json_writer *json, const char *key, const char *text);
void json_number(json_writer *json, const char *key, double value); /* not finite: null */
void json_count(json_writer *json, const char *key, uint64_t value);
void json_bool(json_writer *json, const char *key, bool value);

/* JSON as one line of text in memory: open, write to line.json, close. The line must not be moved in between. */
typedef struct json_line {
    json_writer json;
    char *text;
    size_t length;
} json_line;

bool json_line_open(json_line *line);   /* false when memory is out */
char *json_line_close(json_line *line); /* for the caller to free; NULL when memory is out */

#endif
