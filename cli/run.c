#include "run.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "page.h"

#include "say.h"

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

double run_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void run_output_options(run_options *run, option table[OUTPUT_OPTIONS])
{
    const option all[OUTPUT_OPTIONS] = {
        UNDER(HEADING_OUTPUT),
        {"output", OPTION_TEXT, &run->output, "FILE", "write the result here; its ending chooses the format", 'o'},
        {"format", OPTION_TEXT, &run->format_name, "table|json|csv", "format of the result (default: table)", 0},
        {"quiet", OPTION_FLAG, &run->quiet, NULL, "with -o: print nothing", 'q'},
    };
    memcpy(table, all, sizeof all);
}

void run_progress_options(run_options *run, size_t *threads, option table[PROGRESS_OPTIONS])
{
    run->progress_name = "auto";
    const option all[PROGRESS_OPTIONS] = {
        UNDER(HEADING_RUN),
        {"threads", OPTION_COUNT, threads, "N",
         "workers (default: every core); results do not depend on it, but for a final network (see "
         "--threads-per-model)",
         0},
        {"progress", OPTION_TEXT, &run->progress_name, "auto|json|off",
         "progress on stderr (default: auto, on a terminal)", 0},
        {"metrics", OPTION_TEXT, &run->metrics, "FILE", "write seconds and memory as JSON", 0},
    };
    memcpy(table, all, sizeof all);
}

/* What a model does where an option is not given, for each that has steps: "(default: mlp 32, cnn 64, resnets 32)". */
typedef void print_choice(const gbv_model_options *resolved, char text[16]);

static void print_epochs(const gbv_model_options *o, char text[16])
{
    snprintf(text, 16, "%zu", o->epochs);
}

static void print_batch(const gbv_model_options *o, char text[16])
{
    snprintf(text, 16, "%zu", o->batch);
}

static void print_rate(const gbv_model_options *o, char text[16])
{
    snprintf(text, 16, "%g", o->learning_rate);
}

static void print_optimizer(const gbv_model_options *o, char text[16])
{
    snprintf(text, 16, "%s", o->optimizer);
}

static void print_schedule(const gbv_model_options *o, char text[16])
{
    snprintf(text, 16, "%s", o->schedule);
}

static void print_held_out(const gbv_model_options *o, char text[16])
{
    snprintf(text, 16, "%g", o->held_out);
}

static void print_normalise(const gbv_model_options *o, char text[16])
{
    snprintf(text, 16, "%s", o->normalise ? o->normalise : "");
}

enum { HELP_TEXT = 200, MANY_ROWS = 1 << 24 };

static const char *with_defaults(char help[HELP_TEXT], const char *what, print_choice *print, const char *more)
{
    static const char *const models[] = {"mlp", "cnn", "resnet18"};
    char text[16];
    int length = snprintf(help, HELP_TEXT, "%s (default:", what);
    for (size_t i = 0, told = 0; i < sizeof models / sizeof *models; i++) {
        gbv_model_options options = gbv_model_defaults();
        options.model = models[i];
        options = gbv_model_resolve(&options, MANY_ROWS);
        print(&options, text);
        if (*text)
            length += snprintf(help + length, (size_t)(HELP_TEXT - length), "%s %s %s", told++ ? "," : "",
                               i == 2 ? "resnets" : models[i], text);
    }
    snprintf(help + length, (size_t)(HELP_TEXT - length), "%s)", more);
    return help;
}

void run_model_options(gbv_model_options *model, option table[MODEL_OPTIONS])
{
    static char epochs[HELP_TEXT], batch[HELP_TEXT], rate[HELP_TEXT], optimizer[HELP_TEXT], schedule[HELP_TEXT],
        held_out[HELP_TEXT], normalise[HELP_TEXT], from_weights[HELP_TEXT];
    gbv_model_options pretrained = gbv_model_defaults();
    pretrained.model = "resnet18";
    pretrained.pretrained = "";
    snprintf(from_weights, sizeof from_weights, ", from weights %g",
             gbv_model_resolve(&pretrained, MANY_ROWS).learning_rate);
    const option all[MODEL_OPTIONS] = {
        UNDER(HEADING_MODEL),
        {"model", OPTION_TEXT, &model->model, "NAME",
         "linear or mlp for rows; cnn, resnet18, resnet34 or resnet50 for images (default: linear)", 0},
        {"pretrained", OPTION_TEXT, &model->pretrained, "FILE",
         "networks of images: begin with the weights of this safetensors file (default: random numbers)", 0},
        {"l2", OPTION_NUMBER, &model->l2, "NUMBER", "linear, mlp: weight of the squared norm in the mean loss", 0},
        {"hidden", OPTION_COUNT, &model->hidden, "N", "mlp: width of the hidden layer", 0},
        {"epochs", OPTION_COUNT, &model->epochs, "N",
         with_defaults(epochs, "passes over the rows", print_epochs,
                       "; more for few rows: at least 600, 300 and 100 steps"),
         0},
        {"batch-size", OPTION_COUNT, &model->batch, "N", with_defaults(batch, "rows a step", print_batch, ""), 0},
        {"batch", OPTION_COUNT, &model->batch, "N", NULL,
         0}, /* its first name, which in gbv update is the delivery's */
        {"learning-rate", OPTION_NUMBER, &model->learning_rate, "NUMBER",
         with_defaults(rate, "of the first step", print_rate, from_weights), 0},
        {"optimizer", OPTION_TEXT, &model->optimizer, "sgd|adam|adamw",
         with_defaults(optimizer, "how steps are made", print_optimizer, "; linear: to its minimum, without steps"), 0},
        {"schedule", OPTION_TEXT, &model->schedule, "NAME",
         with_defaults(schedule, "the rate over time: constant, linear, step, paper, paper-late, cosine",
                       print_schedule, ""),
         0},
        {"momentum", OPTION_NUMBER, &model->momentum, "NUMBER", "sgd: share of the last step in the next", 0},
        {"nesterov", OPTION_FLAG, &model->nesterov, NULL, "sgd: momentum in Nesterov's form", 0},
        {"weight-decay", OPTION_NUMBER, &model->weight_decay, "NUMBER",
         "networks of images: decay of every weight (default: 0)", 0},
        {"label-smoothing", OPTION_NUMBER, &model->label_smoothing, "SHARE",
         "of the target that is spread over all classes (default: 0)", 0},
        {"dropout", OPTION_NUMBER, &model->dropout, "SHARE",
         "networks of images: numbers left out after each stage (default: 0)", 0},
        {"held-out", OPTION_NUMBER, &model->held_out, "SHARE",
         with_defaults(held_out, "training rows that choose the epoch instead", print_held_out, "; none of few rows"),
         0},
        {"patience", OPTION_COUNT, &model->patience, "N",
         "stop after so many epochs without a better loss on held-out rows (default: never)", 0},
        {"use", OPTION_WORD, &model->use, "weighting|sampling",
         "final networks: weigh the rows' losses, or draw rows by their weight (default: weighting)", 0},
        {"normalise", OPTION_TEXT, &model->normalise, "imagenet|half|none",
         with_defaults(normalise, "networks of images: the range of pixels", print_normalise, ""), 0},
        {"backend", OPTION_TEXT, &model->backend, "NAME",
         "what networks run on: auto, cpu or reference (default: auto, the fastest there is)", 0},
        {"threads-per-model", OPTION_COUNT, &model->threads_per_model, "N",
         "of a network, whose last bits depend on it, and over many steps more (default: 1; gbv train: --threads)", 0},
        {0},
    };
    memcpy(table, all, sizeof all);
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* One would write over the other. */
static bool is_page(const char *path)
{
    return path && page_path() && strcmp(path, page_path()) == 0;
}

int run_start(const command *self, run_options *run)
{
    static const char *const names[] = {"table", "json", "csv"};
    const char *wanted = run->format_name;
    if (!wanted && run->output)
        wanted = ends_with(run->output, ".json") ? "json" : ends_with(run->output, ".csv") ? "csv" : "table";
    for (int i = 0; wanted && i < 3; i++)
        if (strcmp(wanted, names[i]) == 0) {
            run->format = (gbv_report_format)i;
            wanted = NULL;
        }
    if (wanted)
        return complain(self, GBV_USAGE, "--format is '%s'; expected table, json or csv", wanted);
    if (run->progress_name && strcmp(run->progress_name, "auto") != 0 && strcmp(run->progress_name, "json") != 0 &&
        strcmp(run->progress_name, "off") != 0)
        return complain(self, GBV_USAGE, "--progress is '%s'; expected auto, json or off", run->progress_name);
    if (!path_can_be_written(run->output))
        return complain(self, GBV_FAILED, "%s: cannot be written (%s): check the folder", run->output, strerror(errno));
    if (!path_can_be_written(run->metrics))
        return complain(self, GBV_FAILED, "%s: cannot be written (%s): check the folder", run->metrics,
                        strerror(errno));
    if (is_page(run->output) || is_page(run->metrics))
        return complain(self, GBV_USAGE, "%s is named twice: --report needs a file of its own", page_path());
    run->lines = run->progress_name && strcmp(run->progress_name, "json") == 0;
    run->terminal = run->progress_name && strcmp(run->progress_name, "auto") == 0 && isatty(STDERR_FILENO);
    run->started = run->shown = run_now();
    return PARSED;
}

/* Goes back to the beginning of the line and blanks what was there; every terminal can do that. */
static void clear_bar(run_options *run)
{
    fprintf(stderr, "\r%*s\r", (int)run->drawn, "");
    run->drawn = 0;
}

/* One line, which never reaches the last column: it would go on in the next one. */
static void draw_bar(run_options *run, const char *stage, size_t done, size_t total, double seconds_left)
{
    enum { WIDEST = 30, LEAST = 8 };
    static const char full[] = "##############################";
    char line[256], left[32] = "";
    size_t width = gbv_terminal_of(stderr).width;
    if (isfinite(seconds_left))
        snprintf(left, sizeof left, " %.0f s left", seconds_left);
    int length = snprintf(line, sizeof line, "%s %zu/%zu", stage, done, total);
    int room = (int)width - 1 - length - (int)strlen(left) - (int)strlen(" []");
    int bar = room > WIDEST ? WIDEST : room, filled = total && bar > 0 ? (int)((size_t)bar * done / total) : 0;
    if (bar >= LEAST)
        length += snprintf(line + length, sizeof line - (size_t)length, " [%.*s%*s]", filled, full, bar - filled, "");
    snprintf(line + length, sizeof line - (size_t)length, "%s", left);
    if (run->drawn)
        clear_bar(run);
    run->drawn = (size_t)fprintf(stderr, "%.*s", (int)width - 1, line);
}

/* Every stage is counted by itself, and so is its time. Nothing is drawn for a run of less than a second. */
static bool show_progress(void *context, const char *stage, size_t done, size_t total)
{
    run_options *run = context;
    double time = run_now();
    bool begins = strncmp(stage, run->stage, sizeof run->stage - 1) != 0;
    if (begins) {
        snprintf(run->stage, sizeof run->stage, "%s", stage);
        run->stage_started = time;
    }
    bool due = begins || time - run->shown > .1 || done == total;
    if (run->lines && due) {
        fprintf(stderr, "{\"stage\": \"%s\", \"done\": %zu, \"total\": %zu, \"seconds\": %.3f}\n", stage, done, total,
                time - run->started);
        run->shown = time;
    } else if (run->terminal && due && time - run->started > 1) {
        double left = done ? (time - run->stage_started) * (double)(total - done) / (double)done : NAN;
        draw_bar(run, stage, done, total, left);
        run->shown = time;
    }
    return interrupted;
}

void run_watch(run_options *run, gbv_progress_callback **progress, void **context)
{
    /* A second Ctrl-C ends the program at once. */
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    *progress = show_progress;
    *context = run;
}

void run_end_progress(run_options *run)
{
    if (run->drawn)
        clear_bar(run);
}

int run_show_plan(const command *self, run_options *run, double reading, gbv_status status, const gbv_plan *plan,
                  gbv_error *error)
{
    run_end_progress(run);
    if (status != GBV_OK)
        return complain(self, (int)status, "%s", error->message);
    if (run->format_name && run->format == GBV_FORMAT_JSON) {
        gbv_metric numbers[] = {
            {"sources", (double)plan->sources},
            {"rows", (double)plan->rows},
            {"reference_rows", (double)plan->reference_rows},
            {"fits", (double)plan->fits},
            {"replicates", (double)plan->replicates},
            {"workers", (double)plan->workers},
            {"seconds", reading + plan->seconds},
            {"peak_memory_bytes", plan->peak_bytes},
        };
        status = gbv_metrics_write(numbers, sizeof numbers / sizeof *numbers, NULL, error);
    } else {
        const char *line = plan->text;
        for (size_t length; *line; line += length + (line[length] == '\n')) {
            length = strcspn(line, "\n");
            say(stdout, GBV_STYLE_PLAIN, "", "%.*s", (int)length, line);
        }
        if (reading > 1)
            say(stdout, GBV_STYLE_PLAIN, "", "reading the inputs took %.0f s, which comes on top", reading);
    }
    if (status != GBV_OK)
        return complain(self, (int)status, "%s", error->message);
    return fflush(stdout) == 0 ? GBV_OK : complain(self, GBV_FAILED, "standard output could not be written");
}

int run_write_result(const command *self, const run_options *run, const gbv_result *result)
{
    gbv_error error;
    gbv_status status = GBV_OK;
    gbv_terminal terminal = gbv_terminal_of(stdout);
    if (run->output || run->format != GBV_FORMAT_TABLE)
        status = gbv_result_write(result, run->format, run->output, &error);
    /* -o result.json still shows the ranking; an explicit --format asks for that and nothing else. */
    bool show = run->output ? !run->quiet && !run->format_name : run->format == GBV_FORMAT_TABLE;
    if (status == GBV_OK && show)
        status = gbv_report_table(result, stdout, &terminal, &error);
    return status == GBV_OK ? page_of_result(self, result) : complain(self, (int)status, "%s", error.message);
}

void run_tell_epoch(run_options *run, const gbv_epoch *epoch, double test_accuracy)
{
    char held_out[128] = "", test[64] = "", name[160] = "";
    run_end_progress(run);
    if (strcmp(epoch->subject, "final") != 0)
        snprintf(name, sizeof name, "%s:", epoch->subject);
    if (isfinite(epoch->held_out_loss))
        snprintf(held_out, sizeof held_out, "  held out: loss %.4f, accuracy %.4f%s", epoch->held_out_loss,
                 epoch->held_out_accuracy, epoch->best ? ", the best so far" : "");
    if (isfinite(test_accuracy))
        snprintf(test, sizeof test, "  test accuracy %.4f", test_accuracy);
    say(stderr, GBV_STYLE_PLAIN, name, "epoch %zu/%zu  loss %.4f%s%s  %.1f s", epoch->epoch, epoch->epochs, epoch->loss,
        held_out, test, epoch->seconds);
}

int run_finish(const command *self, const run_options *run, size_t threads)
{
    gbv_error error;
    gbv_status status = GBV_OK;
    const gbv_metric common[] = {
        {"seconds", run_now() - run->started},
        {"peak_memory_bytes", gbv_memory_peak()},
        {"threads", (double)(threads ? threads : (size_t)sysconf(_SC_NPROCESSORS_ONLN))},
    };
    enum { COMMON = sizeof common / sizeof *common };
    if (run->metrics) {
        gbv_metric *all = calloc(COMMON + run->more_count, sizeof *all);
        if (!all)
            return complain(self, GBV_FAILED, "not enough memory");
        memcpy(all, common, sizeof common);
        if (run->more_count)
            memcpy(all + COMMON, run->more_metrics, run->more_count * sizeof *all);
        if (run->metric_lines)
            status = gbv_metrics_line(all, COMMON + run->more_count, run->metric_lines, &error);
        else
            status = gbv_metrics_write(all, COMMON + run->more_count, run->metrics, &error);
        free(all);
    }
    if (status != GBV_OK)
        return complain(self, (int)status, "%s", error.message);
    if (fflush(stdout) != 0)
        return complain(self, GBV_FAILED, "standard output could not be written");
    return GBV_OK;
}
