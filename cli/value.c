/* gbv value - rank and weight sources. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail_if.h"
#include "inputs.h"
#include "run.h"

typedef struct value_choices {
    const char *measure, *variant, *tau, *prior, *undefined;
    text_list fail_if;
    bool paper;
} value_choices;

static int choose(const command *self, const value_choices *chosen, gbv_value_options *options)
{
    if (chosen->paper && (chosen->measure || chosen->tau || chosen->prior || chosen->variant))
        return complain(self, GBV_USAGE,
                        "--paper sets measure, tau and prior; leave out --measure, --variant, --tau and --prior");
    if (chosen->measure)
        options->measure = chosen->measure;
    options->variant = chosen->variant;
    if (chosen->tau && strcmp(chosen->tau, "code") == 0)
        options->tau_mode = GBV_TAU_CODE;
    else if (chosen->tau && strcmp(chosen->tau, "quick") != 0) {
        char *end;
        options->tau_mode = GBV_TAU_FIXED;
        options->tau = strtod(chosen->tau, &end);
        if (*end || end == chosen->tau || !(options->tau > 0) || !isfinite(options->tau))
            return complain(self, GBV_USAGE, "--tau is '%s'; expected quick, code or a number above zero", chosen->tau);
    }
    if (chosen->prior && strcmp(chosen->prior, "rows") == 0)
        options->prior_mode = GBV_PRIOR_ROWS;
    else if (chosen->prior && strcmp(chosen->prior, "uniform") != 0)
        options->prior_mode = GBV_PRIOR_GIVEN;
    if (chosen->undefined && strcmp(chosen->undefined, "zero") == 0)
        options->undefined_as_zero = true;
    else if (chosen->undefined && strcmp(chosen->undefined, "error") != 0)
        return complain(self, GBV_USAGE, "--undefined is '%s'; expected error or zero", chosen->undefined);
    return PARSED;
}

static int read_prior(const command *self, const char *path, const gbv_sources *sources, double **prior)
{
    gbv_error error;
    if (!(*prior = calloc(gbv_sources_count(sources), sizeof **prior)))
        return complain(self, GBV_FAILED, "not enough memory");
    gbv_status status = gbv_sources_read_numbers(sources, path, *prior, &error);
    return status == GBV_OK ? PARSED : complain(self, (int)status, "%s", error.message);
}

static int write_result(const command *self, const run_options *run, const gbv_result *result)
{
    gbv_error error;
    gbv_status status = GBV_OK;
    bool color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    if (run->output || run->format != GBV_FORMAT_TABLE)
        status = gbv_result_write(result, run->format, run->output, &error);
    /* -o result.json still shows the ranking; an explicit --format asks for that and nothing else. */
    bool show = run->output ? !run->quiet && !run->format_name : run->format == GBV_FORMAT_TABLE;
    if (status == GBV_OK && show)
        status = gbv_report_table(result, stdout, color, &error);
    return status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
}

static int run(const command *self, int count, char **arguments)
{
    inputs in = {0};
    run_options show = {0};
    value_choices chosen = {0};
    gbv_value_options options = gbv_value_defaults();
    option input_table[INPUT_OPTIONS], output_table[OUTPUT_OPTIONS], progress_table[PROGRESS_OPTIONS],
        model_table[MODEL_OPTIONS];
    inputs_options(&in, true, input_table);
    run_model_options(&options.model, model_table);
    run_output_options(&show, output_table);
    run_progress_options(&show, &options.model.threads, progress_table);
    const option own[] = {
        {"probabilities", OPTION_LIST, &in.probabilities, "NAME=FILE",
         "a source as its model's probabilities of the reference's rows; once per source", 0},
        {"measure", OPTION_TEXT, &chosen.measure, "NAME[,NAME...]|all",
         "what to score by; the first gives the weights (default: leep; see gbv list measures)", 0},
        {"variant", OPTION_TEXT, &chosen.variant, "NAME", "form of the one measure (default: its first)", 0},
        {"tau", OPTION_TEXT, &chosen.tau, "quick|code|VALUE", "temperature (default: quick, 1/log2 of the sources)", 0},
        {"tau-curve", OPTION_FLAG, &options.tau_curve, NULL, "also the weights at a range of tau", 0},
        {"prior", OPTION_TEXT, &chosen.prior, "uniform|rows|FILE",
         "prior weights (default: uniform; FILE: CSV source,prior)", 0},
        {"paper", OPTION_FLAG, &chosen.paper, NULL, "the paper's choices: leep, quick tau, uniform prior", 0},
        {"undefined", OPTION_TEXT, &chosen.undefined, "error|zero",
         "a source without a score stops the run (default) or gets no weight", 0},
        {"fast", OPTION_FLAG, &options.fast, NULL, "single precision where a measure offers it (1e-6)", 0},
        {"fail-if", OPTION_LIST, &chosen.fail_if, "COND[|COND...]",
         "exit with 5 if one holds: flag, flag=KIND, ambiguous, effective_sources<2, ...", 0},
        {"seed", OPTION_SEED, &options.model.seed, "N", "random numbers of the mlp", 0},
        {0},
    };
    gbv_result *result = NULL;
    double *prior = NULL;
    gbv_error error;
    gbv_status status;
    int code =
        options_parse(self, (const option *const[]){input_table, own, model_table, output_table, progress_table, NULL},
                      count, arguments, NULL);
    if (code == PARSED)
        code = choose(self, &chosen, &options);
    if (code == PARSED)
        code = fail_if_check(self, &chosen.fail_if);
    if (code == PARSED)
        code = run_start(self, &show);
    if (code == PARSED)
        code = inputs_read(self, &in, true);
    if (code == PARSED && options.prior_mode == GBV_PRIOR_GIVEN)
        code = read_prior(self, chosen.prior, in.sources, &prior);
    if (code != PARSED)
        goto done;
    options.prior = prior;
    run_watch(&show, &options.model.progress, &options.model.context);
    status = gbv_value(in.reference, in.sources, &options, &result, &error);
    run_end_progress(&show);
    code = status == GBV_OK ? write_result(self, &show, result) : complain(self, (int)status, "%s", error.message);
    if (code == GBV_OK)
        code = run_finish(self, &show, options.model.threads);
    if (code == GBV_OK)
        code = fail_if_judge(self, &chosen.fail_if, result);
done:
    text_list_free(&chosen.fail_if);
    gbv_result_free(result);
    free(prior);
    inputs_free(&in);
    return code;
}

extern const command command_value;
const command command_value = {
    .name = "value",
    .usage = "--reference DATASET --source NAME=DATASET ... [options]",
    .summary = "rank and weight sources by how well a model of each serves the reference",
    .examples =
        "  gbv value --reference trusted.npz --source anna=anna.npz --source ben=ben.npz\n"
        "  gbv value --reference trusted.csv --sources vendors/ --measure leep,logme --model mlp -o result.json\n"
        "  gbv value --annotations label-studio.json --items photos.npz --gold label-studio.json --tau 0.1\n",
    .run = run,
};
