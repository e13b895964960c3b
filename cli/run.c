#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
        {"threads", OPTION_COUNT, threads, "N", "workers (default: every core); the result does not depend on it", 0},
        {"progress", OPTION_TEXT, &run->progress_name, "auto|json|off",
         "progress on stderr (default: auto, on a terminal)", 0},
        {"metrics", OPTION_TEXT, &run->metrics, "FILE", "write seconds and memory as JSON", 0},
    };
    memcpy(table, all, sizeof all);
}

void run_model_options(gbv_model_options *model, option table[MODEL_OPTIONS])
{
    const option all[MODEL_OPTIONS] = {
        {"model", OPTION_TEXT, &model->model, "linear|mlp", "the model (default: linear)", 0},
        {"l2", OPTION_NUMBER, &model->l2, "NUMBER", "weight of the squared norm in the mean loss", 0},
        {"hidden", OPTION_COUNT, &model->hidden, "N", "mlp: width of the hidden layer", 0},
        {"epochs", OPTION_COUNT, &model->epochs, "N", "mlp: passes over the rows (default: 20, more for few rows)", 0},
        {"batch", OPTION_COUNT, &model->batch, "N", "mlp: rows a step", 0},
        {"learning-rate", OPTION_NUMBER, &model->learning_rate, "NUMBER", "mlp: Adam's step", 0},
    };
    memcpy(table, all, sizeof all);
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* Whether the folder of an output takes files: found out before the work, not after it. */
static bool can_write(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!path || !*path || strcmp(path, "-") == 0)
        return true;
    char *folder = slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    bool writable = !folder || access(folder, W_OK | X_OK) == 0;
    free(folder);
    return writable;
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
    if (!can_write(run->output))
        return complain(self, GBV_FAILED, "%s: cannot be written (%s): check the folder", run->output, strerror(errno));
    if (!can_write(run->metrics))
        return complain(self, GBV_FAILED, "%s: cannot be written (%s): check the folder", run->metrics,
                        strerror(errno));
    run->lines = run->progress_name && strcmp(run->progress_name, "json") == 0;
    run->terminal = run->progress_name && strcmp(run->progress_name, "auto") == 0 && isatty(STDERR_FILENO);
    run->started = run->shown = run_now();
    return PARSED;
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
        int cells = total ? (int)(30 * done / total) : 0;
        fprintf(stderr, "\r\033[K%s %zu/%zu [%.*s%*s]", stage, done, total, cells, "##############################",
                30 - cells, "");
        if (done)
            fprintf(stderr, " %.0f s left", (time - run->stage_started) * (double)(total - done) / (double)done);
        run->shown = time;
        run->drawn = true;
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
        fputs("\r\033[K", stderr);
    run->drawn = false;
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
        fputs(plan->text, stdout);
        if (reading > 1)
            printf("reading the inputs took %.0f s, which comes on top\n", reading);
    }
    if (status != GBV_OK)
        return complain(self, (int)status, "%s", error->message);
    return fflush(stdout) == 0 ? GBV_OK : complain(self, GBV_FAILED, "standard output could not be written");
}

int run_write_result(const command *self, const run_options *run, const gbv_result *result)
{
    gbv_error error;
    gbv_status status = GBV_OK;
    bool color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    if (run->output || run->format != GBV_FORMAT_TABLE)
        status = gbv_result_write(result, run->format, run->output, &error);
    /* -o result.json still shows the ranking; an explicit --format asks for that and nothing else. */
    bool show = run->output ? !run->quiet && !run->format_name : run->format == GBV_FORMAT_TABLE;
    if (status == GBV_OK && show)
        status = gbv_report_table(result, stdout, color, &error);
    return status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
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
        status = gbv_metrics_write(all, COMMON + run->more_count, run->metrics, &error);
        free(all);
    }
    if (status != GBV_OK)
        return complain(self, (int)status, "%s", error.message);
    if (fflush(stdout) != 0)
        return complain(self, GBV_FAILED, "standard output could not be written");
    return GBV_OK;
}
