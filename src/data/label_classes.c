/* label_classes.c - integers are sorted by value, text by bytes, so that classes do not depend on the order of rows. */
#include "data/label_classes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/text_table.h"

#define MOST_CLASSES ((size_t)INT32_MAX - 1)

bool value_is_usable(const value_column *column, size_t row, const char *what, char *why, size_t why_size)
{
    if (!column->numbers.data) {
        if (column->codes[row] >= 0)
            return true;
        snprintf(why, why_size, "has an empty %s", what);
        return false;
    }
    int64_t integer;
    if (matrix_integer(&column->numbers, row, 0, &integer))
        return true;
    snprintf(why, why_size, "has the %s %.17g; it must be a whole number of 64 bits or text", what,
             gbv_matrix_get(&column->numbers, row, 0));
    return false;
}

static size_t file_row(const gbv_dataset *dataset, size_t row)
{
    return dataset->row_index ? dataset->row_index[row] : row;
}

static int compare_integers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool name_integer_class(gbv_dataset *dataset, int64_t value)
{
    char text[INTEGER_TEXT];
    snprintf(text, sizeof text, "%" PRId64, value);
    return (dataset->class_names[dataset->class_count] = strdup(text)) && ++dataset->class_count;
}

/* Sorts values, drops repetitions and makes a class of each. Returns how many; 0 when memory is out. */
static size_t make_integer_classes(gbv_dataset *dataset, int64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_integers);
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++)
        if (distinct == 0 || values[distinct - 1] != values[i])
            values[distinct++] = values[i];
    dataset->kind = LABELS_INTEGER;
    dataset->class_names = memory_zeroed(distinct, sizeof *dataset->class_names);
    for (size_t i = 0; dataset->class_names && i < distinct; i++)
        if (!name_integer_class(dataset, values[i]))
            return 0;
    return dataset->class_names ? distinct : 0;
}

static int32_t class_of_integer(const int64_t *classes, size_t count, int64_t value)
{
    const int64_t *found = bsearch(&value, classes, count, sizeof value, compare_integers);
    return found ? (int32_t)(found - classes) : -1;
}

static gbv_status classes_from_numbers(gbv_dataset *dataset, const value_column *column, gbv_error *error)
{
    size_t rows = dataset->row_count;
    int64_t *values = memory_array(rows, sizeof *values), value;
    if (!values)
        return error_out_of_memory(error, "the labels");
    for (size_t i = 0; i < rows; i++)
        (void)matrix_integer(&column->numbers, file_row(dataset, i), 0, &values[i]);
    size_t distinct = make_integer_classes(dataset, values, rows);
    for (size_t i = 0; distinct && i < rows; i++) {
        (void)matrix_integer(&column->numbers, file_row(dataset, i), 0, &value);
        dataset->labels[i] = class_of_integer(values, distinct, value);
    }
    free(values);
    return distinct ? GBV_OK : error_out_of_memory(error, "the classes");
}

/* [+-]?digits that fit 64 bits. */
static bool text_is_integer(const char *text, int64_t *value)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (!*digits || digits[strspn(digits, "0123456789")])
        return false;
    errno = 0;
    *value = strtoll(text, NULL, 10);
    return errno == 0;
}

typedef struct used_text {
    const char *text;
    size_t code;
} used_text;

static int compare_texts(const void *a, const void *b)
{
    return strcmp(((const used_text *)a)->text, ((const used_text *)b)->text);
}

static bool make_text_classes(gbv_dataset *dataset, used_text *used, size_t count, int32_t *class_of_code)
{
    qsort(used, count, sizeof *used, compare_texts);
    dataset->kind = LABELS_TEXT;
    if (!(dataset->class_names = memory_zeroed(count, sizeof *dataset->class_names)))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!(dataset->class_names[i] = strdup(used[i].text)))
            return false;
        dataset->class_count++;
        class_of_code[used[i].code] = (int32_t)i;
    }
    return true;
}

/* Two spellings of one number ("1", "+1") are one class. */
static bool make_integer_text_classes(gbv_dataset *dataset, const used_text *used, size_t count, int32_t *class_of_code)
{
    int64_t *values = memory_array(count, sizeof *values), value;
    if (!values)
        return false;
    for (size_t i = 0; i < count; i++)
        (void)text_is_integer(used[i].text, &values[i]);
    size_t distinct = make_integer_classes(dataset, values, count);
    for (size_t i = 0; distinct && i < count; i++)
        if (text_is_integer(used[i].text, &value))
            class_of_code[used[i].code] = class_of_integer(values, distinct, value);
    free(values);
    return distinct != 0;
}

static gbv_status classes_from_texts(gbv_dataset *dataset, const value_column *column, gbv_error *error)
{
    gbv_status status = GBV_OK;
    used_text *used = memory_array(column->text_count, sizeof *used);
    int32_t *class_of_code = memory_array(column->text_count, sizeof *class_of_code);
    size_t count = 0;
    bool integers = column->untyped, done;
    int64_t value;
    if (!used || !class_of_code) {
        status = error_out_of_memory(error, "the classes");
        goto done;
    }
    memset(class_of_code, 0, column->text_count * sizeof *class_of_code);
    for (size_t i = 0; i < dataset->row_count; i++)
        class_of_code[column->codes[file_row(dataset, i)]] = 1;
    for (size_t code = 0; code < column->text_count; code++)
        if (class_of_code[code]) {
            used[count++] = (used_text){column->texts[code], code};
            integers = integers && text_is_integer(column->texts[code], &value);
        }
    if (count > MOST_CLASSES) {
        status =
            error_set(error, GBV_BAD_INPUT, "%s: has %zu distinct labels, more than %zu: are these really classes?",
                      dataset->name, count, MOST_CLASSES);
        goto done;
    }
    done = integers ? make_integer_text_classes(dataset, used, count, class_of_code)
                    : make_text_classes(dataset, used, count, class_of_code);
    if (!done) {
        status = error_out_of_memory(error, "the classes");
        goto done;
    }
    for (size_t i = 0; i < dataset->row_count; i++)
        dataset->labels[i] = class_of_code[column->codes[file_row(dataset, i)]];
done:
    free(used);
    free(class_of_code);
    return status;
}

gbv_status dataset_set_classes(gbv_dataset *dataset, const value_column *column, gbv_error *error)
{
    if (dataset->row_count > MOST_CLASSES && column->numbers.data)
        return error_set(error, GBV_BAD_INPUT, "%s: has %zu rows, more than %zu: split the file", dataset->name,
                         dataset->row_count, MOST_CLASSES);
    if (!(dataset->labels = memory_array(dataset->row_count, sizeof *dataset->labels)))
        return error_out_of_memory(error, "the labels");
    return column->numbers.data ? classes_from_numbers(dataset, column, error)
                                : classes_from_texts(dataset, column, error);
}

const char *value_text(const value_column *column, size_t row, char decimal[INTEGER_TEXT])
{
    int64_t value = 0;
    if (!column->numbers.data)
        return column->texts[column->codes[row]];
    (void)matrix_integer(&column->numbers, row, 0, &value);
    snprintf(decimal, INTEGER_TEXT, "%" PRId64, value);
    return decimal;
}

label_kind value_column_kind(const value_column *column, size_t rows)
{
    int64_t value;
    bool any = false;
    if (column->numbers.data)
        return LABELS_INTEGER;
    for (size_t row = 0; column->present && row < rows; row++) {
        any |= column->codes[row] >= 0;
        if (column->codes[row] >= 0 && !(column->untyped && text_is_integer(column->texts[column->codes[row]], &value)))
            return LABELS_TEXT;
    }
    return any ? LABELS_INTEGER : LABELS_NONE;
}

gbv_status dataset_set_sources(gbv_dataset *dataset, const value_column *column, gbv_error *error)
{
    text_table names = {0};
    gbv_status status = GBV_OK;
    if (!(dataset->row_source = memory_array(dataset->row_count, sizeof *dataset->row_source)))
        return error_out_of_memory(error, "the source of each row");
    for (size_t i = 0; i < dataset->row_count; i++) {
        char decimal[INTEGER_TEXT];
        const char *text = value_text(column, file_row(dataset, i), decimal);
        size_t index = text_table_add(&names, text, strlen(text));
        if (index == TEXT_NONE || index > MOST_CLASSES) {
            status = error_out_of_memory(error, "the names of the sources");
            goto done;
        }
        dataset->row_source[i] = (int32_t)index;
    }
    dataset->source_names = names.texts;
    dataset->source_count = names.count;
    names.texts = NULL;
    names.count = 0;
done:
    text_table_free(&names);
    return status;
}

gbv_status dataset_set_items(gbv_dataset *dataset, const value_column *column, size_t rows, gbv_error *error)
{
    dataset->item_names = memory_zeroed(rows, sizeof *dataset->item_names);
    if (!dataset->item_names)
        return error_out_of_memory(error, "the names of the items");
    for (size_t i = 0; i < dataset->row_count; i++) {
        size_t row = file_row(dataset, i);
        char decimal[INTEGER_TEXT];
        if (!(dataset->item_names[row] = strdup(value_text(column, row, decimal))))
            return error_out_of_memory(error, "the names of the items");
    }
    return GBV_OK;
}
