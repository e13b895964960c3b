/* ledger_toy.h - results that nobody had to compute, for tests of the ledger: names and scores as given, with or
 * without intervals and resampled scores. */
#ifndef TESTS_VALUE_STORE_LEDGER_TOY_H
#define TESTS_VALUE_STORE_LEDGER_TOY_H

#include <sys/stat.h>
#include <unistd.h>

#include "test_support.h"

#include "base/random.h"
#include "value/store/scored.h"

/* Resampled scores around those of the result. */
static inline void resample(gbv_result *r, size_t count, double deviation, uint64_t seed)
{
    r->certainty.replicates = r->certainty.resample_count = count;
    r->certainty.resamples = malloc(r->source_count * count * sizeof(double));
    for (size_t s = 0; s < r->source_count; s++) {
        random_stream stream = random_stream_open(seed, r->sources[s].name, RANDOM_REFIT);
        for (size_t i = 0; i < count; i++)
            r->certainty.resamples[s * count + i] = r->sources[s].score + deviation * random_normal(&stream);
    }
}

static inline gbv_ledger *opened(const char *path, gbv_ledger_mode mode)
{
    gbv_ledger *ledger;
    gbv_error error;
    assert_ok(gbv_ledger_open(path, mode, &ledger, &error), error);
    return ledger;
}

/* Scores of the sources a, b, c, ... as one batch; frees the result. */
static inline gbv_status add_result(const char *path, gbv_result *result, const gbv_update_options *options,
                                    gbv_error *error)
{
    gbv_ledger *ledger = NULL;
    gbv_status status = gbv_ledger_open(path, GBV_LEDGER_UPDATE, &ledger, error);
    if (status == GBV_OK)
        status = gbv_ledger_add(ledger, result, options, error);
    gbv_ledger_close(ledger);
    gbv_result_free(result);
    return status;
}

static const char *const LETTERS[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

static inline gbv_status add_scores(const char *path, const char *batch, const double *scores, size_t count,
                                    gbv_error *error)
{
    gbv_update_options options = {.batch = batch, .time = 1000};
    return add_result(path, scored(LETTERS, scores, count, .1), &options, error);
}

static inline gbv_history *history_of(const char *path, const gbv_history_options *options)
{
    gbv_ledger *ledger = opened(path, GBV_LEDGER_READ);
    gbv_history *history;
    gbv_error error;
    assert_ok(gbv_ledger_history(ledger, options, &history, &error), error);
    gbv_ledger_close(ledger);
    return history;
}

static inline const gbv_history_point *point_of(const gbv_history *h, size_t source, size_t batch)
{
    assert_true(source < h->source_count && batch < h->batch_count);
    return &h->points[source * h->batch_count + batch];
}

static inline gbv_ledger_summary verified(const char *path)
{
    gbv_ledger *ledger = opened(path, GBV_LEDGER_READ);
    gbv_ledger_summary summary;
    gbv_error error;
    assert_ok(gbv_ledger_verify(ledger, NULL, &summary, &error), error);
    gbv_ledger_close(ledger);
    return summary;
}

/* A file of its own for each test: "FOLDER/ledger.db" in *state. In memory where that can be had: a disk that makes
 * sure of every write is slow, and makes no difference to programs. */
static inline int make_path(void **state)
{
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0);
    char *folder = test_folder_create(), *path;
    if (asprintf(&path, "%s/ledger.db", folder) < 0)
        return 1;
    free(folder);
    *state = path;
    return 0;
}

static inline int remove_path(void **state)
{
    char *path = *state;
    *strrchr(path, '/') = '\0';
    test_folder_remove(path);
    return 0;
}

static inline bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

#endif
