/* gbv weights - a weight for every row, for other people's trainers. */
#include "options.h"

#include <gbv/gbv.h>

static int run(const command *self, int count, char **arguments)
{
    const char *output = NULL;
    text_list names = {0};
    gbv_result *result = NULL;
    gbv_error error;
    const option own[] = {
        UNDER(HEADING_OUTPUT),
        {"output", OPTION_TEXT, &output, "FILE", "weights.csv or weights.npy instead of CSV on stdout", 'o'},
        {0}};
    int code = options_parse(self, (const option *const[]){own, NULL}, count, arguments, &names);
    if (code == PARSED && names.count != 1)
        code = complain(self, GBV_USAGE, "expected one RESULT of gbv value; see gbv weights --help");
    if (code == PARSED) {
        gbv_status status = gbv_result_read(names.items[0], &result, &error);
        if (status == GBV_OK)
            status = gbv_weights_write(result, output, &error);
        code = status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
    }
    gbv_result_free(result);
    text_list_free(&names);
    return code;
}

extern const command command_weights;
const command command_weights = {
    .name = "weights",
    .usage = "RESULT [-o weights.csv|weights.npy]",
    .summary = "a weight for each row of the sources, in input order, for other trainers",
    .examples = "  gbv weights result.json -o weights.csv\n"
                "  gbv weights result.json -o weights.npy\n"
                "  gbv weights result.json | head\n",
    .run = run,
    .computes_nothing = true,
};
