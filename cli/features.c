/* gbv features - what a network sees in images, as an array that gbv value and NumPy read. */
#include "run.h"
#include "use.h"

typedef struct choices {
    const char *model, *pretrained, *labels_output;
} choices;

/* MODEL DATASET, or --pretrained W DATASET. */
static int check(const command *self, const choices *chosen, const run_options *show, const text_list *names)
{
    if (chosen->model && !chosen->pretrained)
        return complain(self, GBV_USAGE,
                        "--model %s begins with random numbers: name its weights with --pretrained FILE",
                        chosen->model);
    if (names->count != (chosen->pretrained ? 1 : 2))
        return complain(self, GBV_USAGE,
                        "expected MODEL and DATASET, or --pretrained FILE and DATASET; see gbv features "
                        "--help");
    if (!show->output)
        return complain(self, GBV_USAGE, "nothing would be kept; name the array's file with -o FILE");
    return PARSED;
}

static int run(const command *self, int count, char **arguments)
{
    use u = {0};
    choices chosen = {0};
    run_options show = {0};
    text_list names = {0};
    gbv_error error = {0};
    option use_table[USE_OPTIONS], progress_table[PROGRESS_OPTIONS];
    use_options(&u, use_table);
    run_progress_options(&show, &u.threads, progress_table);
    const option own[] = {
        UNDER(HEADING_MODEL),
        {"model", OPTION_TEXT, &chosen.model, "NAME", "what --pretrained must hold (default: whatever it does)", 0},
        {"pretrained", OPTION_TEXT, &chosen.pretrained, "FILE",
         "weights of a ResNet instead of a MODEL: torchvision's, timm's or Hugging Face's (safetensors)", 0},
        UNDER(HEADING_OUTPUT),
        {"output", OPTION_TEXT, &show.output, "FILE", "the array (NPY, float32): a row per image, in their order", 'o'},
        {"labels-output", OPTION_TEXT, &chosen.labels_output, "FILE", "their labels (NPY)", 0},
        {0},
    };
    int code =
        options_parse(self, (const option *const[]){own, use_table, progress_table, NULL}, count, arguments, &names);
    if (code == PARSED)
        code = check(self, &chosen, &show, &names);
    if (code == PARSED)
        code = run_start(self, &show);
    if (code != PARSED)
        goto done;
    u.read.features_only = !chosen.labels_output;
    gbv_status status = chosen.pretrained ? gbv_model_read_pretrained(chosen.pretrained, chosen.model, &u.model, &error)
                                          : gbv_model_read(names.items[0], &u.model, &error);
    if ((code = use_open(self, &u, status, &error, names.items[names.count - 1])) != PARSED)
        goto done;
    gbv_progress_callback *progress;
    void *context;
    run_watch(&show, &progress, &context);
    status = gbv_features_write(u.model, u.dataset, show.output, chosen.labels_output, progress, context, &error);
    run_end_progress(&show);
    code = status == GBV_OK ? run_finish(self, &show, u.threads) : complain(self, (int)status, "%s", error.message);
done:
    use_close(&u);
    text_list_free(&names);
    return code;
}

extern const command command_features;
const command command_features = {
    .name = "features",
    .usage = "MODEL DATASET -o FILE | --pretrained WEIGHTS DATASET -o FILE",
    .summary = "what a network sees in each image, as an array (NPY) to value sources by",
    .examples =
        "  gbv features --pretrained resnet18.safetensors photos/ -o features.npy --labels-output labels.npy\n"
        "  gbv features --model resnet50 --pretrained resnet50.safetensors prepared/ --preprocess none -o f.npy\n"
        "  gbv features model.safetensors images.idx.gz -o features.npy\n",
    .run = run,
};
