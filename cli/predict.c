/* gbv predict - what a trained model says of each row. */
#include "inputs.h"

static int run(const command *self, int count, char **arguments)
{
    const char *output = NULL, *preprocess = NULL;
    bool all = false;
    gbv_read_options read = {.features_only = true};
    text_list names = {0};
    gbv_model *model = NULL;
    gbv_dataset *dataset = NULL;
    gbv_error error;
    option dataset_table[DATASET_OPTIONS];
    inputs_dataset_options(&read, &preprocess, dataset_table);
    const option own[] = {
        {"output", OPTION_TEXT, &output, "FILE", "write the CSV here instead of stdout", 'o'},
        {"all", OPTION_FLAG, &all, NULL, "also the probability of every class", 0},
        {0},
    };
    int code = options_parse(self, (const option *const[]){own, dataset_table, NULL}, count, arguments, &names);
    if (code == PARSED && names.count != 2)
        code = complain(self, GBV_USAGE, "expected MODEL and DATASET; see gbv predict --help");
    if (code == PARSED)
        code = inputs_prepare_images(self, &read, preprocess, NULL);
    if (code == PARSED)
        code = inputs_read_dataset(self, names.items[1], &read, &dataset);
    if (code == PARSED) {
        gbv_status status = gbv_model_read(names.items[0], &model, &error);
        if (status == GBV_OK)
            status = gbv_predictions_write(model, dataset, all, output, &error);
        code = status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
    }
    gbv_dataset_free(dataset);
    gbv_model_free(model);
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
