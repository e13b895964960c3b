/* label_studio_fields.h - Label Studio's short exports (JSON-MIN, CSV) put the task's data, the answers and the
 * annotation's own fields side by side: which is which? */
#ifndef DATA_ANNOTATION_LABEL_STUDIO_FIELDS_H
#define DATA_ANNOTATION_LABEL_STUDIO_FIELDS_H

#include "base/sentence.h"
#include "data/annotation/answer.h"

/* True for the annotation's own fields, which every short export has. */
bool short_field_is_known(const char *name);
/* True for the usual names of a control. */
bool short_field_is_usual(const char *name);

/* Adds what a record says; `fields` lacks only the label. */
GBV_MUST_CHECK gbv_status short_record_add(annotation_reading *r, annotation_fields *fields, const char *control,
                                           const answer *a, const char *place, gbv_error *error);

/* Fails because none of the fields listed is known to hold the answers. */
gbv_status short_control_missing(const annotation_reading *r, const sentence *list, gbv_error *error);
void short_field_list(sentence *list, const char *name);

#endif
