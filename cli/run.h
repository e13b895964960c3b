/* run.h - what long runs share: which model, where the result goes, progress on the terminal, Ctrl-C. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include <stdio.h>

#include <gbv/gbv.h>

#include "options.h"

typedef struct run_options {
    const char *format_name; /* table, json, csv; NULL: by the ending of `output`, else table */
    gbv_report_format format;
    const char *output;
    const char *metrics;
    FILE *metric_lines;       /* --metrics, opened by a command that writes lines of its own first; NULL: none did */
    gbv_metric *more_metrics; /* of this command, after the ones that all have; the caller's */
    size_t more_count;
    const char *progress_name;
    bool quiet;
    double started;
    double shown; /* when progress was last drawn */
    char stage[32];
    double stage_started;
    bool terminal, lines;
    size_t drawn; /* columns of the bar on the terminal */
    bool verbose;
    void *of_command; /* what the command's own callbacks need: they are called with this struct */
} run_options;

enum { OUTPUT_OPTIONS = 5, PROGRESS_OPTIONS = 6, MODEL_OPTIONS = 23 };

void run_output_options(run_options *run, option table[OUTPUT_OPTIONS]);
void run_progress_options(run_options *run, size_t *threads, option table[PROGRESS_OPTIONS]);
void run_model_options(gbv_model_options *model, option table[MODEL_OPTIONS]);

/* Checks the choices made and starts the clock. PARSED or an exit code. */
int run_start(const command *self, run_options *run);
/* Hands out the callback by which long work reports progress here and stops at Ctrl-C. */
void run_watch(run_options *run, gbv_progress_callback **progress, void **context);
void run_end_progress(run_options *run);
/* One line on stderr; `test_accuracy` is NaN where there is none. */
void run_tell_epoch(run_options *run, const gbv_epoch *epoch, double test_accuracy);
double run_now(void); /* seconds on a clock that only goes on */
/* --dry-run: what a run would take, on standard output (--format json: as numbers). `reading` is what reading the
 * inputs took, because they would be read again; `status` and `error` are those of planning. GBV_OK or an exit code. */
int run_show_plan(const command *self, run_options *run, double reading, gbv_status status, const gbv_plan *plan,
                  gbv_error *error);
/* The result where and how it was asked for. GBV_OK or an exit code. */
int run_write_result(const command *self, const run_options *run, const gbv_result *result);
/* After all went well: writes --metrics, flushes. Returns the exit code. */
int run_finish(const command *self, const run_options *run, size_t threads);

#endif
