#include "data/annotation/table_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/format/foreign.h"

const char *const usual_task_names[] = {"task", "task_id", "item", "item_id", "id", "unit", "unit_id", NULL};
const char *const usual_annotator_names[] = {"worker",    "worker_id", "annotator", "annotator_id",
                                             "performer", "user",      "user_id",   NULL};

bool table_rows_recognise(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size && i < 4096; i++)
        if (bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r')
            return false;
    return size > 0 && !foreign_content_find(bytes, size);
}

/* The cells of one record, each with a zero behind it. Their places may move while the record grows. */
static gbv_status read_record(table_rows *rows, size_t *count, gbv_error *error)
{
    size_t used = 0;
    csv_cell cell = {0};
    snprintf(rows->place, sizeof rows->place, "line %zu", rows->cells.line);
    for (*count = 0; !cell.last; (*count)++) {
        gbv_status status = csv_cell_next(&rows->cells, &cell, error);
        if (status != GBV_OK)
            return status;
        size_t length = (size_t)(cell.end - cell.begin);
        if (cell.malformed || (length && !text_is_utf8(cell.begin, length)))
            return error_set(error, GBV_BAD_INPUT, "%s: %s, cell %zu %s", rows->cells.path, rows->place, *count + 1,
                             cell.malformed ? "has text behind a closing quote: double the quotes inside text"
                                            : "is not valid UTF-8: save the file as UTF-8");
        if (!memory_grow(&rows->text, &rows->text_capacity, used + length + 1, 1) ||
            !memory_grow(&rows->offsets, &rows->offset_capacity, *count + 1, sizeof *rows->offsets) ||
            !memory_grow(&rows->value_room, &rows->value_capacity, *count + 1, sizeof *rows->value_room))
            return error_out_of_memory(error, "a line of a table");
        rows->offsets[*count] = used;
        if (length)
            memcpy(rows->text + used, cell.begin, length);
        rows->text[used + length] = '\0';
        used += length + 1;
    }
    for (size_t i = 0; i < *count; i++)
        rows->value_room[i] = rows->text + rows->offsets[i];
    return GBV_OK;
}

gbv_status table_rows_open(table_rows *rows, const char *path, const unsigned char *bytes, size_t size,
                           gbv_error *error)
{
    size_t count = 0;
    *rows = (table_rows){0};
    csv_cells_open(&rows->cells, path, bytes, size);
    gbv_status status = read_record(rows, &count, error);
    if (status != GBV_OK)
        return status;
    if (!(rows->names = memory_zeroed(count, sizeof *rows->names)))
        return error_out_of_memory(error, "the names of the columns");
    for (; rows->column_count < count; rows->column_count++)
        if (!(rows->names[rows->column_count] = strdup(rows->value_room[rows->column_count])))
            return error_out_of_memory(error, "the names of the columns");
    return GBV_OK;
}

gbv_status table_rows_next(table_rows *rows, gbv_error *error)
{
    size_t count;
    rows->values = NULL;
    while (!csv_at_end(&rows->cells)) {
        gbv_status status = read_record(rows, &count, error);
        if (status != GBV_OK)
            return status;
        if (count == 1 && rows->column_count > 1 && !*rows->value_room[0])
            continue; /* a blank line */
        if (count != rows->column_count)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: %s has %zu cell%s; the first line names %zu columns: mend the line", rows->cells.path,
                             rows->place, count, count == 1 ? "" : "s", rows->column_count);
        rows->values = rows->value_room;
        return GBV_OK;
    }
    return GBV_OK;
}

void table_rows_close(table_rows *rows)
{
    for (size_t i = 0; i < rows->column_count; i++)
        free(rows->names[i]);
    free(rows->names);
    free(rows->text);
    free(rows->offsets);
    free(rows->value_room);
    csv_cells_close(&rows->cells);
    *rows = (table_rows){0};
}

size_t table_rows_find(const table_rows *rows, const char *const *names)
{
    for (; *names; names++)
        for (size_t i = 0; i < rows->column_count; i++)
            if (strcasecmp(rows->names[i], *names) == 0)
                return i;
    return NO_COLUMN;
}

bool cell_is_missing(const char *value)
{
    return !*value || strcasecmp(value, "nan") == 0 || strcmp(value, "<NA>") == 0;
}
