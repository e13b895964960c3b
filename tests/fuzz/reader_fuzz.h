/* reader_fuzz.h - what the targets of the file readers share: read the bytes as one format says, every way that is
 * asked of it, and touch everything that comes out. */
#ifndef READER_FUZZ_H
#define READER_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/format/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static inline double touch_matrix(const gbv_matrix *m)
{
    double sum = 0;
    for (size_t i = 0; m->data && m->columns && i < m->rows; i++)
        for (size_t j = 0; j < m->columns; j++)
            sum += gbv_matrix_get(m, i, j);
    return sum;
}

static inline double touch_column(const value_column *column, size_t rows)
{
    double sum = touch_matrix(&column->numbers);
    for (size_t i = 0; column->codes && i < rows; i++)
        sum += column->codes[i] >= 0 ? (double)strlen(column->texts[column->codes[i]]) : 0;
    return sum;
}

static inline double touch_table(const table *t)
{
    double sum = touch_matrix(&t->features);
    if (t->labels.present)
        sum += touch_column(&t->labels, t->rows);
    if (t->sources.present)
        sum += touch_column(&t->sources, t->rows);
    if (t->items.present)
        sum += touch_column(&t->items, t->rows);
    for (size_t i = 0; t->bad && i < t->rows; i++)
        sum += t->bad[i];
    for (size_t i = 0; t->feature_names && i < t->features.columns; i++)
        sum += (double)strlen(t->feature_names[i]);
    return sum;
}

static inline const format *format_named(const char *name)
{
    for (size_t i = 0; format_at(i); i++)
        if (strcmp(format_at(i)->name, name) == 0)
            return format_at(i);
    abort();
}

static inline void fuzz_reader(const char *name, const uint8_t *bytes, size_t size)
{
    const format *reader = format_named(name);
    for (unsigned mode = 0; size && mode < 10; mode++) {
        gbv_read_options options = {.skip_bad_rows = mode & 1,
                                    .features_only = mode & 2,
                                    .source_column = mode & 1 ? "who" : NULL,
                                    .wants_items = mode & 1};
        rejected_rows rejected = {0};
        table_request request = {.path = "fuzz",
                                 .options = &options,
                                 .want_labels_only = mode & 4,
                                 .columns_optional = mode & 4,
                                 .probabilities = mode & 8,
                                 .rejected = &rejected};
        table t = {0};
        gbv_error error;
        volatile double sum = 0;
        if (reader->read(bytes, size, &request, &t, &error) == GBV_OK)
            sum = touch_table(&t);
        (void)sum;
        table_free(&t);
    }
}

#endif
