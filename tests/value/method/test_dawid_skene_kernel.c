/* test_dawid_skene_kernel.c - golden numbers of an EM in NumPy, crowds whose truth is known, and odd crowds. */
#include "value/method/dawid_skene_kernel.h"

#include "value/method/crowd.h"

enum { GOLDEN_SOURCES = 7, GOLDEN_CLASSES = 4, GOLDEN_ITEMS = 160 };

static overlap read_golden_labels(void)
{
    item_label labels[1000];
    size_t count = 0;
    overlap o;
    gbv_error error;
    FILE *stream = fopen(GOLDEN "/crowd_labels.csv", "r");
    if (!stream || fscanf(stream, "task,worker,label\n") != 0)
        fail_msg("%s is missing", GOLDEN "/crowd_labels.csv");
    /* overlap_create wants them by source, the file has them by task */
    for (int32_t s = 0; s < GOLDEN_SOURCES; s++) {
        int task, worker, label;
        rewind(stream);
        (void)!fscanf(stream, "task,worker,label\n");
        while (fscanf(stream, "%d,%d,%d\n", &task, &worker, &label) == 3)
            if (worker == s)
                labels[count++] = (item_label){.item = (size_t)task, .source = worker, .class_index = label};
    }
    fclose(stream);
    assert_int_equal(count, 548);
    assert_ok(overlap_create(labels, count, NULL, GOLDEN_ITEMS, GOLDEN_SOURCES, GOLDEN_CLASSES, &o, &error), error);
    return o;
}

static double golden(const char *format, const char *which, size_t a, size_t b, size_t c)
{
    char key[100];
    double value = NAN;
    snprintf(key, sizeof key, format, which, a, b, c);
    if (!golden_number("dawid_skene.tsv", key, &value))
        fail_msg("no golden number %s", key);
    return value;
}

static void numbers_are_those_of_an_em_in_numpy(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double smoothing;
    } cases[] = {{"smoothed", 0}, {"plain", 1e-10}};
    overlap o = read_golden_labels();
    for (size_t i = 0; i < 2; i++) {
        const char *name = cases[i].name;
        annotator_score scores[GOLDEN_SOURCES];
        dawid_skene_model model;
        gbv_error error;
        assert_ok(dawid_skene_kernel(&o, &(dawid_skene_options){.smoothing = cases[i].smoothing, .threads = 2}, scores,
                                     &model, &error),
                  error);
        assert_int_equal(model.class_count, GOLDEN_CLASSES);
        assert_int_equal(model.iterations, (int)golden("%s/iterations", name, 0, 0, 0));
        for (size_t t = 0; t < GOLDEN_CLASSES; t++)
            assert_near(model.frequency[t], golden("%s/frequency/%zu", name, t, 0, 0), 1e-9);
        for (size_t s = 0; s < GOLDEN_SOURCES; s++) {
            assert_near(scores[s].score, golden("%s/score/%zu", name, s, 0, 0), 1e-9);
            for (size_t t = 0; t < GOLDEN_CLASSES; t++)
                for (size_t said = 0; said < GOLDEN_CLASSES; said++)
                    assert_near(model.confusion[(s * GOLDEN_CLASSES + t) * GOLDEN_CLASSES + said],
                                golden("%s/confusion/%zu/%zu/%zu", name, s, t, said), 1e-9);
        }
        dawid_skene_free(&model);
    }
    overlap_free(&o);
}

static void scores_come_near_the_accuracies(void **state)
{
    (void)state;
    enum { SOURCES = 8 };
    static const double accuracy[SOURCES] = {.97, .9, .85, .75, .6, .45, .2, .2}; /* the last two guess among five */
    overlap o = crowd_draw(1500, SOURCES, 5, accuracy, .6, 3);
    annotator_score scores[SOURCES];
    gbv_error error;
    assert_ok(dawid_skene_kernel(&o, NULL, scores, NULL, &error), error);
    for (size_t s = 0; s < SOURCES; s++)
        assert_near(scores[s].score, accuracy[s], .04);
    overlap_free(&o);
}

static void the_number_of_threads_changes_no_bit(void **state)
{
    (void)state;
    enum { SOURCES = 40 };
    double accuracy[SOURCES];
    for (size_t s = 0; s < SOURCES; s++)
        accuracy[s] = .3 + .6 * (double)s / SOURCES;
    overlap o = crowd_draw(500, SOURCES, 6, accuracy, .2, 4);
    annotator_score one[SOURCES], other[SOURCES];
    gbv_error error;
    assert_ok(dawid_skene_kernel(&o, &(dawid_skene_options){.threads = 1}, one, NULL, &error), error);
    for (size_t threads = 2; threads <= 5; threads += 3) {
        assert_ok(dawid_skene_kernel(&o, &(dawid_skene_options){.threads = threads}, other, NULL, &error), error);
        assert_memory_equal(one, other, sizeof one);
    }
    overlap_free(&o);
}

static void a_source_that_shares_nothing_has_no_score(void **state)
{
    (void)state;
    overlap o = crowd_of("00. 11. 01. ..2 ..2", 3, 3);
    annotator_score scores[3];
    dawid_skene_model model;
    gbv_error error;
    assert_ok(dawid_skene_kernel(&o, NULL, scores, &model, &error), error);
    assert_true(isnan(scores[2].score) && isnan(model.confusion[2 * 4]));
    assert_int_equal(scores[2].items, 0);
    assert_int_equal(scores[0].items, 3);
    assert_int_equal(model.class_count, 2); /* nobody gave the third to a shared item */
    assert_int_equal(model.classes[1], 1);
    dawid_skene_free(&model);
    overlap_free(&o);
    o = crowd_of("0. .1 2.", 2, 3);
    assert_ok(dawid_skene_kernel(&o, NULL, scores, &model, &error), error);
    assert_true(isnan(scores[0].score) && isnan(scores[1].score));
    assert_int_equal(model.class_count, 0);
    dawid_skene_free(&model);
    overlap_free(&o);
    assert_ok(overlap_create(NULL, 0, NULL, 0, 2, 0, &o, &error), error);
    assert_ok(dawid_skene_kernel(&o, NULL, scores, NULL, &error), error);
    assert_true(isnan(scores[1].score));
    overlap_free(&o);
}

static void sources_that_all_agree_are_all_right(void **state)
{
    (void)state;
    static const char *const crowds[] = {"000 111 222 000 111 222", "000 000 000"}; /* three classes, and one */
    for (size_t i = 0; i < 2; i++) {
        overlap o = crowd_of(crowds[i], 3, 3);
        annotator_score scores[3];
        dawid_skene_model model;
        gbv_error error;
        assert_ok(dawid_skene_kernel(&o, NULL, scores, &model, &error), error);
        for (size_t s = 0; s < 3; s++)
            assert_near(scores[s].score, 1, .011); /* but for the smoothing */
        assert_true(scores[0].score == scores[1].score && scores[1].score == scores[2].score);
        assert_true(model.converged);
        dawid_skene_free(&model);
        overlap_free(&o);
    }
}

/* Nobody can tell who of two is wrong. */
static void two_sources_share_the_blame(void **state)
{
    (void)state;
    overlap o = crowd_of("00 00 11 11 01 10", 2, 2);
    annotator_score scores[2];
    gbv_error error;
    assert_ok(dawid_skene_kernel(&o, NULL, scores, NULL, &error), error);
    assert_near(scores[0].score, scores[1].score, 1e-12);
    assert_true(scores[0].score > .6 && scores[0].score < 1);
    overlap_free(&o);
}

/* Most items are of class 0, so that one who always says so agrees often: the score is that of its class alone. */
static void one_who_always_says_the_same_is_found_out(void **state)
{
    (void)state;
    overlap o = crowd_of("0000 0000 0010 0000 0000 0000 1110 1100 1110 1110 0000 0000", 4, 2);
    annotator_score scores[4];
    dawid_skene_model model;
    gbv_error error;
    assert_ok(dawid_skene_kernel(&o, NULL, scores, &model, &error), error);
    assert_near(scores[3].score, model.frequency[0], .01);
    assert_true(scores[3].score < scores[2].score && scores[2].score < scores[0].score);
    dawid_skene_free(&model);
    overlap_free(&o);
}

static bool stop_at_once(void *context, const char *stage, size_t done, size_t total)
{
    assert_string_equal(stage, "dawid-skene");
    assert_true(done < total);
    return ++*(size_t *)context == 3;
}

static void it_can_be_interrupted(void **state)
{
    (void)state;
    overlap o = crowd_of("00 00 11 11 01 10", 2, 2);
    annotator_score scores[2];
    dawid_skene_model model;
    size_t asked = 0;
    gbv_error error;
    dawid_skene_options options = {.progress = stop_at_once, .context = &asked};
    assert_int_equal(dawid_skene_kernel(&o, &options, scores, &model, &error), GBV_INTERRUPTED);
    assert_int_equal(asked, 3);
    assert_null(model.confusion);
    overlap_free(&o);
}

/* 100,000 labels. */
static void large_crowds_are_no_trouble(void **state)
{
    (void)state;
    enum { SOURCES = 400 };
    double accuracy[SOURCES];
    for (size_t s = 0; s < SOURCES; s++)
        accuracy[s] = .5 + .5 * (double)s / SOURCES;
    overlap o = crowd_draw(2500, SOURCES, 10, accuracy, .1, 5);
    assert_true(o.label_count > 95000);
    annotator_score scores[SOURCES];
    gbv_error error;
    double error_sum = 0;
    assert_ok(dawid_skene_kernel(&o, &(dawid_skene_options){.threads = 2}, scores, NULL, &error), error);
    for (size_t s = 0; s < SOURCES; s++)
        error_sum += fabs(scores[s].score - accuracy[s]) / SOURCES;
    if (!(error_sum < .05))
        fail_msg("scores are off by %g", error_sum);
    overlap_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_an_em_in_numpy),
        cmocka_unit_test(scores_come_near_the_accuracies),
        cmocka_unit_test(the_number_of_threads_changes_no_bit),
        cmocka_unit_test(a_source_that_shares_nothing_has_no_score),
        cmocka_unit_test(sources_that_all_agree_are_all_right),
        cmocka_unit_test(two_sources_share_the_blame),
        cmocka_unit_test(one_who_always_says_the_same_is_found_out),
        cmocka_unit_test(it_can_be_interrupted),
        cmocka_unit_test(large_crowds_are_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
