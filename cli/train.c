/* gbv train - the final model, with the weighted loss of the paper's Eq. 1. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "page.h"
#include "run.h"
#include "say.h"

typedef struct train_choices {
    const char *result, *ledger, *source_weights, *test;
    bool equal_sources, pooled;
} train_choices;

/* What the weights were measured on must not be learned from only because --gold was forgotten. */
static int check_gold(const command *self, const char *path, const gbv_result *result, const inputs *in)
{
    for (size_t i = 0; i < result->option_count; i++)
        if (strcmp(result->options[i].name, "allow_overlap") == 0 && strcmp(result->options[i].value, "true") == 0)
            return PARSED;
    for (size_t i = 0; in->annotations_path && !in->gold_path && i < result->input_count; i++)
        if (result->inputs[i].role && strcmp(result->inputs[i].role, "gold") == 0)
            return complain(self, GBV_USAGE,
                            "%s: its sources were valued without the items of the gold file %s: keep them out of "
                            "training too with --gold FILE (or train on them with --gold FILE --allow-overlap)",
                            path, result->inputs[i].path);
    return PARSED;
}

/* Weights that a file has for sources by their names. */
typedef struct named_weights {
    const char *path;
    const char **names;
    double *weights;
    size_t count;
} named_weights;

static bool named_weights_create(named_weights *of, const char *path, size_t count)
{
    *of = (named_weights){path, calloc(count + 1, sizeof *of->names), calloc(count + 1, sizeof *of->weights), count};
    return of->names && of->weights;
}

static void named_weights_free(named_weights *of)
{
    free(of->names);
    free(of->weights);
}

/* That of each source given. Those that are not trained on are mentioned: their weight is lost. */
static int take_weights(const command *self, const named_weights *of, const gbv_sources *sources, double *weights)
{
    double used = 0;
    for (size_t i = 0; i < gbv_sources_count(sources); i++) {
        const char *name = gbv_sources_name(sources, i);
        size_t found = 0;
        while (found < of->count && strcmp(of->names[found], name) != 0)
            found++;
        if (found == of->count || isnan(of->weights[found]))
            return complain(self, GBV_BAD_INPUT, "%s: has no weight for source '%s'; value it first, or leave it out",
                            of->path, name);
        used += weights[i] = of->weights[found];
    }
    if (used < 1 - 1e-9)
        say(stderr, GBV_STYLE_CAUTION,
            "gbv train:", "sources with %.4f of the weight of %s are not given; the others share it", 1 - used,
            of->path);
    return PARSED;
}

static int weights_from_result(const command *self, const char *path, const char *model, const inputs *in,
                               double *weights)
{
    gbv_result *result;
    named_weights of = {0};
    gbv_error error;
    gbv_status status = gbv_result_read(path, &result, &error);
    if (status != GBV_OK)
        return complain(self, (int)status, "%s", error.message);
    int code = check_gold(self, path, result, in);
    if (code == PARSED && result->model && *result->model && strcmp(result->model, model) != 0)
        say(stderr, GBV_STYLE_CAUTION,
            "gbv train:", "%s weighs the sources by %s models; this trains a %s (--model %s would be the same)", path,
            result->model, model, result->model);
    if (code == PARSED && !named_weights_create(&of, path, result->source_count))
        code = complain(self, GBV_FAILED, "not enough memory");
    for (size_t i = 0; i < result->source_count && code == PARSED; i++) {
        of.names[i] = result->sources[i].name;
        of.weights[i] = result->sources[i].posterior;
    }
    if (code == PARSED)
        code = take_weights(self, &of, in->sources, weights);
    named_weights_free(&of);
    gbv_result_free(result);
    return code;
}

/* What all batches together gave each source. */
static int weights_from_ledger(const command *self, const char *path, const inputs *in, double *weights)
{
    gbv_ledger *ledger = NULL;
    gbv_history *last = NULL;
    named_weights of = {0};
    gbv_error error;
    int code = PARSED;
    gbv_status status = gbv_ledger_open(path, GBV_LEDGER_READ, &ledger, &error);
    if (status == GBV_OK)
        status = gbv_ledger_history(ledger, &(gbv_history_options){.last = 1}, &last, &error);
    if (status != GBV_OK)
        code = complain(self, (int)status, "%s", error.message);
    else if (!named_weights_create(&of, path, last->batch_count ? last->source_count : 0))
        code = complain(self, GBV_FAILED, "not enough memory");
    for (size_t i = 0; i < of.count && code == PARSED; i++) {
        of.names[i] = last->names[i];
        of.weights[i] = last->points[i].posterior; /* of its one batch */
    }
    if (code == PARSED)
        code = take_weights(self, &of, in->sources, weights);
    named_weights_free(&of);
    gbv_history_free(last);
    gbv_ledger_close(ledger);
    return code;
}

static int find_weights(const command *self, const train_choices *chosen, const char *model, const inputs *in,
                        double *weights)
{
    const gbv_sources *sources = in->sources;
    gbv_error error;
    gbv_status status = GBV_OK;
    if (chosen->result)
        return weights_from_result(self, chosen->result, model, in, weights);
    if (chosen->ledger)
        return weights_from_ledger(self, chosen->ledger, in, weights);
    if (chosen->source_weights)
        status = gbv_sources_read_numbers(sources, chosen->source_weights, weights, &error);
    else
        for (size_t i = 0; i < gbv_sources_count(sources); i++)
            weights[i] = 1;
    return status == GBV_OK ? PARSED : complain(self, (int)status, "%s", error.message);
}

static int print_accuracy(const command *self, const gbv_model *model, const gbv_dataset *test,
                          gbv_evaluation **evaluation)
{
    gbv_error error;
    gbv_status status = gbv_evaluate(model, test, evaluation, &error);
    if (status == GBV_OK)
        printf("test accuracy %.4f on %zu rows\n", (*evaluation)->accuracy, (*evaluation)->rows);
    return status == GBV_OK ? PARSED : complain(self, (int)status, "%s", error.message);
}

static int show_page(const command *self, gbv_training *training, const char *kind, const gbv_sources *sources)
{
    gbv_page_options page = page_options();
    gbv_error error;
    if (!page_path())
        return GBV_OK;
    training->model = (char *)kind;
    for (size_t i = 0; i < gbv_sources_count(sources); i++)
        training->rows += gbv_sources_rows(sources, i);
    return page_done(self, gbv_training_page(training, &page, page_path(), &error), &error);
}

/* What is told of each epoch, and where. */
typedef struct epoch_watch {
    const command *self;
    const gbv_dataset *test; /* NULL: none */
    bool goes_on;            /* of a run that was resumed: lines follow those it wrote */
    int code;                /* PARSED, or what went wrong with telling */
    gbv_training training;   /* for a page */
} epoch_watch;

static double test_accuracy(epoch_watch *watch, const gbv_epoch *epoch)
{
    gbv_evaluation *evaluation = NULL;
    gbv_error error;
    gbv_status status = gbv_evaluate(epoch->model, watch->test, &evaluation, &error);
    double accuracy = status == GBV_OK ? evaluation->accuracy : NAN;
    if (status != GBV_OK && watch->code == PARSED)
        watch->code = complain(watch->self, (int)status, "%s", error.message);
    gbv_evaluation_free(evaluation);
    return accuracy;
}

static void open_lines(run_options *run, epoch_watch *watch)
{
    bool to_stdout = strcmp(run->metrics, "-") == 0;
    if (!run->metric_lines && watch->code == PARSED &&
        !(run->metric_lines = to_stdout ? stdout : fopen(run->metrics, watch->goes_on ? "ae" : "we")))
        watch->code = complain(watch->self, GBV_FAILED, "%s: cannot be written (%s): check the folder", run->metrics,
                               strerror(errno));
}

static void write_line(run_options *run, epoch_watch *watch, const gbv_epoch *epoch, double accuracy)
{
    const gbv_metric numbers[] = {
        {"epoch", (double)epoch->epoch},
        {"epochs", (double)epoch->epochs},
        {"loss", epoch->loss},
        {"held_out_loss", epoch->held_out_loss},
        {"held_out_accuracy", epoch->held_out_accuracy},
        {"best", epoch->best},
        {"learning_rate", epoch->learning_rate},
        {"rows", (double)epoch->rows},
        {"seconds", epoch->seconds},
        {"test_accuracy", accuracy},
    };
    size_t count = sizeof numbers / sizeof *numbers - !watch->test;
    gbv_error error;
    open_lines(run, watch);
    if (run->metric_lines && gbv_metrics_line(numbers, count, run->metric_lines, &error) != GBV_OK &&
        watch->code == PARSED)
        watch->code = complain(watch->self, GBV_FAILED, "%s: %s", run->metrics, error.message);
}

static void hear_epoch(void *context, const gbv_epoch *epoch)
{
    run_options *run = context;
    epoch_watch *watch = run->of_command;
    bool live = run->terminal || run->verbose;
    double accuracy = watch->test && (live || run->metrics || page_path()) ? test_accuracy(watch, epoch) : NAN;
    if (page_path() && !gbv_training_add(&watch->training, epoch, accuracy) && watch->code == PARSED)
        watch->code = complain(watch->self, GBV_FAILED, "not enough memory");
    if (live)
        run_tell_epoch(run, epoch, accuracy);
    if (run->metrics)
        write_line(run, watch, epoch, accuracy);
}

/* One of them would write over the other. */
static int check_files(const command *self, const run_options *show, const gbv_model_options *options)
{
    const char *files[] = {show->output, options->checkpoint, show->metrics};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < i; j++)
            if (files[i] && files[j] && strcmp(files[i], files[j]) == 0)
                return complain(self, GBV_USAGE,
                                "%s is named twice: -o, --checkpoint and --metrics need a file of their own each",
                                files[i]);
    return PARSED;
}

static int run(const command *self, int count, char **arguments)
{
    inputs in = {0};
    run_options show = {0};
    train_choices chosen = {0};
    gbv_model_options options = gbv_model_defaults();
    option input_table[INPUT_OPTIONS], model_table[MODEL_OPTIONS], progress_table[PROGRESS_OPTIONS];
    inputs_options(&in, false, input_table);
    run_model_options(&options, model_table);
    run_progress_options(&show, &options.threads, progress_table);
    const option own[] = {
        UNDER("weights of the sources"),
        {"result", OPTION_TEXT, &chosen.result, "FILE", "weights P(s) from a result of gbv value", 0},
        {"ledger", OPTION_TEXT, &chosen.ledger, "FILE", "the weights of all batches of a ledger (gbv update)", 0},
        {"equal-sources", OPTION_FLAG, &chosen.equal_sources, NULL, "the same weight for every source", 0},
        {"pooled", OPTION_FLAG, &chosen.pooled, NULL, "the same weight for every row", 0},
        {"source-weights", OPTION_TEXT, &chosen.source_weights, "FILE", "weights from a CSV source,weight", 0},
        UNDER(HEADING_MODEL),
        {"policy", OPTION_TEXT, &options.policy, "FILE|NAME",
         "networks of images: change each image, at every visit, by a policy of gbv augment or by trivialaugment, "
         "randaugment, autoaugment, entaugment or sra (default: none)",
         0},
        {"variant", OPTION_TEXT, &options.policy_variant, "code|paper",
         "of a named policy: as the program of gbv's authors draws, or as the policy's own authors do (default: code)",
         0},
        {"checkpoint", OPTION_TEXT, &options.checkpoint, "FILE",
         "networks: keep the state of the training here after each epoch", 0},
        {"resume", OPTION_FLAG, &options.resume, NULL, "go on from the checkpoint where it is there", 0},
        {"seed", OPTION_SEED, &options.seed, "N", "random numbers of networks", 0},
        UNDER(HEADING_OUTPUT),
        {"test", OPTION_TEXT, &chosen.test, "DATASET", "print the accuracy on this set", 0},
        {"output", OPTION_TEXT, &show.output, "FILE", "the trained model (safetensors)", 'o'},
        {0},
    };
    gbv_model *model = NULL;
    gbv_dataset *test = NULL;
    double *weights = NULL;
    gbv_error error;
    int code = options_parse(self, (const option *const[]){own, input_table, model_table, progress_table, NULL}, count,
                             arguments, NULL);
    if (code == PARSED &&
        !!chosen.result + !!chosen.ledger + !!chosen.source_weights + chosen.equal_sources + chosen.pooled != 1)
        code =
            complain(self, GBV_USAGE,
                     "choose one of --result FILE, --ledger FILE, --equal-sources, --pooled and --source-weights FILE");
    if (code == PARSED && !show.output && !chosen.test)
        code = complain(self, GBV_USAGE, "nothing would be kept; name the model's file with -o FILE or a --test set");
    if (code == PARSED)
        code = check_files(self, &show, &options);
    if (code == PARSED)
        code = run_start(self, &show);
    inputs_serve(&in, &options);
    if (code == PARSED)
        code = inputs_read(self, &in, false);
    if (code == PARSED && chosen.test)
        code = inputs_read_dataset(self, chosen.test, &in.read, &test);
    if (code == PARSED && !chosen.pooled) {
        weights = calloc(gbv_sources_count(in.sources), sizeof *weights);
        code = weights ? find_weights(self, &chosen, options.model, &in, weights)
                       : complain(self, GBV_FAILED, "not enough memory");
    }
    if (code != PARSED)
        goto done;
    epoch_watch watch = {.self = self, .test = test, .goes_on = options.resume, .code = PARSED};
    show.of_command = &watch;
    show.verbose = in.verbose;
    run_watch(&show, &options.progress, &options.context);
    if (show.terminal || show.verbose || show.metrics || page_path())
        options.on_epoch = hear_epoch;
    gbv_status status = gbv_train(in.sources, weights, &options, &model, &error);
    run_end_progress(&show);
    if (status == GBV_OK && show.metrics &&
        watch.goes_on) /* the training may have been done already, and its lines stay */
        open_lines(&show, &watch);
    /* The model is kept first: what is told of it may fail, such as a full disk under --metrics. */
    if (status == GBV_OK && show.output)
        status = gbv_model_write(model, show.output, &error);
    code = status == GBV_OK ? watch.code : complain(self, (int)status, "%s", error.message);
    if (code == PARSED && gbv_model_note(model))
        say(stderr, GBV_STYLE_DIM, "gbv train:", "%s", gbv_model_note(model));
    if (code == PARSED && test)
        code = print_accuracy(self, model, test, &watch.training.test);
    if (code == PARSED)
        code = run_finish(self, &show, options.threads);
    if (code == GBV_OK)
        code = show_page(self, &watch.training, options.model, in.sources);
    gbv_evaluation_free(watch.training.test);
    free(watch.training.epochs);
done:
    if (show.metric_lines && show.metric_lines != stdout && fclose(show.metric_lines) != 0 && code == GBV_OK)
        code = complain(self, GBV_FAILED, "%s: could not be written (%s)", show.metrics, strerror(errno));
    gbv_model_free(model);
    gbv_dataset_free(test);
    free(weights);
    inputs_free(&in);
    return code;
}

extern const command command_train;
const command command_train = {
    .name = "train",
    .usage =
        "--result FILE|--ledger FILE|--equal-sources|--pooled|--source-weights FILE --source NAME=DATASET ... -o MODEL",
    .summary = "train the final model on the weighted sources",
    .examples =
        "  gbv train --result result.json --source anna=anna.npz --source ben=ben.npz -o model.safetensors\n"
        "  gbv train --pooled --sources vendors/ --test test.npz -o model.safetensors\n"
        "  gbv train --equal-sources --sources photos/ --model resnet18 --pretrained w.safetensors --checkpoint run.ck "
        "--policy policy.json -v -o m.safetensors\n",
    .run = run,
    .own_page = true,
};
