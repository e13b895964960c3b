/* csv_header.h - the first line of delimited text: the columns and what each is for. */
#ifndef DATA_FORMAT_CSV_HEADER_H
#define DATA_FORMAT_CSV_HEADER_H

#include "base/text_table.h"
#include "data/format/csv_cells.h"
#include "data/format/format.h"

/* A column of values has the number of its column_role. */
typedef enum csv_role {
    CSV_LABEL = COLUMN_LABELS,
    CSV_SOURCE = COLUMN_SOURCES,
    CSV_ITEM = COLUMN_ITEMS,
    CSV_FEATURE = COLUMN_ROLES,
    CSV_IGNORED
} csv_role;

typedef struct csv_header {
    text_table names;     /* in the order of the columns */
    unsigned char *roles; /* a csv_role per column */
    size_t feature_count;
    size_t columns[COLUMN_ROLES]; /* the column of each role; TEXT_NONE: none */
} csv_header;

GBV_MUST_CHECK gbv_status csv_header_read(csv_cells *cells, const table_request *request, csv_header *header,
                                          gbv_error *error);
void csv_header_free(csv_header *header);

#endif
