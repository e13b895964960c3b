/* argilla.c - Argilla's records, as a list or one a line. Responses stand in one of three ways:
 *     version 1   "responses": [{"values": {"label": {"value": "cat"}}, "user_id": "...", "status": "submitted"}]
 *     version 2   "responses": {"label": [{"value": "cat", "user_id": "..."}]}
 *     flattened   "label.responses": ["cat"], "label.responses.users": ["..."], "label.responses.status": ["submitted"]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "data/annotation/answer.h"

static const char ending[] = ".responses";
enum { ENDING = sizeof ending - 1 };

/* The length of the question's name in a key like label.responses; 0 when it is none. */
static size_t flat_question(const char *key)
{
    size_t length = strlen(key);
    return length > ENDING && strcmp(key + length - ENDING, ending) == 0 ? length - ENDING : 0;
}

static bool argilla_recognise(const unsigned char *bytes, size_t size)
{
    json_t *first = json_stream_first(bytes, size), *value;
    const json_t *responses = json_object_get(first, "responses");
    bool taken =
        responses && (json_is_object(responses) || json_is_array(responses) || json_object_get(first, "fields"));
    const char *key;
    json_object_foreach(first, key, value) taken |= flat_question(key) > 0;
    json_decref(first);
    return taken;
}

/* One response to one question. */
static gbv_status read_response(annotation_reading *r, const json_stream *stream, const char *question,
                                const json_t *value, const json_t *user, const json_t *status_word,
                                annotation_fields *fields, gbv_error *error)
{
    const char *word = json_string_value(status_word);
    char id[JSON_NUMBER_TEXT];
    answer a;
    bool chosen;
    answer_read(value, &a);
    if (a.kind == ANSWER_OTHER)
        return control_refuse(r, question, "span, ranking or the like", stream->place, error);
    gbv_status status = control_choose(r, question, &chosen, error);
    if (status != GBV_OK || !chosen)
        return status;
    if (word && (strcmp(word, "draft") == 0 || strcmp(word, "pending") == 0))
        return r->out->drafts++, GBV_OK;
    if (word && strcmp(word, "discarded") == 0)
        return r->out->cancelled++, GBV_OK;
    if (a.kind == ANSWER_SEVERAL)
        return answer_refuse_several(r, question, stream->place, error);
    if (a.kind == ANSWER_NONE)
        return r->out->empty++, GBV_OK;
    if (!annotator_read(user, fields, id))
        return r->out->nobody++, GBV_OK;
    fields->label = a.label;
    return annotation_add(r, fields, stream->place, error);
}

static gbv_status read_version_1(annotation_reading *r, const json_stream *stream, const json_t *responses,
                                 annotation_fields *fields, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t i = 0; i < json_array_size(responses) && status == GBV_OK; i++) {
        const json_t *response = json_array_get(responses, i);
        json_t *values = json_object_get(response, "values"), *value;
        const char *question;
        fields->time = time_read(response);
        if (!json_object_size(values)) /* discarded before anything was answered */
            r->out->empty++;
        json_object_foreach(values, question, value)
        {
            status =
                read_response(r, stream, question, json_is_object(value) ? json_object_get(value, "value") : value,
                              json_object_get(response, "user_id"), json_object_get(response, "status"), fields, error);
            if (status != GBV_OK)
                break;
        }
    }
    return status;
}

static gbv_status read_version_2(annotation_reading *r, const json_stream *stream, const json_t *responses,
                                 annotation_fields *fields, gbv_error *error)
{
    const char *question;
    json_t *list;
    json_object_foreach((json_t *)responses, question, list)
    {
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *response = json_array_get(list, i);
            gbv_status status =
                read_response(r, stream, question, json_object_get(response, "value"),
                              json_object_get(response, "user_id"), json_object_get(response, "status"), fields, error);
            if (status != GBV_OK)
                return status;
        }
    }
    return GBV_OK;
}

static gbv_status read_flat(annotation_reading *r, const json_stream *stream, const char *key, const json_t *values,
                            annotation_fields *fields, gbv_error *error)
{
    gbv_status status = GBV_OK;
    char *users = NULL, *statuses = NULL, *question = strndup(key, flat_question(key));
    if (!question || asprintf(&users, "%s.users", key) < 0 || asprintf(&statuses, "%s.status", key) < 0) {
        status = error_out_of_memory(error, "the name of a question");
        goto done;
    }
    const json_t *who = json_object_get(stream->element, users), *words = json_object_get(stream->element, statuses);
    if (json_array_size(who) != json_array_size(values))
        status = error_set(error, GBV_BAD_INPUT, "%s: %s has %zu responses of %zu users: export the records again",
                           r->path, stream->place, json_array_size(values), json_array_size(who));
    for (size_t i = 0; i < json_array_size(values) && status == GBV_OK; i++)
        status = read_response(r, stream, question, json_array_get(values, i), json_array_get(who, i),
                               json_array_get(words, i), fields, error);
done:
    free(users);
    free(statuses);
    free(question);
    return status;
}

static gbv_status read_record(annotation_reading *r, const json_stream *stream, gbv_error *error)
{
    json_t *record = stream->element, *value;
    const json_t *responses = json_object_get(record, "responses"), *external = json_object_get(record, "external_id"),
                 *fields_of_record = json_object_get(record, "fields");
    const char *key;
    char id[JSON_NUMBER_TEXT], file[FILE_NAME_TEXT];
    annotation_fields fields = {.task = json_plain_text(external, id)};
    gbv_status status = GBV_OK;
    if (!fields.task) /* the id that the user gave goes before that of the server */
        fields.task = json_plain_text(json_object_get(record, "id"), id);
    if (data_file_name(fields_of_record ? fields_of_record : record, NULL, NULL, file))
        fields.file = file;
    if (json_is_array(responses))
        return read_version_1(r, stream, responses, &fields, error);
    if (json_is_object(responses))
        return read_version_2(r, stream, responses, &fields, error);
    json_object_foreach(record, key, value)
    {
        if (flat_question(key) && status == GBV_OK)
            status = read_flat(r, stream, key, value, &fields, error);
    }
    return status;
}

static gbv_status argilla_read(annotation_reading *r, gbv_error *error)
{
    return tasks_read(r, read_record, error);
}

const importer importer_argilla = {.name = "argilla",
                                   .summary =
                                       "Argilla's records with responses, nested or flattened; JSON or JSON Lines",
                                   .recognise = argilla_recognise,
                                   .read = argilla_read};
