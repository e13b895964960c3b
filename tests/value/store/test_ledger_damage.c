/* What a ledger makes of files that are none, and of ledgers that somebody has changed: every change is found. */
#include "value/store/ledger_toy.h"

#include <sqlite3.h>

static void make_ledger(const char *path)
{
    gbv_error error;
    const double scores[][3] = {{-1, -.5, -2}, {-.2, -1.5, -.3}, {-1, -1.1, -.9}, {-1, -.8, -.7}};
    char name[2] = "1";
    for (size_t t = 0; t < 4; t++, name[0]++) {
        gbv_update_options options = {.batch = name, .time = 1000 + (int64_t)t};
        gbv_result *r = scored(LETTERS, scores[t], 3, .1);
        resample(r, 20, .1, t);
        assert_ok(add_result(path, r, &options, &error), error);
        if (t == 2) {
            gbv_ledger *ledger = opened(path, GBV_LEDGER_UPDATE);
            assert_ok(gbv_ledger_undo(ledger, 2000, NULL, &error), error);
            gbv_ledger_close(ledger);
        }
    }
}

static void copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    char block[4096];
    assert_true(in && out);
    for (size_t count; (count = fread(block, 1, sizeof block, in)) > 0;)
        assert_int_equal(fwrite(block, 1, count, out), count);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static void change(const char *path, const char *sql)
{
    sqlite3 *database;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    if (strncmp(sql, "PRAGMA", 6) && strncmp(sql, "CREATE", 6))
        assert_true(sqlite3_changes(database) > 0);
    sqlite3_close(database);
}

/* The sentence by which the damage is told; "" when none is. */
static const char *told(const char *path, const char *head)
{
    static gbv_error error;
    gbv_ledger *ledger = NULL;
    gbv_ledger_summary summary;
    error.message[0] = '\0';
    gbv_status status = gbv_ledger_open(path, GBV_LEDGER_READ, &ledger, &error);
    if (status == GBV_OK)
        status = gbv_ledger_verify(ledger, head, &summary, &error);
    gbv_ledger_close(ledger);
    assert_true(status == GBV_OK ? !*error.message : status == GBV_BAD_INPUT);
    return error.message;
}

static void every_change_of_the_tables_is_found(void **state)
{
    const char *path = *state;
    char copy[600];
    static const struct {
        const char *sql, *part;
    } changes[] = {
        {"UPDATE point SET score = score + 1e-12 WHERE id = (SELECT min(id) FROM point)", "batch 1 ('1')"},
        {"UPDATE point SET log_weight = log_weight - 1e-14 WHERE record = 2 AND source = 2", "batch 2 ('2')"},
        {"UPDATE point SET score = NULL, rows = NULL WHERE record = 2 AND source = 2", "batch 2 ('2')"},
        {"UPDATE point SET sha256 = zeroblob(32) WHERE record = 5 AND source = 1", "batch 5 ('4')"},
        {"UPDATE point SET low = 0 WHERE record = 3 AND source = 1", "batch 3 ('3')"}, /* undone, but on record */
        {"DELETE FROM point WHERE record = 2 AND source = 3", "batch 2 ('2')"},
        {"INSERT INTO point (id, prior, log_weight) VALUES ((2 << 32) | 4, .1, -1)", "a source that is not there"},
        {"INSERT INTO point (id, prior, log_weight) VALUES ((9 << 32) | 1, .1, -1)", "belong to no record"},
        {"UPDATE point SET id = id + 1000 WHERE record = 2 AND source = 3", ""},
        {"UPDATE record SET name = '9' WHERE number = 2", "batch 2 ('9')"},
        {"UPDATE record SET time = 1 WHERE number = 4", "the undoing 4 ('3')"},
        {"UPDATE record SET settings = replace(settings, '\"tau\": 1', '\"tau\": 2') WHERE number = 1", "batch 1"},
        {"UPDATE record SET kind = 'undo', undoes = 2 WHERE number = 5", ""},
        {"UPDATE record SET kind = 'other' WHERE number = 5", "record 5 is none"},
        {"UPDATE record SET reference = zeroblob(32) WHERE number = 1", "batch 1"},
        {"UPDATE record SET hash = zeroblob(32) WHERE number = 5", "batch 5"},
        {"DELETE FROM record WHERE number = 5", "record 5 is missing"},
        {"DELETE FROM record WHERE number = 2", "record 2 is missing"},
        {"UPDATE record SET number = 6 WHERE number = 5", "record 5 is missing"},
        {"INSERT INTO record SELECT 6, kind, undoes, name, time, reference, settings, hash FROM record WHERE number = "
         "5",
         "record 6"},
        {"UPDATE ledger SET records = 4", "record 5"},
        {"UPDATE ledger SET records = 6", "record 6 is missing"},
        {"UPDATE ledger SET head = zeroblob(32)", "not the one that was written last"},
        {"DELETE FROM ledger", "the hash of its last record is missing"},
        {"UPDATE source SET name = 'x' WHERE id = 1", "batch 1"},
        {"INSERT INTO source VALUES (4, 'd')", "a source that no batch has"},
        {"DELETE FROM source WHERE id = 2", "source 2 is missing"},
        {"UPDATE drift SET score_sum = score_sum + .001 WHERE source = 1", "the past of source 'a'"},
        {"DELETE FROM drift WHERE source = 3", "the past of source 'c'"},
        {"UPDATE worlds SET log_weights = zeroblob(240) WHERE record = 5", "the resampled weights of batch '4'"},
        {"UPDATE worlds SET log_weights = zeroblob(240) WHERE record = 2", "the resampled weights of batch '2'"},
        {"DELETE FROM worlds WHERE record = 5", "the resampled weights of its last batch are missing"},
        {"CREATE TRIGGER t AFTER INSERT ON point BEGIN DELETE FROM point; END", "its tables are not those"},
        {"CREATE TABLE t (x)", "its tables are not those"},
        {"PRAGMA user_version = 2", "newer gbv"},
        {"PRAGMA user_version = 0", "its tables are not those"},
        {"PRAGMA application_id = 0", "another program"},
    };
    make_ledger(path);
    assert_string_equal(told(path, NULL), "");
    snprintf(copy, sizeof copy, "%s.copy", path);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        copy_file(path, copy);
        change(copy, changes[i].sql);
        const char *sentence = told(copy, NULL);
        if (!*sentence || !strstr(sentence, changes[i].part) || !strstr(sentence, copy))
            fail_msg("%s: \"%s\" lacks '%s'", changes[i].sql, sentence, changes[i].part);
    }
}

/* Somebody who makes all hashes again is found by one that was noted elsewhere. */
static void a_noted_hash_proves_what_was_there(void **state)
{
    const char *path = *state;
    gbv_error error;
    make_ledger(path);
    gbv_history *h = history_of(path, NULL);
    for (size_t t = 0; t < h->batch_count; t++)
        assert_string_equal(told(path, h->batches[t].hash), "");
    unlink(path);
    assert_ok(add_scores(path, "1", (double[]){-1, -.5, -2}, 3, &error), error);
    assert_non_null(strstr(told(path, h->batches[2].hash), "which was noted of it"));
    gbv_ledger *ledger = opened(path, GBV_LEDGER_READ);
    gbv_ledger_summary summary;
    assert_int_equal(gbv_ledger_verify(ledger, "abc", &summary, &error), GBV_USAGE);
    gbv_ledger_close(ledger);
    gbv_history_free(h);
}

static void flipped_bytes_and_cut_files_are_found_or_harmless(void **state)
{
    const char *path = *state;
    char copy[600];
    make_ledger(path);
    snprintf(copy, sizeof copy, "%s.copy", path);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    gbv_history *h = history_of(path, NULL);
    random_stream stream = random_stream_open(41, "flips", RANDOM_SPLIT);
    size_t found = 0;
    for (int i = 0; i < 200; i++) {
        copy_file(path, copy);
        off_t at = (off_t)random_below(&stream, (uint64_t)about.st_size);
        FILE *file = fopen(copy, "r+");
        fseek(file, at, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 1 << random_below(&stream, 8), file);
        fclose(file);
        if (*told(copy, NULL))
            found++;
        else { /* a byte that means nothing: what is read is as it was */
            gbv_history *g = history_of(copy, NULL);
            assert_int_equal(g->batch_count, h->batch_count);
            for (size_t p = 0; p < h->batch_count * h->source_count; p++)
                assert_true(h->points[p].posterior == g->points[p].posterior);
            gbv_history_free(g);
        }
    }
    print_message("%zu of 200 flipped bits found\n", found);
    assert_true(found > 10);
    for (off_t size = 1; size < about.st_size; size += size < 200 ? 17 : 1999) {
        copy_file(path, copy);
        assert_int_equal(truncate(copy, size), 0);
        assert_true(*told(copy, NULL));
    }
    gbv_history_free(h);
}

static void assert_fails(const char *path, gbv_ledger_mode mode, gbv_status wanted, const char *part)
{
    gbv_ledger *ledger;
    gbv_error error;
    gbv_status status = gbv_ledger_open(path, mode, &ledger, &error);
    if (status != wanted || !strstr(error.message, part))
        fail_msg("%s: status %d (%s), not %d with '%s'", path, status, status ? error.message : "", wanted, part);
    assert_null(ledger);
}

static void files_that_are_no_ledgers_are_refused(void **state)
{
    const char *path = *state;
    char folder[600], elsewhere[700];
    gbv_error error;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    snprintf(elsewhere, sizeof elsewhere, "%s/none/ledger.db", folder);
    for (gbv_ledger_mode mode = GBV_LEDGER_READ; mode <= GBV_LEDGER_UPDATE; mode++) {
        assert_fails("", mode, GBV_USAGE, "no name");
        assert_fails(folder, mode, GBV_BAD_INPUT, "is a folder");
        assert_fails("/dev/null", mode, GBV_BAD_INPUT, "no regular file");
        assert_fails(elsewhere, mode, mode == GBV_LEDGER_READ ? GBV_BAD_INPUT : GBV_FAILED, "No such file");
        FILE *file = fopen(path, "w");
        for (int i = 0; i < 200; i++)
            fputs("source,weight\na,1\n", file);
        fclose(file);
        assert_fails(path, mode, GBV_BAD_INPUT, "is not a ledger");
        unlink(path);
        change(path, "CREATE TABLE t (x)");
        assert_fails(path, mode, GBV_BAD_INPUT, "another program");
        unlink(path);
    }
    assert_fails(path, GBV_LEDGER_READ, GBV_BAD_INPUT, "No such file");
    fclose(fopen(path, "w"));
    assert_fails(path, GBV_LEDGER_READ, GBV_BAD_INPUT, "is empty");
    assert_ok(add_scores(path, "1", (double[]){-1, -2}, 2, &error),
              error); /* as a first update that was killed leaves it */
    assert_int_equal(verified(path).batches, 1);
}

static void a_ledger_is_read_where_nothing_may_be_written(void **state)
{
    const char *path = *state;
    char folder[600];
    gbv_error error;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    make_ledger(path);
    chmod(path, 0444);
    chmod(folder, 0555);
    if (getuid() == 0) /* root may write anywhere: somebody else then */
        assert_int_equal(seteuid(65534), 0);
    verified(path);
    gbv_history_free(history_of(path, NULL));
    gbv_ledger *ledger = opened(path, GBV_LEDGER_READ);
    assert_int_equal(gbv_ledger_undo(ledger, 0, NULL, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "opened for reading"));
    gbv_ledger_close(ledger);
    assert_fails(path, GBV_LEDGER_UPDATE, GBV_FAILED, "may not be written");
    char fresh[700];
    snprintf(fresh, sizeof fresh, "%s/new.db", folder);
    assert_fails(fresh, GBV_LEDGER_UPDATE, GBV_FAILED, "its folder cannot be written");
    assert_false(is_there(fresh));
    assert_int_equal(seteuid(getuid()), 0);
    chmod(path, 0666); /* the file may be written now, the journal beside it may not */
    if (getuid() == 0)
        assert_int_equal(seteuid(65534), 0);
    gbv_result *r = scored(LETTERS, (double[]){-1, -2, -3}, 3, .1);
    gbv_update_options options = {.batch = "5"};
    assert_int_equal(add_result(path, r, &options, &error), GBV_FAILED);
    assert_non_null(strstr(error.message, "its folder cannot be written"));
    assert_int_equal(seteuid(getuid()), 0);
    chmod(folder, 0755);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_path, remove_path)
    const struct CMUnitTest tests[] = {
        TEST(every_change_of_the_tables_is_found),
        TEST(a_noted_hash_proves_what_was_there),
        TEST(flipped_bytes_and_cut_files_are_found_or_harmless),
        TEST(files_that_are_no_ledgers_are_refused),
        TEST(a_ledger_is_read_where_nothing_may_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
