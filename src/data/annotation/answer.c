#include "data/annotation/answer.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/sentence.h"

static void read_value(const json_t *value, answer *a, int depth)
{
    static const char *const keys[] = {"choices", "rating", "number", "selected"};
    a->kind = ANSWER_OTHER;
    if (!value || json_is_null(value))
        a->kind = ANSWER_NONE;
    else if ((a->label = json_plain_text(value, a->number)))
        a->kind = *a->label ? ANSWER_ONE : ANSWER_NONE;
    else if (json_is_array(value) && json_array_size(value) != 1)
        a->kind = json_array_size(value) ? ANSWER_SEVERAL : ANSWER_NONE;
    else if (json_is_array(value) && depth < 3)
        read_value(json_array_get(value, 0), a, depth + 1);
    else if (json_is_object(value) && depth < 3)
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (json_object_get(value, keys[i])) {
                read_value(json_object_get(value, keys[i]), a, depth + 1);
                break;
            }
}

void answer_read(const json_t *value, answer *a)
{
    read_value(value, a, 0);
}

gbv_status tasks_read(annotation_reading *r, task_reader *read, gbv_error *error)
{
    json_stream stream;
    gbv_status status;
    json_stream_open(&stream, r->path, r->bytes, r->size);
    while ((status = json_stream_next(&stream, error)) == GBV_OK && stream.element)
        if ((status = read(r, &stream, error)) != GBV_OK)
            break;
    json_stream_close(&stream);
    return status;
}

gbv_status answer_refuse_several(const annotation_reading *r, const char *control, const char *place, gbv_error *error)
{
    sentence s = {0};
    sentence_add(&s, "%.300s: %s: an answer to ", r->path, place);
    sentence_quote(&s, control);
    sentence_add(&s,
                 " holds several labels, and a source gives one label to an item: ask for a single choice and export "
                 "again, or split the question into one for each label");
    return error_set(error, GBV_BAD_INPUT, "%s", s.text);
}

bool annotator_read(const json_t *value, annotation_fields *fields, char number[JSON_NUMBER_TEXT])
{
    fields->id = fields->who = NULL;
    if (json_is_integer(value))
        fields->id = json_plain_text(value, number);
    else if (json_is_string(value))
        fields->who = json_string_value(value);
    else if (json_is_object(value)) {
        fields->id = json_plain_text(json_object_get(value, "id"), number);
        fields->who = json_string_value(json_object_get(value, "email"));
        if (!fields->id && !fields->who)
            fields->who = json_string_value(json_object_get(value, "username"));
    }
    if (fields->id && !*fields->id)
        fields->id = NULL;
    if (fields->who && !*fields->who)
        fields->who = NULL;
    return fields->id || fields->who;
}

/* No blanks, and a short extension that begins with a letter: photos/1.jpg, https://host/1.jpg?key=5, but not 1.5. */
static bool looks_like_path(const char *text)
{
    char name[FILE_NAME_TEXT];
    if (strpbrk(text, " \t\r\n") || !annotation_file_name(text, name))
        return false;
    const char *dot = strrchr(name, '.');
    if (!dot || dot == name || !isalpha((unsigned char)dot[1]) || strlen(dot) > 6)
        return false;
    while (isalnum((unsigned char)*++dot))
        ;
    return !*dot;
}

void file_guess_add(file_guess *guess, const char *key, const char *text)
{
    if (strcmp(key, "image") == 0)
        guess->image = text;
    if (looks_like_path(text)) {
        guess->path = text;
        guess->paths++;
    }
    guess->text = text;
    guess->texts++;
}

bool file_guess_name(const file_guess *guess, char name[FILE_NAME_TEXT])
{
    const char *text = guess->image        ? guess->image
                       : guess->paths == 1 ? guess->path
                       : guess->texts == 1 ? guess->text
                                           : NULL;
    /* A text without folder and extension is what it says, not the name of a file. */
    return text && (strchr(text, '/') || strchr(text, '.')) && annotation_file_name(text, name);
}

bool data_file_name(const json_t *data, bool (*is_data)(void *context, const char *key), void *context,
                    char name[FILE_NAME_TEXT])
{
    const char *key;
    json_t *value;
    file_guess guess = {0};
    json_object_foreach((json_t *)data, key, value)
    {
        if (json_is_string(value) && (!is_data || is_data(context, key)))
            file_guess_add(&guess, key, json_string_value(value));
    }
    return file_guess_name(&guess, name);
}

const char *time_read(const json_t *object)
{
    const char *updated = json_string_value(json_object_get(object, "updated_at"));
    return updated ? updated : json_string_value(json_object_get(object, "created_at"));
}
