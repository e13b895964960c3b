/* wide_table.c - a table with one line a task and one column an annotator, blank where one gave no label (the form of
 * cleanlab). The first column names the tasks when it is called so or has no name, as pandas writes its index; without
 * it the lines are the items in their order. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "data/annotation/table_rows.h"

/* Every table is one: what is wrong with it is said when it is read. */
static bool wide_table_recognise(const unsigned char *bytes, size_t size)
{
    return table_rows_recognise(bytes, size);
}

static bool names_tasks(const char *name)
{
    for (size_t i = 0; usual_task_names[i]; i++)
        if (strcasecmp(name, usual_task_names[i]) == 0)
            return true;
    return !*name;
}

static gbv_status check_header(const table_rows *rows, size_t first, const char *path, gbv_error *error)
{
    if (rows->column_count <= first)
        return error_set(
            error, GBV_BAD_INPUT,
            "%s: has no column for an annotator: give a table with task, annotator and label, or one column "
            "per annotator",
            path);
    size_t who = table_rows_find(rows, usual_annotator_names);
    if (who != NO_COLUMN)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: has a column \"%.100s\" of annotators, but none of %s: name the columns task, worker and "
                         "label",
                         path, rows->names[who], first ? "labels" : "tasks");
    for (size_t i = first; i < rows->column_count; i++)
        if (strcasecmp(rows->names[i], "nan") == 0)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: its first line holds labels: put a line with the names of the annotators before it",
                             path);
        else if (!*rows->names[i])
            return error_set(error, GBV_BAD_INPUT,
                             "%s: column %zu, of an annotator, has no name in the first line: name it", path, i + 1);
    return GBV_OK;
}

/* Two columns of one name would be one person twice. */
static gbv_status check_names(const table_rows *rows, size_t first, const char *path, gbv_error *error)
{
    text_table names = {0};
    gbv_status status = GBV_OK;
    for (size_t i = first; i < rows->column_count && status == GBV_OK; i++) {
        size_t index = text_table_add(&names, rows->names[i], strlen(rows->names[i]));
        if (index == TEXT_NONE)
            status = error_out_of_memory(error, "the annotators");
        else if (index != i - first)
            status = error_set(error, GBV_BAD_INPUT,
                               "%s: columns %zu and %zu have the same name; each column is an annotator: rename one",
                               path, index + first + 1, i + 1);
    }
    text_table_free(&names);
    return status;
}

static gbv_status read_line(annotation_reading *r, const table_rows *rows, size_t first, gbv_error *error)
{
    char number[32];
    gbv_status status = GBV_OK;
    snprintf(number, sizeof number, "%zu", r->out->table_rows++);
    if (first && text_table_find(&r->out->tasks, rows->values[0], strlen(rows->values[0])) != TEXT_NONE)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: %s is the second of one task; this form has a line per task and a column per annotator: "
                         "for a line per annotation name the columns task, worker and label",
                         r->path, rows->place);
    if (first && !*rows->values[0])
        return error_set(error, GBV_BAD_INPUT, "%s: %s has no task in its first column: mend the line", r->path,
                         rows->place);
    for (size_t i = first; i < rows->column_count && status == GBV_OK; i++) {
        annotation_fields fields = {
            .task = first ? rows->values[0] : number, .who = rows->names[i], .label = rows->values[i]};
        if (!cell_is_missing(fields.label))
            status = annotation_add(r, &fields, rows->place, error);
    }
    return status;
}

static gbv_status wide_table_read(annotation_reading *r, gbv_error *error)
{
    table_rows rows;
    gbv_status status = table_rows_open(&rows, r->path, r->bytes, r->size, error);
    size_t first = status == GBV_OK && names_tasks(rows.names[0]);
    r->out->tasks_are_rows = !first;
    r->out->without_controls = true;
    if (status == GBV_OK)
        status = check_header(&rows, first, r->path, error);
    if (status == GBV_OK)
        status = check_names(&rows, first, r->path, error);
    while (status == GBV_OK && (status = table_rows_next(&rows, error)) == GBV_OK && rows.values)
        status = read_line(r, &rows, first, error);
    table_rows_close(&rows);
    return status;
}

const importer importer_wide_table = {.name = "wide-table",
                                      .summary = "a table with a line per task and a column per annotator, with blanks",
                                      .recognise = wide_table_recognise,
                                      .read = wide_table_read};
