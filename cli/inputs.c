#include "inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "say.h"

void inputs_dataset_options(gbv_read_options *read, const char **preprocess, option table[DATASET_OPTIONS])
{
    const option all[DATASET_OPTIONS] = {
        UNDER(HEADING_DATASETS),
        {"label-column", OPTION_TEXT, &read->label_column, "NAME",
         "the column or array with labels (default: label, y, ...)", 0},
        {"item-column", OPTION_TEXT, &read->item_column, "NAME",
         "a column or array that names each row's item, no feature", 0},
        {"resize", OPTION_COUNT, &read->resize, "N", "folders of images: to N x N pixels, the middle of what is longer",
         0},
        {"preprocess", OPTION_TEXT, preprocess, "HOW",
         "folders of images: none, imagenet (256/224; default for resnets), or RESIZE/CROP as torchvision has them", 0},
        {"image-cache", OPTION_SIZE, &read->image_cache, "SIZE",
         "decoded images kept in memory, such as 500M or 4G (default: a quarter of the machine's)", 0},
        {"color", OPTION_WORD, &read->color, "auto|gray|rgb",
         "folders of images: gray when all are (default), or as said", 0},
        {"skip-bad-rows", OPTION_FLAG, &read->skip_bad_rows, NULL, "leave out rows that cannot be used, and count them",
         0},
        {0},
    };
    memcpy(table, all, sizeof all);
}

void inputs_options(inputs *in, bool with_reference, option table[INPUT_OPTIONS])
{
    const option all[INPUT_OPTIONS - DATASET_OPTIONS] = {
        UNDER(HEADING_INPUTS),
        {"reference", OPTION_TEXT, &in->reference_path, "DATASET", "the trusted set D*: PATH, or FEATURES,LABELS", 0},
        {"source", OPTION_LIST, &in->source_arguments, "NAME=DATASET", "a source and its sample; once per source", 0},
        {"sources", OPTION_TEXT, &in->sources_path, "PATH", "a folder with a file or folder per source, or a table", 0},
        {"source-column", OPTION_TEXT, &in->read.source_column, "NAME", "the table's column that names the source", 0},
        {"annotations", OPTION_TEXT, &in->annotations_path, "FILE",
         "who gave which label to which item; each annotator is a source", 0},
        {"items", OPTION_TEXT, &in->items_path, "DATASET", "with --annotations: the features of the items", 0},
        {"gold", OPTION_TEXT, &in->gold_path, "FILE",
         "trusted labels of some items, kept out of the sources' rows and used as reference", 0},
        {"join", OPTION_TEXT, &in->annotation.join, "auto|id|file|row", "how tasks are joined to items (default: auto)",
         0},
        {"control", OPTION_TEXT, &in->annotation.control, "NAME",
         "the control (Label Studio) or question (Argilla) to read", 0},
        {"show-emails", OPTION_FLAG, &in->annotation.show_emails, NULL, "name annotators by their e-mail addresses", 0},
        {"allow-overlap", OPTION_FLAG, &in->annotation.allow_overlap, NULL, "keep gold items among the sources' rows",
         0},
        {"class-map", OPTION_TEXT, &in->class_map, "FILE", "what the sources' labels mean (made by gbv classes)", 0},
        UNDER(HEADING_RUN),
        {"verbose", OPTION_FLAG, &in->verbose, NULL, "say on stderr what was read, and each epoch of a training", 'v'},
    };
    size_t own = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (with_reference || all[i].target != &in->reference_path)
            table[own++] = all[i];
    inputs_dataset_options(&in->read, &in->preprocess, table + own);
}

/* RESIZE/CROP */
static bool read_sizes(const char *text, size_t *resize, size_t *crop)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    *resize = strtoul(text, &end, 10);
    if (*end != '/' || end[1] < '0' || end[1] > '9')
        return false;
    *crop = strtoul(end + 1, &end, 10);
    return !*end && *resize && *crop;
}

int inputs_prepare_images(const command *self, gbv_read_options *read, const char *preprocess, const char *model)
{
    if (preprocess && read->resize)
        return complain(self, GBV_USAGE, "--resize N is short for --preprocess N/N: give one of them");
    if (!preprocess && !read->resize && model && strncmp(model, "resnet", 6) == 0)
        preprocess = "imagenet";
    if (!preprocess || strcmp(preprocess, "none") == 0)
        return PARSED;
    if (strcmp(preprocess, "imagenet") == 0)
        preprocess = "256/224";
    if (!read_sizes(preprocess, &read->resize, &read->crop))
        return complain(self, GBV_USAGE,
                        "--preprocess is '%s'; expected none, imagenet, or RESIZE/CROP in pixels such as 256/224",
                        preprocess);
    return PARSED;
}

void inputs_serve(inputs *in, const gbv_model_options *model)
{
    in->model = model->model;
    in->read.threads = model->threads;
}

/* With --skip-bad-rows: a few sentences are enough to see what is wrong; the count says how much. */
enum { SKIPPED_SHOWN = 5 };

static void tell_skipped_row(void *context, const char *sentence)
{
    if (++*(size_t *)context <= SKIPPED_SHOWN)
        say(stderr, GBV_STYLE_CAUTION, "gbv:", "skipped: %s", sentence);
}

static void tell_skipped_count(size_t skipped)
{
    if (skipped)
        say(stderr, GBV_STYLE_CAUTION, "gbv:", "%zu row%s skipped", skipped, skipped > 1 ? "s" : "");
}

int inputs_read_dataset(const command *self, const char *argument, const gbv_read_options *read, gbv_dataset **dataset)
{
    gbv_error error;
    size_t skipped = 0;
    gbv_read_options own = *read;
    own.source_column = NULL; /* only a table of sources has one */
    own.on_bad_row = tell_skipped_row;
    own.context = &skipped;
    gbv_status status = gbv_dataset_read(argument, &own, dataset, &error);
    if (status != GBV_OK)
        return complain(self, (int)status, "%s", error.message);
    tell_skipped_count(skipped);
    return PARSED;
}

typedef gbv_status add_function(gbv_sources *sources, const char *name, const char *argument,
                                const gbv_read_options *options, gbv_error *error);

/* NAME=FILE of --source or --probabilities. */
static gbv_status add_named(inputs *in, const char *argument, const char *option_name, add_function *add,
                            gbv_error *error)
{
    const char *equals = strchr(argument, '=');
    if (!equals || equals == argument || !equals[1]) {
        *error = (gbv_error){.status = GBV_USAGE};
        snprintf(error->message, sizeof error->message, "%s is '%s'; expected NAME=%s, for example %s anna=anna.npz",
                 option_name, argument, add == gbv_sources_add_file ? "DATASET" : "FILE", option_name);
        return GBV_USAGE;
    }
    char *name = strndup(argument, (size_t)(equals - argument));
    if (!name)
        return GBV_FAILED;
    /* A file per source has no source column. */
    gbv_read_options read = in->read;
    read.source_column = NULL;
    gbv_status status = add(in->sources, name, equals + 1, &read, error);
    free(name);
    return status;
}

gbv_status inputs_add_source(inputs *in, const char *argument, gbv_error *error)
{
    if (!strchr(argument, '=') && in->read.source_column) /* a table names its sources itself */
        return gbv_sources_add_table(in->sources, argument, &in->read, error);
    return add_named(in, argument, "--source", gbv_sources_add_file, error);
}

gbv_status inputs_add_probabilities(inputs *in, const char *argument, gbv_error *error)
{
    return add_named(in, argument, "--probabilities", gbv_sources_add_probabilities_file, error);
}

gbv_status inputs_add_path(inputs *in, gbv_error *error)
{
    struct stat info;
    gbv_read_options read = in->read;
    if (!in->sources_path)
        return GBV_OK;
    bool folder = stat(in->sources_path, &info) == 0 && S_ISDIR(info.st_mode);
    if (in->read.source_column && !folder)
        return gbv_sources_add_table(in->sources, in->sources_path, &in->read, error);
    if (in->read.source_column || (!folder && stat(in->sources_path, &info) == 0)) {
        *error = (gbv_error){.status = GBV_USAGE};
        snprintf(error->message, sizeof error->message,
                 folder ? "--sources is the folder '%s', whose files are sources; --source-column goes with one table"
                        : "--sources is the file '%s'; say which column names the source with --source-column",
                 in->sources_path);
        return GBV_USAGE;
    }
    read.source_column = NULL;
    return gbv_sources_add_folder(in->sources, in->sources_path, &read, error);
}

int inputs_check(const command *self, inputs *in, bool with_reference)
{
    if (in->annotations_path) { /* then --item-column speaks of the items alone */
        in->item_column = in->read.item_column;
        in->read.item_column = NULL;
    }
    int code = annotation_inputs_check(self, in, with_reference);
    if (code == PARSED)
        code = inputs_prepare_images(self, &in->read, in->preprocess, in->model);
    if (code != PARSED)
        return code;
    if (with_reference && (in->reference_path || in->gold_path) + (in->unlabelled_path != NULL) + in->no_reference > 1)
        return complain(self, GBV_USAGE,
                        "--reference or --gold, --reference-unlabeled and --no-reference exclude each other");
    if (with_reference && !in->reference_path && !in->gold_path && !in->unlabelled_path && !in->no_reference)
        return complain(self, GBV_USAGE, "no reference was given; name the trusted set with --reference DATASET");
    if (!in->source_arguments.count && !in->probabilities.count && !in->sources_path && !in->annotations_path)
        return complain(self, GBV_USAGE,
                        "no source was given; name each with --source NAME=DATASET, a folder with --sources, or "
                        "annotations with --annotations");
    bool table = in->sources_path;
    for (size_t i = 0; i < in->source_arguments.count; i++)
        table |= !strchr(in->source_arguments.items[i], '=');
    if (in->read.source_column && !table)
        return complain(self, GBV_USAGE, "--source-column needs the table: --sources FILE");
    return PARSED;
}

void inputs_tell(const inputs *in)
{
    if (in->verbose && in->reference)
        say(stderr, GBV_STYLE_DIM, "gbv:", "reference %s: %zu rows of %zu features, %zu classes",
            in->reference_path    ? in->reference_path
            : in->unlabelled_path ? in->unlabelled_path
                                  : in->gold_path,
            gbv_dataset_rows(in->reference), gbv_dataset_columns(in->reference),
            gbv_dataset_class_count(in->reference));
    for (size_t i = 0; in->verbose && i < gbv_sources_count(in->sources); i++) {
        size_t rows = gbv_sources_rows(in->sources, i);
        say(stderr, GBV_STYLE_DIM, "gbv:", rows ? "source %s: %zu rows" : "source %s: no rows of its own",
            gbv_sources_name(in->sources, i), rows);
    }
    for (size_t i = 0; in->verbose && gbv_sources_note(in->sources, i); i++)
        say(stderr, GBV_STYLE_DIM, "gbv:", "%s", gbv_sources_note(in->sources, i));
}

int inputs_read(const command *self, inputs *in, bool with_reference)
{
    gbv_error error = {0};
    size_t skipped = 0;
    int code = inputs_check(self, in, with_reference);
    if (code == PARSED && with_reference && in->reference_path)
        code = inputs_read_dataset(self, in->reference_path, &in->read, &in->reference);
    if (code == PARSED && with_reference && in->unlabelled_path) {
        gbv_read_options read = in->read;
        read.features_only = true;
        code = inputs_read_dataset(self, in->unlabelled_path, &read, &in->reference);
    }
    if (code != PARSED)
        return code;
    in->read.on_bad_row = tell_skipped_row;
    in->read.context = &skipped;
    in->sources = gbv_sources_create();
    gbv_status status = in->sources ? GBV_OK : GBV_FAILED;
    for (size_t i = 0; i < in->source_arguments.count && status == GBV_OK; i++)
        status = inputs_add_source(in, in->source_arguments.items[i], &error);
    for (size_t i = 0; i < in->probabilities.count && status == GBV_OK; i++)
        status = inputs_add_probabilities(in, in->probabilities.items[i], &error);
    if (status == GBV_OK)
        status = inputs_add_path(in, &error);
    if (status == GBV_OK)
        status = annotation_inputs_read(in, with_reference, &error);
    if (status == GBV_OK && in->class_map)
        status = gbv_sources_map_classes(in->sources, in->class_map, &error);
    in->read.on_bad_row = NULL;
    in->read.context = NULL;
    if (status != GBV_OK)
        return complain(self, (int)status, "%s", error.message[0] ? error.message : "not enough memory");
    inputs_tell(in);
    tell_skipped_count(skipped);
    return PARSED;
}

void inputs_free(inputs *in)
{
    text_list_free(&in->source_arguments);
    text_list_free(&in->probabilities);
    gbv_sources_free(in->sources);
    gbv_dataset_free(in->reference);
}
