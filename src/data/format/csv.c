/* csv.c - delimited text: numbers go straight from the mapped bytes into the features, text is numbered on the way. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/format/csv_header.h"
#include "data/format/format.h"

typedef struct csv_reading {
    const table_request *request;
    csv_cells cells;
    csv_header header;
    size_t rows, row_capacity, code_capacity[COLUMN_ROLES], bad_capacity;
    double *features;
    int32_t *codes[COLUMN_ROLES];
    text_table texts[COLUMN_ROLES];
    unsigned char *bad;
    size_t record_line;
    const char *begin; /* of the bytes */
} csv_reading;

enum { CELL_SHOWN = 48 };

/* A cell as a message can show it: cut, and with '?' for what is not printable. */
static const char *show_cell(const csv_cell *cell, char shown[CELL_SHOWN])
{
    size_t used = 0, step;
    for (const char *c = cell->begin; c < cell->end && used < CELL_SHOWN - 8; c += step) {
        uint32_t character;
        step = text_decode(c, cell->end, &character);
        if (!step || character < ' ' || character == 0x7F) {
            shown[used++] = '?';
            step = 1;
            continue;
        }
        memcpy(shown + used, c, step);
        used += step;
    }
    snprintf(shown + used, CELL_SHOWN - used, "%s",
             used >= CELL_SHOWN - 8 && used < (size_t)(cell->end - cell->begin) ? "..." : "");
    return shown;
}

static gbv_status mark_bad(csv_reading *r, gbv_error *error)
{
    size_t old = r->bad_capacity;
    if (!memory_grow(&r->bad, &r->bad_capacity, r->rows + 1, 1))
        return error_out_of_memory(error, "the list of bad rows");
    memset(r->bad + old, 0, r->bad_capacity - old);
    r->bad[r->rows] = 1;
    return GBV_OK;
}

static gbv_status reject_width(csv_reading *r, size_t found, gbv_error *error)
{
    return row_reject(r->request, error, "%s: line %zu has %zu cell%s; the first line names %zu columns",
                      r->request->path, r->record_line, found, found == 1 ? "" : "s", r->header.names.count);
}

/* How many cells the record has whose cell `column` was just read; the place of reading stays. */
static gbv_status count_cells(csv_reading *r, const csv_cell *cell, size_t column, size_t *found, gbv_error *error)
{
    const char *next = r->cells.next;
    size_t line = r->cells.line;
    csv_cell other = {.last = cell->last};
    gbv_status status = GBV_OK;
    for (*found = column + 1; !other.last && status == GBV_OK; (*found)++)
        status = csv_cell_next(&r->cells, &other, error);
    r->cells.next = next;
    r->cells.line = line;
    return status;
}

/* 0,5 where cells end with ; or a tab. */
static bool has_decimal_comma(const csv_reading *r, const csv_cell *cell)
{
    char text[CELL_SHOWN];
    size_t length = (size_t)(cell->end - cell->begin);
    double value;
    char *comma = length < sizeof text ? memchr(memcpy(text, cell->begin, length), ',', length) : NULL;
    if (!comma || r->cells.separator == ',')
        return false;
    *comma = '.';
    return number_parse(text, text + length, &value);
}

/* A cell too few or too many moves the others into the wrong columns: that is said rather than what it led to. */
static gbv_status reject_number(csv_reading *r, const csv_cell *cell, size_t column, gbv_error *error)
{
    const char *path = r->request->path, *name = r->header.names.texts[column];
    char shown[CELL_SHOWN];
    double value;
    size_t found;
    bool empty = cell->begin == cell->end, number = number_parse(cell->begin, cell->end, &value);
    show_cell(cell, shown);
    gbv_status status = count_cells(r, cell, column, &found, error);
    if (status != GBV_OK)
        return status;
    if (found != r->header.names.count)
        return reject_width(r, found, error);
    if (empty)
        return row_reject(r->request, error, "%s: line %zu, column \"%.100s\" is empty; %s must be numbers", path,
                          r->record_line, name, table_noun(r->request));
    if (number)
        return row_reject(r->request, error, "%s: line %zu, column \"%.100s\" holds %s; %s must be finite", path,
                          r->record_line, name, shown, table_noun(r->request));
    if (r->request->probabilities)
        return row_reject(r->request, error,
                          "%s: line %zu, column \"%.100s\" holds \"%s\"; probabilities must be numbers", path,
                          r->record_line, name, shown);
    if (has_decimal_comma(r, cell))
        return error_set(error, GBV_BAD_INPUT,
                         "%s: line %zu, column \"%.100s\" holds \"%s\"; numbers have a decimal point here, no comma: "
                         "write the file with points",
                         path, r->record_line, name, shown);
    if (r->header.columns[COLUMN_LABELS] == TEXT_NONE && !r->request->options->features_only &&
        !r->request->columns_optional)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: no column is called label, y, target or class, and line %zu, column \"%.100s\" holds the "
                         "text \"%s\": name the labels' column with --label-column, or in a first line where there is "
                         "none",
                         path, r->record_line, name, shown);
    return row_reject(r->request, error,
                      "%s: line %zu, column \"%.100s\" holds \"%s\"; features must be numbers (if this column is the "
                      "label, say so with --label-column)",
                      path, r->record_line, name, shown);
}

/* Numbers the text of a label, source or item. Where labels are not needed, a bad one is merely missing. */
static gbv_status read_text(csv_reading *r, const csv_cell *cell, size_t column, bool *good, gbv_error *error)
{
    column_role role = (column_role)r->header.roles[column];
    size_t length = (size_t)(cell->end - cell->begin);
    text_table *texts = &r->texts[role];
    int32_t *code = &r->codes[role][r->rows];
    *code = -1;
    size_t index = length ? text_table_find(texts, cell->begin, length) : TEXT_NONE;
    if (index == TEXT_NONE && (length == 0 || !text_is_utf8(cell->begin, length))) {
        *good = role == COLUMN_LABELS && r->request->options->features_only;
        if (*good)
            return GBV_OK;
        return row_reject(r->request, error, "%s: line %zu has %s %s in column \"%.100s\"", r->request->path,
                          r->record_line, length ? "text that is not valid UTF-8 (save the file so) as" : "no",
                          column_role_word(role), r->header.names.texts[column]);
    }
    if (index == TEXT_NONE)
        index = text_table_add(texts, cell->begin, length);
    if (index == TEXT_NONE || index >= INT32_MAX)
        return error_out_of_memory(error, "the labels");
    *code = (int32_t)index;
    *good = true;
    return GBV_OK;
}

/* One cell by the book; *good tells whether the row can still be used. */
static gbv_status read_cell(csv_reading *r, size_t column, double *number, bool *last, bool *good, gbv_error *error)
{
    csv_cell cell;
    gbv_status status = csv_cell_next(&r->cells, &cell, error);
    if (status != GBV_OK)
        return status;
    *last = cell.last;
    *good = false;
    if (cell.malformed)
        return row_reject(r->request, error,
                          "%s: line %zu, column \"%.100s\" has text after its closing quote; quotes inside text are "
                          "doubled",
                          r->request->path, r->record_line, r->header.names.texts[column]);
    switch ((csv_role)r->header.roles[column]) {
    case CSV_IGNORED:
        *good = true;
        return GBV_OK;
    case CSV_LABEL:
    case CSV_SOURCE:
    case CSV_ITEM:
        return read_text(r, &cell, column, good, error);
    case CSV_FEATURE:
        break;
    }
    *good = number_parse(cell.begin, cell.end, number) && isfinite(*number);
    return *good ? GBV_OK : reject_number(r, &cell, column, error);
}

/* The usual cell, a bare number with its delimiter right behind, is read in one pass; false leaves it to read_cell. */
static inline bool read_bare_number(csv_cells *cells, double *number, bool *last)
{
    const char *end = cells->end, *stop = number_scan(cells->next, end, number);
    if (!stop || stop == end || !isfinite(*number))
        return false;
    if (*stop == cells->separator)
        *last = false;
    else if (*stop == '\n' || (*stop == '\r' && stop + 1 < end && *++stop == '\n')) {
        *last = true;
        cells->line++;
    } else
        return false;
    cells->next = stop + 1;
    return true;
}

static gbv_status count_and_reject(csv_reading *r, size_t found, gbv_error *error)
{
    csv_cell cell = {0};
    for (; !cell.last; found++) {
        gbv_status status = csv_cell_next(&r->cells, &cell, error);
        if (status != GBV_OK)
            return status;
    }
    return reject_width(r, found, error);
}

static gbv_status read_record(csv_reading *r, gbv_error *error)
{
    size_t columns = r->header.names.count;
    const unsigned char *roles = r->header.roles;
    double *out = r->features ? r->features + r->rows * r->header.feature_count : NULL, unused;
    gbv_status status = GBV_OK;
    bool last = false, good = true;
    r->record_line = r->cells.line;
    for (size_t column = 0; column < columns; column++) {
        bool feature = roles[column] == CSV_FEATURE;
        if (!feature || !read_bare_number(&r->cells, out, &last))
            status = read_cell(r, column, feature ? out : &unused, &last, &good, error);
        if (feature)
            out++;
        if (status != GBV_OK)
            return status;
        if (good && last && column + 1 < columns) {
            good = false;
            status = reject_width(r, column + 1, error);
        }
        if (!good) {
            if (status == GBV_OK && !last)
                status = csv_skip_record(&r->cells, error);
            return status == GBV_OK ? mark_bad(r, error) : status;
        }
    }
    if (last)
        return GBV_OK;
    status = count_and_reject(r, columns, error);
    return status == GBV_OK ? mark_bad(r, error) : status;
}

/* A whole row has more bytes than cells, so that memory follows the file; a header of a million names above short lines
 * must not make it grow beyond that by more than this many cells. */
enum { CELLS_TO_SPARE = 1 << 22 };

static gbv_status check_proportion(const csv_reading *r, gbv_error *error)
{
    size_t cells, width = r->header.feature_count, bytes = (size_t)(r->cells.next - r->begin);
    if (!__builtin_mul_overflow(r->rows + 1, width, &cells) && cells <= bytes + CELLS_TO_SPARE)
        return GBV_OK;
    return error_set(error, GBV_BAD_INPUT,
                     "%s: line %zu: most lines have fewer cells than the %zu columns that the first line names: is the "
                     "file damaged, or the separator another one?",
                     r->request->path, r->cells.line, r->header.names.count);
}

static bool make_room(csv_reading *r)
{
    size_t width = r->header.feature_count;
    if (width && !memory_grow(&r->features, &r->row_capacity, r->rows + 1, width * sizeof *r->features))
        return false;
    for (int i = 0; i < COLUMN_ROLES; i++)
        if (!memory_grow(&r->codes[i], &r->code_capacity[i], r->rows + 1, sizeof **r->codes))
            return false;
    return true;
}

static gbv_status read_records(csv_reading *r, gbv_error *error)
{
    for (; !csv_at_end(&r->cells); r->rows++) {
        gbv_status status = check_proportion(r, error);
        if (status != GBV_OK)
            return status;
        if (!make_room(r))
            return error_out_of_memory(error, "the rows of a CSV file");
        for (int i = 0; i < COLUMN_ROLES; i++)
            r->codes[i][r->rows] = -1;
        size_t width = r->header.feature_count;
        status = read_record(r, error);
        if (status != GBV_OK)
            return status;
        if (r->bad && r->bad_capacity > r->rows && r->bad[r->rows] && width)
            memset(r->features + r->rows * width, 0, width * sizeof *r->features);
    }
    if (!r->bad)
        return GBV_OK;
    size_t old = r->bad_capacity;
    if (!memory_grow(&r->bad, &r->bad_capacity, r->rows, 1))
        return error_out_of_memory(error, "the list of bad rows");
    memset(r->bad + old, 0, r->bad_capacity - old);
    return GBV_OK;
}

/* Hands what was read over to the table. */
static gbv_status deliver(csv_reading *r, table *out, gbv_error *error)
{
    size_t width = r->header.feature_count;
    out->rows = r->rows;
    if (width && r->rows) {
        double *fitted = realloc(r->features, r->rows * width * sizeof *fitted);
        out->blocks[0] = fitted ? fitted : r->features;
        out->features = gbv_matrix_f64(out->blocks[0], r->rows, width);
        r->features = NULL;
        if (!(out->feature_names = memory_array(width, sizeof *out->feature_names)))
            return error_out_of_memory(error, "the names of the columns");
        for (size_t i = 0, feature = 0; i < r->header.names.count; i++)
            if (r->header.roles[i] == CSV_FEATURE) {
                out->feature_names[feature++] = r->header.names.texts[i];
                r->header.names.texts[i] = NULL;
            }
    }
    for (int role = 0; role < COLUMN_ROLES; role++) {
        if (r->header.columns[role] == TEXT_NONE)
            continue;
        value_column *column = table_column(out, (column_role)role);
        column->present = true;
        column->untyped = true;
        column->codes = r->codes[role];
        r->codes[role] = NULL;
        value_column_take_texts(column, &r->texts[role]);
    }
    size_t item = r->header.columns[COLUMN_ITEMS];
    out->items_are_files = item != TEXT_NONE && item_name_is_file(r->header.names.texts[item]);
    out->bad = r->bad;
    r->bad = NULL;
    return GBV_OK;
}

static gbv_status csv_read(const unsigned char *bytes, size_t size, const table_request *request, table *out,
                           gbv_error *error)
{
    csv_reading r = {.request = request, .begin = (const char *)bytes};
    csv_cells_open(&r.cells, request->path, bytes, size);
    gbv_status status = csv_header_read(&r.cells, request, &r.header, error);
    if (status == GBV_OK)
        status = read_records(&r, error);
    if (status == GBV_OK)
        status = deliver(&r, out, error);
    free(r.features);
    free(r.bad);
    for (int i = 0; i < COLUMN_ROLES; i++) {
        free(r.codes[i]);
        text_table_free(&r.texts[i]);
    }
    csv_header_free(&r.header);
    csv_cells_close(&r.cells);
    return status;
}

/* Text holds no control characters but blanks and line ends. */
static bool csv_recognise(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size && i < 4096; i++)
        if (bytes[i] < ' ' && bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r')
            return false;
    return true;
}

const format format_csv = {.name = "csv",
                           .summary = "text with a header line; separated by commas, tabs or semicolons",
                           .recognise = csv_recognise,
                           .read = csv_read};
