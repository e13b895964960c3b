/* gbv value - rank and weight sources. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail_if.h"
#include "inputs.h"
#include "page.h"
#include "run.h"
#include "say.h"
#include "valuing.h"

typedef struct value_choices {
    valuing valuing;
    const char *method;
    const char *shard; /* I/N */
    text_list fail_if;
    bool paper, dry_run;
} value_choices;

static int choose(const command *self, value_choices *chosen, const inputs *in)
{
    const valuing *v = &chosen->valuing;
    if (chosen->paper && (chosen->method || v->measure || v->tau || v->prior || v->prior_ledger || v->variant))
        return complain(self, GBV_USAGE,
                        "--paper sets method, measure, tau and prior; leave out --method, --measure, "
                        "--variant, --tau, --prior and --prior-ledger");
    if (chosen->method)
        chosen->valuing.options.method = chosen->method;
    return valuing_check(self, &chosen->valuing, in);
}

/* --shard I/N, and what does not go with a part instead of a result. */
static int choose_shard(const command *self, value_choices *chosen, const inputs *in, const run_options *show)
{
    gbv_value_options *options = &chosen->valuing.options;
    int length = 0;
    if (!chosen->shard)
        return PARSED;
    if (strspn(chosen->shard, "0123456789/") != strlen(chosen->shard) || strlen(chosen->shard) > 18 ||
        sscanf(chosen->shard, "%zu/%zu%n", &options->shard, &options->shards, &length) != 2 || chosen->shard[length] ||
        options->shard < 1 || options->shard > options->shards)
        return complain(self, GBV_USAGE, "--shard is '%s'; expected I/N, shard I of N, such as 1/3, 2/3 or 3/3",
                        chosen->shard);
    if (in->no_reference)
        return complain(self, GBV_USAGE,
                        "--no-reference judges the sources by each other, which a shard does not see: "
                        "leave out --shard, or give a reference");
    if (chosen->fail_if.count)
        return complain(self, GBV_USAGE,
                        "--fail-if judges a result, which a shard does not give: use it with gbv merge");
    if (show->format_name && strcmp(show->format_name, "json") != 0)
        return complain(self, GBV_USAGE, "a part is written as JSON, not as %s: give --format to gbv merge",
                        show->format_name);
    return PARSED;
}

static int value_part(const command *self, const inputs *in, const gbv_value_options *options, run_options *show)
{
    gbv_error error;
    gbv_status status = gbv_value_part(in->reference, in->sources, options, show->output, &error);
    run_end_progress(show);
    if (status != GBV_OK)
        return complain(self, (int)status, "%s", error.message);
    if (show->output && !show->quiet)
        say(stdout, GBV_STYLE_PLAIN, "", "shard %zu of %zu is in %s; join all parts with gbv merge", options->shard,
            options->shards, show->output);
    return GBV_OK;
}

static int show_plan(const command *self, const inputs *in, const gbv_value_options *options, run_options *show)
{
    gbv_plan *plan = NULL;
    gbv_error error;
    double reading = run_now() - show->started;
    gbv_status status = gbv_value_plan(in->reference, in->sources, options, &plan, &error);
    int code = run_show_plan(self, show, reading, status, plan, &error);
    gbv_plan_free(plan);
    return code;
}

/* `result` is NULL for a shard. */
static int finish(const command *self, run_options *show, const gbv_result *result, size_t threads)
{
    gbv_metric models[2];
    if (result) {
        models[0] = (gbv_metric){"models_trained", (double)result->models_trained};
        models[1] = (gbv_metric){"models_found", (double)result->models_found};
        show->more_metrics = models;
        show->more_count = 2;
        valuing_tell(self, result);
    }
    return run_finish(self, show, threads);
}

static int run(const command *self, int count, char **arguments)
{
    inputs in = {0};
    run_options show = {0};
    value_choices chosen = {0};
    gbv_value_options *options = &chosen.valuing.options;
    option input_table[INPUT_OPTIONS], valuing_table[VALUING_OPTIONS], output_table[OUTPUT_OPTIONS],
        progress_table[PROGRESS_OPTIONS], model_table[MODEL_OPTIONS];
    inputs_options(&in, true, input_table);
    valuing_options(&chosen.valuing, &in, valuing_table);
    run_model_options(&options->model, model_table);
    run_output_options(&show, output_table);
    run_progress_options(&show, &options->model.threads, progress_table);
    const option own[] = {
        UNDER(HEADING_VALUATION),
        {"method", OPTION_TEXT, &chosen.method, "NAME[:FORM],...",
         "how sources are valued; the first gives the weights (default: gbv; see gbv list methods)", 0},
        {"variant", OPTION_TEXT, &chosen.valuing.variant, "NAME",
         "form of the one method or measure (default: its first); crowd or paper without a reference", 0},
        {"prior-ledger", OPTION_TEXT, &chosen.valuing.prior_ledger, "FILE",
         "the weights of this ledger (gbv update) as prior, and its tau unless --tau says another", 0},
        {"tau-curve", OPTION_FLAG, &options->tau_curve, NULL,
         "also the weights at a range of tau, and how the final model does with them", 0},
        {"paper", OPTION_FLAG, &chosen.paper, NULL, "the paper's choices: gbv by leep, quick tau, uniform prior", 0},
        UNDER(HEADING_RUN),
        {"shard", OPTION_TEXT, &chosen.shard, "I/N",
         "score every N-th source from the I-th on and write a part for gbv merge", 0},
        {"dry-run", OPTION_FLAG, &chosen.dry_run, NULL,
         "check everything, then say what would be run and the time and memory it would take", 0},
        {"fail-if", OPTION_LIST, &chosen.fail_if, "COND[|COND...]",
         "exit with 5 if one holds: flag, flag=KIND, ambiguous, effective_sources<2, ...", 0},
        {0},
    };
    gbv_result *result = NULL;
    gbv_error error;
    int code = options_parse(
        self, (const option *const[]){input_table, own, valuing_table, model_table, output_table, progress_table, NULL},
        count, arguments, NULL);
    if (code == PARSED)
        code = choose(self, &chosen, &in);
    if (code == PARSED)
        code = choose_shard(self, &chosen, &in, &show);
    if (code == PARSED)
        code = fail_if_check(self, &chosen.fail_if);
    if (code == PARSED && (chosen.dry_run || chosen.shard))
        code = page_refuse(self, chosen.shard ? "a part has no weights to show: use it with gbv merge"
                                              : "a dry run finds nothing that could stand on a page: leave it out");
    if (code == PARSED)
        code = run_start(self, &show);
    inputs_serve(&in, &options->model);
    if (code == PARSED)
        code = inputs_read(self, &in, true);
    if (code == PARSED)
        code = valuing_read(self, &chosen.valuing, &in);
    if (code != PARSED)
        goto done;
    run_watch(&show, &options->model.progress, &options->model.context);
    valuing_watch(&chosen.valuing, &in);
    if (chosen.dry_run)
        code = show_plan(self, &in, options, &show);
    else if (chosen.shard)
        code = value_part(self, &in, options, &show);
    else {
        gbv_status status = gbv_value(in.reference, in.sources, options, &result, &error);
        run_end_progress(&show);
        code =
            status == GBV_OK ? run_write_result(self, &show, result) : complain(self, (int)status, "%s", error.message);
    }
    if (code == GBV_OK && !chosen.dry_run)
        code = finish(self, &show, result, options->model.threads);
    if (code == GBV_OK && result)
        code = fail_if_judge(self, &chosen.fail_if, result);
done:
    text_list_free(&chosen.fail_if);
    gbv_result_free(result);
    valuing_free(&chosen.valuing);
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
    .own_page = true,
};
