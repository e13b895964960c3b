/* gbv classes - a class map to edit: what each label of the sources means. */
#include "inputs.h"

static int run(const command *self, int count, char **arguments)
{
    inputs in = {0};
    const char *output = NULL;
    gbv_error error;
    option input_table[INPUT_OPTIONS];
    inputs_options(&in, true, input_table);
    const option own[] = {UNDER(HEADING_OUTPUT),
                          {"output", OPTION_TEXT, &output, "FILE", "write the map here instead of stdout", 'o'},
                          {0}};
    int code = options_parse(self, (const option *const[]){input_table, own, NULL}, count, arguments, NULL);
    if (code == PARSED)
        code = inputs_read(self, &in, true);
    if (code == PARSED) {
        gbv_status status = gbv_classes_write(in.reference, in.sources, output, &error);
        code = status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
    }
    inputs_free(&in);
    return code;
}

extern const command command_classes;
const command command_classes = {
    .name = "classes",
    .usage = "--reference DATASET --source NAME=DATASET ... [-o map.csv]",
    .summary = "write a class map to edit: which class each label of the sources means",
    .examples = "  gbv classes --reference trusted.csv --source ben=ben.csv -o map.csv\n"
                "  gbv classes --reference trusted.npz --sources vendors/ -o map.csv\n"
                "  gbv value --reference trusted.csv --source ben=ben.csv --class-map map.csv\n",
    .run = run,
};
