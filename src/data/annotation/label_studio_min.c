/* label_studio_min.c - Label Studio's JSON-MIN export: one flat object per annotation. It is written in the order data,
 * id, answers, annotator, so that what stands between id and annotator are the answers. */
#include <string.h>

#include "data/annotation/label_studio_fields.h"

static bool label_studio_min_recognise(const unsigned char *bytes, size_t size)
{
    json_t *first = json_stream_first(bytes, size);
    bool taken = json_object_get(first, "annotator") && json_object_get(first, "annotation_id");
    json_decref(first);
    return taken;
}

/* The answer that counts; *control stays NULL when the record has none. */
static gbv_status find_answer(annotation_reading *r, const json_stream *stream, answer *found, const char **control,
                              gbv_error *error)
{
    const char *key;
    json_t *value;
    sentence list = {0};
    bool behind_id = false, behind_annotator = false, in_order = false;
    json_object_foreach(stream->element, key, value)
    {
        behind_id |= strcmp(key, "id") == 0;
        behind_annotator |= strcmp(key, "annotator") == 0;
        in_order |= behind_id && !behind_annotator;
        if (short_field_is_known(key))
            continue;
        short_field_list(&list, key);
        bool asked = r->options->control && strcmp(key, r->options->control) == 0, chosen = false;
        if (!asked && !short_field_is_usual(key) && !(behind_id && !behind_annotator))
            continue;
        answer a;
        answer_read(value, &a);
        gbv_status status = a.kind == ANSWER_OTHER ? control_refuse(r, key, "something else", stream->place, error)
                                                   : control_choose(r, key, &chosen, error);
        if (status != GBV_OK)
            return status;
        if (chosen) {
            *control = key;
            *found = a;
            if (a.label == a.number)
                found->label = found->number;
        }
    }
    return *control || in_order || r->controls.count || r->options->control ? GBV_OK
                                                                            : short_control_missing(r, &list, error);
}

static bool is_data(void *control, const char *key)
{
    return !short_field_is_known(key) && (!control || strcmp(key, control) != 0);
}

static gbv_status read_record(annotation_reading *r, const json_stream *stream, gbv_error *error)
{
    const json_t *record = stream->element;
    char task[JSON_NUMBER_TEXT], annotator[JSON_NUMBER_TEXT], file[FILE_NAME_TEXT];
    const char *control = NULL;
    answer a = {.kind = ANSWER_NONE};
    if (json_is_true(json_object_get(record, "was_cancelled")))
        return r->out->cancelled++, GBV_OK;
    gbv_status status = find_answer(r, stream, &a, &control, error);
    if (status != GBV_OK)
        return status;
    annotation_fields fields = {.task = json_plain_text(json_object_get(record, "id"), task),
                                .time = time_read(record)};
    if (data_file_name(record, is_data, (void *)control, file))
        fields.file = file;
    annotator_read(json_object_get(record, "annotator"), &fields, annotator);
    return short_record_add(r, &fields, control ? control : "", &a, stream->place, error);
}

static gbv_status label_studio_min_read(annotation_reading *r, gbv_error *error)
{
    return tasks_read(r, read_record, error);
}

const importer importer_label_studio_min = {.name = "label-studio-min",
                                            .summary = "Label Studio's JSON-MIN export: one object per annotation",
                                            .recognise = label_studio_min_recognise,
                                            .read = label_studio_min_read};
