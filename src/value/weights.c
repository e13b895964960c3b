/* weights.c - P(s)/n_s for each row of the sources' files, in the order of the files. The files are read again, because
 * only they say which row belongs to whom; their hashes must be those of the valuation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <gbv/value.h>

#include "base/csv_text.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "data/annotation/annotation.h"
#include "data/array_writer.h"
#include "data/sources.h"

/* The rows of one dataset after the other; of annotated items the annotations of one source after the other. */
typedef struct row_weights {
    const char **names; /* the source of each row, NULL for a row that was not used */
    size_t *rows;       /* its number in its dataset, from 0 */
    double *weights;
    size_t count;
} row_weights;

static gbv_status changed(const char *path, gbv_error *error)
{
    return error_set(error, GBV_BAD_INPUT,
                     "%s: has changed since it was valued: run gbv value again, or restore the file", path);
}

static gbv_status check_unchanged(const gbv_result *r, size_t input, const gbv_dataset *dataset, gbv_error *error)
{
    for (size_t i = 0; i < dataset->input_count; i++)
        if (input + i >= r->input_count || strcmp(r->inputs[input + i].path, dataset->inputs[i].path) != 0 ||
            strcmp(r->inputs[input + i].sha256, dataset->inputs[i].sha256) != 0)
            return changed(dataset->inputs[i].path, error);
    return GBV_OK;
}

static const char *option_value(const gbv_result *r, const char *name)
{
    for (size_t i = 0; i < r->option_count; i++)
        if (strcmp(r->options[i].name, name) == 0)
            return r->options[i].value;
    return NULL;
}

/* The file that labels the items, unchanged; *annotations stays NULL when the result has none of this role. */
static gbv_status read_labels(const gbv_result *r, const char *role, const gbv_annotation_options *options,
                              gbv_annotations **annotations, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t i = 0; i < r->input_count && status == GBV_OK && !*annotations; i++)
        if (r->inputs[i].role && strcmp(r->inputs[i].role, role) == 0) {
            status = gbv_annotations_read(r->inputs[i].path, options, annotations, error);
            if (status == GBV_OK && strcmp((*annotations)->sha256, r->inputs[i].sha256) != 0)
                status = changed(r->inputs[i].path, error);
        }
    return status;
}

static gbv_status read_annotated(const gbv_result *r, size_t input, const char *argument, const gbv_read_options *read,
                                 gbv_sources *sources, gbv_error *error)
{
    gbv_dataset *items = NULL;
    gbv_annotations *annotations = NULL, *gold = NULL;
    gbv_annotation_options options = {.control = option_value(r, "control"),
                                      .join = option_value(r, "join"),
                                      .show_emails = option_value(r, "show_emails") != NULL,
                                      .allow_overlap = option_value(r, "allow_overlap") != NULL};
    gbv_read_options own = *read;
    own.features_only = own.wants_items = true;
    gbv_status status = gbv_dataset_read(argument, &own, &items, error);
    if (status == GBV_OK)
        status = check_unchanged(r, input, items, error);
    if (status == GBV_OK)
        status = read_labels(r, "annotations", &options, &annotations, error);
    if (status == GBV_OK && !annotations)
        status = error_set(error, GBV_BAD_INPUT, "the result names no annotations of its items: run gbv value again");
    if (status == GBV_OK)
        status = read_labels(r, "gold", &options, &gold, error);
    if (status == GBV_OK)
        status = gbv_sources_add_annotations(sources, annotations, items, gold, &options, error);
    gbv_dataset_free(items);
    gbv_annotations_free(annotations);
    gbv_annotations_free(gold);
    return status;
}

static gbv_status read_sources(const gbv_result *r, gbv_sources *sources, gbv_error *error)
{
    gbv_status status = GBV_OK;
    const char *class_map = option_value(r, "class_map"), *class_map_sha256 = option_value(r, "class_map_sha256");
    for (size_t s = 0; s < r->source_count && status == GBV_OK; s++) {
        size_t input = r->sources[s].input;
        const gbv_input_record *record = &r->inputs[input];
        if (s > 0 && r->sources[s - 1].input == input)
            continue; /* another source of the same table */
        if (r->sources[s].rows == 0)
            return error_set(error, GBV_USAGE,
                             "source '%s' was given as probabilities and has no rows to weigh: value the other "
                             "sources without it",
                             r->sources[s].name);
        if (!record->sha256[0])
            return error_set(error, GBV_USAGE, "source '%s' was valued from memory: its rows are not in a file",
                             r->sources[s].name);
        gbv_read_options read = {.label_column = record->label_column,
                                 .source_column = record->source_column,
                                 .item_column = record->item_column,
                                 .wants_items = record->wants_items,
                                 .resize = record->resize,
                                 .crop = record->crop,
                                 .color = record->color,
                                 .skip_bad_rows = record->skip_bad_rows};
        const char *argument = record->dataset ? record->dataset : record->path;
        bool annotated = record->role && strcmp(record->role, "items") == 0;
        if (annotated)
            status = read_annotated(r, input, argument, &read, sources, error);
        else
            status = record->source_column ? gbv_sources_add_table(sources, argument, &read, error)
                                           : gbv_sources_add_file(sources, r->sources[s].name, argument, &read, error);
        if (status == GBV_OK && !annotated)
            status = check_unchanged(r, input, sources->datasets[sources->dataset_count - 1], error);
        struct stat info;
        if (status == GBV_BAD_INPUT && stat(record->path, &info) != 0)
            status = error_prefix(error, status, "paths in a result are relative to where gbv value ran: ");
    }
    if (status == GBV_OK && class_map)
        status = gbv_sources_map_classes(sources, class_map, error);
    if (status == GBV_OK && class_map &&
        (!class_map_sha256 || strcmp(class_map_sha256, sources->class_map_sha256) != 0))
        status = changed(class_map, error);
    if (status == GBV_OK && sources->count != r->source_count)
        status = error_set(error, GBV_BAD_INPUT, "the files hold %zu sources, the result %zu: run gbv value again",
                           sources->count, r->source_count);
    return status;
}

/* A line for each row of a dataset's file, or for each annotation of it that is used. */
static size_t line_count(const gbv_sources *sources, const gbv_dataset *dataset)
{
    size_t count = 0;
    for (size_t s = 0; dataset->base && s < sources->count; s++)
        count += sources->items[s].dataset == dataset ? sources->items[s].row_count : 0;
    return dataset->base ? count : dataset->features.rows;
}

static gbv_status spread(const gbv_result *r, const gbv_sources *sources, row_weights *out, gbv_error *error)
{
    for (size_t d = 0; d < sources->dataset_count; d++)
        out->count += line_count(sources, sources->datasets[d]);
    out->names = memory_zeroed(out->count, sizeof *out->names);
    out->rows = memory_zeroed(out->count, sizeof *out->rows);
    out->weights = memory_zeroed(out->count, sizeof *out->weights);
    if (!out->names || !out->rows || !out->weights)
        return error_out_of_memory(error, "the weights");
    size_t first = 0, s = 0;
    for (size_t d = 0; d < sources->dataset_count; d++) {
        size_t used = first;
        bool annotated = sources->datasets[d]->base;
        for (size_t i = 0; !annotated && i < sources->datasets[d]->features.rows; i++)
            out->rows[first + i] = i;
        for (; s < sources->count && sources->items[s].dataset == sources->datasets[d]; s++) {
            const source *item = &sources->items[s];
            if (item->row_count != r->sources[s].rows || strcmp(item->name, r->sources[s].name) != 0)
                return error_set(error, GBV_BAD_INPUT,
                                 "source '%s' has %zu rows, %zu when it was valued: run gbv value again", item->name,
                                 item->row_count, r->sources[s].rows);
            for (size_t i = 0; i < item->row_count; i++) {
                size_t row = item->rows ? item->rows[i] : i, line = annotated ? used++ : first + row;
                out->rows[line] = row;
                out->names[line] = item->name;
                out->weights[line] = r->sources[s].row_weight;
            }
        }
        first += line_count(sources, sources->datasets[d]);
    }
    return GBV_OK;
}

static gbv_status write_csv(const row_weights *w, const char *path, gbv_error *error)
{
    output_file output;
    char number[NUMBER_TEXT];
    gbv_status status = output_open(path, &output, error);
    if (status != GBV_OK)
        return status;
    fputs("source,row,weight\n", output.stream);
    for (size_t i = 0; i < w->count; i++) {
        if (w->names[i])
            csv_text_write(output.stream, w->names[i]);
        fprintf(output.stream, ",%zu,%s\n", w->rows[i], number_format(w->weights[i], number));
    }
    return output_commit(&output, error);
}

gbv_status gbv_weights_write(const gbv_result *result, const char *path, gbv_error *error)
{
    row_weights weights = {0};
    gbv_sources *sources = gbv_sources_create();
    gbv_status status = sources ? read_sources(result, sources, error) : error_out_of_memory(error, "the sources");
    if (status == GBV_OK)
        status = spread(result, sources, &weights, error);
    if (status == GBV_OK) {
        size_t length = path ? strlen(path) : 0;
        bool npy = length > 4 && strcmp(path + length - 4, ".npy") == 0;
        status = npy ? npy_write_file(path, array_f64(weights.weights, weights.count), error)
                     : write_csv(&weights, path, error);
    }
    free(weights.names);
    free(weights.rows);
    free(weights.weights);
    gbv_sources_free(sources);
    return status;
}
