/* format.c - the registry of formats: recognises a file by its content and hands it to the one that reads it. */
#include "data/format/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/format/foreign.h"
#include "data/image_store.h"

#define FORMAT(name) extern const format format_##name;
#include "data/format/formats.def"
#undef FORMAT

static const format *const formats[] = {
#define FORMAT(name) &format_##name,
#include "data/format/formats.def"
#undef FORMAT
};

const format *format_at(size_t index)
{
    return index < sizeof formats / sizeof *formats ? formats[index] : NULL;
}

gbv_status table_read(const unsigned char *bytes, size_t size, const table_request *request, table *out,
                      gbv_error *error)
{
    if (size == 0)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: is empty; expected NPY, NPZ, CSV, TSV, IDX or CIFAR data: write it again", request->path);
    const foreign_content *foreign = foreign_content_find(bytes, size);
    if (foreign) {
        char remedy[800];
        foreign_remedy(foreign, request->path, remedy, sizeof remedy);
        return error_set(error, GBV_BAD_INPUT, "%s: seems to be %s, which is not read here: %s", request->path,
                         foreign->name, remedy);
    }
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i]->recognise && formats[i]->recognise(bytes, size))
            return formats[i]->read(bytes, size, request, out, error);
    return error_set(error, GBV_BAD_INPUT,
                     "%s: begins with the bytes %02x %02x %02x %02x, which no known format does: give NPY, NPZ, CSV, "
                     "TSV, IDX, IDX.gz or CIFAR batches",
                     request->path, bytes[0], size > 1 ? bytes[1] : 0, size > 2 ? bytes[2] : 0,
                     size > 3 ? bytes[3] : 0);
}

gbv_status table_mark_bad(table *t, size_t row, gbv_error *error)
{
    if (!t->bad && !(t->bad = memory_zeroed(t->rows, 1)))
        return error_out_of_memory(error, "the list of bad rows");
    t->bad[row] = 1;
    return GBV_OK;
}

value_column *table_column(table *t, column_role role)
{
    return role == COLUMN_LABELS ? &t->labels : role == COLUMN_SOURCES ? &t->sources : &t->items;
}

const char *column_role_word(column_role role)
{
    static const char *const words[COLUMN_ROLES] = {"label", "source", "item"};
    return words[role];
}

/* Those of files come first. */
enum { FILE_ITEM_NAMES = 4 };
const char *const usual_item_names[] = {"file", "filename", "path", "image",   "id",
                                        "item", "item_id",  "task", "task_id", NULL};

bool item_name_is_file(const char *column)
{
    for (size_t i = 0; i < FILE_ITEM_NAMES; i++)
        if (strcasecmp(column, usual_item_names[i]) == 0)
            return true;
    return false;
}

void value_column_free(value_column *column)
{
    for (size_t i = 0; i < column->text_count; i++)
        free(column->texts[i]);
    free(column->texts);
    free(column->codes);
    *column = (value_column){0};
}

void value_column_take_texts(value_column *column, text_table *texts)
{
    column->texts = texts->texts;
    column->text_count = texts->count;
    texts->texts = NULL;
    texts->count = 0;
    text_table_free(texts);
}

void table_free(table *t)
{
    value_column_free(&t->labels);
    value_column_free(&t->sources);
    value_column_free(&t->items);
    for (size_t i = 0; t->feature_names && i < t->features.columns; i++)
        free(t->feature_names[i]);
    free(t->feature_names);
    free(t->bad);
    for (size_t i = 0; i < sizeof t->blocks / sizeof *t->blocks; i++)
        free(t->blocks[i]);
    image_store_free(t->images);
    *t = (table){0};
}

gbv_status row_reject(const table_request *request, gbv_error *error, const char *sentence, ...)
{
    char text[sizeof request->rejected->first];
    va_list arguments;
    va_start(arguments, sentence);
    vsnprintf(text, sizeof text, sentence, arguments);
    va_end(arguments);
    const gbv_read_options *options = request->options;
    if (!options->skip_bad_rows)
        return error_set(error, GBV_BAD_INPUT, "%s: mend the row or %s", text,
                         request->probabilities ? "leave out a column that is no class" : "use --skip-bad-rows");
    if (request->rejected->count++ == 0)
        memcpy(request->rejected->first, text, sizeof text);
    if (options->on_bad_row)
        options->on_bad_row(options->context, text);
    return GBV_OK;
}
