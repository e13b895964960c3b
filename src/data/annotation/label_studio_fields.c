#include "data/annotation/label_studio_fields.h"

#include <strings.h>

#include "base/error.h"

static bool is_one_of(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcasecmp(name, *names) == 0)
            return true;
    return false;
}

bool short_field_is_known(const char *name)
{
    static const char *const known[] = {"id",        "annotator", "annotation_id", "created_at", "updated_at",
                                        "lead_time", "agreement", "was_cancelled", NULL};
    return is_one_of(known, name);
}

bool short_field_is_usual(const char *name)
{
    static const char *const usual[] = {"choice", "choices", "label", "class", NULL};
    return is_one_of(usual, name);
}

gbv_status short_record_add(annotation_reading *r, annotation_fields *fields, const char *control, const answer *a,
                            const char *place, gbv_error *error)
{
    if (a->kind == ANSWER_SEVERAL)
        return answer_refuse_several(r, control, place, error);
    if (a->kind != ANSWER_ONE)
        return r->out->empty++, GBV_OK;
    if (!fields->id && !fields->who)
        return r->out->nobody++, GBV_OK;
    fields->label = a->label;
    return annotation_add(r, fields, place, error);
}

void short_field_list(sentence *list, const char *name)
{
    sentence_add(list, "%s", list->length ? ", " : "");
    sentence_quote(list, name);
}

gbv_status short_control_missing(const annotation_reading *r, const sentence *list, gbv_error *error)
{
    return error_set(error, GBV_BAD_INPUT,
                     "%.300s: does not tell answers from data: say with --control which field holds the labels: %s",
                     r->path, list->text);
}
