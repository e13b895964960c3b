/* label_studio.c - Label Studio's JSON export: a list of tasks, each with its data and annotations; each annotation has
 * a list of results, one or more per control. Predictions are models', not people's, and are passed over. */
#include <string.h>

#include "base/error.h"
#include "data/annotation/answer.h"

/* Before version 1.0 annotations were called completions. */
static const json_t *annotations_of(const json_t *task)
{
    const json_t *list = json_object_get(task, "annotations");
    return list ? list : json_object_get(task, "completions");
}

static bool label_studio_recognise(const unsigned char *bytes, size_t size)
{
    json_t *first = json_stream_first(bytes, size);
    bool taken = json_is_array(annotations_of(first));
    json_decref(first);
    return taken;
}

/* The label of the control that counts; ANSWER_NONE when the annotation has none. */
static gbv_status read_results(annotation_reading *r, const json_stream *stream, const json_t *results, answer *found,
                               gbv_error *error)
{
    found->kind = ANSWER_NONE;
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *result = json_array_get(results, i);
        const char *control = json_string_value(json_object_get(result, "from_name")),
                   *type = json_string_value(json_object_get(result, "type"));
        answer a;
        bool chosen = false;
        if (!control) /* a relation between regions */
            continue;
        answer_read(json_object_get(result, "value"), &a);
        gbv_status status = a.kind == ANSWER_OTHER
                                ? control_refuse(r, control, type ? type : "unknown", stream->place, error)
                                : control_choose(r, control, &chosen, error);
        if (status != GBV_OK)
            return status;
        if (!chosen || a.kind == ANSWER_NONE)
            continue;
        if (a.kind == ANSWER_SEVERAL || found->kind == ANSWER_ONE)
            return answer_refuse_several(r, control, stream->place, error);
        *found = a;
        if (a.label == a.number)
            found->label = found->number;
    }
    return GBV_OK;
}

static gbv_status read_annotation(annotation_reading *r, const json_stream *stream, const json_t *object,
                                  annotation_fields *fields, gbv_error *error)
{
    answer label;
    char id[JSON_NUMBER_TEXT];
    if (!json_is_object(object))
        return error_set(error, GBV_BAD_INPUT,
                         "%s: %s: an annotation is no JSON object: export the tasks with their annotations", r->path,
                         stream->place);
    if (json_is_true(json_object_get(object, "was_cancelled")))
        return r->out->cancelled++, GBV_OK;
    gbv_status status = read_results(r, stream, json_object_get(object, "result"), &label, error);
    if (status != GBV_OK)
        return status;
    if (label.kind != ANSWER_ONE)
        return r->out->empty++, GBV_OK;
    fields->gold = json_is_true(json_object_get(object, "ground_truth"));
    /* Ground truth needs no author. */
    if (!annotator_read(json_object_get(object, "completed_by"), fields, id) && !fields->gold)
        return r->out->nobody++, GBV_OK;
    fields->label = label.label;
    fields->time = time_read(object);
    return annotation_add(r, fields, stream->place, error);
}

static gbv_status read_task(annotation_reading *r, const json_stream *stream, gbv_error *error)
{
    const json_t *task = stream->element, *list = annotations_of(task);
    char id[JSON_NUMBER_TEXT], file[FILE_NAME_TEXT];
    annotation_fields fields = {.task = json_plain_text(json_object_get(task, "id"), id)};
    gbv_status status = GBV_OK;
    if (data_file_name(json_object_get(task, "data"), NULL, NULL, file))
        fields.file = file;
    r->out->drafts += json_array_size(json_object_get(task, "drafts"));
    for (size_t i = 0; i < json_array_size(list) && status == GBV_OK; i++)
        status = read_annotation(r, stream, json_array_get(list, i), &fields, error);
    return status;
}

static gbv_status label_studio_read(annotation_reading *r, gbv_error *error)
{
    r->out->marks_gold = true;
    return tasks_read(r, read_task, error);
}

const importer importer_label_studio = {.name = "label-studio",
                                        .summary = "Label Studio's JSON export: tasks with their annotations",
                                        .recognise = label_studio_recognise,
                                        .read = label_studio_read};
