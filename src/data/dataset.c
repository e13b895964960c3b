/* dataset.c - a dataset argument becomes features, labels and sources, with every row checked once. */
#include "data/dataset.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/text_table.h"
#include "data/argument.h"
#include "data/image_store.h"
#include "data/label_classes.h"
#include "data/part.h"

static gbv_status add_input(gbv_dataset *dataset, const char *path, const char *sha256, size_t rows, gbv_error *error)
{
    if (!memory_grow(&dataset->inputs, &dataset->input_capacity, dataset->input_count + 1, sizeof *dataset->inputs))
        return error_out_of_memory(error, "a path");
    dataset_input *input = &dataset->inputs[dataset->input_count];
    *input = (dataset_input){.path = strdup(path), .rows = rows};
    if (!input->path)
        return error_out_of_memory(error, "a path");
    memcpy(input->sha256, sha256, strlen(sha256) + 1);
    dataset->input_count++;
    return GBV_OK;
}

/* Lists the usable rows; no list is kept when that is all of them. */
static gbv_status list_rows(gbv_dataset *dataset, const table *t, const rejected_rows *rejected, gbv_error *error)
{
    dataset->row_count = t->rows;
    if (!t->bad)
        return GBV_OK;
    if (!(dataset->row_index = memory_array(t->rows, sizeof *dataset->row_index)))
        return error_out_of_memory(error, "the list of usable rows");
    dataset->row_count = 0;
    for (size_t row = 0; row < t->rows; row++)
        if (!t->bad[row])
            dataset->row_index[dataset->row_count++] = row;
    if (dataset->row_count)
        return GBV_OK;
    return error_set(error, GBV_BAD_INPUT, "%s: none of its %zu rows can be used; the first problem: %s", dataset->name,
                     t->rows, rejected->first);
}

/* Without need for labels, a set that lacks some is taken as unlabelled. */
static bool every_label_is_usable(const gbv_dataset *dataset, const value_column *labels)
{
    char why[128];
    for (size_t i = 0; i < dataset->row_count; i++)
        if (!value_is_usable(labels, dataset->row_index ? dataset->row_index[i] : i, "label", why, sizeof why))
            return false;
    return true;
}

/* The table becomes the dataset, which takes its memory. */
static gbv_status fill(gbv_dataset *dataset, table *t, const gbv_read_options *options, const rejected_rows *rejected,
                       gbv_error *error)
{
    gbv_status status = list_rows(dataset, t, rejected, error);
    if (status != GBV_OK)
        return status;
    dataset->features = t->features;
    dataset->unread = t->features;
    dataset->unread.data = NULL;
    dataset->shape = t->shape;
    dataset->images = t->images;
    t->images = NULL;
    memcpy(dataset->blocks, t->blocks, sizeof dataset->blocks);
    memset(t->blocks, 0, sizeof t->blocks);
    dataset->column_names = t->feature_names;
    t->feature_names = NULL;
    if (t->labels.present && (!options->features_only || every_label_is_usable(dataset, &t->labels)))
        status = dataset_set_classes(dataset, &t->labels, error);
    if (status == GBV_OK && t->sources.present)
        status = dataset_set_sources(dataset, &t->sources, error);
    if (status == GBV_OK && t->items.present)
        status = dataset_set_items(dataset, &t->items, t->rows, error);
    dataset->items_are_files = t->items.present && t->items_are_files;
    return status;
}

static bool lies_within(const mapped_file *file, const void *data)
{
    uintptr_t begin = (uintptr_t)file->bytes, at = (uintptr_t)data;
    return at >= begin && at - begin < file->size;
}

static gbv_status read_parts(gbv_dataset *dataset, const dataset_paths *paths, const gbv_read_options *options,
                             bool probabilities, gbv_error *error)
{
    size_t count = paths->features.count;
    rejected_rows rejected = {0};
    table joined = {0};
    gbv_status status = GBV_OK;
    part *parts = memory_zeroed(count, sizeof *parts);
    if (!parts)
        return error_out_of_memory(error, "the parts of a dataset");
    for (size_t i = 0; i < count && status == GBV_OK; i++) {
        const char *features = paths->features.items[i], *labels = paths->labels.count ? paths->labels.items[i] : NULL;
        status = part_read(features, labels, options, probabilities, &rejected, &parts[i], error);
        if (status == GBV_OK)
            status = add_input(dataset, features, parts[i].sha256[0], parts[i].table.rows, error);
        if (status == GBV_OK && labels)
            status = add_input(dataset, labels, parts[i].sha256[1], 0, error);
        if (parts[i].table.images) { /* nothing else is resized, so that the record need not say it */
            dataset->resize = options->resize;
            dataset->crop = options->crop;
        }
    }
    if (status == GBV_OK && count > 1)
        status = parts_join(parts, count, &joined, error);
    if (status == GBV_OK)
        status = fill(dataset, count > 1 ? &joined : &parts[0].table, options, &rejected, error);
    if (status == GBV_OK && lies_within(&parts[0].file[0], dataset->features.data)) {
        dataset->file = parts[0].file[0];
        parts[0].file[0] = (mapped_file){0};
    }
    table_free(&joined);
    for (size_t i = 0; i < count; i++)
        part_close(&parts[i]);
    free(parts);
    return status;
}

static gbv_status create_empty(const char *name, gbv_dataset **dataset, gbv_error *error)
{
    gbv_dataset *created = calloc(1, sizeof *created);
    if (!created || !(created->name = strdup(name))) {
        free(created);
        return error_out_of_memory(error, "a dataset");
    }
    *dataset = created;
    return GBV_OK;
}

static gbv_status remember_options(gbv_dataset *dataset, const gbv_read_options *options, gbv_error *error)
{
    dataset->skip_bad_rows = options->skip_bad_rows;
    dataset->wants_items = options->wants_items;
    dataset->color = options->color;
    if (options->label_column && !(dataset->label_column = strdup(options->label_column)))
        return error_out_of_memory(error, "the name of a column");
    if (options->source_column && !(dataset->source_column = strdup(options->source_column)))
        return error_out_of_memory(error, "the name of a column");
    if (options->item_column && !(dataset->item_column = strdup(options->item_column)))
        return error_out_of_memory(error, "the name of a column");
    return GBV_OK;
}

static gbv_status read_dataset(const char *argument, const gbv_read_options *options, bool probabilities,
                               gbv_dataset **dataset, gbv_error *error)
{
    *dataset = NULL;
    gbv_dataset *created = NULL;
    dataset_paths paths = {0};
    gbv_status status = create_empty(argument, &created, error);
    if (status == GBV_OK)
        status = remember_options(created, options, error);
    if (status == GBV_OK)
        status = dataset_paths_find(argument, &paths, error);
    if (status == GBV_OK)
        status = read_parts(created, &paths, options, probabilities, error);
    dataset_paths_free(&paths);
    if (status == GBV_OK)
        *dataset = created;
    else
        gbv_dataset_free(created);
    return status;
}

gbv_status gbv_dataset_read(const char *argument, const gbv_read_options *options, gbv_dataset **dataset,
                            gbv_error *error)
{
    static const gbv_read_options defaults = {0};
    return read_dataset(argument, options ? options : &defaults, false, dataset, error);
}

gbv_status dataset_read_probabilities(const char *path, const gbv_read_options *options, gbv_dataset **dataset,
                                      gbv_error *error)
{
    gbv_read_options own = {.features_only = true};
    if (options) {
        own.skip_bad_rows = options->skip_bad_rows;
        own.on_bad_row = options->on_bad_row;
        own.context = options->context;
    }
    return read_dataset(path, &own, true, dataset, error);
}

/* The caller's labels as a reader would have given them. */
static gbv_status column_from_labels(const gbv_dataset *dataset, const int32_t *labels, const char *const *class_names,
                                     size_t class_count, value_column *column, gbv_error *error)
{
    size_t rows = dataset->features.rows;
    column->present = true;
    if (!class_names) {
        column->numbers = (gbv_matrix){.data = labels,
                                       .rows = rows,
                                       .columns = 1,
                                       .row_stride = sizeof *labels,
                                       .column_stride = sizeof *labels,
                                       .type = GBV_I32};
        return GBV_OK;
    }
    text_table names = {0};
    gbv_status status = GBV_OK;
    column->codes = memory_array(rows, sizeof *column->codes);
    if (!column->codes) {
        status = error_out_of_memory(error, "the labels");
        goto done;
    }
    memcpy(column->codes, labels, rows * sizeof *labels);
    for (size_t i = 0; i < class_count; i++) {
        size_t index = text_table_add(&names, class_names[i], strlen(class_names[i]));
        if (index == i)
            continue;
        status = index == TEXT_NONE
                     ? error_out_of_memory(error, "the class names")
                     : error_set(error, GBV_BAD_INPUT, "%s: class name \"%s\" is given twice: every class has its own",
                                 dataset->name, class_names[i]);
        goto done;
    }
    for (size_t i = 0; i < rows; i++)
        if (labels[i] < 0 || (size_t)labels[i] >= class_count) {
            status = error_set(error, GBV_BAD_INPUT, "%s: row %zu has the label %d; expected one of 0 to %zu",
                               dataset->name, i + 1, labels[i], class_count - 1);
            goto done;
        }
    value_column_take_texts(column, &names);
done:
    text_table_free(&names);
    return status;
}

gbv_status gbv_dataset_create(const char *name, gbv_matrix features, const int32_t *labels,
                              const char *const *class_names, size_t class_count, gbv_dataset **dataset,
                              gbv_error *error)
{
    *dataset = NULL;
    gbv_dataset *created = NULL;
    gbv_status status = create_empty(name, &created, error);
    if (status != GBV_OK)
        return status;
    value_column column = {0};
    size_t row, at;
    created->features = features;
    created->row_count = features.rows;
    if (!features.data || features.rows == 0 || features.columns == 0)
        status = error_set(error, GBV_BAD_INPUT, "%s: is %zu x %zu: a dataset needs at least one row and one column",
                           name, features.data ? features.rows : 0, features.data ? features.columns : 0);
    else if (labels && class_names && class_count == 0)
        status = error_set(error, GBV_BAD_INPUT, "%s: has labels but no class names: give at least one", name);
    else if (matrix_find_non_finite(&features, &row, &at))
        status =
            error_set(error, GBV_BAD_INPUT, "%s: row %zu, column %zu is not finite; features must be: mend the row",
                      name, row + 1, at + 1);
    if (status == GBV_OK)
        status = text_is_utf8(name, strlen(name))
                     ? add_input(created, name, "", features.rows, error)
                     : error_set(error, GBV_BAD_INPUT, "%s: the name is not valid UTF-8, as results need", name);
    if (status == GBV_OK && labels)
        status = column_from_labels(created, labels, class_names, class_count, &column, error);
    if (status == GBV_OK && labels)
        status = dataset_set_classes(created, &column, error);
    value_column_free(&column);
    if (status != GBV_OK) {
        gbv_dataset_free(created);
        return status;
    }
    *dataset = created;
    return GBV_OK;
}

gbv_status dataset_create_view(gbv_dataset *base, const char *path, const char *sha256, size_t rows, gbv_dataset **view,
                               gbv_error *error)
{
    gbv_status status = create_empty(path, view, error);
    if (status == GBV_OK && (status = add_input(*view, path, sha256, rows, error)) != GBV_OK) {
        gbv_dataset_free(*view);
        *view = NULL;
    }
    if (status != GBV_OK)
        return status;
    (*view)->features = base->features;
    (*view)->unread = base->unread;
    (*view)->shape = base->shape;
    (*view)->images = base->images;
    (*view)->base = base;
    base->views++;
    return GBV_OK;
}

bool dataset_share_a_file(const gbv_dataset *a, const gbv_dataset *b)
{
    for (size_t i = 0; i < a->input_count; i++)
        for (size_t j = 0; j < b->input_count; j++)
            if (a->inputs[i].rows && b->inputs[j].rows && a->inputs[i].sha256[0] &&
                strcmp(a->inputs[i].sha256, b->inputs[j].sha256) == 0)
                return true;
    return false;
}

void gbv_dataset_free(gbv_dataset *dataset)
{
    if (!dataset || (dataset->views && dataset->views--))
        return;
    if (!dataset->base)
        image_store_free(dataset->images);
    gbv_dataset_free(dataset->base);
    for (size_t i = 0; i < dataset->class_count; i++)
        free(dataset->class_names[i]);
    for (size_t i = 0; i < dataset->source_count; i++)
        free(dataset->source_names[i]);
    for (size_t i = 0; dataset->column_names && i < dataset->features.columns; i++)
        free(dataset->column_names[i]);
    for (size_t i = 0; dataset->item_names && i < dataset->features.rows; i++)
        free(dataset->item_names[i]);
    for (size_t i = 0; i < dataset->input_count; i++)
        free(dataset->inputs[i].path);
    for (size_t i = 0; i < sizeof dataset->blocks / sizeof *dataset->blocks; i++)
        free(dataset->blocks[i]);
    mapped_file_close(&dataset->file);
    free(dataset->inputs);
    free(dataset->name);
    free(dataset->label_column);
    free(dataset->source_column);
    free(dataset->item_column);
    free(dataset->item_names);
    free(dataset->row_index);
    free(dataset->labels);
    free(dataset->class_names);
    free(dataset->column_names);
    free(dataset->row_source);
    free(dataset->source_names);
    free(dataset);
}

const gbv_matrix *gbv_dataset_features(const gbv_dataset *dataset)
{
    return image_store_is_whole(dataset->images) ? &dataset->features : &dataset->unread;
}

size_t gbv_dataset_rows(const gbv_dataset *dataset)
{
    return dataset->row_count;
}

size_t gbv_dataset_columns(const gbv_dataset *dataset)
{
    return dataset->features.columns;
}

size_t gbv_dataset_class_count(const gbv_dataset *dataset)
{
    return dataset->class_count;
}

const char *gbv_dataset_class_name(const gbv_dataset *dataset, size_t class_index)
{
    return class_index < dataset->class_count ? dataset->class_names[class_index] : NULL;
}

const int32_t *gbv_dataset_labels(const gbv_dataset *dataset)
{
    return dataset->labels;
}

const char *gbv_dataset_item(const gbv_dataset *dataset, size_t row)
{
    return dataset->item_names && row < dataset->features.rows ? dataset->item_names[row] : NULL;
}

gbv_image_shape gbv_dataset_image_shape(const gbv_dataset *dataset)
{
    return dataset->shape;
}

gbv_status gbv_dataset_set_images(gbv_dataset *dataset, gbv_image_shape shape, gbv_error *error)
{
    size_t numbers;
    if (shape.channels != 1 && shape.channels != 3)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: images of %zu channels are not known: they have 1 (gray) or 3 (RGB)", dataset->name,
                         shape.channels);
    if (__builtin_mul_overflow(shape.height, shape.width, &numbers) ||
        __builtin_mul_overflow(numbers, shape.channels, &numbers) || numbers != dataset->features.columns)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: its rows have %zu numbers, which are no images of %zu x %zu pixels and %zu channel%s",
                         dataset->name, dataset->features.columns, shape.width, shape.height, shape.channels,
                         shape.channels == 1 ? "" : "s");
    if (dataset->images)
        return error_set(error, GBV_USAGE, "%s: its images are files, which have their own shape", dataset->name);
    dataset->shape = shape;
    return GBV_OK;
}
