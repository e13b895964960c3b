/* Several measures from one set of models: each says what it would say alone, only the first decides the weights, and
 * none but the first can stop the run. */
#include "value/toy.h"

static const int all_sources[] = {0, 1, 2, 3};

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static size_t measures_there_are(void)
{
    size_t count = 0;
    while (gbv_measure_at(count))
        count++;
    return count;
}

static void all_measures_say_what_each_says_alone(void **state)
{
    gbv_value_options options = gbv_value_defaults();
    options.replicates = 0;
    options.measure = "all";
    gbv_result *all = value(*state, all_sources, 4, &options);
    assert_int_equal(all->measure_count, measures_there_are());
    for (size_t m = 0; m < all->measure_count; m++) {
        options.measure = gbv_measure_at(m)->name;
        gbv_result *alone = value(*state, all_sources, 4, &options);
        const gbv_measure_result *by = &all->measures[m];
        assert_null(alone->measures);
        assert_string_equal(by->measure, alone->measure);
        assert_string_equal(by->variant, alone->variant);
        assert_string_equal(by->feature_space, alone->feature_space);
        assert_true(same(by->effective_sources, alone->effective_sources));
        for (size_t i = 0; i < 4; i++) {
            assert_true(same(by->scores[i].score, alone->sources[i].score));
            assert_true(same(by->scores[i].posterior, alone->sources[i].posterior));
            assert_true(same(by->scores[i].standard_error, alone->sources[i].standard_error));
            assert_int_equal(by->scores[i].rank, alone->sources[i].rank);
            assert_int_equal(by->scores[i].score_status, alone->sources[i].score_status);
            assert_null(by->scores[i].reason);
        }
        if (m == 0) /* leep: the result itself is the same to the bit */
            for (size_t i = 0; i < 4; i++)
                assert_true(same(all->sources[i].posterior, alone->sources[i].posterior) &&
                            same(all->sources[i].score, alone->sources[i].score) &&
                            same(all->sources[i].row_weight, alone->sources[i].row_weight));
        gbv_result_free(alone);
    }
    gbv_result_free(all);
}

static void all_measures_give_the_same_bytes_for_1_and_2_threads(void **state)
{
    static const char *const models[] = {"linear", "mlp"};
    for (int m = 0; m < 2; m++) {
        char *texts[2];
        for (size_t threads = 1; threads <= 2; threads++) {
            gbv_value_options options = gbv_value_defaults();
            options.replicates = 0;
            options.measure = "all";
            options.model.model = models[m];
            options.model.hidden = 16;
            options.model.threads = threads;
            gbv_result *r = value(*state, all_sources, 4, &options);
            texts[threads - 1] = as_json(r);
            gbv_result_free(r);
        }
        assert_string_equal(texts[0], texts[1]);
        free(texts[0]);
        free(texts[1]);
    }
}

static void the_first_of_a_list_decides_the_weights(void **state)
{
    gbv_value_options options = gbv_value_defaults();
    options.replicates = 0;
    options.measure = "logme,leep,mmd,leep";
    gbv_result *r = value(*state, all_sources, 4, &options);
    options.measure = "logme";
    gbv_result *alone = value(*state, all_sources, 4, &options);
    assert_int_equal(r->measure_count, 3);
    assert_string_equal(r->measure, "logme");
    assert_string_equal(r->measures[1].measure, "leep");
    for (size_t i = 0; i < 4; i++)
        assert_true(same(r->sources[i].posterior, alone->sources[i].posterior));
    assert_true(r->measures[0].rank_agreement == 1);
    gbv_result_free(r);
    gbv_result_free(alone);
    options.measure = "nce,all";
    r = value(*state, all_sources, 4, &options);
    assert_int_equal(r->measure_count, measures_there_are());
    assert_string_equal(r->measures[0].measure, "nce");
    assert_string_equal(r->measures[1].measure, "leep");
    gbv_result_free(r);
}

/* leep's order is clean, good, half, worst; one that turns it round has tau -1. */
static void kendalls_tau_compares_the_rankings(void **state)
{
    gbv_value_options options = gbv_value_defaults();
    options.replicates = 0;
    options.measure = "leep,accuracy,nll,cmmd";
    gbv_result *r = value(*state, all_sources, 4, &options);
    for (size_t m = 0; m < r->measure_count; m++) {
        double same_order = 0, pairs = 0;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < i; j++, pairs++)
                same_order += (r->measures[m].scores[i].score > r->measures[m].scores[j].score) ==
                                      (r->sources[i].score > r->sources[j].score)
                                  ? 1
                                  : -1;
        assert_close(r->measures[m].rank_agreement, same_order / pairs, 1e-12);
    }
    gbv_result_free(r);
    r = value(*state, all_sources, 1, &options);
    assert_true(isnan(r->measures[1].rank_agreement));
    gbv_result_free(r);
}

/* nleep needs five rows a class, and etran-energy of a source is undefined for nobody. */
static void an_undefined_second_measure_is_told_and_stops_nothing(void **state)
{
    const toy *t = *state;
    gbv_dataset *reference;
    gbv_sources *sources = gbv_sources_create();
    gbv_value_options options = gbv_value_defaults();
    options.replicates = 0;
    gbv_result *r;
    gbv_error error;
    assert_ok(gbv_dataset_create("few", gbv_matrix_f32(&t->reference[0][0], 12, COLUMNS), t->reference_labels, NULL, 0,
                                 &reference, &error),
              error);
    add_source(sources, t, 0, SAMPLE);
    add_source(sources, t, 1, SAMPLE);
    options.measure = "leep,nleep,nce";
    assert_ok(gbv_value(reference, sources, &options, &r, &error), error);
    for (size_t i = 0; i < 2; i++) {
        const gbv_score *s = &r->measures[1].scores[i];
        assert_true(isnan(s->score) && s->score_status == GBV_SCORE_UNDEFINED && isnan(s->posterior) && s->rank == 0);
        assert_non_null(strstr(s->reason, "rows"));
        assert_int_equal(r->sources[i].score_status, GBV_SCORE_OK);
        assert_int_equal(r->measures[2].scores[i].score_status, GBV_SCORE_OK);
    }
    assert_true(isnan(r->measures[1].effective_sources) && isnan(r->measures[1].rank_agreement));
    gbv_result_free(r);
    options.measure = "nleep,leep"; /* as the first it stops the run, as it does alone */
    assert_int_equal(gbv_value(reference, sources, &options, &r, &error), GBV_UNDEFINED);
    assert_non_null(strstr(error.message, "half"));
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

static void etran_scales_over_the_sources(void **state)
{
    gbv_value_options options = gbv_value_defaults();
    options.replicates = 0;
    options.model.model = "mlp";
    options.model.hidden = 8;
    options.measure = "etran,etran-energy,etran-lda";
    gbv_result *r = value(*state, all_sources, 4, &options);
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < 4; i++) {
            low[part] = fmin(low[part], r->measures[1 + part].scores[i].score);
            high[part] = fmax(high[part], r->measures[1 + part].scores[i].score);
        }
    for (int i = 0; i < 4; i++) {
        double energy = (r->measures[1].scores[i].score - low[0]) / (high[0] - low[0]);
        double classification = (r->measures[2].scores[i].score - low[1]) / (high[1] - low[1]);
        assert_near(r->sources[i].score, .15 * energy + .85 * classification, 1e-12);
        assert_true(isnan(r->sources[i].standard_error));
    }
    gbv_result_free(r);
    r = value(*state, all_sources, 1, &options);
    assert_true(r->sources[0].score == 0 && r->sources[0].posterior == 1);
    gbv_result_free(r);
}

static void expect_usage(const toy *t, const char *measure, const char *variant, const char *words)
{
    gbv_dataset *reference = reference_of(t);
    gbv_sources *sources = gbv_sources_create();
    gbv_value_options options = gbv_value_defaults();
    options.replicates = 0;
    gbv_result *r;
    gbv_error error;
    add_source(sources, t, 0, SAMPLE);
    options.measure = measure;
    options.variant = variant;
    assert_int_equal(gbv_value(reference, sources, &options, &r, &error), GBV_USAGE);
    if (!strstr(error.message, words))
        fail_msg("'%s' does not say %s", error.message, words);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

static void lists_that_make_no_sense_are_refused(void **state)
{
    expect_usage(*state, "leep,leap", NULL, "leep");
    expect_usage(*state, "leep,", NULL, "no measure \"\"");
    expect_usage(*state, ",leep", NULL, "no measure \"\"");
    expect_usage(*state, "", NULL, "no measure \"\"");
    expect_usage(*state, "leep,logme", "code", "goes with one measure");
    expect_usage(*state, "all", "code", "goes with one measure");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_measures_say_what_each_says_alone),
        cmocka_unit_test(all_measures_give_the_same_bytes_for_1_and_2_threads),
        cmocka_unit_test(the_first_of_a_list_decides_the_weights),
        cmocka_unit_test(kendalls_tau_compares_the_rankings),
        cmocka_unit_test(an_undefined_second_measure_is_told_and_stops_nothing),
        cmocka_unit_test(etran_scales_over_the_sources),
        cmocka_unit_test(lists_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, make_data, free_data);
}
