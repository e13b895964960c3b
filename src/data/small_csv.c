/* small_csv.c - the cells of a small file, gathered through the one splitter that all CSV files share. */
#include "data/small_csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/format/csv_cells.h"

/* Adds the cell to the record. `room` is where its text goes; it moves on behind it. */
static gbv_status add_cell(small_csv *csv, const csv_cell *cell, char **room, csv_record *record, const char *path,
                           gbv_error *error)
{
    size_t length = (size_t)(cell->end - cell->begin);
    if (cell->malformed)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: the record at line %zu has text behind a closing quote: quote whole cells and double "
                         "the quotes inside",
                         path, record->line);
    if (!memory_grow(&csv->cells, &csv->cell_capacity, csv->cell_count + 1, sizeof *csv->cells))
        return error_out_of_memory(error, path);
    if (length)
        memcpy(*room, cell->begin, length);
    (*room)[length] = '\0';
    csv->cells[csv->cell_count++] = *room;
    record->count++;
    *room += length + 1;
    return GBV_OK;
}

static gbv_status take_apart(const char *path, small_csv *csv, const mapped_file *file, gbv_error *error)
{
    csv_cells cells;
    gbv_status status = GBV_OK;
    char *room = csv->text; /* each cell needs its text and a zero: no more than it took with its separator */
    csv_cells_open(&cells, path, file->bytes, file->size);
    while (status == GBV_OK && !csv_at_end(&cells)) {
        csv_record record = {.line = cells.line, .first_cell = csv->cell_count};
        csv_cell cell = {0};
        while (status == GBV_OK && !cell.last)
            if ((status = csv_cell_next(&cells, &cell, error)) == GBV_OK)
                status = add_cell(csv, &cell, &room, &record, path, error);
        if (status != GBV_OK || (record.count == 1 && !*csv->cells[record.first_cell]))
            continue;
        if (memory_grow(&csv->records, &csv->record_capacity, csv->record_count + 1, sizeof *csv->records))
            csv->records[csv->record_count++] = record;
        else
            status = error_out_of_memory(error, path);
    }
    csv_cells_close(&cells);
    if (status == GBV_OK && csv->record_count == 0)
        status = error_set(error, GBV_BAD_INPUT, "%s: the file is empty", path);
    return status;
}

gbv_status small_csv_read(const char *path, small_csv *csv, gbv_error *error)
{
    *csv = (small_csv){0};
    mapped_file file;
    gbv_status status = mapped_file_open(path, &file, error);
    if (status != GBV_OK)
        return status;
    if (!text_is_utf8((const char *)file.bytes, file.size)) {
        status = error_set(error, GBV_BAD_INPUT, "%s: is not UTF-8 text: save it as CSV in UTF-8", path);
    } else if (!(csv->text = memory_array(file.size + 1, 1))) {
        status = error_out_of_memory(error, path);
    } else {
        status = take_apart(path, csv, &file, error);
        hash_sha256(file.bytes, file.size, csv->sha256);
    }
    mapped_file_close(&file);
    if (status != GBV_OK)
        small_csv_free(csv);
    return status;
}

const char *small_csv_cell(const small_csv *csv, size_t record, size_t column)
{
    const csv_record *r = &csv->records[record];
    return column < r->count ? csv->cells[r->first_cell + column] : "";
}

void small_csv_free(small_csv *csv)
{
    free(csv->text);
    free(csv->cells);
    free(csv->records);
    *csv = (small_csv){0};
}
