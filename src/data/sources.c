/* sources.c - the collection of sources: from files, folders, one table or memory, each label text kept once.
 * What fails half-way is taken back, so that a failed call leaves the collection as it was. */
#include "data/sources.h"

#include <gbv/annotation.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/sentence.h"
#include "base/text.h"
#include "data/format/format.h"
#include "data/label_classes.h"

gbv_sources *gbv_sources_create(void)
{
    return memory_zeroed(1, sizeof(gbv_sources));
}

sources_mark sources_take_mark(const gbv_sources *sources)
{
    return (sources_mark){.sources = sources->count,
                          .datasets = sources->dataset_count,
                          .labels = sources->label_count,
                          .from_table = sources->from_table};
}

void sources_go_back(gbv_sources *sources, sources_mark to)
{
    while (sources->count > to.sources) {
        source *last = &sources->items[--sources->count];
        free(last->rows);
        free(last->labels);
    }
    while (sources->dataset_count > to.datasets)
        gbv_dataset_free(sources->datasets[--sources->dataset_count]);
    sources->label_count = to.labels;
    text_table_truncate(&sources->label_index, to.labels);
    text_table_truncate(&sources->names, to.sources);
    sources->from_table = to.from_table;
}

void gbv_sources_free(gbv_sources *sources)
{
    if (!sources)
        return;
    sources_go_back(sources, (sources_mark){0});
    free(sources->items);
    free(sources->datasets);
    free(sources->labels);
    free(sources->class_map);
    text_table_free(&sources->names);
    text_table_free(&sources->label_index);
    text_table_free(&sources->notes);
    free(sources->annotations.join);
    free(sources->annotations.control);
    free(sources->annotations.gold_path);
    free(sources);
}

size_t gbv_sources_count(const gbv_sources *sources)
{
    return sources->count;
}

const char *gbv_sources_name(const gbv_sources *sources, size_t index)
{
    return index < sources->count ? sources->items[index].name : NULL;
}

size_t gbv_sources_rows(const gbv_sources *sources, size_t index)
{
    return index < sources->count ? sources->items[index].row_count : 0;
}

const char *gbv_sources_note(const gbv_sources *sources, size_t index)
{
    return index < sources->notes.count ? sources->notes.texts[index] : NULL;
}

const gbv_dataset *gbv_sources_dataset(const gbv_sources *sources, size_t index)
{
    return index < sources->count ? sources->items[index].dataset : NULL;
}

const size_t *gbv_sources_row_index(const gbv_sources *sources, size_t index)
{
    return index < sources->count ? sources->items[index].rows : NULL;
}

size_t sources_label(gbv_sources *sources, const char *text, label_kind kind, bool mapped)
{
    size_t length = strlen(text), index = TEXT_NONE;
    char *key = malloc(length + 3);
    if (!key ||
        !memory_grow(&sources->labels, &sources->label_capacity, sources->label_count + 1, sizeof *sources->labels))
        goto done;
    key[0] = (char)('0' + kind);
    key[1] = mapped ? 'm' : ' ';
    memcpy(key + 2, text, length + 1);
    index = text_table_add(&sources->label_index, key, length + 2);
    if (index == sources->label_count && index < INT32_MAX)
        sources->labels[sources->label_count++] =
            (struct label_text){.text = sources->label_index.texts[index] + 2, .kind = kind, .mapped = mapped};
done:
    free(key);
    return index < sources->label_count ? index : TEXT_NONE;
}

static gbv_status check_name(const gbv_sources *sources, const char *name, const char *file, gbv_error *error)
{
    if (!name || !*name)
        return error_set(error, GBV_BAD_INPUT, "%s: the source has an empty name: give it one", file);
    if (!text_is_utf8(name, strlen(name)))
        return error_set(error, GBV_BAD_INPUT, "%s: the name of a source is not valid UTF-8: rename it", file);
    sentence quoted = {0};
    sentence_quote(&quoted, name);
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        if (*c < 0x20 || *c == 0x7F)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: the source name %s holds a control character (byte %zu): rename it", file,
                             quoted.text, (size_t)(c - (const unsigned char *)name) + 1);
    size_t other = text_table_find(&sources->names, name, strlen(name));
    if (other != TEXT_NONE)
        return error_set(error, GBV_BAD_INPUT,
                         "two sources are named %s, one from %s and one from %s: give each its own name", quoted.text,
                         sources->items[other].dataset->name, file);
    return GBV_OK;
}

/* Appends an empty source that reads the dataset; NULL when memory is out. */
static source *append(gbv_sources *sources, const char *name, const gbv_dataset *dataset, size_t row_count,
                      bool needs_rows)
{
    if (!memory_grow(&sources->items, &sources->capacity, sources->count + 1, sizeof *sources->items))
        return NULL;
    size_t index = text_table_add(&sources->names, name, strlen(name));
    if (index == TEXT_NONE)
        return NULL;
    source *added = &sources->items[sources->count++];
    *added = (source){.name = sources->names.texts[index], .dataset = dataset};
    added->labels = memory_array(row_count, sizeof *added->labels);
    if (needs_rows)
        added->rows = memory_array(row_count, sizeof *added->rows);
    return added->labels && (added->rows || !needs_rows) ? added : NULL;
}

/* Takes ownership of the dataset, also when it fails. */
static gbv_status keep_dataset(gbv_sources *sources, gbv_dataset *dataset, gbv_error *error)
{
    if (!memory_grow(&sources->datasets, &sources->dataset_capacity, sources->dataset_count + 1,
                     sizeof *sources->datasets)) {
        gbv_dataset_free(dataset);
        return error_out_of_memory(error, "the list of sources");
    }
    sources->datasets[sources->dataset_count++] = dataset;
    return GBV_OK;
}

/* The collection's label for each class of the dataset; the caller frees the list. */
static gbv_status intern_classes(gbv_sources *sources, const gbv_dataset *dataset, int32_t **label_of, gbv_error *error)
{
    if (!(*label_of = memory_array(dataset->class_count, sizeof **label_of)))
        return error_out_of_memory(error, "class names");
    for (size_t i = 0; i < dataset->class_count; i++) {
        size_t label = sources_label(sources, dataset->class_names[i], dataset->kind, false);
        if (label == TEXT_NONE)
            return error_out_of_memory(error, "class names");
        (*label_of)[i] = (int32_t)label;
    }
    return GBV_OK;
}

/* The caller has marked the collection and goes back when this fails. */
static gbv_status add_whole(gbv_sources *sources, const char *name, gbv_dataset *dataset, gbv_error *error)
{
    gbv_status status = keep_dataset(sources, dataset, error);
    if (status != GBV_OK || (status = check_name(sources, name, dataset->name, error)) != GBV_OK)
        return status;
    int32_t *label_of = NULL;
    size_t rows = dataset->row_count;
    source *added = append(sources, name, dataset, rows, dataset->row_index != NULL);
    if (!added)
        return error_out_of_memory(error, "a source");
    if ((status = intern_classes(sources, dataset, &label_of, error)) != GBV_OK)
        goto done;
    if (dataset->row_index)
        memcpy(added->rows, dataset->row_index, rows * sizeof *added->rows);
    for (size_t i = 0; i < rows; i++)
        added->labels[i] = dataset->labels ? label_of[dataset->labels[i]] : -1;
    added->row_count = rows;
    sources->from_table = false;
done:
    free(label_of);
    return status;
}

gbv_status gbv_sources_add_dataset(gbv_sources *sources, const char *name, gbv_dataset *dataset, gbv_error *error)
{
    sources_mark before = sources_take_mark(sources);
    gbv_status status = add_whole(sources, name, dataset, error);
    if (status != GBV_OK)
        sources_go_back(sources, before);
    return status;
}

gbv_status gbv_sources_add_file(gbv_sources *sources, const char *name, const char *argument,
                                const gbv_read_options *options, gbv_error *error)
{
    gbv_dataset *dataset;
    gbv_status status = check_name(sources, name, argument, error); /* before a long file is read for nothing */
    if (status == GBV_OK && (status = gbv_dataset_read(argument, options, &dataset, error)) == GBV_OK)
        status = gbv_sources_add_dataset(sources, name, dataset, error);
    return status;
}

/* The caller has marked the collection and goes back when this fails. */
static gbv_status add_columns(gbv_sources *sources, const char *name, gbv_dataset *dataset,
                              const char *const *class_names, gbv_error *error)
{
    gbv_status status = keep_dataset(sources, dataset, error);
    if (status != GBV_OK || (status = check_name(sources, name, dataset->name, error)) != GBV_OK)
        return status;
    size_t columns = dataset->features.columns;
    text_table seen = {0};
    source *added = append(sources, name, dataset, columns, false);
    if (!added)
        return error_out_of_memory(error, "a source");
    added->probabilities = true;
    for (size_t z = 0; z < columns && status == GBV_OK; z++) {
        added->labels[z] = -1;
        if (!class_names)
            continue;
        size_t label = sources_label(sources, class_names[z], LABELS_NONE, false);
        size_t index = text_table_add(&seen, class_names[z], strlen(class_names[z]));
        if (label == TEXT_NONE || index == TEXT_NONE)
            status = error_out_of_memory(error, "class names");
        else if (index != z)
            status = error_set(error, GBV_BAD_INPUT,
                               "%s: columns %zu and %zu are both named \"%s\": give every class one column",
                               dataset->name, index + 1, z + 1, class_names[z]);
        else
            added->labels[z] = (int32_t)label;
    }
    text_table_free(&seen);
    return status;
}

static gbv_status add_probabilities(gbv_sources *sources, const char *name, gbv_dataset *dataset,
                                    const char *const *class_names, gbv_error *error)
{
    sources_mark before = sources_take_mark(sources);
    gbv_status status = add_columns(sources, name, dataset, class_names, error);
    if (status != GBV_OK)
        sources_go_back(sources, before);
    return status;
}

gbv_status gbv_sources_add_probabilities(gbv_sources *sources, const char *name, gbv_matrix probabilities,
                                         const char *const *class_names, gbv_error *error)
{
    gbv_dataset *dataset;
    gbv_status status = check_name(sources, name, "the probabilities", error);
    for (size_t z = 0; status == GBV_OK && class_names && z < probabilities.columns; z++)
        if (!class_names[z] || !text_is_utf8(class_names[z], strlen(class_names[z])))
            status = error_set(error, GBV_BAD_INPUT, "%s: the name of column %zu is not valid UTF-8: rename it", name,
                               z + 1);
    if (status == GBV_OK &&
        (status = gbv_dataset_create(name, probabilities, NULL, NULL, 0, &dataset, error)) == GBV_OK)
        status = add_probabilities(sources, name, dataset, class_names, error);
    return status;
}

gbv_status gbv_sources_add_probabilities_file(gbv_sources *sources, const char *name, const char *path,
                                              const gbv_read_options *options, gbv_error *error)
{
    gbv_dataset *dataset;
    gbv_status status = check_name(sources, name, path, error);
    if (status == GBV_OK && (status = dataset_read_probabilities(path, options, &dataset, error)) == GBV_OK)
        status = add_probabilities(sources, name, dataset, (const char *const *)dataset->column_names, error);
    return status;
}

/* The file's name without the extension of a format. */
static void cut_extension(char *name)
{
    static const char *const known[] = {".npz", ".npy", ".csv", ".tsv"};
    char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && dot != name && i < sizeof known / sizeof *known; i++)
        if (strcasecmp(dot, known[i]) == 0) {
            *dot = '\0';
            return;
        }
}

/* A folder inside the folder is a source, too: of images, or of parts. */
static gbv_status add_entry(gbv_sources *sources, const char *folder, const char *entry,
                            const gbv_read_options *options, gbv_error *error)
{
    char *path = folder_path(folder, entry), *name = strdup(entry);
    gbv_status status = GBV_OK;
    if (!name || !path)
        status = error_out_of_memory(error, "a file name");
    if (status == GBV_OK && !folder_exists(path))
        cut_extension(name);
    if (status == GBV_OK)
        status = gbv_sources_add_file(sources, name, path, options, error);
    free(path);
    free(name);
    return status;
}

gbv_status gbv_sources_add_folder(gbv_sources *sources, const char *folder, const gbv_read_options *options,
                                  gbv_error *error)
{
    folder_entries entries;
    if (!folder_read(folder, &entries))
        return error_set(error, GBV_BAD_INPUT,
                         "%s: cannot be read as a folder (%s): name a folder with one file or folder per source",
                         folder, strerror(errno));
    sources_mark before = sources_take_mark(sources);
    gbv_status status = GBV_OK;
    if (entries.count == 0)
        status =
            error_set(error, GBV_BAD_INPUT, "%s: the folder holds no file: put one file per source into it", folder);
    for (size_t i = 0; i < entries.count && status == GBV_OK; i++) {
        gbv_error own;
        status = add_entry(sources, folder, entries.names[i], options, &own);
        if (status != GBV_OK && options && options->on_bad_file) {
            options->on_bad_file(options->context, own.message);
            status = GBV_OK;
        } else if (status != GBV_OK && error)
            *error = own;
    }
    if (status != GBV_OK)
        sources_go_back(sources, before);
    folder_free(&entries);
    return status;
}

/* One source per value of the source column, its rows in the file's order. */
static gbv_status deal_rows(gbv_sources *sources, const gbv_dataset *dataset, gbv_error *error)
{
    gbv_status status = GBV_OK;
    size_t first = sources->count;
    int32_t *label_of = NULL;
    size_t *counts = memory_zeroed(dataset->source_count, sizeof *counts);
    if (!counts)
        return error_out_of_memory(error, "the sources of a table");
    if ((status = intern_classes(sources, dataset, &label_of, error)) != GBV_OK)
        goto done;
    for (size_t i = 0; i < dataset->row_count; i++)
        counts[dataset->row_source[i]]++;
    for (size_t i = 0; i < dataset->source_count; i++) {
        if ((status = check_name(sources, dataset->source_names[i], dataset->name, error)) != GBV_OK)
            goto done;
        if (!append(sources, dataset->source_names[i], dataset, counts[i], true)) {
            status = error_out_of_memory(error, "the sources of a table");
            goto done;
        }
    }
    for (size_t i = 0; i < dataset->row_count; i++) {
        source *owner = &sources->items[first + (size_t)dataset->row_source[i]];
        owner->rows[owner->row_count] = dataset->row_index ? dataset->row_index[i] : i;
        owner->labels[owner->row_count++] = dataset->labels ? label_of[dataset->labels[i]] : -1;
    }
done:
    free(counts);
    free(label_of);
    return status;
}

gbv_status sources_deal(gbv_sources *sources, gbv_dataset *dataset, gbv_error *error)
{
    sources_mark before = sources_take_mark(sources);
    gbv_status status = keep_dataset(sources, dataset, error);
    if (status != GBV_OK)
        return status;
    status = deal_rows(sources, dataset, error);
    if (status == GBV_OK)
        sources->from_table = before.sources == 0 || sources->from_table;
    else
        sources_go_back(sources, before);
    return status;
}

gbv_status gbv_sources_add_table(gbv_sources *sources, const char *argument, const gbv_read_options *options,
                                 gbv_error *error)
{
    if (!options || !options->source_column)
        return error_set(error, GBV_USAGE,
                         "%s: a table of several sources needs the column that names each row's source: "
                         "say which with --source-column",
                         argument);
    gbv_dataset *dataset;
    gbv_status status = gbv_dataset_read(argument, options, &dataset, error);
    if (status != GBV_OK)
        return status;
    if (dataset->row_source && dataset->source_count > 0)
        return sources_deal(sources, dataset, error);
    gbv_dataset_free(dataset);
    return error_set(error, GBV_BAD_INPUT, "%s: no row names its source in '%s': check --source-column", argument,
                     options->source_column);
}

gbv_status gbv_sources_add_grouped(gbv_sources *sources, gbv_dataset *dataset, const int32_t *row_source,
                                   const char *const *names, size_t name_count, gbv_error *error)
{
    gbv_status status = GBV_OK;
    if (dataset->row_source)
        status = error_set(error, GBV_USAGE, "%s: was read with a source column and cannot be dealt out again",
                           dataset->name);
    for (size_t i = 0; i < dataset->features.rows && status == GBV_OK; i++)
        if (row_source[i] < 0 || (size_t)row_source[i] >= name_count)
            status = error_set(error, GBV_USAGE, "%s: row %zu has the source number %d; there are names for 0 to %zu",
                               dataset->name, i + 1, (int)row_source[i], name_count ? name_count - 1 : 0);
    /* Borrowed as a reader's column would be: neither is written to. */
    value_column column = {.present = true,
                           .codes = (int32_t *)(uintptr_t)row_source,
                           .texts = (char **)(uintptr_t)names,
                           .text_count = name_count};
    if (status == GBV_OK)
        status = dataset_set_sources(dataset, &column, error);
    if (status == GBV_OK)
        return sources_deal(sources, dataset, error);
    gbv_dataset_free(dataset);
    return status;
}
