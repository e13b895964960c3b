/* Updates from data: what is refused before anything is fitted, the prior and tau of the ledger in the result,
 * intervals of accumulated weights, and that no data stays in the file. */
#include "value/store/ledger_toy.h"

#include "value/toy.h"

static gbv_sources *sources_of(const toy *t, const int *order, size_t count, size_t rows)
{
    gbv_sources *sources = gbv_sources_create();
    for (size_t i = 0; i < count; i++)
        add_source(sources, t, order[i], rows);
    return sources;
}

static gbv_value_options quick_options(void)
{
    gbv_value_options value = gbv_value_defaults();
    value.replicates = 40;
    value.refits = 2;
    return value;
}

/* The first `rows` of the given sources as a batch. */
static gbv_status update(const char *path, const toy *t, const int *order, size_t count, size_t rows,
                         const gbv_value_options *value, const gbv_update_options *options, gbv_result **result,
                         gbv_error *error)
{
    gbv_dataset *reference = reference_of(t);
    gbv_sources *sources = sources_of(t, order, count, rows);
    gbv_value_options usual = quick_options();
    gbv_ledger *ledger = NULL;
    if (result)
        *result = NULL;
    gbv_status status = gbv_ledger_open(path, GBV_LEDGER_UPDATE, &ledger, error);
    if (status == GBV_OK)
        status = gbv_ledger_update(ledger, reference, sources, value ? value : &usual, options, result, error);
    gbv_ledger_close(ledger);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    return status;
}

static const int ALL[] = {0, 1, 2, 3};

static bool never(void *context, const char *stage, size_t done, size_t total)
{
    (void)context, (void)done, (void)total;
    fail_msg("it came to %s", stage);
    return true;
}

static void what_is_refused_is_refused_before_anything_is_fitted(void **state)
{
    toy *t = make_toy();
    const char *path = *state;
    gbv_error error;
    gbv_update_options options = {.batch = "1"};
    gbv_value_options value = quick_options();
    value.model.progress = never;
#define REFUSED(wanted, part, ...)                                                                                     \
    do {                                                                                                               \
        gbv_value_options kept = value;                                                                                \
        __VA_ARGS__;                                                                                                   \
        gbv_status got = update(path, t, ALL, 4, SAMPLE, &value, &options, NULL, &error);                              \
        if (got != wanted || !strstr(error.message, part))                                                             \
            fail_msg("status %d: %s", got, error.message);                                                             \
        value = kept;                                                                                                  \
        options = (gbv_update_options){.batch = "2"};                                                                  \
    } while (0)
    REFUSED(GBV_USAGE, "tau code", value.tau_mode = GBV_TAU_CODE);
    REFUSED(GBV_USAGE, "no name", options.batch = "");
    REFUSED(GBV_FAILED, "is not in", options.leavers = (const char *const[]){"x"}, options.leaver_count = 1);
    gbv_status one = update(path, t, ALL, 1, SAMPLE, &value, &options, NULL, &error);
    assert_true(one == GBV_FAILED && strstr(error.message, "--tau VALUE"));
    assert_false(is_there(path)); /* nothing of the kind is left behind */
    options.batch = "1";
    assert_ok(update(path, t, ALL, 4, SAMPLE, NULL, &options, NULL, &error), error);
    gbv_ledger_summary before = verified(path);
    REFUSED(GBV_FAILED, "'1' is there already", options.batch = "1");
    REFUSED(GBV_FAILED, "delivers in the same batch", options.leavers = names, options.leaver_count = 1);
    REFUSED(GBV_FAILED, "(--allow-change measure)", value.measure = "nce");
    REFUSED(GBV_FAILED, "(--allow-change measure)", value.method = "knn-shapley");
    REFUSED(GBV_FAILED, "(--allow-change model)", value.model.l2 = 3);
    REFUSED(GBV_FAILED, "(--allow-change model)", value.model.model = "mlp");
    REFUSED(GBV_FAILED, "(--allow-change seed)", value.model.seed = 9);
    REFUSED(GBV_FAILED, "(--allow-change intervals)", value.replicates = 20);
    REFUSED(GBV_FAILED, "(--allow-change intervals)", value.refits = 3);
    REFUSED(GBV_FAILED, "(--allow-change reference)", value.unlabelled = true; value.measure = "etran-energy");
    REFUSED(GBV_FAILED, "(--allow-change tau)", value.tau_mode = GBV_TAU_FIXED; value.tau = .3);
    REFUSED(GBV_FAILED, "(--allow-change tau)", value.tau_mode = GBV_TAU_AUTO);
    REFUSED(GBV_FAILED, "(--allow-change forgetting)", options.forgetting = .5);
    t->reference[7][3] += .5f;
    REFUSED(GBV_FAILED, "(--allow-change reference)", (void)0);
    t->reference[7][3] -= .5f;
    t->reference_labels[9] = (t->reference_labels[9] + 1) % CLASSES;
    REFUSED(GBV_FAILED, "(--allow-change reference)", (void)0);
    assert_string_equal(verified(path).head, before.head);
    free(t);
}

static void the_result_goes_on_from_the_ledger(void **state)
{
    toy *t = make_toy();
    const char *path = *state;
    gbv_error error;
    gbv_result *first, *second;
    gbv_update_options options = {.batch = "1"};
    assert_ok(update(path, t, ALL, 4, SAMPLE, NULL, &options, &first, &error), error);
    assert_true(first->tau == .5 && first->sources[0].prior == .25); /* quick, of four */
    options.batch = "2";
    static const int three[] = {3, 1, 0};
    gbv_value_options value = quick_options();
    value.tau_mode = GBV_TAU_QUICK; /* would be another of three */
    assert_ok(update(path, t, three, 3, 200, &value, &options, &second, &error), error);
    assert_true(second->tau == .5);
    double share = 0;
    for (size_t i = 0; i < 3; i++)
        share += find(first, names[three[i]])->posterior;
    gbv_history *h = history_of(path, NULL);
    assert_int_equal(h->batch_count, 2);
    assert_int_equal(h->batches[1].change_count, 0);
    assert_int_equal(h->batches[1].reference_batches, 2);
    assert_string_equal(h->batches[0].reference_sha256, h->batches[1].reference_sha256);
    for (size_t i = 0; i < 3; i++) {
        const gbv_source_result *s = &second->sources[i];
        assert_close(s->prior, find(first, s->name)->posterior / share, 1e-9);
        assert_close(point_of(h, (size_t)three[i], 1)->posterior, share * s->posterior, 1e-9);
        assert_true(point_of(h, (size_t)three[i], 1)->score == s->score);
        assert_true(point_of(h, (size_t)three[i], 1)->rows == 200);
        assert_close(point_of(h, (size_t)three[i], 1)->deviation,
                     (s->score_interval[1] - s->score_interval[0]) / 2 / 1.6448536269514722, 1e-12);
    }
    assert_close(point_of(h, 2, 1)->posterior, point_of(h, 2, 0)->posterior, 1e-12); /* was absent */
    gbv_history_free(h);
    gbv_result_free(first);
    gbv_result_free(second);
    options = (gbv_update_options){.batch = "3", .allow = "tau"};
    assert_ok(update(path, t, three, 3, 100, &value, &options, NULL, &error), error); /* now it may be */
    h = history_of(path, NULL);
    assert_close(h->batches[2].tau, 1 / log2(3), 1e-12);
    assert_int_equal(h->batches[2].change_count, 1);
    gbv_history_free(h);
    verified(path);
    free(t);
}

static void the_file_holds_no_data(void **state)
{
    toy *t = make_toy();
    const char *path = *state;
    gbv_error error;
    char class_names[CLASSES][20];
    const char *pointers[CLASSES];
    for (int c = 0; c < CLASSES; c++) {
        snprintf(class_names[c], sizeof class_names[c], "secret class %d", c);
        pointers[c] = class_names[c];
    }
    gbv_dataset *reference;
    assert_ok(gbv_dataset_create("reference", gbv_matrix_f32(&t->reference[0][0], REFERENCE, COLUMNS),
                                 t->reference_labels, pointers, CLASSES, &reference, &error),
              error);
    gbv_sources *sources = gbv_sources_create();
    for (int s = 0; s < SOURCES; s++) {
        gbv_dataset *d;
        assert_ok(gbv_dataset_create(names[s], gbv_matrix_f32(&t->rows[s][0][0], SAMPLE, COLUMNS), t->labels[s],
                                     pointers, CLASSES, &d, &error),
                  error);
        assert_ok(gbv_sources_add_dataset(sources, names[s], d, &error), error);
    }
    gbv_ledger *ledger = opened(path, GBV_LEDGER_UPDATE);
    gbv_value_options value = quick_options();
    assert_ok(gbv_ledger_update(ledger, reference, sources, &value, &(gbv_update_options){.batch = "1"}, NULL, &error),
              error);
    gbv_ledger_close(ledger);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    FILE *file = fopen(path, "rb");
    static char bytes[1 << 20];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 1000 && size < sizeof bytes);
    assert_non_null(memmem(bytes, size, "worst", 5)); /* names of sources are there */
    assert_null(memmem(bytes, size, "secret", 6));
    for (size_t i = 0; i < SAMPLE * COLUMNS; i += 3)
        for (size_t s = 0; s <= SOURCES; s++) {
            float single = s < SOURCES ? (&t->rows[s][0][0])[i] : (&t->reference[0][0])[i];
            double number = single;
            char swapped[8], text[40];
            for (int b = 0; b < 8; b++) /* as SQLite keeps it */
                swapped[b] = ((char *)&number)[7 - b];
            snprintf(text, sizeof text, "%.8g", number);
            assert_null(memmem(bytes, size, &number, 8));
            assert_null(memmem(bytes, size, swapped, 8));
            assert_null(memmem(bytes, size, text, strlen(text)));
        }
    for (size_t s = 0; s < SOURCES; s++)
        assert_null(memmem(bytes, size, t->labels[s], 16 * sizeof(int32_t)));
    free(t);
}

static int upwards(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* By hand: sums of resampled scores of two batches, world by world. */
static void intervals_are_of_all_batches_together(void **state)
{
    const char *path = *state;
    enum { WORLDS = 200, COUNT = 3 };
    gbv_error error;
    const double scores[][COUNT] = {{-1, -1.2, -.8}, {-1.1, -.9, -1}};
    static double sums[COUNT][WORLDS], shares[COUNT][WORLDS];
    for (uint64_t b = 0; b < 2; b++) {
        gbv_result *r = scored(LETTERS, scores[b], COUNT, .1);
        resample(r, WORLDS, .3, b);
        for (size_t s = 0; s < COUNT; s++)
            for (size_t w = 0; w < WORLDS; w++)
                sums[s][w] += r->certainty.resamples[s * WORLDS + w];
        gbv_update_options options = {.batch = LETTERS[b]};
        assert_ok(add_result(path, r, &options, &error), error);
    }
    for (size_t w = 0; w < WORLDS; w++) {
        double total = 0;
        for (size_t s = 0; s < COUNT; s++)
            total += exp(sums[s][w]);
        for (size_t s = 0; s < COUNT; s++)
            shares[s][w] = exp(sums[s][w]) / total;
    }
    gbv_history *h = history_of(path, NULL);
    for (size_t s = 0; s < COUNT; s++) {
        qsort(shares[s], WORLDS, sizeof(double), upwards);
        const double *interval = point_of(h, s, 1)->posterior_interval;
        assert_close(interval[0], shares[s][9] + .95 * (shares[s][10] - shares[s][9]), 1e-5);
        assert_close(interval[1], shares[s][189] + .05 * (shares[s][190] - shares[s][189]), 1e-5);
        assert_true(interval[0] < point_of(h, s, 1)->posterior && interval[1] > point_of(h, s, 1)->posterior);
    }
    assert_int_equal(h->batches[1].warning_count, 0);
    gbv_history_free(h);
}

static bool has_interval(const char *path, size_t source)
{
    gbv_history *h = history_of(path, &(gbv_history_options){.last = 1});
    bool has = !isnan(point_of(h, source, 0)->posterior_interval[0]);
    gbv_history_free(h);
    return has;
}

static size_t warned(const char *path, const char *part)
{
    gbv_history *h = history_of(path, &(gbv_history_options){.last = 1});
    size_t found = 0;
    for (size_t i = 0; i < h->batches[0].warning_count; i++)
        found += strstr(h->batches[0].warnings[i], part) != NULL;
    gbv_history_free(h);
    return found;
}

static void add_resampled(const char *path, const char *batch, size_t count, const char *allow)
{
    gbv_error error;
    gbv_update_options options = {.batch = batch, .allow = allow};
    gbv_result *r = scored(LETTERS, (double[]){-1, -1.2, -.8}, 3, .1);
    if (count)
        resample(r, count, .1, hash_text(batch));
    assert_ok(add_result(path, r, &options, &error), error);
}

static void undo_one(const char *path)
{
    gbv_error error;
    gbv_ledger *ledger = opened(path, GBV_LEDGER_UPDATE);
    assert_ok(gbv_ledger_undo(ledger, 0, NULL, &error), error);
    gbv_ledger_close(ledger);
}

static void intervals_end_where_resampled_scores_do(void **state)
{
    const char *path = *state;
    add_resampled(path, "1", 20, NULL);
    add_resampled(path, "2", 20, NULL);
    assert_true(has_interval(path, 1));
    add_resampled(path, "3", 0, NULL);
    assert_false(has_interval(path, 1));
    assert_int_equal(warned(path, "no intervals from here on: this batch comes without"), 1);
    add_resampled(path, "4", 20, NULL);
    assert_false(has_interval(path, 1));
    undo_one(path);
    undo_one(path);
    assert_true(has_interval(path, 1)); /* as it was recorded of batch 2 */
    add_resampled(path, "5", 20, NULL);
    assert_false(has_interval(path, 1)); /* but its worlds are gone: two were undone in a row */
    assert_int_equal(warned(path, "those of the batches that were undone are not kept"), 1);
    verified(path);
    unlink(path);
    add_resampled(path, "1", 20, NULL);
    add_resampled(path, "2", 40, "intervals");
    assert_false(has_interval(path, 1));
    assert_int_equal(warned(path, "another number"), 1);
    verified(path);
}

static void one_undoing_restores_the_worlds(void **state)
{
    const char *path = *state;
    char other[600];
    snprintf(other, sizeof other, "%s.other", path);
    for (int i = 0; i < 2; i++) {
        add_resampled(i ? other : path, "1", 20, NULL);
        add_resampled(i ? other : path, "2", 20, NULL);
    }
    add_resampled(path, "3", 20, NULL);
    undo_one(path);
    verified(path);
    add_resampled(path, "4", 20, NULL);
    add_resampled(other, "4", 20, NULL);
    gbv_history *h = history_of(path, NULL), *g = history_of(other, NULL);
    assert_memory_equal(h->points, g->points, 9 * sizeof *h->points);
    assert_false(isnan(point_of(h, 0, 2)->posterior_interval[0]));
    gbv_history_free(h);
    gbv_history_free(g);
}

static double correlation(const double *a, const double *b, int count)
{
    double aa = 0, bb = 0, ab = 0, mean_a = 0, mean_b = 0;
    for (int i = 0; i < count; i++)
        mean_a += a[i] / count, mean_b += b[i] / count;
    for (int i = 0; i < count; i++) {
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
        ab += (a[i] - mean_a) * (b[i] - mean_b);
    }
    return ab / sqrt(aa * bb);
}

/* The same sources deliver twice, and are judged by one reference: what its rows do by chance to one score, they do to
 * the other. With other draws it is not seen. */
static void batches_judged_by_one_reference_share_its_chance(void **state)
{
    toy *t = make_toy();
    (void)state;
    enum { WORLDS = 200, HALF = SAMPLE / 2 };
    gbv_value_options value = quick_options();
    value.replicates = WORLDS;
    value.refits = 0;
    value.keep_resamples = true;
    gbv_result *runs[3];
    gbv_error error;
    gbv_dataset *reference = reference_of(t);
    for (int run = 0; run < 3; run++) {
        gbv_sources *sources = gbv_sources_create();
        size_t from = run ? HALF : 0;
        for (int s = 0; s < SOURCES; s++) {
            gbv_dataset *d;
            assert_ok(gbv_dataset_create(names[s], gbv_matrix_f32(t->rows[s][from], HALF, COLUMNS), t->labels[s] + from,
                                         NULL, 0, &d, &error),
                      error);
            assert_ok(gbv_sources_add_dataset(sources, names[s], d, &error), error);
        }
        value.model.seed = run == 2 ? 77 : 0;
        assert_ok(gbv_value(reference, sources, &value, &runs[run], &error), error);
        assert_int_equal(runs[run]->certainty.resample_count, WORLDS);
        gbv_sources_free(sources);
    }
    for (size_t s = 0; s < SOURCES; s++) {
        const double *drawn[3];
        for (int run = 0; run < 3; run++)
            drawn[run] = runs[run]->certainty.resamples + s * WORLDS;
        double same = correlation(drawn[0], drawn[1], WORLDS), other = correlation(drawn[0], drawn[2], WORLDS);
        print_message("%s: correlation %.2f, with other draws %.2f\n", names[s], same, other);
        assert_true(same > .5 && fabs(other) < .35);
    }
    for (int run = 0; run < 3; run++)
        gbv_result_free(runs[run]);
    gbv_dataset_free(reference);
    free(t);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_path, remove_path)
    const struct CMUnitTest tests[] = {
        TEST(what_is_refused_is_refused_before_anything_is_fitted),
        TEST(the_result_goes_on_from_the_ledger),
        TEST(the_file_holds_no_data),
        TEST(intervals_are_of_all_batches_together),
        TEST(intervals_end_where_resampled_scores_do),
        TEST(one_undoing_restores_the_worlds),
        TEST(batches_judged_by_one_reference_share_its_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
