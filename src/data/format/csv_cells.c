#include "data/format/csv_cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static char find_separator(const char *text, const char *end)
{
    static const char separators[] = {',', '\t', ';'};
    size_t counts[sizeof separators] = {0}, most = 0;
    bool quoted = false;
    for (; text < end && (quoted || (*text != '\n' && *text != '\r')); text++) {
        quoted ^= *text == '"';
        for (size_t i = 0; i < sizeof separators && !quoted; i++)
            counts[i] += *text == separators[i];
    }
    for (size_t i = 1; i < sizeof separators; i++)
        if (counts[i] > counts[most])
            most = i;
    return separators[most];
}

void csv_cells_open(csv_cells *cells, const char *path, const void *bytes, size_t size)
{
    *cells = (csv_cells){.path = path, .next = bytes, .end = (const char *)bytes + size, .line = 1};
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0)
        cells->next += 3;
    cells->separator = find_separator(cells->next, cells->end);
}

void csv_cells_close(csv_cells *cells)
{
    free(cells->unquoted);
    *cells = (csv_cells){0};
}

bool csv_at_end(const csv_cells *cells)
{
    const char *c = cells->next;
    while (c < cells->end && (*c == '\n' || *c == '\r'))
        c++;
    return c == cells->end;
}

static inline bool ends_cell(const csv_cells *cells, const char *c)
{
    return c == cells->end || *c == cells->separator || *c == '\n' ||
           (*c == '\r' && (c + 1 == cells->end || c[1] == '\n'));
}

/* Moves behind the separator or line end at `c`. */
static void pass_delimiter(csv_cells *cells, const char *c, csv_cell *cell)
{
    cell->last = c == cells->end || *c != cells->separator;
    if (cell->last && c < cells->end && *c == '\r')
        c++;
    if (cell->last)
        cells->line++;
    cells->next = c < cells->end ? c + 1 : c;
}

/* `begin` is behind the opening quote. Doubled quotes are rare: only a cell that has them is copied. */
static gbv_status read_quoted(csv_cells *cells, const char *begin, csv_cell *cell, gbv_error *error)
{
    size_t opened = cells->line, copied = 0;
    const char *c = begin, *part = begin;
    bool doubled = false;
    for (;; c++) {
        if (c == cells->end)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: line %zu opens a quote that is never closed: close it, or double quotes inside text",
                             cells->path, opened);
        cells->line += *c == '\n';
        if (*c != '"')
            continue;
        bool another = c + 1 < cells->end && c[1] == '"';
        if (another || doubled) {
            size_t length = (size_t)(c - part) + another;
            if (!memory_grow(&cells->unquoted, &cells->capacity, copied + length + 1, 1))
                return error_out_of_memory(error, "a quoted cell");
            memcpy(cells->unquoted + copied, part, length);
            copied += length;
            doubled = true;
        }
        if (!another)
            break;
        part = c + 2;
        c++;
    }
    *cell = (csv_cell){
        .begin = doubled ? cells->unquoted : begin, .end = doubled ? cells->unquoted + copied : c, .quoted = true};
    for (c++; !ends_cell(cells, c); c++)
        cell->malformed |= *c != ' ' && *c != '\t';
    pass_delimiter(cells, c, cell);
    return GBV_OK;
}

gbv_status csv_cell_next(csv_cells *cells, csv_cell *cell, gbv_error *error)
{
    const char *begin = cells->next, *c;
    while (begin < cells->end && (*begin == ' ' || *begin == '\t') && *begin != cells->separator)
        begin++;
    if (begin < cells->end && *begin == '"')
        return read_quoted(cells, begin + 1, cell, error);
    for (c = begin; !ends_cell(cells, c); c++)
        ;
    *cell = (csv_cell){.begin = begin, .end = c};
    while (cell->end > begin && (cell->end[-1] == ' ' || cell->end[-1] == '\t'))
        cell->end--;
    pass_delimiter(cells, c, cell);
    return GBV_OK;
}

gbv_status csv_skip_record(csv_cells *cells, gbv_error *error)
{
    csv_cell cell = {0};
    gbv_status status = GBV_OK;
    while (status == GBV_OK && !cell.last)
        status = csv_cell_next(cells, &cell, error);
    return status;
}
