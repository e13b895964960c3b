/* The corners of each measure: what is refused, with which sentence, and what the smallest inputs give. */
#include "measure/npy.h"

#include <float.h>

/* Fails unless the call ends with the status and a sentence that holds the text. */
static void assert_refused(const char *name, const char *variant, const gbv_measure_input *input, gbv_status expected,
                           const char *text)
{
    double score = 7;
    gbv_error error = {0};
    gbv_status status = gbv_measure(name, variant, input, &score, NULL, &error);
    if (status != expected || !strstr(error.message, text))
        fail_msg("status %d instead of %d, or no \"%s\" in: %s", status, expected, text, error.message);
    assert_true(score == 7);
    assert_int_equal(gbv_measure(name, variant, input, &score, NULL, NULL), expected);
}

static const double probabilities[4][2] = {{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}, {0.3, 0.7}};
static const double features[4][3] = {{1, 2, 0.5}, {0, 1, 1}, {2, 2, 1}, {0.5, 0, 3}};
static const int32_t labels[4] = {0, 1, 0, 1};

static gbv_measure_input small_input(void)
{
    return (gbv_measure_input){.rows = 4,
                               .labels = labels,
                               .class_count = 2,
                               .probabilities = gbv_matrix_f64(&probabilities[0][0], 4, 2),
                               .features = gbv_matrix_f64(&features[0][0], 4, 3),
                               .source_features = gbv_matrix_f64(&features[0][0], 4, 3)};
}

static void the_table_of_measures_can_be_walked(void **state)
{
    (void)state;
    /* Three times over: nleep needs five rows for each class. */
    double p[12][2], f[12][3];
    int32_t y[12];
    for (int i = 0; i < 12; i++) {
        memcpy(p[i], probabilities[i % 4], sizeof p[i]);
        memcpy(f[i], features[i % 4], sizeof f[i]);
        y[i] = labels[i % 4];
    }
    size_t count = 0;
    gbv_measure_input input = {.rows = 12, .labels = y, .class_count = 2};
    input.probabilities = gbv_matrix_f64(&p[0][0], 12, 2);
    input.features = input.source_features = gbv_matrix_f64(&f[0][0], 12, 3);
    for (const gbv_measure_info *info; (info = gbv_measure_at(count)); count++) {
        assert_ptr_equal(gbv_measure_find(info->name), info);
        assert_true(*info->summary && *info->blind_to && info->needs);
        char variants[64];
        snprintf(variants, sizeof variants, "%s", info->variants);
        for (char *rest = variants, *variant; (variant = strsep(&rest, "|"));)
            assert_true(isfinite(score_of(info->name, *variant ? variant : NULL, &input)));
    }
    assert_int_equal(count, 21);
    assert_null(gbv_measure_find("leap"));
    assert_null(gbv_measure_find(NULL));
}

static void an_unknown_name_is_answered_with_the_nearest(void **state)
{
    (void)state;
    gbv_measure_input input = small_input();
    assert_refused("leap", NULL, &input, GBV_USAGE, "the nearest is leep");
    assert_refused("log-me", NULL, &input, GBV_USAGE, "the nearest is logme");
    assert_refused("a-name-that-is-much-longer-than-any-measure-ever-had", NULL, &input, GBV_USAGE, "no measure");
    assert_refused("logme", "correct", &input, GBV_USAGE, "corrected|code|icml");
    assert_refused("mmd", "unbias", &input, GBV_USAGE, "biased|unbiased|code");
    assert_refused("mmd", "", &input, GBV_USAGE, "biased|unbiased|code");
    assert_refused("leep", "code", &input, GBV_USAGE, "one form only");
}

static void missing_pieces_are_named(void **state)
{
    (void)state;
    gbv_measure_input input = {.rows = 4};
    assert_refused("leep", NULL, &input, GBV_USAGE, "needs labels");
    assert_refused("leep", NULL, &input, GBV_USAGE, "etran-energy");
    input.labels = labels;
    assert_refused("leep", NULL, &input, GBV_USAGE, "needs probabilities");
    assert_refused("logme", NULL, &input, GBV_USAGE, "needs features");
    input.features = gbv_matrix_f64(&features[0][0], 4, 3);
    assert_refused("mmd", NULL, &input, GBV_USAGE, "needs source features");
    input.targets = input.features;
    assert_refused("nce", NULL, &input, GBV_USAGE, "logme for regression");
    assert_refused("leep", NULL,
                   &(gbv_measure_input){.labels = labels, .probabilities = gbv_matrix_f64(&probabilities[0][0], 0, 2)},
                   GBV_BAD_INPUT, "no rows");
}

static void shapes_that_do_not_agree_are_refused(void **state)
{
    (void)state;
    gbv_measure_input input = small_input();
    input.probabilities.rows = 3;
    assert_refused("leep", NULL, &input, GBV_BAD_INPUT, "3 rows");
    input.probabilities.rows = 4;
    input.probabilities.columns = 0;
    assert_refused("leep", NULL, &input, GBV_BAD_INPUT, "no columns");
    input.features.rows = 2;
    assert_refused("logme", NULL, &input, GBV_BAD_INPUT, "2 rows");
    input.features.rows = 4;
    input.source_features.columns = 2;
    assert_refused("mmd", NULL, &input, GBV_BAD_INPUT, "2 columns");
    input.source_features.rows = 0;
    assert_refused("mmd", NULL, &input, GBV_BAD_INPUT, "no rows");
}

static void labels_out_of_range_are_named_by_row(void **state)
{
    (void)state;
    int32_t wrong[4] = {0, 1, 2, 1};
    gbv_measure_input input = small_input();
    input.labels = wrong;
    assert_refused("leep", NULL, &input, GBV_BAD_INPUT, "row 3 has the label 2");
    wrong[2] = -1;
    input.class_count = 0;
    assert_refused("accuracy", NULL, &input, GBV_BAD_INPUT, "row 3 has the label -1");
    wrong[2] = INT32_MAX;
    assert_refused("leep", NULL, &input, GBV_BAD_INPUT, "number the classes from 0");
    const int32_t columns[2] = {0, 5};
    input = small_input();
    input.column_class = columns;
    assert_refused("nll", NULL, &input, GBV_BAD_INPUT, "column 2");
}

static void bad_numbers_are_named_by_row_and_column(void **state)
{
    (void)state;
    static const char *const of_probabilities[] = {"leep", "nce",  "accuracy",          "nll",
                                                   "loss", "cmmd", "pactran-dirichlet", "pactran-gamma"};
    static const char *const of_features[] = {"logme",         "etran-energy", "mmd", "nleep",
                                              "pactran-gauss", "etran",        "gbc", "sfda"};
    enum { P = sizeof of_probabilities / sizeof *of_probabilities, F = sizeof of_features / sizeof *of_features };
    const double bad[] = {NAN, INFINITY, -INFINITY};
    double p[4][2], f[4][3];
    float single[4][2];
    for (size_t b = 0; b < 3; b++) {
        gbv_measure_input input = small_input();
        memcpy(p, probabilities, sizeof p);
        memcpy(f, features, sizeof f);
        p[2][1] = f[3][0] = bad[b];
        input.probabilities = gbv_matrix_f64(&p[0][0], 4, 2);
        input.features = gbv_matrix_f64(&f[0][0], 4, 3);
        for (size_t i = 0; i < P; i++)
            assert_refused(of_probabilities[i], NULL, &input, GBV_BAD_INPUT, "row 3, column 2");
        for (size_t i = 0; i < F; i++)
            assert_refused(of_features[i], NULL, &input, GBV_BAD_INPUT, "row 4, column 1");
        for (size_t i = 0; i < 8; i++)
            (&single[0][0])[i] = (float)(&p[0][0])[i];
        input.probabilities = gbv_matrix_f32(&single[0][0], 4, 2);
        assert_refused("leep", NULL, &input, GBV_BAD_INPUT, "row 3, column 2");
    }
    gbv_measure_input input = small_input();
    memcpy(p, probabilities, sizeof p);
    p[1][0] = -1e-9;
    input.probabilities = gbv_matrix_f64(&p[0][0], 4, 2);
    for (size_t i = 0; i < P; i++)
        assert_refused(of_probabilities[i], NULL, &input, GBV_BAD_INPUT, "row 2, column 1");
    p[1][0] = p[1][1] = 0;
    for (size_t i = 0; i < P; i++)
        assert_refused(of_probabilities[i], NULL, &input, GBV_BAD_INPUT, "row 2 of the probabilities is zero");
    f[3][0] = NAN;
    input.targets = gbv_matrix_f64(&f[0][0], 4, 3);
    assert_refused("logme", NULL, &input, GBV_BAD_INPUT, "row 4, column 1 of the targets");
}

static void one_row_is_enough(void **state)
{
    (void)state;
    gbv_measure_input input = small_input();
    input.rows = input.probabilities.rows = input.features.rows = input.source_features.rows = 1;
    assert_near(score_of("leep", NULL, &input), 0, 1e-15);
    assert_near(score_of("nce", NULL, &input), 0, 1e-15);
    assert_near(score_of("accuracy", NULL, &input), 1, 0);
    assert_close(score_of("nll", NULL, &input), log(0.9 * (1 - 1e-6) + 1e-6), 1e-14);
    assert_true(isfinite(score_of("logme", NULL, &input)));
    assert_true(isfinite(score_of("logme", "code", &input)));
    assert_close(score_of("etran-energy", NULL, &input), log(exp(1) + exp(2) + exp(0.5)), 1e-14);
    assert_close(score_of("etran-energy", "code", &input), log(exp(1) + exp(2) + exp(0.5)), 1e-14);
    assert_near(score_of("mmd", NULL, &input), 0, 0);
    assert_refused("mmd", "unbiased", &input, GBV_UNDEFINED, "at least two rows");
    assert_refused("mmd", "code", &input, GBV_UNDEFINED, "at least two rows");
    assert_true(score_of("cmmd", NULL, &input) < 0);
    assert_near(score_of("pactran-dirichlet", NULL, &input), 0, 1e-8);
    assert_true(isfinite(score_of("pactran-gamma", NULL, &input)));
    assert_near(score_of("pactran-gauss", NULL, &input), 0, 1e-8);
    assert_refused("nleep", NULL, &input, GBV_UNDEFINED, "at least 5 rows");
}

static void logme_of_zero_features_is_minus_infinity(void **state)
{
    (void)state;
    static const double zeros[4][3], wide_zeros[2][9];
    gbv_measure_input input = small_input();
    input.features = gbv_matrix_f64(&zeros[0][0], 4, 3);
    const char *const variants[] = {"corrected", "code", "icml"};
    for (int v = 0; v < 3; v++)
        assert_true(score_of("logme", variants[v], &input) == -INFINITY);
    input.fast = true;
    assert_true(score_of("logme", NULL, &input) == -INFINITY);
    input = (gbv_measure_input){.rows = 2, .labels = labels, .features = gbv_matrix_f64(&wide_zeros[0][0], 2, 9)};
    assert_true(score_of("logme", NULL, &input) == -INFINITY);
}

static void numbers_beyond_any_scale_are_refused_not_nan(void **state)
{
    (void)state;
    double huge[4][3];
    for (int i = 0; i < 12; i++)
        (&huge[0][0])[i] = (i % 5 - 2) * (DBL_MAX / 16);
    gbv_measure_input input = small_input();
    input.features = gbv_matrix_f64(&huge[0][0], 4, 3);
    assert_refused("logme", NULL, &input, GBV_BAD_INPUT, "scale the features");
    assert_refused("mmd", NULL, &input, GBV_BAD_INPUT, "scale the features");
    assert_refused("pactran-gauss", NULL, &input, GBV_BAD_INPUT, "scale the features");
    assert_true(isfinite(score_of("etran-energy", NULL, &input)));
    double wide[4][2] = {{1e300, 1e300}, {1, 1}, {1, 1}, {1, 1}};
    input.probabilities = gbv_matrix_f64(&wide[0][0], 4, 2);
    assert_refused("leep", NULL, &input, GBV_BAD_INPUT, "row 1 of the probabilities adds up");
    assert_refused("cmmd", NULL, &input, GBV_BAD_INPUT, "row 1 of the probabilities adds up");
}

static void logme_fast_gives_up_on_features_it_cannot_resolve(void **state)
{
    (void)state;
    /* The fourth column is nearly the third beside a large common offset: single precision loses the difference. */
    enum { N = 400, D = 24 };
    static double x[N][D];
    static int32_t y[N];
    uint32_t s = 1;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++) {
            s = s * 1664525u + 1013904223u;
            x[i][j] = j < D / 2 ? 1000 + (double)(s >> 8) / 0x1p24 : x[i][j - D / 2];
        }
        y[i] = (int32_t)(s >> 30);
    }
    gbv_measure_input input = {.rows = N, .labels = y, .features = gbv_matrix_f64(&x[0][0], N, D)};
    double exact = score_of("logme", NULL, &input);
    input.fast = true;
    assert_close(score_of("logme", NULL, &input), exact, 1e-6);
}

static void a_source_with_no_column_for_a_class_still_scores(void **state)
{
    (void)state;
    static const double p[3][2] = {{0.75, 0.25}, {0.5, 0.5}, {1, 0}};
    static const int32_t y[3] = {0, 2, 1}, columns[2] = {0, -1};
    gbv_measure_input input = {.rows = 3,
                               .labels = y,
                               .class_count = 3,
                               .probabilities = gbv_matrix_f64(&p[0][0], 3, 2),
                               .column_class = columns};
    double terms[3], score;
    gbv_error error;
    assert_ok(gbv_measure("nll", NULL, &input, &score, terms, &error), error);
    assert_close(terms[1], log(1e-6), 1e-12);
    assert_close(terms[2], log(1e-6), 1e-12);
    assert_close(score, (terms[0] + terms[1] + terms[2]) / 3, 1e-12);
    assert_ok(gbv_measure("loss", NULL, &input, &score, terms, &error), error);
    assert_close(terms[0], log(0.75), 1e-15);
    assert_close(terms[1], log(1e-12), 1e-15);
    assert_close(score, (log(0.75) + 2 * log(1e-12)) / 3, 1e-15);
    assert_close(score_of("accuracy", NULL, &input), 1.0 / 3, 1e-15);
    assert_true(isfinite(score_of("cmmd", NULL, &input)));
}

static void cmmd_gives_each_nameless_column_its_own_axis(void **state)
{
    (void)state;
    /* Two nameless columns are two axes: as far from the label as mass on any other class, but apart from each other.
     */
    static const double p[2][3] = {{0.5, 0.5, 0}, {0.5, 0, 0.5}}, merged[2][2] = {{0.5, 0.5}, {0.5, 0.5}};
    static const int32_t y[2] = {0, 0}, columns[3] = {0, -1, -1};
    gbv_measure_input input = {.rows = 2, .labels = y, .class_count = 1, .column_class = columns};
    input.probabilities = gbv_matrix_f64(&p[0][0], 2, 3);
    double k = exp(-0.5 / 2) + exp(-0.5 / 8) + exp(-0.5 / 50) + exp(-0.5 / 200);
    double xy = k, yy = 4, xx = (4 + k) / 2;
    assert_close(score_of("cmmd", NULL, &input), -sqrt(xx + yy - 2 * xy), 1e-12);
    input.probabilities = gbv_matrix_f64(&merged[0][0], 2, 2);
    assert_close(score_of("cmmd", NULL, &input), -sqrt(4 + yy - 2 * xy), 1e-12);
}

static void nll_uses_the_temperature_of_the_other_half(void **state)
{
    (void)state;
    /* Both halves say 0.9 and are right 3 times in 4: the fitted temperature brings 0.9 down to 0.75. */
    enum { N = 16 };
    static double p[N][2];
    static int32_t y[N];
    for (int i = 0; i < N; i++) {
        bool wrong = i % 8 >= 6;
        y[i] = 0;
        p[i][0] = wrong ? 0.1 : 0.9;
        p[i][1] = 1 - p[i][0];
    }
    gbv_measure_input input = {
        .rows = N, .labels = y, .class_count = 2, .probabilities = gbv_matrix_f64(&p[0][0], N, 2)};
    double floor = 1e-6, expected = 0.75 * log((1 - floor) * 0.75 + floor) + 0.25 * log((1 - floor) * 0.25 + floor);
    assert_close(score_of("nll", NULL, &input), expected, 1e-9);
}

static void nll_of_a_model_that_is_always_right_is_near_zero(void **state)
{
    (void)state;
    static const double p[4][2] = {{0.9, 0.1}, {0.2, 0.8}, {0.8, 0.2}, {0.1, 0.9}};
    gbv_measure_input input = small_input();
    input.probabilities = gbv_matrix_f64(&p[0][0], 4, 2);
    double score = score_of("nll", NULL, &input);
    assert_true(score <= 0 && score > -1e-5);
}

static void loss_takes_the_probabilities_as_they_are(void **state)
{
    (void)state;
    gbv_measure_input input = small_input();
    assert_close(score_of("loss", NULL, &input), (log(0.9) + log(0.8) + log(0.6) + log(0.7)) / 4, 1e-15);
    /* Two columns of one class add up; one below 1e-12 counts as that. */
    static const double p[2][3] = {{0.5, 0.25, 0.25}, {1, 1e-13, 1e-14}};
    static const int32_t y[2] = {1, 1}, columns[3] = {0, 1, 1};
    input = (gbv_measure_input){.rows = 2,
                                .labels = y,
                                .class_count = 2,
                                .probabilities = gbv_matrix_f64(&p[0][0], 2, 3),
                                .column_class = columns};
    assert_close(score_of("loss", NULL, &input), (log(0.5) + log(1e-12)) / 2, 1e-15);
}

static void row_terms_average_to_the_score_where_it_is_a_mean(void **state)
{
    (void)state;
    static const char *const means[] = {"leep",         "nce",       "accuracy", "nll", "loss",
                                        "etran-energy", "etran-lda", "etran",    "sfda"};
    static const char *const others[] = {"logme", "mmd",    "pactran-dirichlet",  "pactran-gamma", "pactran-gauss",
                                         "cmmd",  "hscore", "hscore-regularized", "gbc",           "transrate",
                                         "lfc"};
    gbv_measure_input input = small_input();
    double terms[4], score;
    gbv_error error;
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++) {
        assert_ok(gbv_measure(means[i], NULL, &input, &score, terms, &error), error);
        assert_near((terms[0] + terms[1] + terms[2] + terms[3]) / 4, score, 1e-14);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_ok(gbv_measure(others[i], NULL, &input, &score, terms, &error), error);
        assert_true(isnan(terms[0]) && isnan(terms[3]));
    }
    assert_ok(gbv_measure("etran", "code", &input, &score, terms, &error), error);
    assert_true(isnan(terms[0]) && isnan(terms[3]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_measures_can_be_walked),
        cmocka_unit_test(an_unknown_name_is_answered_with_the_nearest),
        cmocka_unit_test(missing_pieces_are_named),
        cmocka_unit_test(shapes_that_do_not_agree_are_refused),
        cmocka_unit_test(labels_out_of_range_are_named_by_row),
        cmocka_unit_test(bad_numbers_are_named_by_row_and_column),
        cmocka_unit_test(one_row_is_enough),
        cmocka_unit_test(logme_of_zero_features_is_minus_infinity),
        cmocka_unit_test(numbers_beyond_any_scale_are_refused_not_nan),
        cmocka_unit_test(logme_fast_gives_up_on_features_it_cannot_resolve),
        cmocka_unit_test(a_source_with_no_column_for_a_class_still_scores),
        cmocka_unit_test(cmmd_gives_each_nameless_column_its_own_axis),
        cmocka_unit_test(nll_uses_the_temperature_of_the_other_half),
        cmocka_unit_test(nll_of_a_model_that_is_always_right_is_near_zero),
        cmocka_unit_test(loss_takes_the_probabilities_as_they_are),
        cmocka_unit_test(row_terms_average_to_the_score_where_it_is_a_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
