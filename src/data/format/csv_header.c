#include "data/format/csv_header.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "base/nearest.h"

static gbv_status check_name(const csv_cells *cells, const csv_cell *cell, size_t column, gbv_error *error)
{
    if (cell->malformed)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: line 1, column %zu has text after its closing quote: double quotes inside text",
                         cells->path, column);
    if (cell->begin == cell->end)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: column %zu has no name in the first line: name it, or leave it out (a row index is "
                         "written so; pandas leaves it out with index=False)",
                         cells->path, column);
    if (!text_is_utf8(cell->begin, (size_t)(cell->end - cell->begin)))
        return error_set(error, GBV_BAD_INPUT, "%s: the name of column %zu is not valid UTF-8: save the file as UTF-8",
                         cells->path, column);
    return GBV_OK;
}

/* Digits name a class; no feature is called so. */
static bool is_whole_number(const csv_cell *cell)
{
    const char *c = cell->begin + (cell->begin < cell->end && *cell->begin == '-');
    bool digits = c < cell->end;
    for (; c < cell->end; c++)
        digits = digits && *c >= '0' && *c <= '9';
    return digits;
}

static gbv_status read_names(csv_cells *cells, bool classes, csv_header *header, gbv_error *error)
{
    csv_cell cell = {0};
    bool all_numbers = true;
    while (!cell.last) {
        double number;
        gbv_status status = csv_cell_next(cells, &cell, error);
        size_t column = header->names.count;
        if (status == GBV_OK)
            status = check_name(cells, &cell, column + 1, error);
        if (status != GBV_OK)
            return status;
        all_numbers =
            all_numbers && !(classes && is_whole_number(&cell)) && number_parse(cell.begin, cell.end, &number);
        size_t index = text_table_add(&header->names, cell.begin, (size_t)(cell.end - cell.begin));
        if (index == TEXT_NONE)
            return error_out_of_memory(error, "the names of the columns");
        if (index != column && !all_numbers)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: columns %zu and %zu are both named \"%s\": give every column its own name",
                             cells->path, index + 1, column + 1, header->names.texts[index]);
        if (index != column) /* equal numbers, so far: the message below says more */
            break;
    }
    if (all_numbers)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: line 1 holds only numbers; a header that names the columns is needed: add a first line "
                         "such as %s",
                         cells->path, classes ? "cat,dog, the classes" : "x1,x2,label");
    return GBV_OK;
}

/* As many names as a message has room for. */
static void list_columns(const csv_header *header, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < header->names.count; i++) {
        const char *name = header->names.texts[i];
        if (used + strlen(name) + 8 > size) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", name);
    }
}

static size_t nearest_column(const csv_header *header, const char *wanted)
{
    plain_name plain = nearest_plain(wanted);
    size_t nearest = TEXT_NONE, limit = plain.count / 2;
    for (size_t i = 0; i < header->names.count; i++) {
        plain_name name = nearest_plain(header->names.texts[i]);
        size_t distance = nearest_distance(&plain, &name, limit);
        if (distance > limit || (distance == limit && nearest != TEXT_NONE))
            continue;
        limit = distance;
        nearest = i;
    }
    return nearest;
}

/* A column asked for by name; TEXT_NONE when it may be in the other file of FEATURES,LABELS. */
static gbv_status find_asked(const csv_header *header, const char *name, const table_request *request, size_t *column,
                             gbv_error *error)
{
    *column = text_table_find(&header->names, name, strlen(name));
    if (*column != TEXT_NONE || request->columns_optional)
        return GBV_OK;
    char columns[400], hint[160] = "";
    list_columns(header, columns, sizeof columns);
    size_t nearest = nearest_column(header, name);
    if (nearest != TEXT_NONE)
        snprintf(hint, sizeof hint, "; did you mean \"%.100s\"?", header->names.texts[nearest]);
    return error_set(error, GBV_BAD_INPUT, "%s: has no column \"%.100s\"%s Its columns are: %s", request->path, name,
                     *hint ? hint : ".", columns);
}

static bool is_usual(const char *const *usual, const char *name)
{
    for (; *usual; usual++)
        if (strcasecmp(name, *usual) == 0)
            return true;
    return false;
}

static bool is_taken(const csv_header *header, size_t column)
{
    for (size_t role = 0; role < COLUMN_ROLES; role++)
        if (header->columns[role] == column)
            return true;
    return false;
}

/* The one column by a usual name that serves nothing else. */
static gbv_status find_usual(csv_header *header, column_role role, const char *const *usual,
                             const table_request *request, gbv_error *error)
{
    size_t found = TEXT_NONE;
    for (size_t i = 0; i < header->names.count; i++) {
        if (is_taken(header, i) || !is_usual(usual, header->names.texts[i]))
            continue;
        if (found != TEXT_NONE)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: both \"%s\" and \"%s\" may be the %s: choose one with --%s-column", request->path,
                             header->names.texts[found], header->names.texts[i], column_role_word(role),
                             column_role_word(role));
        found = i;
    }
    header->columns[role] = found;
    return GBV_OK;
}

/* A file of labels with one column, besides those of sources and items, needs no particular name. */
static gbv_status find_only_column(csv_header *header, const table_request *request, gbv_error *error)
{
    size_t others = 0;
    for (size_t i = 0; i < header->names.count; i++)
        if (!is_taken(header, i)) {
            header->columns[COLUMN_LABELS] = i;
            if (++others > 1)
                break;
        }
    if (others == 1)
        return GBV_OK;
    char columns[400];
    list_columns(header, columns, sizeof columns);
    return error_set(error, GBV_BAD_INPUT, "%s: which column holds the labels? Name it with --label-column: %s",
                     request->path, columns);
}

/* Columns that were named come first, then those by a usual name. */
static gbv_status find_columns(csv_header *header, const table_request *request, gbv_error *error)
{
    static const char *const usual_labels[] = {"label", "labels", "y", "target", "targets", "class", NULL};
    const gbv_read_options *options = request->options;
    const char *const asked[COLUMN_ROLES] = {options->label_column, options->source_column, options->item_column};
    gbv_status status = GBV_OK;
    for (size_t role = 0; role < COLUMN_ROLES; role++)
        header->columns[role] = TEXT_NONE;
    if (request->probabilities) /* every column is a class */
        return GBV_OK;
    for (size_t role = 0; status == GBV_OK && role < COLUMN_ROLES; role++) {
        size_t column = TEXT_NONE;
        if (asked[role])
            status = find_asked(header, asked[role], request, &column, error);
        if (column != TEXT_NONE && is_taken(header, column))
            return error_set(
                error, GBV_USAGE, "%s: column \"%s\" cannot be both the %s and the %s: choose two", request->path,
                header->names.texts[column],
                column_role_word(column == header->columns[COLUMN_LABELS] ? COLUMN_LABELS : COLUMN_SOURCES),
                column_role_word((column_role)role));
        header->columns[role] = column;
    }
    if (status == GBV_OK && !options->label_column)
        status = find_usual(header, COLUMN_LABELS, usual_labels, request, error);
    if (status == GBV_OK && !options->item_column && options->wants_items)
        status = find_usual(header, COLUMN_ITEMS, usual_item_names, request, error);
    if (status == GBV_OK && header->columns[COLUMN_LABELS] == TEXT_NONE && request->want_labels_only)
        status = find_only_column(header, request, error);
    return status;
}

static gbv_status assign_roles(csv_header *header, const table_request *request, gbv_error *error)
{
    gbv_status status = find_columns(header, request, error);
    if (status != GBV_OK)
        return status;
    memset(header->roles, request->want_labels_only ? CSV_IGNORED : CSV_FEATURE, header->names.count);
    for (size_t i = 0; i < header->names.count; i++) /* where items are wanted, their usual names are no features */
        if (request->options->wants_items && is_usual(usual_item_names, header->names.texts[i]))
            header->roles[i] = CSV_IGNORED;
    for (size_t role = 0; role < COLUMN_ROLES; role++)
        if (header->columns[role] != TEXT_NONE)
            header->roles[header->columns[role]] = (unsigned char)role;
    for (size_t i = 0; i < header->names.count; i++)
        header->feature_count += header->roles[i] == CSV_FEATURE;
    return GBV_OK;
}

gbv_status csv_header_read(csv_cells *cells, const table_request *request, csv_header *header, gbv_error *error)
{
    if (csv_at_end(cells))
        return error_set(error, GBV_BAD_INPUT, "%s: holds no text but line ends: expected a header and rows",
                         request->path);
    gbv_status status = read_names(cells, request->probabilities, header, error);
    if (status != GBV_OK)
        return status;
    if (!(header->roles = memory_array(header->names.count, 1)))
        return error_out_of_memory(error, "the columns");
    return assign_roles(header, request, error);
}

void csv_header_free(csv_header *header)
{
    text_table_free(&header->names);
    free(header->roles);
    *header = (csv_header){0};
}
