/* test_gold_accuracy_kernel.c - shares of gold items labelled right, and Wilson's interval beside SciPy's. */
#include "value/method/gold_accuracy_kernel.h"

#include "value/method/crowd.h"

static void accuracy_is_the_share_of_gold_items_labelled_right(void **state)
{
    (void)state;
    overlap o = crowd_of("01.*0 00.*1 11.*1 01. 22.*0", 3, 3); /* the fourth item has no gold label */
    annotator_score scores[3];
    gbv_error error;
    assert_ok(gold_accuracy_kernel(&o, scores, &error), error);
    assert_int_equal(scores[0].items, 4);
    assert_near(scores[0].score, .5, 0);
    assert_near(scores[1].score, .25, 0);
    assert_true(isnan(scores[2].score) && isnan(scores[2].low) && isnan(scores[2].high));
    assert_int_equal(scores[2].items, 0);
    overlap_free(&o);
}

/* scipy 1.10: binomtest(right, items).proportion_ci(0.9, method="wilson") */
static void intervals_are_wilsons(void **state)
{
    (void)state;
    static const struct {
        double right;
        size_t items;
        double low, high;
    } cases[] = {{8, 10, 0.5407928056874879, 0.9314420122624679},
                 {0, 5, 0, 0.35111650076510126},
                 {5, 5, 0.6488834992348989, 1},
                 {1, 1, 0.2698659487840541, 1},
                 {250, 1000, 0.22817176898889255, 0.2731773526309877}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        annotator_score s = annotator_score_of_share(cases[i].right / (double)cases[i].items, cases[i].items);
        assert_near(s.low, cases[i].low, 1e-12);
        assert_near(s.high, cases[i].high, 1e-12);
        assert_true(s.low >= 0 && s.low <= s.score && s.score <= s.high && s.high <= 1);
    }
}

/* 90 % of 600 intervals for 40 items each, and no less than 85 % for any accuracy. */
static void intervals_cover_the_accuracy_nine_times_of_ten(void **state)
{
    (void)state;
    static const double accuracy[] = {.99, .9, .7, .5, .2};
    enum { SOURCES = 5, RUNS = 600 };
    size_t covered[SOURCES] = {0};
    gbv_error error;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        overlap o = crowd_draw(40, SOURCES, 4, accuracy, 1, seed);
        annotator_score scores[SOURCES];
        assert_ok(gold_accuracy_kernel(&o, scores, &error), error);
        for (size_t s = 0; s < SOURCES; s++)
            covered[s] += scores[s].low <= accuracy[s] && accuracy[s] <= scores[s].high;
        overlap_free(&o);
    }
    for (size_t s = 0; s < SOURCES; s++)
        if (covered[s] < RUNS * 85 / 100)
            fail_msg("accuracy %g: %zu of %d intervals hold it (seeds from 1)", accuracy[s], covered[s], RUNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracy_is_the_share_of_gold_items_labelled_right),
        cmocka_unit_test(intervals_are_wilsons),
        cmocka_unit_test(intervals_cover_the_accuracy_nine_times_of_ten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
