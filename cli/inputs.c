#include "inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void inputs_options(inputs *in, bool with_reference, option table[INPUT_OPTIONS])
{
    const option all[] = {
        {"reference", OPTION_TEXT, &in->reference_path, "DATASET", "the trusted set D*: PATH, or FEATURES,LABELS", 0},
        {"source", OPTION_LIST, &in->source_arguments, "NAME=DATASET", "a source and its sample; once per source", 0},
        {"sources", OPTION_TEXT, &in->sources_path, "PATH", "a folder with one file per source, or a table", 0},
        {"source-column", OPTION_TEXT, &in->read.source_column, "NAME", "the table's column that names the source", 0},
        {"label-column", OPTION_TEXT, &in->read.label_column, "NAME",
         "the column or array with labels (default: label, y, ...)", 0},
        {"class-map", OPTION_TEXT, &in->class_map, "FILE", "what the sources' labels mean (made by gbv classes)", 0},
        {"skip-bad-rows", OPTION_FLAG, &in->read.skip_bad_rows, NULL,
         "leave out rows that cannot be used, and count them", 0},
        {"verbose", OPTION_FLAG, &in->verbose, NULL, "say on stderr what was read", 'v'},
        {0},
    };
    memcpy(table, with_reference ? all : all + 1, with_reference ? sizeof all : sizeof all - sizeof *all);
}

/* With --skip-bad-rows: a few sentences are enough to see what is wrong; the count says how much. */
typedef struct skipped_rows {
    size_t count;
} skipped_rows;

static void tell_skipped_row(void *context, const char *sentence)
{
    skipped_rows *skipped = context;
    if (++skipped->count <= 5)
        fprintf(stderr, "gbv: skipped: %s\n", sentence);
}

gbv_status inputs_add_source(inputs *in, const char *argument, gbv_error *error)
{
    const char *equals = strchr(argument, '=');
    if (!equals || equals == argument || !equals[1]) {
        *error = (gbv_error){.status = GBV_USAGE};
        snprintf(error->message, sizeof error->message,
                 "--source is '%s'; expected NAME=DATASET, for example --source anna=anna.npz", argument);
        return GBV_USAGE;
    }
    char *name = strndup(argument, (size_t)(equals - argument));
    if (!name)
        return GBV_FAILED;
    /* A file per source has no source column. */
    gbv_read_options read = in->read;
    read.source_column = NULL;
    gbv_status status = gbv_sources_add_file(in->sources, name, equals + 1, &read, error);
    free(name);
    return status;
}

static gbv_status read_sources(inputs *in, gbv_error *error)
{
    gbv_status status = GBV_OK;
    struct stat info;
    for (size_t i = 0; i < in->source_arguments.count && status == GBV_OK; i++)
        status = inputs_add_source(in, in->source_arguments.items[i], error);
    if (status != GBV_OK || !in->sources_path)
        return status;
    if (in->read.source_column)
        return gbv_sources_add_table(in->sources, in->sources_path, &in->read, error);
    if (stat(in->sources_path, &info) == 0 && !S_ISDIR(info.st_mode)) {
        *error = (gbv_error){.status = GBV_USAGE};
        snprintf(error->message, sizeof error->message,
                 "--sources is the file '%s'; say which column names the source with --source-column",
                 in->sources_path);
        return GBV_USAGE;
    }
    return gbv_sources_add_folder(in->sources, in->sources_path, &in->read, error);
}

static void tell_what_was_read(const inputs *in)
{
    if (in->reference)
        fprintf(stderr, "gbv: reference %s: %zu rows of %zu features, %zu classes\n", in->reference_path,
                gbv_dataset_rows(in->reference), gbv_dataset_columns(in->reference),
                gbv_dataset_class_count(in->reference));
    for (size_t i = 0; i < gbv_sources_count(in->sources); i++)
        fprintf(stderr, "gbv: source %s: %zu rows\n", gbv_sources_name(in->sources, i),
                gbv_sources_rows(in->sources, i));
}

int inputs_read(const command *self, inputs *in, bool with_reference)
{
    gbv_error error = {0};
    skipped_rows skipped = {0};
    in->read.on_bad_row = tell_skipped_row;
    in->read.context = &skipped;
    if (with_reference && !in->reference_path)
        return complain(self, GBV_USAGE, "no reference was given; name the trusted set with --reference DATASET");
    if (!in->source_arguments.count && !in->sources_path)
        return complain(self, GBV_USAGE,
                        "no source was given; name each with --source NAME=DATASET, or a folder with --sources");
    if (in->read.source_column && !in->sources_path)
        return complain(self, GBV_USAGE, "--source-column needs the table: --sources FILE");
    in->sources = gbv_sources_create();
    gbv_status status = in->sources ? GBV_OK : GBV_FAILED;
    if (status == GBV_OK && with_reference) {
        gbv_read_options read = in->read;
        read.source_column = NULL;
        status = gbv_dataset_read(in->reference_path, &read, &in->reference, &error);
    }
    if (status == GBV_OK)
        status = read_sources(in, &error);
    if (status == GBV_OK && in->class_map)
        status = gbv_sources_map_classes(in->sources, in->class_map, &error);
    in->read.on_bad_row = NULL;
    in->read.context = NULL;
    if (status != GBV_OK)
        return complain(self, (int)status, "%s", error.message[0] ? error.message : "not enough memory");
    if (in->verbose)
        tell_what_was_read(in);
    if (skipped.count)
        fprintf(stderr, "gbv: %zu row%s skipped\n", skipped.count, skipped.count > 1 ? "s" : "");
    return PARSED;
}

void inputs_free(inputs *in)
{
    text_list_free(&in->source_arguments);
    gbv_sources_free(in->sources);
    gbv_dataset_free(in->reference);
}
