/* gbv evaluate - how well a trained model does on labelled rows. */
#include "inputs.h"
#include "run.h"

static int run(const command *self, int count, char **arguments)
{
    run_options show = {0};
    gbv_read_options read = {0};
    const char *preprocess = NULL;
    text_list names = {0};
    gbv_model *model = NULL;
    gbv_dataset *dataset = NULL;
    gbv_evaluation *evaluation = NULL;
    gbv_error error;
    option output_table[OUTPUT_OPTIONS];
    run_output_options(&show, output_table);
    option dataset_table[DATASET_OPTIONS];
    inputs_dataset_options(&read, &preprocess, dataset_table);
    int code =
        options_parse(self, (const option *const[]){dataset_table, output_table, NULL}, count, arguments, &names);
    if (code == PARSED && names.count != 2)
        code = complain(self, GBV_USAGE, "expected MODEL and DATASET; see gbv evaluate --help");
    if (code == PARSED)
        code = run_start(self, &show);
    if (code == PARSED)
        code = inputs_prepare_images(self, &read, preprocess, NULL);
    if (code == PARSED)
        code = inputs_read_dataset(self, names.items[1], &read, &dataset);
    if (code == PARSED) {
        gbv_status status = gbv_model_read(names.items[0], &model, &error);
        if (status == GBV_OK)
            status = gbv_evaluate(model, dataset, &evaluation, &error);
        if (status == GBV_OK)
            status = gbv_evaluation_write(evaluation, show.format, show.output, &error);
        code = status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
    }
    gbv_evaluation_free(evaluation);
    gbv_dataset_free(dataset);
    gbv_model_free(model);
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
};
