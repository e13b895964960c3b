/* label_studio_csv.c - Label Studio's CSV and TSV export: one annotation a line, data and answers as columns sorted by
 * name, or, from older versions, in the order data, id, answers, annotator; answers that are not plain as JSON. */
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "data/annotation/label_studio_fields.h"
#include "data/annotation/table_rows.h"

typedef struct columns {
    size_t id, annotator, control, time, cancelled;
} columns;

static bool label_studio_csv_recognise(const unsigned char *bytes, size_t size)
{
    static const char *const annotator[] = {"annotator", NULL}, *const annotation_id[] = {"annotation_id", NULL};
    table_rows rows = {0};
    bool taken = table_rows_recognise(bytes, size) && table_rows_open(&rows, "", bytes, size, NULL) == GBV_OK &&
                 table_rows_find(&rows, annotator) != NO_COLUMN && table_rows_find(&rows, annotation_id) != NO_COLUMN;
    table_rows_close(&rows);
    return taken;
}

/* The column of the answers: the one asked for, the only one between id and annotator, or the only one by a usual
 * name. Where the columns are sorted, id stands behind annotator. */
static gbv_status find_control(annotation_reading *r, const table_rows *rows, const columns *c, size_t *found,
                               gbv_error *error)
{
    bool in_order = c->id != NO_COLUMN && c->id < c->annotator;
    sentence list = {0};
    size_t usual = 0;
    *found = NO_COLUMN;
    for (size_t i = 0; i < rows->column_count; i++) {
        const char *name = rows->names[i];
        if (short_field_is_known(name))
            continue;
        short_field_list(&list, name);
        if (r->options->control ? strcmp(name, r->options->control) == 0
            : in_order          ? i > c->id && i < c->annotator
                                : short_field_is_usual(name)) {
            *found = i;
            usual++;
        }
    }
    return usual == 1 ? GBV_OK : short_control_missing(r, &list, error);
}

static gbv_status find_columns(annotation_reading *r, const table_rows *rows, columns *c, gbv_error *error)
{
    static const char *const id[] = {"id", NULL}, *const annotator[] = {"annotator", NULL},
                             *const time[] = {"updated_at", "created_at", NULL},
                             *const cancelled[] = {"was_cancelled", NULL};
    bool chosen;
    *c = (columns){.id = table_rows_find(rows, id),
                   .annotator = table_rows_find(rows, annotator),
                   .time = table_rows_find(rows, time),
                   .cancelled = table_rows_find(rows, cancelled)};
    gbv_status status = find_control(r, rows, c, &c->control, error);
    if (status != GBV_OK)
        return status;
    return control_choose(r, rows->names[c->control], &chosen, error);
}

static gbv_status read_line(annotation_reading *r, const table_rows *rows, const columns *c, gbv_error *error)
{
    char **values = rows->values, file[FILE_NAME_TEXT];
    const char *value = values[c->control], *who = values[c->annotator];
    annotation_fields fields = {.task = c->id == NO_COLUMN ? NULL : values[c->id],
                                .time = c->time == NO_COLUMN ? NULL : values[c->time]};
    bool number = *who && !who[strspn(who, "0123456789")];
    if (c->cancelled != NO_COLUMN && strcasecmp(values[c->cancelled], "true") == 0)
        return r->out->cancelled++, GBV_OK;
    if (*who && number)
        fields.id = who;
    else if (*who && strcmp(who, "None") != 0) /* as Python writes that it is not known */
        fields.who = who;
    file_guess guess = {0};
    for (size_t i = 0; i < rows->column_count; i++)
        if (!short_field_is_known(rows->names[i]) && i != c->control)
            file_guess_add(&guess, rows->names[i], values[i]);
    if (file_guess_name(&guess, file))
        fields.file = file;
    answer a = {.kind = cell_is_missing(value) ? ANSWER_NONE : ANSWER_ONE, .label = value};
    json_t *parsed = *value == '[' || *value == '{' ? json_loads(value, 0, NULL) : NULL;
    if (parsed)
        answer_read(parsed, &a);
    gbv_status status =
        a.kind == ANSWER_OTHER
            ? error_set(error, GBV_BAD_INPUT,
                        "%s: %s: the answer is no label; controls that give one label are read (choices, "
                        "rating, number, pairwise): name such a one with --control",
                        r->path, rows->place)
            : short_record_add(r, &fields, rows->names[c->control], &a, rows->place, error);
    json_decref(parsed);
    return status;
}

static gbv_status label_studio_csv_read(annotation_reading *r, gbv_error *error)
{
    table_rows rows;
    columns c;
    gbv_status status = table_rows_open(&rows, r->path, r->bytes, r->size, error);
    if (status == GBV_OK)
        status = find_columns(r, &rows, &c, error);
    while (status == GBV_OK && (status = table_rows_next(&rows, error)) == GBV_OK && rows.values)
        status = read_line(r, &rows, &c, error);
    table_rows_close(&rows);
    return status;
}

const importer importer_label_studio_csv = {.name = "label-studio-csv",
                                            .summary = "Label Studio's CSV and TSV export: one annotation a line",
                                            .recognise = label_studio_csv_recognise,
                                            .read = label_studio_csv_read};
