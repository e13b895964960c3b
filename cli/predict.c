/* gbv predict - what a trained model says of each row. */
#include "use.h"

static int run(const command *self, int count, char **arguments)
{
    const char *output = NULL;
    bool all = false;
    use u = {.read = {.features_only = true}};
    text_list names = {0};
    gbv_error error = {0};
    option use_table[USE_OPTIONS];
    use_options(&u, use_table);
    const option own[] = {
        UNDER(HEADING_OUTPUT),
        {"output", OPTION_TEXT, &output, "FILE", "write the CSV here instead of stdout", 'o'},
        {"all", OPTION_FLAG, &all, NULL, "also the probability of every class", 0},
        UNDER(HEADING_RUN),
        {"threads", OPTION_COUNT, &u.threads, "N", "that a network may use (default: every core)", 0},
        {0},
    };
    int code = options_parse(self, (const option *const[]){own, use_table, NULL}, count, arguments, &names);
    if (code == PARSED && names.count != 2)
        code = complain(self, GBV_USAGE, "expected MODEL and DATASET; see gbv predict --help");
    if (code == PARSED)
        code = use_open(self, &u, gbv_model_read(names.items[0], &u.model, &error), &error, names.items[1]);
    if (code == PARSED) {
        gbv_status status = gbv_predictions_write(u.model, u.dataset, all, output, &error);
        code = status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
    }
    use_close(&u);
    text_list_free(&names);
    return code;
}

extern const command command_predict;
const command command_predict = {
    .name = "predict",
    .usage = "MODEL DATASET [-o predictions.csv]",
    .summary = "the class a trained model gives each row, with its probability",
    .examples = "  gbv predict model.safetensors new.npy -o predictions.csv\n"
                "  gbv predict model.safetensors new.csv --all\n"
                "  gbv predict model.safetensors images.idx.gz\n",
    .run = run,
};
