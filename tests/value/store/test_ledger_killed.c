/* A ledger whose writer is killed at any instant is as it was before the batch or after it; of two updates at once one
 * is refused and changes nothing. */
#include "value/store/ledger_toy.h"

#include <omp.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"

/* What batch number t brings, the same whoever adds it. */
static gbv_result *batch_result(int t)
{
    double scores[5];
    random_stream stream = random_stream_open((uint64_t)t, "scores", RANDOM_SPLIT);
    size_t count = 3 + (size_t)t % 3; /* some come and stay away */
    for (size_t s = 0; s < count; s++)
        scores[s] = -1 + .1 * random_normal(&stream);
    gbv_result *r = scored(LETTERS, scores, count, .1);
    resample(r, 20, .1, (uint64_t)t);
    return r;
}

static gbv_status add_batch(const char *path, int t, gbv_error *error)
{
    char name[20];
    snprintf(name, sizeof name, "%d", t);
    gbv_update_options options = {.batch = name, .time = 1000 + t, .forgetting = .9};
    return add_result(path, batch_result(t), &options, error);
}

static void sleep_for(double seconds)
{
    struct timespec pause = {0, (long)(1e9 * seconds)};
    nanosleep(&pause, NULL);
}

static size_t count_batches(const char *path)
{
    gbv_ledger *ledger;
    gbv_error error;
    gbv_ledger_summary summary = {0};
    gbv_status status = gbv_ledger_open(path, GBV_LEDGER_READ, &ledger, &error);
    if (status == GBV_BAD_INPUT && (strstr(error.message, "No such file") || strstr(error.message, "is empty")))
        return 0; /* it never came to a first batch */
    assert_ok(status, error);
    assert_ok(gbv_ledger_verify(ledger, NULL, &summary, &error), error);
    gbv_ledger_close(ledger);
    assert_int_equal(summary.records, summary.batches);
    return summary.batches;
}

/* How far a child comes that is killed after so long; it tells every batch that it was promised. */
static void add_until_killed(const char *path, int first, double seconds, int *promised)
{
    int told[2];
    assert_int_equal(pipe(told), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        gbv_error error;
        close(told[0]);
        for (int t = first;; t++) {
            unsigned char done = 1;
            if (add_batch(path, t, &error) != GBV_OK)
                done = 2;
            if (write(told[1], &done, 1) != 1 || done == 2)
                _exit(1);
        }
    }
    close(told[1]);
    sleep_for(seconds);
    kill(child, SIGKILL);
    int how;
    waitpid(child, &how, 0);
    unsigned char done;
    while (read(told[0], &done, 1) == 1) {
        assert_int_equal(done, 1);
        (*promised)++;
    }
    close(told[0]);
}

/* That one update takes here and now, so that kills come at any instant of it. */
static double usual_seconds(const char *path)
{
    enum { TRIES = 4 };
    gbv_error error;
    double start = clock_seconds();
    for (int t = 0; t < TRIES; t++)
        assert_ok(add_batch(path, t, &error), error);
    unlink(path);
    return fmin((clock_seconds() - start) / TRIES, .05);
}

static void a_killed_update_is_there_whole_or_not_at_all(void **state)
{
    const char *path = *state;
#ifdef GBV_SANITIZE
    enum { KILLS = 60, LEDGERS = 3 };
#else
    enum { KILLS = 500, LEDGERS = 5 };
#endif
    uint64_t seed = (uint64_t)time(NULL) ^ (uint64_t)getpid();
    random_stream stream = random_stream_open(seed, "kills", RANDOM_SPLIT);
    char other[600];
    gbv_error error;
    size_t begun = 0;
    snprintf(other, sizeof other, "%s.other", path);
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int round = 0; round < LEDGERS; round++) {
        int batches = 0;
        double usual = usual_seconds(other);
        for (int i = 0; i < KILLS / LEDGERS; i++) {
            int promised = batches;
            add_until_killed(path, batches, 2 * usual * random_uniform(&stream), &promised);
            char journal[700];
            snprintf(journal, sizeof journal, "%s-journal", path);
            begun += is_there(journal);
            batches = (int)count_batches(path);
            assert_true(batches == promised || batches == promised + 1);
        }
        for (int t = 0; t < batches; t++)
            assert_ok(add_batch(other, t, &error), error);
        if (batches) {
            gbv_ledger_summary killed = verified(path), whole = verified(other);
            assert_string_equal(killed.head, whole.head); /* which covers every bit of every batch */
            gbv_history *h = history_of(path, NULL), *g = history_of(other, NULL);
            assert_memory_equal(h->points, g->points, h->batch_count * h->source_count * sizeof *h->points);
            gbv_history_free(h);
            gbv_history_free(g);
        }
        print_message("%d batches after %d kills\n", batches, KILLS / LEDGERS);
        unlink(path);
        unlink(other);
    }
    print_message("%zu of %d kills left a transaction to be taken back\n", begun, KILLS);
}

typedef struct race {
    gbv_ledger *ledger; /* of the one who loses */
    const char *path;
} race;

/* Another process adds a batch while this one is scoring. */
static bool add_meanwhile(void *context, const char *stage, size_t done, size_t total)
{
    race *r = context;
    (void)stage, (void)done, (void)total;
    if (!r->path)
        return false;
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "test", r->path, NULL);
        _exit(9);
    }
    int how = 0;
    waitpid(child, &how, 0);
    assert_int_equal(WEXITSTATUS(how), 0);
    r->path = NULL;
    return false;
}

static gbv_dataset *small_dataset(const char *name, uint64_t seed)
{
    enum { ROWS = 60, WIDTH = 3 };
    static float rows[8][ROWS][WIDTH];
    static int32_t labels[8][ROWS];
    static size_t made;
    size_t m = made++ % 8;
    random_stream stream = random_stream_open(seed, name, RANDOM_SPLIT);
    for (int i = 0; i < ROWS; i++) {
        labels[m][i] = i % 2;
        for (int j = 0; j < WIDTH; j++)
            rows[m][i][j] = (float)(random_normal(&stream) + labels[m][i]);
    }
    gbv_dataset *d;
    gbv_error error;
    assert_ok(gbv_dataset_create(name, gbv_matrix_f32(&rows[m][0][0], ROWS, WIDTH), labels[m], NULL, 0, &d, &error),
              error);
    return d;
}

static gbv_status small_update(const char *path, const char *batch, gbv_progress_callback *progress, void *context,
                               gbv_error *error)
{
    gbv_dataset *reference = small_dataset("reference", 1);
    gbv_sources *sources = gbv_sources_create();
    gbv_value_options value = gbv_value_defaults();
    gbv_update_options options = {.batch = batch};
    gbv_ledger *ledger = NULL;
    gbv_result *result = NULL;
    value.replicates = 20;
    value.refits = 2;
    value.model.progress = progress;
    value.model.context = context;
    for (int i = 0; i < 2; i++)
        assert_ok(gbv_sources_add_dataset(sources, LETTERS[i], small_dataset(LETTERS[i], 2), error), *error);
    gbv_status status = gbv_ledger_open(path, GBV_LEDGER_UPDATE, &ledger, error);
    if (status == GBV_OK)
        status = gbv_ledger_update(ledger, reference, sources, &value, &options, &result, error);
    assert_true((status == GBV_OK) == (result != NULL));
    gbv_result_free(result);
    gbv_ledger_close(ledger);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    return status;
}

static void of_two_updates_at_once_one_wins(void **state)
{
    const char *path = *state;
    gbv_error error;
    for (int batches = 1; batches <= 2; batches++) { /* the other one makes the file, or adds to it */
        race r = {.path = path};
        assert_int_equal(small_update(path, "mine", add_meanwhile, &r, &error), GBV_FAILED);
        if (!strstr(error.message, "another update came first; nothing was changed"))
            fail_msg("%s", error.message);
        gbv_ledger_summary summary = verified(path);
        assert_int_equal(summary.batches, batches);
    }
    assert_ok(small_update(path, "mine", NULL, NULL, &error), error); /* it only has to be run again */
    assert_int_equal(verified(path).batches, 3);
}

static bool stop(void *context, const char *stage, size_t done, size_t total)
{
    (void)context, (void)stage, (void)done, (void)total;
    return true;
}

static void an_interrupted_update_leaves_nothing(void **state)
{
    const char *path = *state;
    gbv_error error;
    assert_int_equal(small_update(path, "1", stop, NULL, &error), GBV_INTERRUPTED);
    assert_false(is_there(path));
    assert_ok(small_update(path, "1", NULL, NULL, &error), error);
    gbv_ledger_summary before = verified(path);
    assert_int_equal(small_update(path, "2", stop, NULL, &error), GBV_INTERRUPTED);
    assert_string_equal(verified(path).head, before.head);
}

/* Many at once: every batch that was promised is there, and no other. */
static void updates_at_once_neither_get_lost_nor_mixed(void **state)
{
    const char *path = *state;
    enum { WRITERS = 4, EACH = 5 };
    pid_t children[WRITERS];
    for (int w = 0; w < WRITERS; w++)
        if ((children[w] = fork()) == 0) {
            gbv_error error;
            for (int i = 0; i < EACH; i++)
                if (add_batch(path, EACH * w + i, &error) != GBV_OK)
                    _exit(1);
            _exit(0);
        }
    for (int w = 0; w < WRITERS; w++) {
        int how;
        waitpid(children[w], &how, 0);
        assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    }
    assert_int_equal(verified(path).batches, WRITERS * EACH);
}

int main(int count, char **arguments)
{
    omp_set_num_threads(1); /* a child would wait for threads that fork does not take along */
    if (count == 2) {       /* the other one of two updates */
        gbv_error error;
        char name[20];
        snprintf(name, sizeof name, "theirs %ld", (long)getpid());
        return small_update(arguments[1], name, NULL, NULL, &error);
    }
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_path, remove_path)
    const struct CMUnitTest tests[] = {
        TEST(updates_at_once_neither_get_lost_nor_mixed),
        TEST(a_killed_update_is_there_whole_or_not_at_all),
        TEST(of_two_updates_at_once_one_wins),
        TEST(an_interrupted_update_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
