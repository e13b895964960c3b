/* evaluation_read.c - an evaluation back from its JSON document. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gbv/report.h>

#include "base/error.h"
#include "base/json_fields.h"

static void read_class(json_fields *f, const json_t *object, size_t c, gbv_evaluation *e)
{
    const json_t *said = field_array(f, object, "predicted_as");
    char place[64];
    snprintf(place, sizeof place, "classes[%zu]", c);
    f->place = place;
    e->class_names[c] = field_text(f, object, "name");
    if (json_array_size(said) != e->class_count)
        field_fail(f, "predicted_as", "a number for each class");
    for (size_t k = 0; k < e->class_count && f->status == GBV_OK; k++) {
        const json_t *count = json_array_get(said, k);
        if (!json_is_integer(count) || json_integer_value(count) < 0)
            field_fail(f, "predicted_as", "whole numbers");
        e->confusion[c * e->class_count + k] = (size_t)json_integer_value(count);
    }
    f->place = "the document";
}

static void read_document(json_fields *f, const json_t *root, gbv_evaluation *e)
{
    const json_t *classes = field_array(f, root, "classes");
    size_t count = json_array_size(classes), cells;
    e->rows = field_count(f, root, "rows");
    e->accuracy = field_number(f, root, "accuracy", NAN);
    e->mean_log_likelihood = field_number(f, root, "mean_log_likelihood", NAN);
    /* Room is taken for what is really there. */
    if (count && json_array_size(json_object_get(json_array_get(classes, 0), "predicted_as")) != count)
        field_fail(f, "classes", "as many classes as each has numbers");
    if (__builtin_mul_overflow(count, count, &cells))
        field_fail(f, "classes", "fewer classes");
    e->class_names = field_room(f, count, sizeof *e->class_names);
    e->confusion = field_room(f, cells, sizeof *e->confusion);
    e->class_count = e->class_names && e->confusion ? count : 0;
    for (size_t c = 0; c < e->class_count && f->status == GBV_OK; c++)
        read_class(f, json_array_get(classes, c), c, e);
}

gbv_status gbv_evaluation_read(const char *path, gbv_evaluation **evaluation, gbv_error *error)
{
    json_t *root;
    *evaluation = NULL;
    gbv_status status = json_file_read(path, "an evaluation of gbv evaluate", &root, error);
    if (status != GBV_OK)
        return status;
    json_fields f = {
        .path = path, .place = "the document", .what = "evaluation", .command = "evaluate", .error = error};
    gbv_evaluation *made = calloc(1, sizeof *made);
    if (made)
        read_document(&f, root, made);
    else
        f.status = error_out_of_memory(error, "an evaluation");
    json_decref(root);
    if (f.status == GBV_OK)
        *evaluation = made;
    else
        gbv_evaluation_free(made);
    return f.status;
}
