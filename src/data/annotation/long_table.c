/* long_table.c - a table with one annotation a line: task, annotator, label (the form of crowd-kit). Without a column
 * of annotators it is a table of gold labels. */
#include "base/error.h"
#include "data/annotation/table_rows.h"

static const char *const label_names[] = {"label", "answer", "response", "class", NULL};

static bool long_table_recognise(const unsigned char *bytes, size_t size)
{
    table_rows rows = {0};
    bool taken = table_rows_recognise(bytes, size) && table_rows_open(&rows, "", bytes, size, NULL) == GBV_OK &&
                 table_rows_find(&rows, usual_task_names) != NO_COLUMN &&
                 table_rows_find(&rows, label_names) != NO_COLUMN;
    table_rows_close(&rows);
    return taken;
}

static gbv_status long_table_read(annotation_reading *r, gbv_error *error)
{
    static const char *const updated_names[] = {"updated_at", "created_at", NULL};
    table_rows rows;
    gbv_status status = table_rows_open(&rows, r->path, r->bytes, r->size, error);
    size_t task = table_rows_find(&rows, usual_task_names), who = table_rows_find(&rows, usual_annotator_names),
           label = table_rows_find(&rows, label_names), time = table_rows_find(&rows, updated_names);
    r->out->without_annotators = who == NO_COLUMN;
    r->out->without_controls = true;
    while (status == GBV_OK && (status = table_rows_next(&rows, error)) == GBV_OK && rows.values) {
        annotation_fields fields = {.task = rows.values[task],
                                    .who = who == NO_COLUMN ? NULL : rows.values[who],
                                    .label = rows.values[label],
                                    .time = time == NO_COLUMN ? NULL : rows.values[time]};
        if (!*fields.task)
            status = error_set(error, GBV_BAD_INPUT, "%s: %s has no task in column \"%.100s\": mend the line", r->path,
                               rows.place, rows.names[task]);
        else if (cell_is_missing(fields.label))
            r->out->empty++;
        else if (fields.who && !*fields.who)
            r->out->nobody++;
        else
            status = annotation_add(r, &fields, rows.place, error);
    }
    table_rows_close(&rows);
    return status;
}

const importer importer_long_table = {.name = "long-table",
                                      .summary = "a table with the columns task, worker (or annotator) and label",
                                      .recognise = long_table_recognise,
                                      .read = long_table_read};
