/* Whatever fails while a ledger is written, and whenever the power goes, it is as it was before the batch or after it,
 * and what is said about it is true. */
#include "value/store/faulty_files.h"
#include "value/store/ledger_toy.h"

#include <omp.h>
#include <signal.h>
#include <sys/resource.h>

#ifdef GBV_SANITIZE
enum { POWER_SEEDS = 1 };
#else
enum { POWER_SEEDS = 4 };
#endif

/* Batch number t; three sources, so that worlds fill some pages. */
static gbv_status add_batch(const char *path, int t, gbv_error *error)
{
    double scores[] = {-1 - .1 * t, -1, -.9 - .05 * (t % 2)};
    char name[20];
    snprintf(name, sizeof name, "%d", t);
    gbv_update_options options = {.batch = name, .time = 1000 + t};
    gbv_result *r = scored(LETTERS, scores, 3, .1);
    resample(r, 400, .1, (uint64_t)t);
    return add_result(path, r, &options, error);
}

static gbv_status undo(const char *path, int t, gbv_error *error)
{
    gbv_ledger *ledger = NULL;
    (void)t;
    gbv_status status = gbv_ledger_open(path, GBV_LEDGER_UPDATE, &ledger, error);
    if (status == GBV_OK)
        status = gbv_ledger_undo(ledger, 2000, NULL, error);
    gbv_ledger_close(ledger);
    return status;
}

/* Hash of the head, "" for a ledger without batches. */
static void head_of(const char *path, char head[65])
{
    gbv_ledger *ledger;
    gbv_error error;
    gbv_ledger_summary summary = {0};
    gbv_status status = gbv_ledger_open(path, GBV_LEDGER_READ, &ledger, &error);
    head[0] = '\0';
    if (status == GBV_BAD_INPUT && (strstr(error.message, "No such file") || strstr(error.message, "is empty")))
        return;
    assert_ok(status, error);
    assert_ok(gbv_ledger_verify(ledger, NULL, &summary, &error), error);
    gbv_ledger_close(ledger);
    strcpy(head, summary.head);
}

/* A step from a ledger of so many batches. */
typedef struct scenario {
    int batches;
    gbv_status (*act)(const char *path, int t, gbv_error *error);
} scenario;

static const scenario scenarios[] = {{0, add_batch}, {1, add_batch}, {4, add_batch}, {3, undo}};

static void prepare(const char *path, const scenario *s)
{
    gbv_error error;
    faulty_reset();
    unlink(path);
    for (int t = 0; t < s->batches; t++)
        assert_ok(add_batch(path, t, &error), error);
}

/* A file as it is, to be put back; NULL: there is none. */
static unsigned char *take(const char *path, size_t *size)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return NULL;
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = malloc(*size = (size_t)about.st_size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void put_back(const char *path, const unsigned char *bytes, size_t size)
{
    char journal[700];
    faulty_reset();
    snprintf(journal, sizeof journal, "%s-journal", path);
    unlink(journal);
    unlink(path);
    FILE *file = bytes ? fopen(path, "wb") : NULL;
    if (file) {
        assert_int_equal(fwrite(bytes, 1, size, file), size);
        fclose(file);
    }
}

static void run_all(const char *path, int code, uint64_t seed)
{
    char before[65], after[65], now[65];
    gbv_error error;
    size_t most = 0, kept = 0;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        const scenario *s = &scenarios[i];
        size_t size = 0;
        prepare(path, s);
        unsigned char *bytes = take(path, &size);
        head_of(path, before);
        assert_ok(s->act(path, s->batches, &error), error);
        head_of(path, after);
        gbv_status status = GBV_FAILED;
        for (size_t call = 1; status != GBV_OK; call++) {
            assert_true(call < 500);
            put_back(path, bytes, size);
            if (code)
                faulty_fail_at(call, code);
            else
                faulty_lose_power_at(call, seed + call);
            status = s->act(path, s->batches, &error);
            if (status != GBV_OK && status != GBV_FAILED)
                fail_msg("call %zu: status %d: %s", call, status, error.message);
            if (status == GBV_FAILED && (!strstr(error.message, path) || strlen(error.message) < 30))
                fail_msg("call %zu: '%s'", call, error.message);
            bool failed_call = faulty_calls() >= call;
            if (code)
                faulty_reset();
            else
                faulty_power_back();
            if (status == GBV_FAILED && !*before && is_there(path) && code) { /* no empty file is left behind */
                struct stat about;
                assert_int_equal(stat(path, &about), 0);
                if (about.st_size == 0)
                    fail_msg("call %zu left an empty file: %s", call, error.message);
            }
            head_of(path, now);
            if (strcmp(now, after) == 0)
                kept += status != GBV_OK;
            else if (status == GBV_OK || strcmp(now, before) != 0)
                fail_msg("call %zu (status %d): head '%s', not '%s' nor '%s'", call, status, now, before, after);
            if (strcmp(now, after) != 0) { /* it only has to be done again */
                assert_ok(s->act(path, s->batches, &error), error);
                head_of(path, now);
                assert_string_equal(now, after);
            }
            if (status == GBV_OK && failed_call)
                status = GBV_FAILED; /* one that does not matter; there are more */
            most = call > most ? call : most;
        }
        free(bytes);
    }
    print_message("up to %zu changes; %zu times it was said to have failed, and was there\n", most, kept);
}

static void a_call_that_fails_leaves_it_before_or_after(void **state)
{
    run_all(*state, SQLITE_IOERR, 0);
}

static void a_full_disk_leaves_it_before_or_after(void **state)
{
    run_all(*state, SQLITE_FULL, 0);
}

static void lost_power_leaves_it_before_or_after(void **state)
{
    for (uint64_t seed = 0; seed < POWER_SEEDS; seed++)
        run_all(*state, 0, 1000 * seed);
}

static void a_full_disk_is_told(void **state)
{
    const char *path = *state;
    gbv_error error;
    prepare(path, &scenarios[2]);
    faulty_fail_at(3, SQLITE_FULL);
    assert_int_equal(add_batch(path, 4, &error), GBV_FAILED);
    if (!strstr(error.message, "no space left"))
        fail_msg("%s", error.message);
    faulty_reset();
}

/* As large as files may be here: the system itself refuses. */
static void a_file_that_may_not_grow_stays_as_it_was(void **state)
{
    const char *path = *state;
    struct rlimit before, small;
    struct stat about;
    gbv_error error;
    char head[65], now[65];
    prepare(path, &scenarios[2]);
    head_of(path, head);
    assert_int_equal(stat(path, &about), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = (rlim_t)about.st_size;
    if (setrlimit(RLIMIT_FSIZE, &small) != 0)
        skip();
    gbv_status status = GBV_OK;
    for (int t = 4; t < 20 && status == GBV_OK; t++) {
        strcpy(now, head);
        status = add_batch(path, t, &error);
        head_of(path, head);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, GBV_FAILED);
    print_message("%s\n", error.message);
    assert_string_equal(now, head);
}

/* A second reader or writer while one has the file: waits, then says so. */
static void a_file_that_is_busy_is_told(void **state)
{
    const char *path = *state;
    gbv_error error;
    sqlite3 *other;
    prepare(path, &scenarios[1]);
    assert_int_equal(sqlite3_open_v2(path, &other, SQLITE_OPEN_READWRITE, "unix"), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(add_batch(path, 1, &error), GBV_FAILED);
    if (!strstr(error.message, "another program is writing to it; nothing was changed"))
        fail_msg("%s", error.message);
    sqlite3_close(other);
    assert_ok(add_batch(path, 1, &error), error);
}

int main(void)
{
    omp_set_num_threads(1); /* there is nothing to share out */
    faulty_install();
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_path, remove_path)
    const struct CMUnitTest tests[] = {
        TEST(a_call_that_fails_leaves_it_before_or_after), TEST(a_full_disk_leaves_it_before_or_after),
        TEST(lost_power_leaves_it_before_or_after),        TEST(a_full_disk_is_told),
        TEST(a_file_that_may_not_grow_stays_as_it_was),    TEST(a_file_that_is_busy_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
