/* bench_ledger.c - how long a ledger takes beyond scoring, how large it grows, and how long its history takes.
 *     bench_ledger UPDATES SOURCES RESAMPLES FILE
 * Adds so many batches of results that nobody computed; RESAMPLES 0 is without intervals. FILE must not be there, and
 * is left behind. Prints lines NAME NUMBER (bench/run_ledger.py makes a table of them). What the disk takes to make
 * sure of a write is told apart: the calls that SQLite makes for that go through here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gbv/ledger.h>

#include "base/random.h"
#include "bench_clock.h"
#include "value/store/scored.h"

static double disk_seconds;
static size_t disk_calls;

static int timed_sync(long call, int descriptor)
{
    double start = seconds_now();
    int code = (int)syscall(call, descriptor);
    disk_seconds += seconds_now() - start;
    disk_calls++;
    return code;
}

__attribute__((visibility("default"))) int fsync(int descriptor)
{
    return timed_sync(SYS_fsync, descriptor);
}

__attribute__((visibility("default"))) int fdatasync(int descriptor)
{
    return timed_sync(SYS_fdatasync, descriptor);
}

static gbv_result *make_result(size_t sources, size_t resamples)
{
    char(*texts)[40] = calloc(sources, sizeof *texts);
    const char **names = calloc(sources, sizeof *names);
    double *scores = calloc(sources, sizeof *scores);
    for (size_t s = 0; s < sources; s++) {
        snprintf(texts[s], sizeof texts[s], "vendor-%04zu", s);
        names[s] = texts[s];
    }
    gbv_result *r = scored(names, scores, sources, resamples ? .1 : NAN);
    r->certainty.resample_count = r->certainty.replicates = resamples;
    r->certainty.resamples = resamples ? malloc(sources * resamples * sizeof(double)) : NULL;
    free(texts), free(names), free(scores);
    return r;
}

static void draw(gbv_result *r, random_stream *stream)
{
    static const char digits[] = "0123456789abcdef";
    size_t resamples = r->certainty.resample_count;
    double spread = resamples ? .1 : NAN;
    for (size_t s = 0; s < r->source_count; s++) {
        gbv_source_result *source = &r->sources[s];
        source->score = -1 - .001 * (double)(s % 97) + .05 * random_normal(stream);
        source->rows = 1000 + random_below(stream, 50000);
        source->score_interval[0] = source->score - spread;
        source->score_interval[1] = source->score + spread;
        for (size_t i = 0; i < 64; i++)
            r->inputs[s + 1].sha256[i] = digits[random_below(stream, 16)];
        for (size_t i = 0; i < resamples; i++)
            r->certainty.resamples[s * resamples + i] = source->score + .05 * random_normal(stream);
    }
}

static void check(gbv_status status, const gbv_error *error)
{
    if (status != GBV_OK) {
        fprintf(stderr, "bench_ledger: %s\n", error->message);
        exit(1);
    }
}

static void add_batches(const char *path, gbv_result *r, size_t updates, double *own, double *whole)
{
    gbv_error error;
    random_stream stream = random_stream_open(1, "ledger", RANDOM_SPLIT);
    for (size_t t = 0; t < updates; t++) {
        char name[40];
        gbv_ledger *ledger;
        snprintf(name, sizeof name, "batch-%04zu", t);
        gbv_update_options options = {.batch = name, .forgetting = .9};
        draw(r, &stream);
        disk_seconds = 0;
        double start = seconds_now();
        check(gbv_ledger_open(path, GBV_LEDGER_UPDATE, &ledger, &error), &error);
        check(gbv_ledger_add(ledger, r, &options, &error), &error);
        gbv_ledger_close(ledger);
        whole[t] = seconds_now() - start;
        own[t] = whole[t] - disk_seconds;
    }
}

static void show(const char *name, double *seconds, size_t count)
{
    qsort(seconds, count, sizeof *seconds, ascending);
    printf("%s_median_ms %.2f\n%s_99_ms %.2f\n%s_most_ms %.2f\n", name, 1e3 * seconds[count / 2], name,
           1e3 * seconds[count * 99 / 100], name, 1e3 * seconds[count - 1]);
}

int main(int count, char **arguments)
{
    if (count != 5)
        return fprintf(stderr, "usage: bench_ledger UPDATES SOURCES RESAMPLES FILE\n"), 2;
    size_t updates = strtoul(arguments[1], NULL, 10), sources = strtoul(arguments[2], NULL, 10);
    const char *path = arguments[4];
    gbv_result *r = make_result(sources, strtoul(arguments[3], NULL, 10));
    double *own = malloc(updates * sizeof *own), *whole = malloc(updates * sizeof *whole);
    gbv_error error;
    gbv_ledger *ledger;
    gbv_history *history;
    gbv_ledger_summary summary;
    struct stat file;
    add_batches(path, r, updates, own, whole);
    show("update", own, updates);
    show("update_with_disk", whole, updates);
    printf("disk_calls %.1f\n", (double)disk_calls / (double)updates);
    if (stat(path, &file) != 0)
        return 1;
    printf("megabytes %.1f\n", (double)file.st_size / 1e6);
    double seconds[11];
    for (size_t i = 0; i < 11; i++) {
        double start = seconds_now();
        check(gbv_ledger_open(path, GBV_LEDGER_READ, &ledger, &error), &error);
        check(gbv_ledger_history(ledger, &(gbv_history_options){.source = "vendor-0007"}, &history, &error), &error);
        seconds[i] = seconds_now() - start;
        gbv_history_free(history);
        gbv_ledger_close(ledger);
    }
    show("history_of_one", seconds, 11);
    check(gbv_ledger_open(path, GBV_LEDGER_UPDATE, &ledger, &error), &error);
    double start = seconds_now();
    check(gbv_ledger_history(ledger, NULL, &history, &error), &error);
    printf("history_seconds %.2f\n", seconds_now() - start);
    gbv_history_free(history);
    start = seconds_now();
    check(gbv_ledger_verify(ledger, NULL, &summary, &error), &error);
    printf("verify_seconds %.2f\n", seconds_now() - start);
    start = seconds_now();
    check(gbv_ledger_undo(ledger, 0, NULL, &error), &error);
    printf("undo_seconds %.2f\n", seconds_now() - start);
    gbv_ledger_close(ledger);
    gbv_result_free(r);
    free(own), free(whole);
    return 0;
}
