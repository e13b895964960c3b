#include "data/part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/folder.h"
#include "base/hash.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "data/format/image_folder.h"
#include "data/label_classes.h"

static gbv_status read_file(part *p, size_t index, table *out, gbv_error *error)
{
    const table_request *request = &p->request[index];
    mapped_file *file = &p->file[index];
    if (index == 0 && folder_exists(request->path))
        return image_folder_read(request, out, p->sha256[index], error);
    gbv_status status = mapped_file_open(request->path, file, error);
    if (status != GBV_OK)
        return status;
    if (!hash_sha256(file->bytes, file->size, p->sha256[index]))
        return error_set(error, GBV_FAILED, "%s: its SHA-256 could not be computed", request->path);
    return table_read(file->bytes, file->size, request, out, error);
}

/* What the file of labels holds goes before what that of features does. */
static gbv_status take_columns(part *p, gbv_error *error)
{
    if (p->labels.rows != p->table.rows)
        return error_set(error, GBV_BAD_INPUT, "%s: holds %zu labels for the %zu rows of %s: one label a row is needed",
                         p->request[1].path, p->labels.rows, p->table.rows, p->request[0].path);
    for (int role = 0; role < COLUMN_ROLES; role++) {
        value_column *own = table_column(&p->table, (column_role)role),
                     *other = table_column(&p->labels, (column_role)role);
        if (!other->present)
            continue;
        value_column taken = *other;
        *other = *own;
        *own = taken;
        p->column_file[role] = 1;
    }
    if (p->column_file[COLUMN_ITEMS] == 1)
        p->table.items_are_files = p->labels.items_are_files;
    if (!p->table.bad) {
        p->table.bad = p->labels.bad;
        p->labels.bad = NULL;
    }
    for (size_t row = 0; p->labels.bad && row < p->table.rows; row++)
        p->table.bad[row] |= p->labels.bad[row];
    return GBV_OK;
}

static gbv_status check_shape(const part *p, gbv_error *error)
{
    const table *t = &p->table;
    const char *path = p->request[0].path;
    if (t->rows == 0)
        return error_set(error, GBV_BAD_INPUT, "%s: holds no rows: a dataset needs at least one", path);
    if (!t->features.data)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: holds labels but no features: give both files as FEATURES,LABELS (features.npy,%s)", path,
                         path);
    if (t->features.columns == 0)
        return error_set(error, GBV_BAD_INPUT, "%s: has %zu rows of 0 columns: at least one feature is needed", path,
                         t->rows);
    return GBV_OK;
}

static gbv_status check_columns(part *p, gbv_error *error)
{
    const gbv_read_options *options = p->request[0].options;
    const char *path = p->request[0].path;
    const char *const asked[COLUMN_ROLES] = {NULL, options->source_column, options->item_column};
    if (!options->features_only && !p->table.labels.present)
        return error_set(
            error, GBV_BAD_INPUT,
            "%s: has no labels: give them as FEATURES,LABELS (%s,labels.npy) or name their column or array "
            "with --label-column",
            path, path);
    for (int role = COLUMN_SOURCES; role < COLUMN_ROLES; role++)
        if (asked[role] && !table_column(&p->table, (column_role)role)->present)
            return error_set(error, GBV_BAD_INPUT, "%s: has no column or array \"%s\" that names each row's %s",
                             p->name, asked[role], column_role_word((column_role)role));
    return GBV_OK;
}

/* A row is bad when a feature is not finite or when its label, source or item cannot be used. */
static gbv_status check_row(part *p, size_t row, bool *bad, gbv_error *error)
{
    char why[128];
    size_t column;
    const gbv_matrix *features = &p->table.features;
    *bad = true;
    if (!matrix_row_is_finite(features, row, &column)) {
        double value = gbv_matrix_get(features, row, column);
        return row_reject(&p->request[0], error, "%s: row %zu, column %zu holds %s; %s must be finite",
                          p->request[0].path, row + 1, column + 1,
                          isnan(value) ? "nan"
                          : value > 0  ? "inf"
                                       : "-inf",
                          table_noun(&p->request[0]));
    }
    for (int role = p->request[0].options->features_only ? COLUMN_SOURCES : COLUMN_LABELS; role < COLUMN_ROLES;
         role++) {
        const table_request *request = &p->request[p->column_file[role]];
        const value_column *values = table_column(&p->table, (column_role)role);
        if (values->present && !value_is_usable(values, row, column_role_word((column_role)role), why, sizeof why))
            return row_reject(request, error, "%s: row %zu %s", request->path, row + 1, why);
    }
    *bad = false;
    return GBV_OK;
}

/* Rows that a reader has found bad are not looked at again. */
static gbv_status check_rows(part *p, gbv_error *error)
{
    table *t = &p->table;
    for (size_t row = 0; row < t->rows; row++) {
        bool bad;
        if (t->bad && t->bad[row])
            continue;
        gbv_status status = check_row(p, row, &bad, error);
        if (status != GBV_OK)
            return status;
        if (bad && (status = table_mark_bad(t, row, error)) != GBV_OK)
            return status;
    }
    return GBV_OK;
}

gbv_status part_read(const char *features, const char *labels, const gbv_read_options *options, bool probabilities,
                     rejected_rows *rejected, part *p, gbv_error *error)
{
    p->name = features;
    p->request[0] = (table_request){.path = features,
                                    .options = options,
                                    .columns_optional = labels != NULL,
                                    .probabilities = probabilities,
                                    .rejected = rejected};
    p->request[1] = p->request[0];
    p->request[1].path = labels;
    p->request[1].want_labels_only = true;
    gbv_status status = read_file(p, 0, &p->table, error);
    if (status == GBV_OK && labels)
        status = read_file(p, 1, &p->labels, error);
    if (status == GBV_OK)
        status = check_shape(p, error);
    if (status == GBV_OK && labels)
        status = take_columns(p, error);
    if (status == GBV_OK)
        status = check_columns(p, error);
    return status == GBV_OK ? check_rows(p, error) : status;
}

void part_close(part *p)
{
    table_free(&p->table);
    table_free(&p->labels);
    mapped_file_close(&p->file[0]);
    mapped_file_close(&p->file[1]);
}
