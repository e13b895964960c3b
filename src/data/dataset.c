/* dataset.c - a dataset argument becomes features, labels and sources, with every row checked once. */
#include "data/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/text_table.h"
#include "data/format/format.h"
#include "data/label_classes.h"

/* The files of one argument while they are being read: features first, then labels when they are apart. */
typedef struct reading {
    gbv_dataset *dataset;
    const gbv_read_options *options;
    rejected_rows rejected;
    table tables[2];
    table_request requests[2];
    const value_column *columns[COLUMN_ROLES]; /* NULL where no file has one */
    size_t column_file[COLUMN_ROLES];          /* which file each is in */
} reading;

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static gbv_status add_input(gbv_dataset *dataset, const char *path, size_t length, gbv_error *error)
{
    if (!text_is_utf8(path, length))
        return error_set(error, GBV_BAD_INPUT, "%.*s: the name is not valid UTF-8, as results need: rename the file",
                         (int)length, path);
    char *copy = strndup(path, length);
    if (!copy)
        return error_out_of_memory(error, "a path");
    dataset->inputs[dataset->input_count++].path = copy;
    return GBV_OK;
}

static void forget_inputs(gbv_dataset *dataset)
{
    while (dataset->input_count)
        free(dataset->inputs[--dataset->input_count].path);
}

/* PATH, or FEATURES,LABELS. A name may hold commas itself: the whole counts first, then the comma between two files. */
static gbv_status split_argument(gbv_dataset *dataset, const char *argument, gbv_error *error)
{
    const char *comma = strchr(argument, ',');
    if (!comma || exists(argument))
        return add_input(dataset, argument, strlen(argument), error);
    for (const char *at = comma; at; at = strchr(at + 1, ',')) {
        gbv_status status = add_input(dataset, argument, (size_t)(at - argument), error);
        if (status == GBV_OK)
            status = add_input(dataset, at + 1, strlen(at + 1), error);
        if (status != GBV_OK || (exists(dataset->inputs[0].path) && exists(dataset->inputs[1].path)))
            return status;
        forget_inputs(dataset);
    }
    bool features_exist = false;
    char *features = strndup(argument, (size_t)(comma - argument));
    if (features)
        features_exist = exists(features);
    free(features);
    if (strchr(comma + 1, ','))
        return error_set(error, GBV_BAD_INPUT,
                         "%s: no comma in it stands between two files that exist: check both paths of FEATURES,LABELS",
                         argument);
    return error_set(error, GBV_BAD_INPUT, "%s: there is no file %.*s: check the paths of FEATURES,LABELS", argument,
                     features_exist ? (int)strlen(comma + 1) : (int)(comma - argument),
                     features_exist ? comma + 1 : argument);
}

static gbv_status read_file(reading *r, size_t index, gbv_error *error)
{
    gbv_dataset *dataset = r->dataset;
    dataset_input *input = &dataset->inputs[index];
    mapped_file *file = &dataset->files[index];
    gbv_status status = mapped_file_open(input->path, file, error);
    if (status != GBV_OK)
        return status;
    if (!hash_sha256(file->bytes, file->size, input->sha256))
        return error_set(error, GBV_FAILED, "%s: its SHA-256 could not be computed", input->path);
    r->requests[index] = (table_request){.path = input->path,
                                         .options = r->options,
                                         .want_labels_only = index == 1,
                                         .columns_optional = dataset->input_count == 2,
                                         .rejected = &r->rejected};
    status = table_read(file->bytes, file->size, &r->requests[index], &r->tables[index], error);
    input->rows = index == 0 ? r->tables[index].rows : 0;
    return status;
}

/* What a second file holds goes before what the first does. */
static void find_columns(reading *r)
{
    for (size_t file = 0; file < r->dataset->input_count; file++)
        for (int role = 0; role < COLUMN_ROLES; role++) {
            const value_column *column = table_column(&r->tables[file], (column_role)role);
            if (column->present) {
                r->columns[role] = column;
                r->column_file[role] = file;
            }
        }
}

static gbv_status check_shape(const reading *r, gbv_error *error)
{
    const gbv_dataset *dataset = r->dataset;
    const gbv_read_options *options = r->options;
    const table *features = &r->tables[0], *labels = &r->tables[1];
    const char *path = dataset->inputs[0].path;
    const char *const asked[COLUMN_ROLES] = {NULL, options->source_column, options->item_column};
    if (features->rows == 0)
        return error_set(error, GBV_BAD_INPUT, "%s: holds no rows: a dataset needs at least one", path);
    if (!features->features.data)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: holds labels but no features: give both files as FEATURES,LABELS (features.npy,%s)", path,
                         path);
    if (features->features.columns == 0)
        return error_set(error, GBV_BAD_INPUT, "%s: has %zu rows of 0 columns: at least one feature is needed", path,
                         features->rows);
    if (dataset->input_count == 2 && labels->rows != features->rows)
        return error_set(error, GBV_BAD_INPUT, "%s: holds %zu labels for the %zu rows of %s: one label a row is needed",
                         dataset->inputs[1].path, labels->rows, features->rows, path);
    if (!options->features_only && !r->columns[COLUMN_LABELS])
        return error_set(
            error, GBV_BAD_INPUT,
            "%s: has no labels: give them as FEATURES,LABELS (%s,labels.npy) or name their column or array "
            "with --label-column",
            path, path);
    for (int role = COLUMN_SOURCES; role < COLUMN_ROLES; role++)
        if (asked[role] && !r->columns[role])
            return error_set(error, GBV_BAD_INPUT, "%s: has no column or array \"%s\" that names each row's %s",
                             dataset->name, asked[role], column_role_word((column_role)role));
    return GBV_OK;
}

/* A row is bad when a reader said so, when a feature is not finite, or when its label, source or item cannot be used.
 */
static gbv_status check_row(const reading *r, size_t row, bool *bad, gbv_error *error)
{
    char why[128];
    size_t column;
    const gbv_matrix *features = &r->tables[0].features;
    *bad = (r->tables[0].bad && r->tables[0].bad[row]) || (r->tables[1].bad && r->tables[1].bad[row]);
    if (*bad)
        return GBV_OK;
    *bad = true;
    if (!matrix_row_is_finite(features, row, &column)) {
        double value = gbv_matrix_get(features, row, column);
        return row_reject(&r->requests[0], error, "%s: row %zu, column %zu holds %s; features must be finite",
                          r->requests[0].path, row + 1, column + 1,
                          isnan(value) ? "nan"
                          : value > 0  ? "inf"
                                       : "-inf");
    }
    for (int role = r->options->features_only ? COLUMN_SOURCES : COLUMN_LABELS; role < COLUMN_ROLES; role++) {
        const table_request *request = &r->requests[r->column_file[role]];
        if (r->columns[role] &&
            !value_is_usable(r->columns[role], row, column_role_word((column_role)role), why, sizeof why))
            return row_reject(request, error, "%s: row %zu %s", request->path, row + 1, why);
    }
    *bad = false;
    return GBV_OK;
}

/* Checks every row and lists the usable ones; no list is kept when that is all of them. */
static gbv_status check_rows(reading *r, gbv_error *error)
{
    gbv_dataset *dataset = r->dataset;
    size_t rows = r->tables[0].rows, used = 0;
    for (size_t row = 0; row < rows; row++) {
        bool bad;
        gbv_status status = check_row(r, row, &bad, error);
        if (status != GBV_OK)
            return status;
        if (bad && !dataset->row_index) {
            if (!(dataset->row_index = memory_array(rows, sizeof *dataset->row_index)))
                return error_out_of_memory(error, "the list of usable rows");
            for (size_t i = 0; i < row; i++)
                dataset->row_index[i] = i;
        }
        if (!bad && dataset->row_index)
            dataset->row_index[used] = row;
        used += !bad;
    }
    dataset->row_count = used;
    if (used)
        return GBV_OK;
    return error_set(error, GBV_BAD_INPUT, "%s: none of its %zu rows can be used; the first problem: %s", dataset->name,
                     rows, r->rejected.first);
}

/* Without need for labels, a set that lacks some is taken as unlabelled. */
static bool every_label_is_usable(const reading *r, const value_column *labels)
{
    const gbv_dataset *dataset = r->dataset;
    char why[128];
    for (size_t i = 0; r->options->features_only && i < dataset->row_count; i++)
        if (!value_is_usable(labels, dataset->row_index ? dataset->row_index[i] : i, "label", why, sizeof why))
            return false;
    return true;
}

static gbv_status read_all(reading *r, gbv_error *error)
{
    gbv_dataset *dataset = r->dataset;
    for (size_t i = 0; i < dataset->input_count; i++) {
        gbv_status status = read_file(r, i, error);
        if (status != GBV_OK)
            return status;
    }
    find_columns(r);
    gbv_status status = check_shape(r, error);
    if (status == GBV_OK)
        status = check_rows(r, error);
    if (status != GBV_OK)
        return status;
    dataset->features = r->tables[0].features;
    dataset->shape = r->tables[0].shape;
    memcpy(dataset->blocks, r->tables[0].blocks, sizeof dataset->blocks);
    memset(r->tables[0].blocks, 0, sizeof r->tables[0].blocks);
    const value_column *labels = r->columns[COLUMN_LABELS], *sources = r->columns[COLUMN_SOURCES],
                       *items = r->columns[COLUMN_ITEMS];
    if (labels && every_label_is_usable(r, labels))
        status = dataset_set_classes(dataset, labels, error);
    if (status == GBV_OK && sources)
        status = dataset_set_sources(dataset, sources, error);
    if (status == GBV_OK && items) {
        status = dataset_set_items(dataset, items, r->tables[0].rows, error);
        dataset->items_are_files = r->tables[r->column_file[COLUMN_ITEMS]].items_are_files;
    }
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
    if (options->label_column && !(dataset->label_column = strdup(options->label_column)))
        return error_out_of_memory(error, "the name of a column");
    if (options->source_column && !(dataset->source_column = strdup(options->source_column)))
        return error_out_of_memory(error, "the name of a column");
    if (options->item_column && !(dataset->item_column = strdup(options->item_column)))
        return error_out_of_memory(error, "the name of a column");
    return GBV_OK;
}

static bool lies_within(const mapped_file *file, const void *data)
{
    uintptr_t begin = (uintptr_t)file->bytes, at = (uintptr_t)data;
    return at >= begin && at - begin < file->size;
}

gbv_status gbv_dataset_read(const char *argument, const gbv_read_options *options, gbv_dataset **dataset,
                            gbv_error *error)
{
    *dataset = NULL;
    static const gbv_read_options defaults = {0};
    reading r = {.options = options ? options : &defaults};
    gbv_status status = create_empty(argument, &r.dataset, error);
    if (status == GBV_OK)
        status = remember_options(r.dataset, r.options, error);
    if (status == GBV_OK)
        status = split_argument(r.dataset, argument, error);
    if (status == GBV_OK)
        status = read_all(&r, error);
    table_free(&r.tables[0]);
    table_free(&r.tables[1]);
    if (status != GBV_OK) {
        gbv_dataset_free(r.dataset);
        return status;
    }
    mapped_file_close(&r.dataset->files[1]); /* labels are classes by now */
    if (!lies_within(&r.dataset->files[0], r.dataset->features.data))
        mapped_file_close(&r.dataset->files[0]);
    *dataset = r.dataset;
    return GBV_OK;
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
        status = add_input(created, name, strlen(name), error);
    if (status == GBV_OK) {
        created->inputs[0].rows = features.rows;
        if (labels)
            status = column_from_labels(created, labels, class_names, class_count, &column, error);
    }
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

void gbv_dataset_free(gbv_dataset *dataset)
{
    if (!dataset)
        return;
    for (size_t i = 0; i < dataset->class_count; i++)
        free(dataset->class_names[i]);
    for (size_t i = 0; i < dataset->source_count; i++)
        free(dataset->source_names[i]);
    for (size_t i = 0; dataset->item_names && i < dataset->features.rows; i++)
        free(dataset->item_names[i]);
    forget_inputs(dataset);
    for (size_t i = 0; i < sizeof dataset->blocks / sizeof *dataset->blocks; i++)
        free(dataset->blocks[i]);
    for (size_t i = 0; i < sizeof dataset->files / sizeof *dataset->files; i++)
        mapped_file_close(&dataset->files[i]);
    free(dataset->name);
    free(dataset->label_column);
    free(dataset->source_column);
    free(dataset->item_column);
    free(dataset->item_names);
    free(dataset->row_index);
    free(dataset->labels);
    free(dataset->class_names);
    free(dataset->row_source);
    free(dataset->source_names);
    free(dataset);
}

const gbv_matrix *gbv_dataset_features(const gbv_dataset *dataset)
{
    return &dataset->features;
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
