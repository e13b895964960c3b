#include "ledgers.h"

#include <stdlib.h>
#include <string.h>

#include "page.h"

int ledgers_check(const command *self, const char *path)
{
    return path && *path ? PARSED
                         : complain(self, GBV_USAGE, "--ledger FILE is missing; see gbv %s --help", self->name);
}

int ledgers_check_strategies(const command *self, const char *names)
{
    const char *name, *summary;
    if (!names || strcmp(names, "all") == 0)
        return PARSED;
    for (const char *wanted = names;; wanted++) {
        size_t length = strcspn(wanted, ","), i = 0;
        while (gbv_list("strategies", i, &name, &summary) &&
               !(strlen(name) == length && strncmp(name, wanted, length) == 0))
            i++;
        if (!gbv_list("strategies", i, &name, &summary))
            return complain(self, GBV_USAGE,
                            "--strategies: there is no '%.*s'; expected all, or names of gbv list strategies",
                            (int)length, wanted);
        wanted += length;
        if (!*wanted)
            return PARSED;
    }
}

int ledgers_time(const command *self, int64_t *time)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    if (!epoch || !*epoch)
        return PARSED;
    if (strspn(epoch, "0123456789") == strlen(epoch) && strlen(epoch) <= 12)
        *time = strtoll(epoch, NULL, 10);
    if (*time <= 0)
        return complain(
            self, GBV_USAGE,
            "SOURCE_DATE_EPOCH is '%s'; expected the seconds since 1970 that the record is to bear, or nothing", epoch);
    return PARSED;
}

int ledgers_show(const command *self, const run_options *run, gbv_ledger *ledger, const gbv_history_options *shown,
                 const gbv_history_options *written, const gbv_result *last)
{
    gbv_history *history = NULL;
    gbv_error error;
    gbv_status status = GBV_OK;
    gbv_terminal terminal = gbv_terminal_of(stdout);
    if (run->output || run->format != GBV_FORMAT_TABLE) {
        status = gbv_ledger_history(ledger, written, &history, &error);
        if (status == GBV_OK)
            status = gbv_history_write(history, run->format, run->output, &error);
        gbv_history_free(history);
        history = NULL;
    }
    /* As gbv value: -o FILE still shows the table; an explicit --format asks for that and nothing else. */
    bool show = run->output ? !run->quiet && !run->format_name : run->format == GBV_FORMAT_TABLE;
    if (status == GBV_OK && show) {
        status = gbv_ledger_history(ledger, shown, &history, &error);
        if (status == GBV_OK)
            status = gbv_history_table(history, stdout, &terminal, &error);
        gbv_history_free(history);
    }
    if (status == GBV_OK && last && !run->quiet) { /* the only place where they are told: the samples may be deleted */
        FILE *stream = show ? stdout : stderr;
        terminal = gbv_terminal_of(stream);
        gbv_report_warnings(last, stream, &terminal);
    }
    return status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
}

int ledgers_page(const command *self, gbv_ledger *ledger, const gbv_history_options *options, const gbv_result *last)
{
    gbv_history *history = NULL;
    gbv_history_options all = *options;
    gbv_page_options page = page_options();
    gbv_error error;
    if (!page_path())
        return GBV_OK;
    all.strategies = "all";
    gbv_status status = gbv_ledger_history(ledger, &all, &history, &error);
    if (status == GBV_OK)
        status = gbv_history_page(history, last, &page, page_path(), &error);
    gbv_history_free(history);
    return page_done(self, status, &error);
}
