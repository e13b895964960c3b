/* ledger_toy.h - results that nobody had to compute, for tests of the ledger: names and scores as given, with or
 * without intervals and resampled scores. */
#ifndef TESTS_VALUE_STORE_LEDGER_TOY_H
#define TESTS_VALUE_STORE_LEDGER_TOY_H

#include <sys/stat.h>
#include <unistd.h>

#include "test_support.h"

#include "base/hash.h"
#include "base/random.h"
#include "value/result.h"

/* A file's hash without a file. */
static inline void set_hash(gbv_input_record *input, const char *path, const char *content)
{
    input->path = strdup(path);
    hash_sha256(content, strlen(content), input->sha256);
}

/* Uniform prior, tau 1; the standard error of every score is `deviation`, NaN for no intervals. */
static inline gbv_result *scored(const char *const *names, const double *scores, size_t count, double deviation)
{
    gbv_result *r = result_create(count);
    r->version = strdup(gbv_version());
    r->method = strdup("gbv");
    r->problem = strdup("vendor");
    r->measure = strdup("leep");
    r->variant = strdup("");
    r->model = strdup("linear");
    r->feature_space = strdup("probabilities");
    r->instruction_set = strdup("avx2");
    r->tau_mode = GBV_TAU_FIXED;
    r->tau = r->tau_inverse = 1;
    r->reference_rows = 100;
    result_add_option(r, "tau", "1");
    result_add_option(r, "reference", "labelled");
    result_add_option(r, "intervals", isnan(deviation) ? "off" : "200");
    result_add_option(r, "l2", "0.1");
    r->inputs = calloc(count + 1, sizeof *r->inputs);
    r->input_count = count + 1;
    set_hash(&r->inputs[0], "reference.npz", "the reference");
    for (size_t i = 0; i < count; i++) {
        gbv_source_result *s = &r->sources[i];
        char content[300];
        snprintf(content, sizeof content, "%s %.17g", names[i], scores[i]);
        set_hash(&r->inputs[i + 1], names[i], content);
        s->name = strdup(names[i]);
        s->rows = 10 + i;
        s->score = scores[i];
        s->prior = 1 / (double)count;
        s->input = i + 1;
        s->score_interval[0] = scores[i] - 1.6448536269514722 * deviation;
        s->score_interval[1] = scores[i] + 1.6448536269514722 * deviation;
    }
    return r;
}

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
