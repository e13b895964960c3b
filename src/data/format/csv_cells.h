/* csv_cells.h - the cells of delimited text (RFC 4180), one after another, without copying what is not quoted.
 *
 *     csv_cells cells;
 *     csv_cells_open(&cells, bytes, size);                 finds the separator; cells.next is the header
 *     while (!csv_at_end(&cells))
 *         do
 *             status = csv_cell_next(&cells, &cell, error);
 *         while (status == GBV_OK && !cell.last);
 *     csv_cells_close(&cells);
 */
#ifndef DATA_FORMAT_CSV_CELLS_H
#define DATA_FORMAT_CSV_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include <gbv/status.h>

typedef struct csv_cells {
    const char *path; /* for messages */
    const char *next, *end;
    char separator; /* ',', tab or ';' */
    size_t line;    /* of `next`, counted from 1 */
    char *unquoted; /* the last quoted cell that held doubled quotes */
    size_t capacity;
} csv_cells;

typedef struct csv_cell {
    const char *begin, *end; /* blanks around a cell without quotes are left out; valid until the next cell */
    bool quoted;
    bool malformed; /* text follows the closing quote */
    bool last;      /* of its record */
} csv_cell;

/* Takes the separator that the first line has most of, and passes over a byte order mark. `path` is borrowed. */
void csv_cells_open(csv_cells *cells, const char *path, const void *bytes, size_t size);
void csv_cells_close(csv_cells *cells);

/* True when nothing but line ends follows. */
bool csv_at_end(const csv_cells *cells);

/* Fails when a quote is never closed, or memory is out. */
GBV_MUST_CHECK gbv_status csv_cell_next(csv_cells *cells, csv_cell *cell, gbv_error *error);

/* Passes over what is left of the record. */
GBV_MUST_CHECK gbv_status csv_skip_record(csv_cells *cells, gbv_error *error);

#endif
