/* gbv compare - several methods and baselines over the same models, one table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "page.h"
#include "run.h"
#include "valuing.h"

typedef struct compare_choices {
    valuing valuing;
    gbv_compare_options options;
    const char *test;
    bool dry_run;
} compare_choices;

/* Intervals cost more than all else here and are of one method only: they must be asked for. */
static void leave_out_intervals(gbv_value_options *options, option table[VALUING_OPTIONS])
{
    options->replicates = gbv_compare_defaults().value.replicates;
    for (option *o = table; o->name; o++)
        if (strcmp(o->name, "intervals") == 0)
            o->help = "resamplings of the reference rows for the first method's intervals (default: off)";
        else if (strcmp(o->name, "seed") == 0)
            o->help = "random numbers of the drawn rows, the mlp and the intervals";
}

static int write_comparison(const command *self, const run_options *run, const gbv_comparison *comparison)
{
    gbv_error error;
    gbv_status status = GBV_OK;
    gbv_terminal terminal = gbv_terminal_of(stdout);
    if (run->output || run->format != GBV_FORMAT_TABLE)
        status = gbv_comparison_write(comparison, run->format, run->output, &error);
    /* As gbv value: -o FILE still shows the table; an explicit --format asks for that and nothing else. */
    bool show = run->output ? !run->quiet && !run->format_name : run->format == GBV_FORMAT_TABLE;
    if (status == GBV_OK && show)
        status = gbv_comparison_table(comparison, stdout, &terminal, &error);
    gbv_page_options page = page_options();
    if (status == GBV_OK && page_path())
        status = gbv_comparison_page(comparison, &page, page_path(), &error);
    return status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
}

enum { METRIC_NAME = 96 };

/* Seconds of the two stages and of each method, and whether models were at hand; then the files. */
static int finish(const command *self, run_options *run, const gbv_comparison *comparison, size_t threads)
{
    size_t count = 4 + comparison->method_count;
    char(*names)[METRIC_NAME] = calloc(comparison->method_count, sizeof *names);
    run->more_metrics = calloc(count, sizeof *run->more_metrics);
    int code = GBV_FAILED;
    if (!names || !run->more_metrics) {
        complain(self, GBV_FAILED, "not enough memory");
        goto done;
    }
    run->more_metrics[0] = (gbv_metric){"valuing_seconds", comparison->value_seconds};
    run->more_metrics[1] = (gbv_metric){"training_seconds", comparison->training_seconds};
    run->more_metrics[2] = (gbv_metric){"models_trained", (double)comparison->result->models_trained};
    run->more_metrics[3] = (gbv_metric){"models_found", (double)comparison->result->models_found};
    for (size_t m = 0; m < comparison->method_count; m++) {
        snprintf(names[m], sizeof names[m], "%s seconds", comparison->methods[m].label);
        for (char *c = names[m]; *c; c++)
            *c = *c == ' ' ? '_' : *c;
        run->more_metrics[4 + m] = (gbv_metric){names[m], comparison->result->measures[m].seconds};
    }
    run->more_count = count;
    valuing_tell(self, comparison->result);
    code = write_comparison(self, run, comparison);
    if (code == GBV_OK)
        code = run_finish(self, run, threads);
done:
    free(run->more_metrics);
    free(names);
    return code;
}

static int show_plan(const command *self, const inputs *in, const gbv_compare_options *options, run_options *show)
{
    gbv_plan *plan = NULL;
    gbv_error error;
    double reading = run_now() - show->started;
    gbv_status status = gbv_compare_plan(in->reference, in->sources, options, &plan, &error);
    int code = run_show_plan(self, show, reading, status, plan, &error);
    gbv_plan_free(plan);
    return code;
}

static int run(const command *self, int count, char **arguments)
{
    inputs in = {0};
    run_options show = {0};
    compare_choices chosen = {.options = gbv_compare_defaults()};
    gbv_value_options *options = &chosen.valuing.options;
    option input_table[INPUT_OPTIONS], valuing_table[VALUING_OPTIONS], output_table[OUTPUT_OPTIONS],
        progress_table[PROGRESS_OPTIONS], model_table[MODEL_OPTIONS];
    inputs_options(&in, true, input_table);
    valuing_options(&chosen.valuing, &in, valuing_table);
    leave_out_intervals(options, valuing_table);
    run_model_options(&options->model, model_table);
    run_output_options(&show, output_table);
    run_progress_options(&show, &options->model.threads, progress_table);
    const option own[] = {
        UNDER(HEADING_VALUATION),
        {"methods", OPTION_TEXT, &chosen.options.methods, "NAME[:FORM],...",
         "methods to compare, the first beside the others (default: every one that applies; see gbv list methods)", 0},
        {"test", OPTION_TEXT, &chosen.test, "DATASET",
         "labelled rows that judge the final model by each method and baseline", 0},
        {"seeds", OPTION_COUNT, &chosen.options.seeds, "R",
         "with --test: final models by each, on rows of the sources drawn anew", 0},
        UNDER(HEADING_RUN),
        {"dry-run", OPTION_FLAG, &chosen.dry_run, NULL, "say what would be run, how long and in how much memory", 0},
        {0},
    };
    gbv_dataset *test = NULL;
    gbv_comparison *comparison = NULL;
    gbv_error error;
    gbv_status status;
    int code = options_parse(
        self, (const option *const[]){input_table, own, valuing_table, model_table, output_table, progress_table, NULL},
        count, arguments, NULL);
    if (code == PARSED)
        code = valuing_check(self, &chosen.valuing, &in);
    if (code == PARSED && chosen.dry_run)
        code = page_refuse(self, "a dry run finds nothing that could stand on a page: leave it out");
    if (code == PARSED)
        code = run_start(self, &show);
    inputs_serve(&in, &options->model);
    if (code == PARSED)
        code = inputs_read(self, &in, true);
    if (code == PARSED)
        code = valuing_read(self, &chosen.valuing, &in);
    if (code == PARSED && chosen.test)
        code = inputs_read_dataset(self, chosen.test, &in.read, &test);
    if (code != PARSED)
        goto done;
    run_watch(&show, &options->model.progress, &options->model.context);
    valuing_watch(&chosen.valuing, &in);
    chosen.options.value = *options;
    chosen.options.test = test;
    if (chosen.dry_run) {
        code = show_plan(self, &in, &chosen.options, &show);
        goto done;
    }
    status = gbv_compare(in.reference, in.sources, &chosen.options, &comparison, &error);
    run_end_progress(&show);
    code = status == GBV_OK ? finish(self, &show, comparison, options->model.threads)
                            : complain(self, (int)status, "%s", error.message);
done:
    gbv_comparison_free(comparison);
    gbv_dataset_free(test);
    valuing_free(&chosen.valuing);
    inputs_free(&in);
    return code;
}

extern const command command_compare;
const command command_compare = {
    .name = "compare",
    .usage = "--reference DATASET --source NAME=DATASET ... [--methods NAME,...] [--test DATASET] [options]",
    .summary = "several methods over the same models, and whether buying by any of them pays",
    .examples =
        "  gbv compare --reference trusted.npz --source anna=anna.npz --source ben=ben.npz --test test.npz\n"
        "  gbv compare --reference trusted.csv --sources vendors/ --methods gbv:leep,gbv:logme,cmmd,uniform\n"
        "  gbv compare --annotations crowd.csv --items photos.npz --gold gold.csv --model mlp -o compare.json\n",
    .run = run,
    .own_page = true,
};
