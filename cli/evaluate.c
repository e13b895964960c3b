/* gbv evaluate - how well a trained model does on labelled rows. */
#include "page.h"
#include "run.h"
#include "use.h"

static int run(const command *self, int count, char **arguments)
{
    run_options show = {0};
    use u = {0};
    text_list names = {0};
    gbv_evaluation *evaluation = NULL;
    gbv_error error = {0};
    option output_table[OUTPUT_OPTIONS], use_table[USE_OPTIONS];
    run_output_options(&show, output_table);
    use_options(&u, use_table);
    const option own[] = {
        UNDER(HEADING_RUN),
        {"threads", OPTION_COUNT, &u.threads, "N", "that a network may use (default: every core)", 0},
        {0},
    };
    int code =
        options_parse(self, (const option *const[]){use_table, own, output_table, NULL}, count, arguments, &names);
    if (code == PARSED && names.count != 2)
        code = complain(self, GBV_USAGE, "expected MODEL and DATASET; see gbv evaluate --help");
    if (code == PARSED)
        code = run_start(self, &show);
    if (code == PARSED)
        code = use_open(self, &u, gbv_model_read(names.items[0], &u.model, &error), &error, names.items[1]);
    if (code == PARSED) {
        gbv_status status = gbv_evaluate(u.model, u.dataset, &evaluation, &error);
        bool shown = !show.output && show.format == GBV_FORMAT_TABLE;
        gbv_terminal terminal = gbv_terminal_of(stdout);
        if (status == GBV_OK && shown)
            status = gbv_evaluation_table(evaluation, stdout, &terminal, &error);
        else if (status == GBV_OK)
            status = gbv_evaluation_write(evaluation, show.format, show.output, &error);
        gbv_page_options page = page_options();
        if (status == GBV_OK && page_path())
            status = gbv_evaluation_page(evaluation, &page, page_path(), &error);
        code = status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
    }
    gbv_evaluation_free(evaluation);
    use_close(&u);
    text_list_free(&names);
    return code;
}

extern const command command_evaluate;
const command command_evaluate = {
    .name = "evaluate",
    .usage = "MODEL DATASET [--format table|json|csv] [-o FILE]",
    .summary = "accuracy of a trained model, per class, and what it confuses",
    .examples = "  gbv evaluate model.safetensors test.npz\n"
                "  gbv evaluate model.safetensors images.idx.gz,labels.idx.gz --format json\n"
                "  gbv evaluate model.safetensors test.csv --label-column truth -o confusion.csv\n",
    .run = run,
    .own_page = true,
};
