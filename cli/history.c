/* gbv history - what a ledger knows: the last batch beside the accumulated weights, and how they came about. */
#include "ledgers.h"

static int run(const command *self, int count, char **arguments)
{
    const char *path = NULL;
    gbv_history_options options = {0};
    run_options show = {0};
    option output_table[OUTPUT_OPTIONS];
    run_output_options(&show, output_table);
    const option own[] = {
        {"ledger", OPTION_TEXT, &path, "FILE", "the ledger that gbv update writes", 0},
        {"source", OPTION_TEXT, &options.source, "NAME", "this source only, a line for each batch", 0},
        {"last", OPTION_COUNT, &options.last, "N", "so many batches (default: all; the table looks at 24)", 0},
        {"strategies", OPTION_TEXT, &options.strategies, "NAME,...|all",
         "also what other strategies would make of the same scores (see gbv list strategies)", 0},
        {0},
    };
    gbv_ledger *ledger = NULL;
    gbv_error error;
    int code = options_parse(self, (const option *const[]){own, output_table, NULL}, count, arguments, NULL);
    if (code == PARSED)
        code = ledgers_check(self, path);
    if (code == PARSED)
        code = ledgers_check_strategies(self, options.strategies);
    if (code == PARSED)
        code = run_start(self, &show);
    if (code == PARSED) {
        gbv_history_options shown = options;
        if (!options.last && !options.source)
            shown.last = BATCHES_SHOWN;
        gbv_status status = gbv_ledger_open(path, GBV_LEDGER_READ, &ledger, &error);
        code = status == GBV_OK ? ledgers_show(self, &show, ledger, &shown, &options, NULL)
                                : complain(self, (int)status, "%s", error.message);
        if (code == GBV_OK)
            code = ledgers_page(self, ledger, &options, NULL);
    }
    if (code == GBV_OK)
        code = run_finish(self, &show, 1);
    gbv_ledger_close(ledger);
    return code;
}

extern const command command_history;
const command command_history = {
    .name = "history",
    .usage = "--ledger FILE [--source NAME] [--last N] [--strategies NAME,...|all] [options]",
    .summary = "what a ledger knows: the last batch beside the accumulated weights, and how they came about",
    .examples = "  gbv history --ledger vendors.db\n"
                "  gbv history --ledger vendors.db --source anna --last 12\n"
                "  gbv history --ledger vendors.db --strategies all --format csv -o history.csv\n",
    .run = run,
    .computes_nothing = true,
    .own_page = true,
};
