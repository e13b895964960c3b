/* small_csv.h - a small CSV file that people edit (a class map, a table of shares) as cells of text, read whole. Blanks
 * at the ends of a cell are kept where it is quoted; blank lines are passed over. */
#ifndef DATA_SMALL_CSV_H
#define DATA_SMALL_CSV_H

#include <stddef.h>

#include <gbv/status.h>

typedef struct csv_record {
    size_t line;       /* where it starts, from 1 */
    size_t first_cell; /* its cells are cells[first_cell] to cells[first_cell + count - 1] */
    size_t count;
} csv_record;

typedef struct small_csv {
    char sha256[65]; /* of the file */
    char *text;      /* what the cells hold, one after the other */
    char **cells;
    size_t cell_count, cell_capacity;
    csv_record *records;
    size_t record_count, record_capacity;
} small_csv;

/* Fails for what cannot be opened, holds no record, is not UTF-8, or has a quote that is never closed. */
GBV_MUST_CHECK gbv_status small_csv_read(const char *path, small_csv *csv, gbv_error *error);
/* A cell of a record; "" past its end. */
const char *small_csv_cell(const small_csv *csv, size_t record, size_t column);
void small_csv_free(small_csv *csv);

#endif
