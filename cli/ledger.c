/* gbv ledger - a ledger is sound; what it holds, for other programs; its last batch taken back. */
#include <stdio.h>
#include <string.h>

#include "ledgers.h"
#include "say.h"

typedef struct ledger_choices {
    const char *path, *head, *output, *format;
} ledger_choices;

static int fail(const command *self, gbv_status status, const gbv_error *error)
{
    return status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error->message);
}

static int verify(const command *self, gbv_ledger *ledger, const ledger_choices *chosen)
{
    gbv_ledger_summary summary;
    gbv_error error;
    gbv_status status = gbv_ledger_verify(ledger, chosen->head, &summary, &error);
    if (status != GBV_OK)
        return fail(self, status, &error);
    say(stdout, GBV_STYLE_PLAIN, "", "%s: sound; %zu batch%s of %zu source%s, %zu record%s%s%s", chosen->path,
        summary.batches, summary.batches == 1 ? "" : "es", summary.sources, summary.sources == 1 ? "" : "s",
        summary.records, summary.records == 1 ? "" : "s", *summary.last ? "; the last batch is " : "", summary.last);
    printf("head %s\n", summary.head);
    return GBV_OK;
}

/* All of it as JSON, or the last weights as gbv train reads them. */
static int export(const command *self, gbv_ledger *ledger, const ledger_choices *chosen)
{
    gbv_history *history = NULL;
    gbv_error error;
    bool weights = chosen->format && strcmp(chosen->format, "csv") == 0;
    gbv_history_options last = {.last = 1};
    gbv_status status = gbv_ledger_history(ledger, weights ? &last : NULL, &history, &error);
    if (status == GBV_OK)
        status = weights ? gbv_history_weights_write(history, chosen->output, &error)
                         : gbv_history_write(history, GBV_FORMAT_JSON, chosen->output, &error);
    gbv_history_free(history);
    return fail(self, status, &error);
}

static int undo(const command *self, gbv_ledger *ledger, const ledger_choices *chosen)
{
    int64_t time = 0;
    char *batch = NULL;
    gbv_error error;
    int code = ledgers_time(self, &time);
    if (code != PARSED)
        return code;
    gbv_status status = gbv_ledger_undo(ledger, time, &batch, &error);
    if (status == GBV_OK)
        say(stdout, GBV_STYLE_PLAIN, "", "%s: batch %s was taken back; that it was stays on record", chosen->path,
            batch);
    gbv_text_free(batch);
    return fail(self, status, &error);
}

static int act(const command *self, const char *what, const ledger_choices *chosen)
{
    gbv_ledger *ledger = NULL;
    gbv_error error;
    bool writes = strcmp(what, "undo") == 0;
    gbv_status status = gbv_ledger_open(chosen->path, writes ? GBV_LEDGER_UPDATE : GBV_LEDGER_READ, &ledger, &error);
    if (status != GBV_OK)
        return fail(self, status, &error);
    int code = (strcmp(what, "verify") == 0   ? verify
                : strcmp(what, "export") == 0 ? export
                                              : undo)(self, ledger, chosen);
    gbv_ledger_close(ledger);
    if (code == GBV_OK && fflush(stdout) != 0)
        code = complain(self, GBV_FAILED, "standard output could not be written");
    return code;
}

static int run(const command *self, int count, char **arguments)
{
    ledger_choices chosen = {0};
    text_list names = {0};
    const option own[] = {
        {"ledger", OPTION_TEXT, &chosen.path, "FILE", "the ledger that gbv update writes", 0},
        {"head", OPTION_TEXT, &chosen.head, "HASH",
         "verify: a hash that verify printed before, which must still be in the chain", 0},
        {"format", OPTION_TEXT, &chosen.format, "json|csv",
         "export: everything (json, default), or source,weight for gbv train --source-weights (csv)", 0},
        {"output", OPTION_TEXT, &chosen.output, "FILE", "export: a file instead of standard output", 'o'},
        {0},
    };
    int code = options_parse(self, (const option *const[]){own, NULL}, count, arguments, &names);
    const char *what = names.count == 1 ? names.items[0] : "";
    bool exports = strcmp(what, "export") == 0, verifies = strcmp(what, "verify") == 0;
    if (code == PARSED && !exports && !verifies && strcmp(what, "undo") != 0)
        code = complain(self, GBV_USAGE, "expected one of verify, export and undo; see gbv ledger --help");
    if (code == PARSED)
        code = ledgers_check(self, chosen.path);
    if (code == PARSED && !exports && (chosen.format || chosen.output))
        code = complain(self, GBV_USAGE, "--%s goes with export", chosen.format ? "format" : "output");
    if (code == PARSED && !verifies && chosen.head)
        code = complain(self, GBV_USAGE, "--head goes with verify");
    if (code == PARSED && chosen.format && strcmp(chosen.format, "json") != 0 && strcmp(chosen.format, "csv") != 0)
        code = complain(self, GBV_USAGE, "--format is '%s'; expected json or csv", chosen.format);
    if (code == PARSED)
        code = act(self, what, &chosen);
    text_list_free(&names);
    return code;
}

extern const command command_ledger;
const command command_ledger = {
    .name = "ledger",
    .usage = "verify|export|undo --ledger FILE [--head HASH] [--format json|csv] [-o FILE]",
    .summary = "whether a ledger is as it was written, what it holds, and its last batch taken back",
    .examples = "  gbv ledger verify --ledger vendors.db\n"
                "  gbv ledger export --ledger vendors.db --format csv -o weights.csv\n"
                "  gbv ledger undo --ledger vendors.db\n",
    .run = run,
    .computes_nothing = true,
};
