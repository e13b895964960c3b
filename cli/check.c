/* gbv check - read every input and print all problems at once; train nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "page.h"
#include "say.h"

enum { ROWS_SHOWN = 20 };

typedef struct findings {
    size_t problems, warnings;
    size_t bad_rows; /* of the file being read */
    bool skipping;   /* bad rows would be left out */
    gbv_status why;  /* the first failure that is not the input's: wrong usage, memory */
    char **cells;    /* for a page: kind and sentence of each finding, as far as memory goes */
    size_t rows;
} findings;

static void keep(findings *found, const char *kind, const char *sentence)
{
    char **grown = page_path() ? realloc(found->cells, (found->rows + 1) * 2 * sizeof *grown) : NULL;
    if (!grown)
        return;
    found->cells = grown;
    char *texts[] = {strdup(kind), strdup(sentence)};
    if (texts[0] && texts[1])
        memcpy(&grown[2 * found->rows++], texts, sizeof texts);
}

static void tell(findings *found, bool warning, const char *sentence)
{
    keep(found, warning ? "warning" : "problem", sentence);
    say(stdout, warning ? GBV_STYLE_CAUTION : GBV_STYLE_ALARM, warning ? "warning:" : "problem:", "%s", sentence);
    if (warning)
        found->warnings++;
    else
        found->problems++;
}

static void on_bad_row(void *context, const char *sentence)
{
    findings *found = context;
    if (found->bad_rows++ < ROWS_SHOWN)
        tell(found, found->skipping, sentence);
    else
        *(found->skipping ? &found->warnings : &found->problems) += 1;
}

static void on_bad_file(void *context, const char *sentence)
{
    tell(context, false, sentence);
}

static void on_problem(void *context, bool warning, const char *sentence)
{
    tell(context, warning, sentence);
}

static void end_of_input(findings *found, const char *name, gbv_status status, const gbv_error *error)
{
    if (found->bad_rows > ROWS_SHOWN)
        say(stdout, found->skipping ? GBV_STYLE_CAUTION : GBV_STYLE_ALARM,
            found->skipping ? "warning:" : "problem:", "%s: and %zu more such rows", name,
            found->bad_rows - ROWS_SHOWN);
    found->bad_rows = 0;
    if (status != GBV_OK)
        tell(found, false, error->message);
    if (status != GBV_BAD_INPUT && found->why == GBV_OK)
        found->why = status;
}

static void read_all(inputs *in, findings *found)
{
    gbv_error error;
    gbv_read_options read = in->read;
    read.source_column = NULL;
    if (in->reference_path)
        end_of_input(found, in->reference_path, gbv_dataset_read(in->reference_path, &read, &in->reference, &error),
                     &error);
    for (size_t i = 0; i < in->source_arguments.count; i++)
        end_of_input(found, in->source_arguments.items[i], inputs_add_source(in, in->source_arguments.items[i], &error),
                     &error);
    for (size_t i = 0; i < in->probabilities.count; i++)
        end_of_input(found, in->probabilities.items[i],
                     inputs_add_probabilities(in, in->probabilities.items[i], &error), &error);
    if (in->sources_path)
        end_of_input(found, in->sources_path, inputs_add_path(in, &error), &error);
    if (in->annotations_path)
        end_of_input(found, in->items_path, annotation_inputs_read(in, true, &error), &error);
}

static int show_page(const command *self, const findings *found, const char *summary)
{
    static const char *const columns[] = {"Kind", "What was found"};
    return page_of_listing(self, &(gbv_listing){.kind = "Check",
                                                .headline = summary,
                                                .columns = columns,
                                                .column_count = 2,
                                                .cells = found->cells,
                                                .row_count = found->rows});
}

static int run(const command *self, int count, char **arguments)
{
    inputs in = {0};
    findings found = {0};
    gbv_error error;
    option input_table[INPUT_OPTIONS];
    inputs_options(&in, true, input_table);
    const option own[] = {
        UNDER(HEADING_INPUTS),
        {"probabilities", OPTION_LIST, &in.probabilities, "NAME=FILE",
         "a source as its model's probabilities of the reference's rows", 0},
        {"model", OPTION_TEXT, &in.model, "NAME", "what the inputs are for: resnets want other images", 0},
        {0}};
    int code = options_parse(self, (const option *const[]){input_table, own, NULL}, count, arguments, NULL);
    if (code == PARSED)
        code = inputs_check(self, &in, true);
    if (code == PARSED && !(in.sources = gbv_sources_create()))
        code = complain(self, GBV_FAILED, "not enough memory");
    if (code != PARSED)
        goto done;
    /* Bad rows are passed over so that everything behind them is checked too. */
    found.skipping = in.read.skip_bad_rows;
    in.read.skip_bad_rows = true;
    in.read.on_bad_row = on_bad_row;
    in.read.on_bad_file = on_bad_file;
    in.read.context = &found;
    read_all(&in, &found);
    if (in.class_map && gbv_sources_map_classes(in.sources, in.class_map, &error) != GBV_OK)
        tell(&found, false, error.message);
    if (in.reference && gbv_sources_count(in.sources))
        gbv_check(in.reference, in.sources, on_problem, &found);
    for (size_t i = 0; gbv_sources_note(in.sources, i); i++) {
        say(stdout, GBV_STYLE_DIM, "note:", "%s", gbv_sources_note(in.sources, i));
        keep(&found, "note", gbv_sources_note(in.sources, i));
    }
    inputs_tell(&in);
    char summary[160];
    snprintf(summary, sizeof summary, "%zu source%s read: %zu problem%s, %zu warning%s", gbv_sources_count(in.sources),
             gbv_sources_count(in.sources) == 1 ? "" : "s", found.problems, found.problems == 1 ? "" : "s",
             found.warnings, found.warnings == 1 ? "" : "s");
    say(stdout, GBV_STYLE_PLAIN, "", "%s", summary);
    code = found.why ? (int)found.why : found.problems ? GBV_BAD_INPUT : GBV_OK;
    if (fflush(stdout) != 0)
        code = complain(self, GBV_FAILED, "standard output could not be written");
    if (show_page(self, &found, summary) != GBV_OK)
        code = GBV_FAILED;
done:
    for (size_t i = 0; i < 2 * found.rows; i++)
        free(found.cells[i]);
    free(found.cells);
    inputs_free(&in);
    return code;
}

extern const command command_check;
const command command_check = {
    .name = "check",
    .usage = "--reference DATASET --source NAME=DATASET ... [options]",
    .summary = "read all inputs and print every problem at once; train nothing",
    .examples = "  gbv check --reference trusted.npz --source anna=anna.npz --source ben=ben.npz\n"
                "  gbv check --reference trusted.csv --sources vendors/\n"
                "  gbv check --reference trusted.csv --sources crowd.csv --source-column worker --class-map map.csv\n",
    .run = run,
    .own_page = true,
};
