/* table_rows.h - a table of annotations as records of text, one at a time.
 *
 *     table_rows rows;
 *     gbv_status status = table_rows_open(&rows, path, bytes, size, error);
 *     while (status == GBV_OK && (status = table_rows_next(&rows, error)) == GBV_OK && rows.values)
 *         ... rows.values[column], rows.place ...
 *     table_rows_close(&rows);
 */
#ifndef DATA_ANNOTATION_TABLE_ROWS_H
#define DATA_ANNOTATION_TABLE_ROWS_H

#include "data/annotation/annotation.h"
#include "data/format/csv_cells.h"

typedef struct table_rows {
    csv_cells cells;
    char **names; /* of the columns */
    size_t column_count;
    char **values;  /* of the record in hand, one per column; NULL at the end */
    char place[32]; /* "line 3" */
    char *text;     /* what values point into */
    size_t *offsets;
    char **value_room;
    size_t text_capacity, offset_capacity, value_capacity;
} table_rows;

/* Reads the header. */
GBV_MUST_CHECK gbv_status table_rows_open(table_rows *rows, const char *path, const unsigned char *bytes, size_t size,
                                          gbv_error *error);
GBV_MUST_CHECK gbv_status table_rows_next(table_rows *rows, gbv_error *error);
void table_rows_close(table_rows *rows);

/* True for text without control characters that is no JSON and nothing else that is known. */
bool table_rows_recognise(const unsigned char *bytes, size_t size);

#define NO_COLUMN SIZE_MAX
/* The first of the names (a NULL ends them) that a column has, in any case; NO_COLUMN when none does. */
size_t table_rows_find(const table_rows *rows, const char *const *names);
extern const char *const usual_task_names[], *const usual_annotator_names[];

/* True for a cell that says nothing: empty, or nan as programs write it. */
bool cell_is_missing(const char *value);

#endif
