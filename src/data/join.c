/* join.c - the parts of a dataset become one table: first whether they belong together, then row after row. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/text_table.h"
#include "data/image_shape.h"
#include "data/image_store.h"
#include "data/label_classes.h"
#include "data/part.h"

static gbv_status check_names(const part *first, const part *other, gbv_error *error)
{
    if (!first->table.feature_names || !other->table.feature_names)
        return GBV_OK;
    for (size_t i = 0; i < first->table.features.columns; i++) {
        const char *wanted = first->table.feature_names[i], *found = other->table.feature_names[i];
        if (strcmp(wanted, found) != 0)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: its feature %zu is the column \"%.100s\", in %s it is \"%.100s\": the parts of a "
                             "dataset must have the same columns in the same order",
                             other->name, i + 1, found, first->name, wanted);
    }
    return GBV_OK;
}

static gbv_status check_alike(const part *first, const part *other, gbv_error *error)
{
    const table *a = &first->table, *b = &other->table;
    bool features_only = first->request[0].options->features_only;
    if (a->features.columns != b->features.columns)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: has %zu features a row, %s has %zu: the parts of a dataset must have the same",
                         other->name, b->features.columns, first->name, a->features.columns);
    if (image_shapes_differ(a->shape, b->shape)) {
        sentence s = {0};
        sentence_add(&s, "%s: its images have ", other->name);
        image_shape_add(&s, b->shape);
        sentence_add(&s, ", those of %s ", first->name);
        image_shape_add(&s, a->shape);
        return error_set(error, GBV_BAD_INPUT, "%s: the parts of a dataset must have the same", s.text);
    }
    for (int role = features_only ? COLUMN_SOURCES : COLUMN_LABELS; role < COLUMN_ROLES; role++) {
        bool here = table_column((table *)b, (column_role)role)->present;
        if (here != table_column((table *)a, (column_role)role)->present)
            return error_set(error, GBV_BAD_INPUT, "%s: names each row's %s, %s does not: all parts must, or none",
                             here ? other->name : first->name, column_role_word((column_role)role),
                             here ? first->name : other->name);
    }
    return check_names(first, other, error);
}

/* The kind of the labels of all parts, but for those that have none. */
static gbv_status find_label_kind(const part *parts, size_t count, label_kind *kind, gbv_error *error)
{
    const part *first = NULL; /* that has labels */
    *kind = LABELS_NONE;
    for (size_t i = 0; i < count; i++) {
        label_kind own = value_column_kind(&parts[i].table.labels, parts[i].table.rows);
        if (own == LABELS_NONE || own == *kind)
            continue;
        if (first)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: its labels are %s, those of %s are %s: the parts of a dataset must have one kind",
                             parts[i].name, own == LABELS_TEXT ? "text" : "whole numbers", first->name,
                             *kind == LABELS_TEXT ? "text" : "whole numbers");
        first = &parts[i];
        *kind = own;
    }
    return GBV_OK;
}

/* Appends the values of one part; a bad row has none. */
static gbv_status append_values(const table *t, column_role role, text_table *texts, int32_t *codes, gbv_error *error)
{
    const value_column *column = table_column((table *)t, role);
    char decimal[INTEGER_TEXT], why[128];
    for (size_t row = 0; row < t->rows; row++) {
        codes[row] = -1;
        if ((t->bad && t->bad[row]) || !value_is_usable(column, row, "", why, sizeof why))
            continue;
        const char *text = value_text(column, row, decimal);
        size_t index = text_table_add(texts, text, strlen(text));
        if (index == TEXT_NONE || index >= INT32_MAX)
            return error_out_of_memory(error, "the labels");
        codes[row] = (int32_t)index;
    }
    return GBV_OK;
}

/* One column of all parts. Numbers go as text; as labels they are numbers again when classes are made. */
static gbv_status join_column(const part *parts, size_t count, column_role role, bool untyped, table *joined,
                              gbv_error *error)
{
    value_column *column = table_column(joined, role);
    text_table texts = {0};
    gbv_status status = GBV_OK;
    for (size_t i = 0; i < count; i++)
        if (!table_column((table *)&parts[i].table, role)->present)
            return GBV_OK;
    if (!(column->codes = memory_array(joined->rows, sizeof *column->codes)))
        return error_out_of_memory(error, "the labels");
    column->present = true;
    column->untyped = untyped;
    for (size_t i = 0, first = 0; i < count && status == GBV_OK; first += parts[i++].table.rows)
        status = append_values(&parts[i].table, role, &texts, column->codes + first, error);
    value_column_take_texts(column, &texts);
    return status;
}

static void copy_rows(const gbv_matrix *from, const gbv_matrix *to, unsigned char *out)
{
    size_t item = type_size(to->type);
    for (size_t row = 0; row < from->rows; row++, out += to->row_stride) {
        const unsigned char *in = (const unsigned char *)from->data + (ptrdiff_t)row * from->row_stride;
        if (from->type != to->type || from->swapped != to->swapped)
            matrix_row_f64(from, row, (double *)out);
        else if (from->column_stride == (ptrdiff_t)item)
            memcpy(out, in, from->columns * item);
        else
            for (size_t i = 0; i < from->columns; i++)
                memcpy(out + i * item, in + (ptrdiff_t)i * from->column_stride, item);
    }
}

/* The files behind the rows of all parts. Images that are decoded when they are asked for go with images only. */
static gbv_status join_images(part *parts, size_t count, table *joined, gbv_error *error)
{
    size_t folders = 0, partial = count;
    for (size_t i = 0; i < count; i++) {
        folders += parts[i].table.images != NULL;
        if (!image_store_is_whole(parts[i].table.images))
            partial = i;
    }
    if (folders < count && partial < count)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: its images are more than the image cache has room for, and other parts of the dataset "
                         "are no folders of images: use a larger --image-cache",
                         parts[partial].name);
    if (folders < count)
        return GBV_OK;
    image_store **stores = memory_array(count, sizeof *stores);
    for (size_t i = 0; stores && i < count; i++)
        stores[i] = parts[i].table.images;
    joined->images = stores ? image_store_join(stores, count) : NULL;
    free(stores);
    return joined->images ? GBV_OK : error_out_of_memory(error, "the parts of a dataset");
}

/* Each part is closed as soon as it is copied. */
static gbv_status join_features(part *parts, size_t count, table *joined, gbv_error *error)
{
    gbv_status status = join_images(parts, count, joined, error);
    if (status != GBV_OK)
        return status;
    gbv_matrix *m = &joined->features;
    *m = parts[0].table.features;
    for (size_t i = 1; i < count; i++)
        if (parts[i].table.features.type != m->type || parts[i].table.features.swapped != m->swapped) {
            m->type = GBV_F64;
            m->swapped = false;
            break;
        }
    size_t item = type_size(m->type);
    m->rows = joined->rows;
    m->row_stride = (ptrdiff_t)(m->columns * item);
    m->column_stride = (ptrdiff_t)item;
    size_t left = joined->images ? joined->images->kept : m->rows; /* rows to copy */
    unsigned char *block = memory_array(left, (size_t)m->row_stride);
    if (!block)
        return error_out_of_memory(error, "the parts of a dataset");
    m->data = joined->blocks[0] = block;
    joined->feature_names = parts[0].table.feature_names;
    parts[0].table.feature_names = NULL;
    for (size_t i = 0; i < count; i++) {
        gbv_matrix from = parts[i].table.features;
        from.rows = from.rows < left ? from.rows : left;
        copy_rows(&from, m, block);
        block += from.rows * (size_t)m->row_stride;
        left -= from.rows;
        part_close(&parts[i]);
    }
    return GBV_OK;
}

static gbv_status join_bad(const part *parts, size_t count, table *joined, gbv_error *error)
{
    for (size_t i = 0, first = 0; i < count; first += parts[i++].table.rows)
        for (size_t row = 0; parts[i].table.bad && row < parts[i].table.rows; row++) {
            gbv_status status = parts[i].table.bad[row] ? table_mark_bad(joined, first + row, error) : GBV_OK;
            if (status != GBV_OK)
                return status;
        }
    return GBV_OK;
}

gbv_status parts_join(part *parts, size_t count, table *joined, gbv_error *error)
{
    const table *first = &parts[0].table;
    label_kind kind = LABELS_NONE;
    gbv_status status = GBV_OK;
    joined->shape = first->shape;
    joined->items_are_files = first->items_are_files;
    joined->rows = first->rows;
    for (size_t i = 1; i < count && status == GBV_OK; i++) {
        status = check_alike(&parts[0], &parts[i], error);
        joined->rows += parts[i].table.rows;
        if (!parts[i].table.shape.channels)
            joined->shape = (gbv_image_shape){0};
    }
    if (status == GBV_OK)
        status = find_label_kind(parts, count, &kind, error);
    for (int role = 0; role < COLUMN_ROLES && status == GBV_OK; role++)
        status = join_column(parts, count, (column_role)role, role == COLUMN_LABELS && kind == LABELS_INTEGER, joined,
                             error);
    if (status == GBV_OK)
        status = join_bad(parts, count, joined, error);
    return status == GBV_OK ? join_features(parts, count, joined, error) : status;
}
