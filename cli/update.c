/* gbv update - scores a batch of every source and folds it into the weights of before; the batch may then be deleted.
 */
#include <math.h>

#include "inputs.h"
#include "ledgers.h"
#include "valuing.h"

typedef struct update_choices {
    valuing valuing;
    const char *method, *ledger, *result, *strategies;
    gbv_update_options options;
    double forgetting, alarm_batches; /* NaN: the ledger's */
    text_list leavers;
} update_choices;

/* A result says by itself what it was made of, and how. */
static int check_result(const command *self, const update_choices *chosen, const inputs *in)
{
    const valuing *v = &chosen->valuing;
    if (in->reference_path || in->unlabelled_path || in->no_reference || in->source_arguments.count ||
        in->probabilities.count || in->sources_path || in->annotations_path)
        return complain(self, GBV_USAGE,
                        "--result has its reference and sources already: leave these out, or --result");
    if (chosen->method || v->measure || v->variant || v->tau || v->prior || v->intervals)
        return complain(self, GBV_USAGE,
                        "--result was scored already: leave out --method, --measure, --variant, --tau, --prior and "
                        "--intervals, or --result");
    return PARSED;
}

static int check(const command *self, update_choices *chosen, const inputs *in)
{
    gbv_update_options *options = &chosen->options;
    int code = ledgers_check(self, chosen->ledger);
    if (code != PARSED)
        return code;
    if (!options->batch || !*options->batch)
        return complain(self, GBV_USAGE, "--batch NAME is missing, such as 2026-11: every batch has a name of its own");
    if (!isnan(chosen->forgetting) && !(chosen->forgetting > 0 && chosen->forgetting <= 1))
        return complain(self, GBV_USAGE,
                        "--forgetting is %g; expected a number above 0, at most 1 (1: nothing is forgotten)",
                        chosen->forgetting);
    if (!isnan(chosen->alarm_batches) && !(chosen->alarm_batches > 0))
        return complain(self, GBV_USAGE, "--alarm-batches is %g; expected a number above 0", chosen->alarm_batches);
    options->forgetting = isnan(chosen->forgetting) ? 0 : chosen->forgetting;
    options->alarm_batches = isnan(chosen->alarm_batches) ? 0 : chosen->alarm_batches;
    if (chosen->method)
        chosen->valuing.options.method = chosen->method;
    options->leavers = chosen->leavers.items;
    options->leaver_count = chosen->leavers.count;
    if ((code = ledgers_check_strategies(self, chosen->strategies)) == PARSED &&
        (code = ledgers_time(self, &options->time)) == PARSED)
        code = chosen->result ? check_result(self, chosen, in) : valuing_check(self, &chosen->valuing, in);
    return code;
}

/* Reads and scores the batch, and folds it in. `result` is of this batch alone. */
static int fold(const command *self, update_choices *chosen, inputs *in, run_options *show, gbv_ledger *ledger,
                gbv_result **result)
{
    gbv_value_options *value = &chosen->valuing.options;
    gbv_error error;
    gbv_status status;
    if (chosen->result) {
        status = gbv_result_read(chosen->result, result, &error);
        if (status == GBV_OK)
            status = gbv_ledger_add(ledger, *result, &chosen->options, &error);
    } else {
        int code = inputs_read(self, in, true);
        if (code == PARSED)
            code = valuing_read(self, &chosen->valuing, in);
        if (code != PARSED)
            return code;
        run_watch(show, &value->model.progress, &value->model.context);
        valuing_watch(&chosen->valuing, in);
        status = gbv_ledger_update(ledger, in->reference, in->sources, value, &chosen->options, result, &error);
        run_end_progress(show);
    }
    return status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
}

/* The batch is in; whatever fails from here on, it stays. */
static int finish(const command *self, const update_choices *chosen, run_options *show, gbv_ledger *ledger,
                  const gbv_result *result)
{
    gbv_metric models[] = {{"models_trained", (double)result->models_trained},
                           {"models_found", (double)result->models_found}};
    gbv_history_options shown = {.last = BATCHES_SHOWN, .strategies = chosen->strategies},
                        written = {.last = 2, .strategies = chosen->strategies};
    show->more_metrics = models;
    show->more_count = chosen->result ? 0 : 2;
    valuing_tell(self, result);
    int code = ledgers_show(self, show, ledger, &shown, &written, result);
    if (code == GBV_OK)
        code = ledgers_page(self, ledger, &(gbv_history_options){0}, result);
    if (code == GBV_OK)
        code = run_finish(self, show, chosen->valuing.options.model.threads);
    if (code != GBV_OK)
        complain(self, code, "batch %s is in %s all the same; gbv history shows it", chosen->options.batch,
                 chosen->ledger);
    return code;
}

static int run(const command *self, int count, char **arguments)
{
    inputs in = {0};
    run_options show = {0};
    update_choices chosen = {.forgetting = NAN, .alarm_batches = NAN};
    gbv_value_options *value = &chosen.valuing.options;
    gbv_update_options *options = &chosen.options;
    option input_table[INPUT_OPTIONS], valuing_table[VALUING_OPTIONS], output_table[OUTPUT_OPTIONS],
        progress_table[PROGRESS_OPTIONS], model_table[MODEL_OPTIONS];
    inputs_options(&in, true, input_table);
    valuing_options(&chosen.valuing, &in, valuing_table);
    run_model_options(&value->model, model_table);
    run_output_options(&show, output_table);
    run_progress_options(&show, &value->model.threads, progress_table);
    const option own[] = {
        UNDER("ledger"),
        {"ledger", OPTION_TEXT, &chosen.ledger, "FILE", "the ledger; the first batch makes it", 0},
        {"batch", OPTION_TEXT, &options->batch, "NAME", "of this batch, such as 2026-11; once in a ledger", 0},
        {"result", OPTION_TEXT, &chosen.result, "FILE",
         "fold in a result of gbv value or gbv merge instead of scoring (its weights then have no intervals)", 0},
        {"forgetting", OPTION_NUMBER, &chosen.forgetting, "LAMBDA",
         "in (0, 1]: a batch counts LAMBDA times less with each that follows (default: the ledger's, at first 1)", 0},
        {"leave", OPTION_LIST, &chosen.leavers, "NAME",
         "a source that will not deliver again: its share goes to the others", 0},
        {"allow-change", OPTION_TEXT, &options->allow, "WHAT,...",
         "what may differ from the batch before, which is recorded: reference, measure, model, tau, forgetting, "
         "alarms, seed, intervals",
         0},
        {"alarm-batches", OPTION_NUMBER, &chosen.alarm_batches, "N",
         "alarms of sources that did not change: one in N batches (default: the ledger's, at first 12)", 0},
        {"strategies", OPTION_TEXT, &chosen.strategies, "NAME,...|all",
         "also what other strategies would make of the same scores (see gbv list strategies)", 0},
        UNDER(HEADING_VALUATION),
        {"method", OPTION_TEXT, &chosen.method, "NAME[:FORM]",
         "how sources are valued (default: gbv; see gbv list methods)", 0},
        {"variant", OPTION_TEXT, &chosen.valuing.variant, "NAME",
         "form of the method or measure (default: its first); crowd or paper without a reference", 0},
        {0},
    };
    gbv_ledger *ledger = NULL;
    gbv_result *result = NULL;
    gbv_error error;
    int code = options_parse(
        self, (const option *const[]){own, input_table, valuing_table, model_table, output_table, progress_table, NULL},
        count, arguments, NULL);
    if (code == PARSED)
        code = check(self, &chosen, &in);
    if (code == PARSED)
        code = run_start(self, &show);
    inputs_serve(&in, &value->model);
    if (code == PARSED) {
        gbv_status status = gbv_ledger_open(chosen.ledger, GBV_LEDGER_UPDATE, &ledger, &error);
        code = status == GBV_OK ? fold(self, &chosen, &in, &show, ledger, &result)
                                : complain(self, (int)status, "%s", error.message);
        if (code == GBV_OK)
            code = finish(self, &chosen, &show, ledger, result);
    }
    gbv_ledger_close(ledger);
    gbv_result_free(result);
    text_list_free(&chosen.leavers);
    valuing_free(&chosen.valuing);
    inputs_free(&in);
    return code;
}

extern const command command_update;
const command command_update = {
    .name = "update",
    .usage = "--ledger FILE --batch NAME --reference DATASET --source NAME=DATASET ... [options]",
    .summary = "fold a new batch of every source into a ledger of weights, after which the batch may be deleted",
    .examples =
        "  gbv update --ledger vendors.db --batch 2026-11 --reference trusted.npz --source anna=a.npz --source "
        "ben=b.npz\n"
        "  gbv update --ledger vendors.db --batch 2026-12 --reference trusted.npz --sources december/ --leave ben\n"
        "  gbv update --ledger vendors.db --batch 2027-01 --result result.json --strategies all\n",
    .run = run,
    .own_page = true,
};
