/* The whole valuation on small Gaussian classes: noisier sources rank lower, results depend on nothing they should not,
 * and odd sources get the answers the documentation promises. */
#include "value/toy.h"

static void noisier_sources_rank_lower_by_every_labelled_measure(void **state)
{
    static const char *const measures[] = {
        "leep", "nce", "logme", "cmmd", "accuracy", "nll", "pactran-dirichlet", "pactran-gamma"};
    for (size_t m = 0; m < sizeof measures / sizeof *measures; m++) {
        gbv_value_options options = gbv_value_defaults();
        options.measure = measures[m];
        gbv_result *r = value(*state, (int[]){0, 1, 2, 3}, 4, &options);
        assert_int_equal(find(r, "clean")->rank, 1);
        assert_int_equal(find(r, "good")->rank, 2);
        assert_int_equal(find(r, "half")->rank, 3);
        assert_int_equal(find(r, "worst")->rank, 4);
        double sum = 0;
        for (size_t i = 0; i < 4; i++) {
            sum += r->sources[i].posterior;
            assert_close(r->sources[i].row_weight, r->sources[i].posterior / SAMPLE, 1e-15);
        }
        assert_near(sum, 1, 1e-14);
        assert_true(find(r, "clean")->agreement > find(r, "half")->agreement);
        gbv_result_free(r);
    }
}

static void results_are_the_same_bytes_for_1_2_and_8_workers(void **state)
{
    static const char *const models[] = {"linear", "mlp"};
    for (int m = 0; m < 2; m++) {
        char *first = NULL;
        for (size_t threads = 1; threads <= 8; threads = threads == 1 ? 2 : threads * 4) {
            gbv_value_options options = gbv_value_defaults();
            options.model.model = models[m];
            options.measure = "logme";
            options.model.threads = threads;
            options.tau_curve = true;
            gbv_result *r = value(*state, (int[]){0, 1, 2, 3}, 4, &options);
            char *text = as_json(r);
            if (first)
                assert_string_equal(text, first);
            else
                first = strdup(text);
            free(text);
            gbv_result_free(r);
        }
        free(first);
    }
}

static void a_score_does_not_depend_on_the_other_sources_or_their_order(void **state)
{
    gbv_value_options options = gbv_value_defaults();
    options.model.model = "mlp";
    gbv_result *all = value(*state, (int[]){0, 1, 2, 3}, 4, &options), *few = value(*state, (int[]){3, 1}, 2, &options);
    assert_true(find(all, "good")->score == find(few, "good")->score);
    assert_true(find(all, "clean")->score == find(few, "clean")->score);
    gbv_result_free(all);
    gbv_result_free(few);
}

static void one_source_gets_all_weight_and_an_infinite_tau(void **state)
{
    gbv_result *r = value(*state, (int[]){0}, 1, NULL);
    assert_true(r->sources[0].posterior == 1 && r->tau == INFINITY && r->tau_inverse == 0);
    gbv_result_free(r);
}

static void the_prior_by_rows_follows_the_rows(void **state)
{
    const toy *t = *state;
    gbv_dataset *reference = reference_of(t);
    gbv_sources *sources = gbv_sources_create();
    gbv_value_options options = gbv_value_defaults();
    gbv_result *r;
    gbv_error error;
    add_source(sources, t, 1, SAMPLE);
    add_source(sources, t, 3, SAMPLE / 6);
    options.prior_mode = GBV_PRIOR_ROWS;
    options.tau_mode = GBV_TAU_FIXED;
    options.tau = 1e9;
    assert_ok(gbv_value(reference, sources, &options, &r, &error), error);
    assert_close(r->sources[0].prior, 6. / 7, 1e-15);
    assert_close(r->sources[0].posterior, 6. / 7, 1e-8);
    bool warned = false;
    for (size_t i = 0; i < r->warning_count; i++)
        warned |= strstr(r->warnings[i], "weight per row") != NULL;
    assert_true(warned);
    gbv_result_free(r);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

static void equal_sources_are_said_to_differ_by_chance_only(void **state)
{
    const toy *t = *state;
    gbv_dataset *reference = reference_of(t), *twin;
    gbv_sources *sources = gbv_sources_create();
    gbv_result *r;
    gbv_error error;
    add_source(sources, t, 1, SAMPLE);
    assert_ok(gbv_dataset_create("twin", gbv_matrix_f32(&t->rows[1][0][0], SAMPLE, COLUMNS), t->labels[1], NULL, 0,
                                 &twin, &error),
              error);
    assert_ok(gbv_sources_add_dataset(sources, "twin", twin, &error), error);
    assert_ok(gbv_value(reference, sources, NULL, &r, &error), error);
    assert_true(r->sources[0].posterior == r->sources[1].posterior);
    assert_true(r->sources[0].rank == 1 && r->sources[1].rank == 1);
    assert_true(r->ambiguous && r->warning_count == 2);
    assert_non_null(strstr(r->warnings[0], "share"));
    assert_non_null(strstr(r->warnings[1], "chance"));
    assert_true(r->certainty.pair_count == 1 && r->sources[0].rank_interval[1] == 2);
    gbv_result_free(r);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

static void a_source_with_one_class_is_scored_and_flagged(void **state)
{
    const toy *t = *state;
    int32_t same[SAMPLE] = {0};
    gbv_dataset *reference = reference_of(t), *d;
    gbv_sources *sources = gbv_sources_create();
    gbv_result *r;
    gbv_error error;
    add_source(sources, t, 1, SAMPLE);
    assert_ok(gbv_dataset_create("flat", gbv_matrix_f32(&t->rows[0][0][0], SAMPLE, COLUMNS), same, NULL, 0, &d, &error),
              error);
    assert_ok(gbv_sources_add_dataset(sources, "flat", d, &error), error);
    assert_ok(gbv_value(reference, sources, NULL, &r, &error), error);
    assert_int_equal(find(r, "flat")->rank, 2);
    assert_true(find(r, "flat")->score_status == GBV_SCORE_OK && find(r, "flat")->flag_count > 0);
    assert_string_equal(find(r, "flat")->flags[0].kind, "one_class");
    assert_non_null(strstr(find(r, "flat")->flags[0].detail, "'flat'"));
    gbv_result_free(r);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

static void a_feature_measure_of_linear_models_warns(void **state)
{
    gbv_value_options options = gbv_value_defaults();
    options.measure = "logme";
    gbv_result *r = value(*state, (int[]){0, 1}, 2, &options);
    bool warned = false;
    for (size_t i = 0; i < r->warning_count; i++)
        warned |= strstr(r->warnings[i], "--model mlp") != NULL;
    assert_true(warned);
    assert_non_null(strstr(r->feature_space, "logits"));
    gbv_result_free(r);
}

static void the_curve_runs_from_the_prior_to_one_source(void **state)
{
    gbv_value_options options = gbv_value_defaults();
    options.tau_curve = true;
    gbv_result *r = value(*state, (int[]){0, 1, 2, 3}, 4, &options);
    assert_int_equal(r->tau_count, 8);
    assert_close(r->tau_curve[0].effective_sources, 4, 1e-12);
    for (size_t i = 1; i < r->tau_count; i++)
        assert_true(r->tau_curve[i].effective_sources <= r->tau_curve[i - 1].effective_sources);
    assert_true(r->tau_curve[7].posterior[1] > .999);
    gbv_result_free(r);
}

static bool stop_at_once(void *context, const char *stage, size_t done, size_t total)
{
    (void)context, (void)stage, (void)done, (void)total;
    return true;
}

static void wrong_choices_fail_before_anything_is_trained(void **state)
{
    const toy *t = *state;
    gbv_dataset *reference = reference_of(t);
    gbv_sources *sources = gbv_sources_create();
    gbv_result *r;
    gbv_error error;
    assert_int_equal(gbv_value(reference, sources, NULL, &r, &error), GBV_USAGE); /* no sources */
    add_source(sources, t, 0, SAMPLE);
    gbv_value_options options = gbv_value_defaults();
    options.measure = "leap";
    assert_int_equal(gbv_value(reference, sources, &options, &r, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "leep"));
    options = gbv_value_defaults();
    options.variant = "nonsense";
    assert_int_equal(gbv_value(reference, sources, &options, &r, &error), GBV_USAGE);
    options = gbv_value_defaults();
    options.model.model = "forest";
    assert_int_equal(gbv_value(reference, sources, &options, &r, &error), GBV_USAGE);
    options.model.model = "cnn";
    options.model.policy = "sra";
    assert_int_equal(gbv_value(reference, sources, &options, &r, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "a policy changes the images of the final training"));
    options = gbv_value_defaults();
    options.tau_mode = GBV_TAU_FIXED;
    options.tau = -1;
    assert_int_equal(gbv_value(reference, sources, &options, &r, &error), GBV_USAGE);
    options = gbv_value_defaults();
    options.model.progress = stop_at_once;
    assert_int_equal(gbv_value(reference, sources, &options, &r, &error), GBV_INTERRUPTED);
    assert_null(r);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noisier_sources_rank_lower_by_every_labelled_measure),
        cmocka_unit_test(results_are_the_same_bytes_for_1_2_and_8_workers),
        cmocka_unit_test(a_score_does_not_depend_on_the_other_sources_or_their_order),
        cmocka_unit_test(one_source_gets_all_weight_and_an_infinite_tau),
        cmocka_unit_test(the_prior_by_rows_follows_the_rows),
        cmocka_unit_test(equal_sources_are_said_to_differ_by_chance_only),
        cmocka_unit_test(a_source_with_one_class_is_scored_and_flagged),
        cmocka_unit_test(a_feature_measure_of_linear_models_warns),
        cmocka_unit_test(the_curve_runs_from_the_prior_to_one_source),
        cmocka_unit_test(wrong_choices_fail_before_anything_is_trained),
    };
    return cmocka_run_group_tests(tests, make_data, free_data);
}
