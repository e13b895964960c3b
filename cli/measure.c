/* gbv measure - one transferability score from arrays on disk. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "run.h"

typedef struct measure_files {
    const char *labels, *probabilities, *features, *source_features, *targets;
} measure_files;

typedef struct measure_data {
    gbv_dataset *probabilities, *features, *source_features, *targets, *labels;
    int32_t *label_values;
} measure_data;

static gbv_status read_matrix(const char *path, gbv_dataset **dataset, gbv_matrix *matrix, gbv_error *error)
{
    gbv_read_options only_features = {.features_only = true, .image_cache = SIZE_MAX};
    if (!path)
        return GBV_OK;
    gbv_status status = gbv_dataset_read(path, &only_features, dataset, error);
    if (status == GBV_OK)
        *matrix = *gbv_dataset_features(*dataset);
    return status;
}

/* Labels come with a matrix of as many rows, as FEATURES,LABELS does. Integer labels are class numbers themselves, so
 * that column z of the probabilities is class z; texts are numbered in their order. */
static gbv_status read_labels(const measure_files *files, measure_data *data, gbv_measure_input *input,
                              gbv_error *error)
{
    const char *beside = files->probabilities ? files->probabilities : files->features;
    size_t length = strlen(beside) + strlen(files->labels) + 2;
    char *argument = malloc(length);
    if (!argument)
        return GBV_FAILED;
    snprintf(argument, length, "%s,%s", beside, files->labels);
    gbv_status status = gbv_dataset_read(argument, NULL, &data->labels, error);
    free(argument);
    if (status != GBV_OK)
        return status;
    size_t rows = gbv_dataset_rows(data->labels);
    if (!(data->label_values = malloc((rows ? rows : 1) * sizeof *data->label_values)))
        return GBV_FAILED;
    bool numbered = true;
    for (size_t c = 0; c < gbv_dataset_class_count(data->labels) && numbered; c++) {
        const char *name = gbv_dataset_class_name(data->labels, c);
        numbered = strlen(name) < 10 && strspn(name, "0123456789") == strlen(name);
    }
    for (size_t i = 0; i < rows; i++) {
        int32_t class_index = gbv_dataset_labels(data->labels)[i];
        data->label_values[i] =
            numbered ? (int32_t)strtol(gbv_dataset_class_name(data->labels, (size_t)class_index), NULL, 10)
                     : class_index;
    }
    input->labels = data->label_values;
    return GBV_OK;
}

static gbv_status read_all(const measure_files *files, measure_data *data, gbv_measure_input *input, gbv_error *error)
{
    gbv_status status = read_matrix(files->probabilities, &data->probabilities, &input->probabilities, error);
    if (status == GBV_OK)
        status = read_matrix(files->features, &data->features, &input->features, error);
    if (status == GBV_OK)
        status = read_matrix(files->source_features, &data->source_features, &input->source_features, error);
    if (status == GBV_OK)
        status = read_matrix(files->targets, &data->targets, &input->targets, error);
    if (status == GBV_OK && files->labels)
        status = read_labels(files, data, input, error);
    input->rows = files->probabilities ? input->probabilities.rows : input->features.rows;
    return status;
}

static void data_free(measure_data *data)
{
    gbv_dataset_free(data->probabilities);
    gbv_dataset_free(data->features);
    gbv_dataset_free(data->source_features);
    gbv_dataset_free(data->targets);
    gbv_dataset_free(data->labels);
    free(data->label_values);
}

/* The library speaks of probabilities and features; people know them as files. */
static void name_files(const measure_files *files, gbv_error *error)
{
    const char *const names[] = {files->probabilities, files->features, files->source_features, files->labels,
                                 files->targets};
    char sentence[sizeof error->message];
    size_t length = 0;
    memcpy(sentence, error->message, sizeof sentence);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && length < sizeof sentence)
            length += (size_t)snprintf(error->message + length, sizeof sentence - length, "%s%s", length ? ", " : "",
                                       names[i]);
    if (length < sizeof sentence)
        snprintf(error->message + length, sizeof sentence - length, ": %s", sentence);
}

/* As few digits as read back to the same number. */
static const char *write_score(double score, char number[32])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number, 32, "%.*g", digits, score);
        if (strtod(number, NULL) == score)
            break;
    }
    return isfinite(score) ? number : score < 0 ? "minus_infinity" : "undefined";
}

static void print_score(const run_options *show, const char *measure, const char *variant, double score)
{
    char number[32];
    const char *text = write_score(score, number), *status = isfinite(score) ? "ok" : text;
    if (show->format == GBV_FORMAT_JSON)
        printf("{\"measure\": \"%s\", \"variant\": \"%s\", \"score\": %s, \"score_status\": \"%s\"}\n", measure,
               variant, isfinite(score) ? text : "null", status);
    else if (show->format == GBV_FORMAT_CSV)
        printf("measure,variant,score,score_status\n%s,%s,%s,%s\n", measure, variant, isfinite(score) ? text : "",
               status);
    else
        printf("%s%s%s %s\n", measure, *variant ? " " : "", variant, text);
}

/* The score, and what the measure is. */
static int show_page(const command *self, const char *measure, const char *variant, double score)
{
    static const char *const columns[] = {"Of the measure", "What it is"};
    const gbv_measure_info *info = gbv_measure_find(measure);
    char headline[200], number[32];
    snprintf(headline, sizeof headline, "The score by %s%s%s is %s.", measure, *variant ? " " : "", variant,
             write_score(score, number));
    char *cells[] = {(char *)"what it measures", (char *)info->summary, (char *)"what it cannot see",
                     (char *)info->blind_to};
    return page_of_listing(self, &(gbv_listing){.kind = "Measure",
                                                .headline = headline,
                                                .columns = columns,
                                                .column_count = 2,
                                                .cells = cells,
                                                .row_count = 2});
}

static int run(const command *self, int count, char **arguments)
{
    run_options show = {0};
    measure_files files = {0};
    measure_data data = {0};
    gbv_measure_input input = {0};
    const char *variant = NULL;
    text_list names = {0};
    gbv_error error = {0};
    double score = NAN;
    char chosen[GBV_VARIANT_LENGTH];
    const option own[] = {
        {"labels", OPTION_TEXT, &files.labels, "FILE", "class of each reference row", 0},
        {"probabilities", OPTION_TEXT, &files.probabilities, "FILE", "rows x classes: what the model says", 0},
        {"features", OPTION_TEXT, &files.features, "FILE", "rows x features: what the model sees", 0},
        {"source-features", OPTION_TEXT, &files.source_features, "FILE", "the same for the source's rows (mmd)", 0},
        {"targets", OPTION_TEXT, &files.targets, "FILE", "real targets instead of labels (logme)", 0},
        {"variant", OPTION_TEXT, &variant, "NAME", "form of the measure (default: its first)", 0},
        {"fast", OPTION_FLAG, &input.fast, NULL, "single precision where the measure offers it (1e-6)", 0},
        {"format", OPTION_TEXT, &show.format_name, "table|json|csv", "format of the result (default: table)", 0},
        {0},
    };
    int code = options_parse(self, (const option *const[]){own, NULL}, count, arguments, &names);
    if (code == PARSED)
        code = run_start(self, &show);
    if (code == PARSED && names.count != 1)
        code = complain(self, GBV_USAGE, "expected the NAME of one measure; gbv list measures shows them");
    if (code == PARSED && gbv_measure_choose(names.items[0], variant, chosen, &error) != GBV_OK)
        code = complain(self, GBV_USAGE, "%s", error.message);
    if (code == PARSED && !files.probabilities && !files.features)
        code = complain(self, GBV_USAGE, "give --probabilities FILE or --features FILE; gbv list measures says which");
    if (code == PARSED) {
        gbv_status status = read_all(&files, &data, &input, &error);
        if (status == GBV_OK &&
            (status = gbv_measure(names.items[0], variant, &input, &score, NULL, &error)) != GBV_OK &&
            status != GBV_USAGE)
            name_files(&files, &error);
        if (status == GBV_OK)
            print_score(&show, names.items[0], chosen, score);
        code = status != GBV_OK
                   ? complain(self, (int)status, "%s", *error.message ? error.message : "not enough memory")
               : fflush(stdout) == 0 ? show_page(self, names.items[0], chosen, score)
                                     : complain(self, GBV_FAILED, "standard output could not be written");
    }
    data_free(&data);
    text_list_free(&names);
    return code;
}

extern const command command_measure;
const command command_measure = {
    .name = "measure",
    .usage = "NAME --labels FILE [--probabilities FILE] [--features FILE] [--source-features FILE]",
    .summary = "one transferability score from arrays",
    .examples = "  gbv measure leep --labels y.npy --probabilities p.npy\n"
                "  gbv measure logme --labels y.npy --features f.npy --variant code --format json\n"
                "  gbv measure mmd --features reference.npy --source-features source.npy\n",
    .run = run,
    .own_page = true,
};
