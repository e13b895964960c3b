/* json_fields.h - the keys of a JSON document that anyone may have edited, each checked as it is taken.
 *
 *     json_fields f = {.path = path, .place = "the document", .what = "result", .command = "value", .error = error};
 *     size_t rows = field_count(&f, object, "rows");
 *     return f.status;
 */
#ifndef BASE_JSON_FIELDS_H
#define BASE_JSON_FIELDS_H

#include <jansson.h>
#include <stdbool.h>

#include <gbv/status.h>

/* Where reading stands; after the first failure every further read does nothing. */
typedef struct json_fields {
    const char *path;
    const char *place;   /* "sources[3]", "the document" */
    const char *what;    /* is read, in a word: "result" */
    const char *command; /* of gbv, that writes it: "value" */
    gbv_error *error;
    gbv_status status;
} json_fields;

/* Keeps the first failure: the place has no usable key. */
void field_fail(json_fields *f, const char *key, const char *expected);
char *field_text(json_fields *f, const json_t *object, const char *key); /* a copy; NULL when it failed */
/* The same where the key may be missing: NULL then. */
char *field_optional_text(json_fields *f, const json_t *object, const char *key);
/* null stands for a number that is not finite: `when_null` says which. */
double field_number(json_fields *f, const json_t *object, const char *key, double when_null);
double field_optional_number(json_fields *f, const json_t *object, const char *key); /* NaN where it is not there */
size_t field_count(json_fields *f, const json_t *object, const char *key);
size_t field_optional_count(json_fields *f, const json_t *object, const char *key); /* 0 where it is not there */
bool field_optional_bool(json_fields *f, const json_t *object, const char *key);    /* false where it is not there */
const json_t *field_array(json_fields *f, const json_t *object, const char *key);
/* Its place among the words. */
int field_word(json_fields *f, const json_t *object, const char *key, const char *const *words, int count);
/* Two numbers, NaN for null. */
void field_interval(json_fields *f, const json_t *object, const char *key, double interval[2]);
char **field_texts(json_fields *f, const json_t *object, const char *key, size_t *count);
/* Zeroed memory for as many things as a JSON array really holds, so never more than the file's size allows; NULL after
 * a failure. */
void *field_room(json_fields *f, size_t count, size_t size);

/* A whole file as JSON; `expected` says what it should be. The caller owns the document. */
GBV_MUST_CHECK gbv_status json_file_read(const char *path, const char *expected, json_t **root, gbv_error *error);

#endif
