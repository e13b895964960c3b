/* gbv report - a page of a result, a comparison, an evaluation, a training, a policy or a ledger. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "page.h"

typedef struct report_choices {
    const char *file, *output;
    text_list redact; /* NAME[,NAME...] */
    gbv_page_options page;
} report_choices;

/* The names of --redact, with commas between or given several times. An empty one keeps nobody. */
static int read_names(const command *self, report_choices *chosen, char **texts, const char ***names)
{
    size_t most = 1, count = 0;
    for (size_t i = 0; i < chosen->redact.count; i++) {
        most++;
        for (const char *c = chosen->redact.items[i]; *c; c++)
            most += *c == ',';
    }
    *names = calloc(most, sizeof **names);
    for (size_t i = 0; i < chosen->redact.count && *names; i++) {
        if (!(texts[i] = strdup(chosen->redact.items[i])))
            return complain(self, GBV_FAILED, "not enough memory");
        char *rest = texts[i];
        for (char *name; (name = strsep(&rest, ","));)
            if (*name)
                (*names)[count++] = name;
    }
    chosen->page.redact = chosen->redact.count;
    chosen->page.keep = *names;
    chosen->page.keep_count = count;
    return *names ? PARSED : complain(self, GBV_FAILED, "not enough memory");
}

static gbv_status page_of_ledger(const report_choices *chosen, gbv_error *error)
{
    gbv_ledger *ledger = NULL;
    gbv_history *history = NULL;
    gbv_status status = gbv_ledger_open(chosen->file, GBV_LEDGER_READ, &ledger, error);
    if (status == GBV_OK)
        status = gbv_ledger_history(ledger, &(gbv_history_options){.strategies = "all"}, &history, error);
    if (status == GBV_OK)
        status = gbv_history_page(history, NULL, &chosen->page, chosen->output, error);
    gbv_history_free(history);
    gbv_ledger_close(ledger);
    return status;
}

static gbv_status page_of_value(const report_choices *chosen, gbv_error *error)
{
    gbv_result *result;
    gbv_status status = gbv_result_read(chosen->file, &result, error);
    if (status == GBV_OK)
        status = gbv_result_page(result, &chosen->page, chosen->output, error);
    gbv_result_free(result);
    return status;
}

static gbv_status page_of_comparison(const report_choices *chosen, gbv_error *error)
{
    gbv_comparison *comparison;
    gbv_status status = gbv_comparison_read(chosen->file, &comparison, error);
    if (status == GBV_OK)
        status = gbv_comparison_page(comparison, &chosen->page, chosen->output, error);
    gbv_comparison_free(comparison);
    return status;
}

static gbv_status page_of_evaluation(const report_choices *chosen, gbv_error *error)
{
    gbv_evaluation *evaluation;
    gbv_status status = gbv_evaluation_read(chosen->file, &evaluation, error);
    if (status == GBV_OK)
        status = gbv_evaluation_page(evaluation, &chosen->page, chosen->output, error);
    gbv_evaluation_free(evaluation);
    return status;
}

static gbv_status page_of_training(const report_choices *chosen, gbv_error *error)
{
    gbv_training *training;
    gbv_status status = gbv_training_read(chosen->file, &training, error);
    if (status == GBV_OK)
        status = gbv_training_page(training, &chosen->page, chosen->output, error);
    gbv_training_free(training);
    return status;
}

static gbv_status page_of_policy(const report_choices *chosen, gbv_error *error)
{
    gbv_policy *policy;
    gbv_status status = gbv_policy_read(chosen->file, &policy, error);
    if (status == GBV_OK)
        status = gbv_policy_page(policy, &chosen->page, chosen->output, error);
    gbv_policy_free(policy);
    return status;
}

/* What the page is of must not be lost to the page. */
static bool is_same_file(const char *file, const char *output)
{
    struct stat one, other;
    return output && stat(file, &one) == 0 && stat(output, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static int write_page(const command *self, const report_choices *chosen)
{
    static gbv_status (*const pages[])(const report_choices *, gbv_error *) = {
        [GBV_DOCUMENT_RESULT] = page_of_value,          [GBV_DOCUMENT_COMPARISON] = page_of_comparison,
        [GBV_DOCUMENT_EVALUATION] = page_of_evaluation, [GBV_DOCUMENT_TRAINING] = page_of_training,
        [GBV_DOCUMENT_LEDGER] = page_of_ledger,         [GBV_DOCUMENT_POLICY] = page_of_policy,
    };
    gbv_document document;
    gbv_error error;
    if (is_same_file(chosen->file, chosen->output))
        return complain(self, GBV_USAGE, "%s would be replaced by its own page: name another file with -o",
                        chosen->file);
    gbv_status status = gbv_document_recognise(chosen->file, &document, &error);
    if (status == GBV_OK && chosen->page.redact &&
        (document == GBV_DOCUMENT_EVALUATION || document == GBV_DOCUMENT_TRAINING || document == GBV_DOCUMENT_POLICY))
        return complain(self, GBV_USAGE, "%s: names no source, so that --redact has nothing to hide: leave it out",
                        chosen->file);
    if (status == GBV_OK)
        status = pages[document](chosen, &error);
    return page_done(self, status, &error);
}

static int run(const command *self, int count, char **arguments)
{
    report_choices chosen = {0};
    text_list names = {0};
    const char **kept = NULL;
    char **texts = NULL;
    const option own[] = {
        UNDER(HEADING_OUTPUT),
        {"output", OPTION_TEXT, &chosen.output, "FILE", "the page, one HTML file (default: standard output)", 'o'},
        {"redact", OPTION_LIST, &chosen.redact, "NAME[,NAME...]",
         "a page to hand out: only these sources are named, and nothing is said of other sources in words", 0},
        {0},
    };
    int code = options_parse(self, (const option *const[]){own, NULL}, count, arguments, &names);
    if (code == PARSED)
        code = page_refuse(self, "gbv report writes a page itself: name it with -o FILE");
    if (code == PARSED && names.count != 1)
        code = complain(self, GBV_USAGE,
                        "expected one FILE: a result, a comparison, an evaluation, the lines of gbv train --metrics, a "
                        "policy or a ledger");
    if (code == PARSED && !chosen.output && isatty(STDOUT_FILENO))
        code = complain(self, GBV_USAGE, "a page is nothing for a terminal: name a file with -o report.html");
    if (code == PARSED && !(texts = calloc(chosen.redact.count + 1, sizeof *texts)))
        code = complain(self, GBV_FAILED, "not enough memory");
    if (code == PARSED)
        code = read_names(self, &chosen, texts, &kept);
    if (code == PARSED) {
        chosen.file = names.items[0];
        code = write_page(self, &chosen);
    }
    for (size_t i = 0; texts && i < chosen.redact.count; i++)
        free(texts[i]);
    free(texts);
    free(kept);
    text_list_free(&chosen.redact);
    text_list_free(&names);
    return code;
}

extern const command command_report;
const command command_report = {
    .name = "report",
    .usage = "FILE -o report.html [--redact NAME[,NAME...]]",
    .summary =
        "a page that opens in any browser: of a result, a comparison, an evaluation, a training, a policy or a ledger",
    .examples = "  gbv report result.json -o report.html\n"
                "  gbv report vendors.db -o report.html\n"
                "  gbv report result.json --redact anna -o for-anna.html\n",
    .run = run,
    .computes_nothing = true,
    .own_page = true,
};
