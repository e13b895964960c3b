/* source_numbers.c - one number per source from a small CSV: priors, weights. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text_table.h"
#include "data/small_csv.h"
#include "data/sources.h"

/* The header names the column `source` and one other. */
static gbv_status find_columns(const small_csv *csv, const char *path, size_t *name_column, gbv_error *error)
{
    if (csv->records[0].count == 2)
        for (size_t column = 0; column < 2; column++)
            if (strcmp(small_csv_cell(csv, 0, column), "source") == 0)
                return *name_column = column, GBV_OK;
    return error_set(error, GBV_BAD_INPUT,
                     "%s: line 1 does not name two columns, source and one with numbers: start the file with "
                     "source,weight",
                     path);
}

static gbv_status read_record(const gbv_sources *sources, const small_csv *csv, size_t record, size_t name_column,
                              const char *path, double *numbers, gbv_error *error)
{
    const char *name = small_csv_cell(csv, record, name_column), *text = small_csv_cell(csv, record, 1 - name_column);
    size_t index = text_table_find(&sources->names, name, strlen(name)), line = csv->records[record].line;
    if (index == TEXT_NONE)
        return error_set(error, GBV_BAD_INPUT, "%s: line %zu names '%.100s', which is no source: correct or remove it",
                         path, line, name);
    if (!isnan(numbers[index]))
        return error_set(error, GBV_BAD_INPUT, "%s: line %zu names '%.100s' again: keep one line per source", path,
                         line, name);
    if (!number_parse(text, text + strlen(text), &numbers[index]) || !isfinite(numbers[index]) || numbers[index] < 0)
        return error_set(error, GBV_BAD_INPUT, "%s: line %zu holds '%.100s'; expected a number, zero or more", path,
                         line, text);
    return GBV_OK;
}

gbv_status gbv_sources_read_numbers(const gbv_sources *sources, const char *path, double *numbers, gbv_error *error)
{
    small_csv csv;
    size_t name_column = 0;
    gbv_status status = small_csv_read(path, &csv, error);
    if (status != GBV_OK)
        return status;
    for (size_t i = 0; i < sources->count; i++)
        numbers[i] = NAN;
    status = find_columns(&csv, path, &name_column, error);
    for (size_t i = 1; i < csv.record_count && status == GBV_OK; i++)
        status = read_record(sources, &csv, i, name_column, path, numbers, error);
    for (size_t i = 0; i < sources->count && status == GBV_OK; i++)
        if (isnan(numbers[i]))
            status = error_set(error, GBV_BAD_INPUT, "%s: has no line for source '%.100s': add one", path,
                               sources->items[i].name);
    small_csv_free(&csv);
    return status;
}
