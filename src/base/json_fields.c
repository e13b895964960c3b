#include "base/json_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

static void out_of_memory(json_fields *f)
{
    if (f->status == GBV_OK)
        f->status = error_out_of_memory(f->error, f->what);
}

void field_fail(json_fields *f, const char *key, const char *expected)
{
    if (f->status == GBV_OK)
        f->status = error_set(f->error, GBV_BAD_INPUT,
                              "%s: %s has no usable \"%s\" (%s expected): write the %s again with gbv %s", f->path,
                              f->place, key, expected, f->what, f->command);
}

char *field_text(json_fields *f, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    char *copy = text ? strdup(text) : NULL;
    if (!text)
        field_fail(f, key, "a text");
    else if (!copy)
        out_of_memory(f);
    return copy;
}

char *field_optional_text(json_fields *f, const json_t *object, const char *key)
{
    return json_object_get(object, key) ? field_text(f, object, key) : NULL;
}

double field_number(json_fields *f, const json_t *object, const char *key, double when_null)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_null(value) && !isfinite(when_null))
        return when_null;
    if (!json_is_number(value))
        field_fail(f, key, "a number");
    return json_number_value(value);
}

double field_optional_number(json_fields *f, const json_t *object, const char *key)
{
    return json_object_get(object, key) ? field_number(f, object, key, NAN) : NAN;
}

size_t field_count(json_fields *f, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        field_fail(f, key, "a whole number");
    return (size_t)json_integer_value(value);
}

size_t field_optional_count(json_fields *f, const json_t *object, const char *key)
{
    return json_object_get(object, key) ? field_count(f, object, key) : 0;
}

bool field_optional_bool(json_fields *f, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_boolean(value))
        field_fail(f, key, "true or false");
    return json_is_true(value);
}

const json_t *field_array(json_fields *f, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_array(value))
        field_fail(f, key, "a list");
    return value;
}

int field_word(json_fields *f, const json_t *object, const char *key, const char *const *words, int count)
{
    const char *text = json_string_value(json_object_get(object, key));
    for (int i = 0; text && i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    field_fail(f, key, "one of the known words");
    return 0;
}

void field_interval(json_fields *f, const json_t *object, const char *key, double interval[2])
{
    const json_t *array = json_object_get(object, key);
    for (size_t i = 0; i < 2; i++) {
        const json_t *value = json_array_get(array, i);
        interval[i] = json_is_null(value) ? NAN : json_number_value(value);
        if (json_array_size(array) != 2 || (!json_is_null(value) && !json_is_number(value)))
            field_fail(f, key, "two numbers");
    }
}

void *field_room(json_fields *f, size_t count, size_t size)
{
    void *block = f->status == GBV_OK ? calloc(count ? count : 1, size) : NULL;
    if (!block)
        out_of_memory(f);
    return block;
}

char **field_texts(json_fields *f, const json_t *object, const char *key, size_t *count)
{
    const json_t *array = field_array(f, object, key);
    char **texts = field_room(f, json_array_size(array), sizeof *texts);
    for (size_t i = 0; texts && i < json_array_size(array); i++) {
        const char *text = json_string_value(json_array_get(array, i));
        if (!text || !(texts[i] = strdup(text))) {
            field_fail(f, key, "a list of texts");
            break;
        }
        *count = i + 1;
    }
    return texts;
}

gbv_status json_file_read(const char *path, const char *expected, json_t **root, gbv_error *error)
{
    mapped_file file;
    json_error_t problem;
    gbv_status status = mapped_file_open(path, &file, error);
    if (status != GBV_OK)
        return status;
    if (!(*root = json_loadb((const char *)file.bytes, file.size, JSON_REJECT_DUPLICATES, &problem)))
        status = error_set(error, GBV_BAD_INPUT, "%s: line %d is not JSON (%s): expected %s", path, problem.line,
                           problem.text, expected);
    mapped_file_close(&file);
    return status;
}
