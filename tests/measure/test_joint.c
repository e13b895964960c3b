/* Measures whose scores depend on the models compared: ETran as its paper has it. */
#include "measure/npy.h"

#include "measure/measure.h"

enum { MODELS = 4 };

static void etran_of_several_models_matches_the_restatement(void **state)
{
    (void)state;
    static const char *const keys[MODELS] = {"etran/joint/X", "etran/joint/half_scale",
                                             "etran/joint/first_half_of_columns", "etran/joint/reversed_rows"};
    npy x = npy_load("etran_X");
    int32_t *labels = npy_labels("etran_y");
    size_t cells = x.rows * x.columns;
    double *features = malloc(cells * sizeof *features), parts[MODELS][2], scores[MODELS];
    gbv_error error;
    assert_int_equal(measure_part_count("etran", NULL), 2);
    for (int m = 0; m < MODELS; m++) {
        for (size_t i = 0; i < x.rows; i++)
            for (size_t j = 0; j < x.columns; j++) {
                double value = x.values[(m == 3 ? x.rows - 1 - i : i) * x.columns + j];
                features[i * x.columns + j] = m == 1 ? value / 2 : m == 2 && j >= x.columns / 2 ? 0 : value;
            }
        gbv_measure_input input = {
            .rows = x.rows, .labels = labels, .features = gbv_matrix_f64(features, x.rows, x.columns)};
        assert_ok(measure_parts("etran", "paper", &input, parts[m], NULL, &error), error);
        assert_close(parts[m][0], score_of("etran-energy", NULL, &input), 0);
        assert_close(parts[m][1], score_of("etran-lda", NULL, &input), 0);
        assert_close(score_of("etran", NULL, &input), .85 * parts[m][1] + .15 * parts[m][0], 1e-15);
    }
    assert_ok(measure_combine("etran", NULL, &parts[0][0], MODELS, scores, &error), error);
    for (int m = 0; m < MODELS; m++)
        assert_close(scores[m], golden(keys[m]), 1e-9);
    free(features), free(x.values), free(labels);
}

static void what_tells_no_models_apart_counts_nothing(void **state)
{
    (void)state;
    gbv_error error;
    double one[2] = {4.2, .5}, score = 7, alike[6] = {1, .2, 1, .6, 1, .4}, scores[3];
    assert_ok(measure_combine("etran", "paper", one, 1, &score, &error), error);
    assert_true(score == 0);
    assert_ok(measure_combine("etran", "paper", alike, 3, scores, &error), error);
    assert_near(scores[0], 0, 0);
    assert_close(scores[1], .85, 1e-15);
    assert_close(scores[2], .85 / 2, 1e-14);
    assert_ok(measure_combine("etran", "paper", NULL, 0, scores, &error), error);
}

static void a_model_without_a_score_takes_no_part(void **state)
{
    (void)state;
    gbv_error error;
    double parts[8] = {1, 1, NAN, NAN, 3, 2, 2, 4}, without[6] = {1, 1, 3, 2, 2, 4}, scores[4], expected[3];
    assert_ok(measure_combine("etran", NULL, parts, 4, scores, &error), error);
    assert_ok(measure_combine("etran", NULL, without, 3, expected, &error), error);
    assert_true(isnan(scores[1]));
    assert_true(scores[0] == expected[0] && scores[2] == expected[1] && scores[3] == expected[2]);
}

static void no_difference_of_parts_overflows(void **state)
{
    (void)state;
    gbv_error error;
    double parts[4] = {1.7e308, -1.7e308, -1.7e308, 1.7e308}, scores[2];
    assert_ok(measure_combine("etran", NULL, parts, 2, scores, &error), error);
    assert_close(scores[0], .15, 1e-15);
    assert_close(scores[1], .85, 1e-15);
}

static void only_the_papers_etran_is_joint(void **state)
{
    (void)state;
    for (size_t i = 0; gbv_measure_at(i); i++) {
        const gbv_measure_info *m = gbv_measure_at(i);
        bool etran = strcmp(m->name, "etran") == 0;
        assert_true(gbv_measure_is_joint(m->name, NULL) == etran);
        assert_true((m->joint != NULL) == etran);
        assert_true(m->cost && *m->cost && strlen(m->cost) < 90);
        assert_int_equal(measure_part_count(m->name, NULL), etran ? 2 : 1);
    }
    assert_true(gbv_measure_is_joint("etran", "paper"));
    assert_false(gbv_measure_is_joint("etran", "code"));
    assert_false(gbv_measure_is_joint("etran", "nonsense"));
    assert_false(gbv_measure_is_joint("leap", NULL));
}

static void the_parts_of_other_measures_are_their_scores(void **state)
{
    (void)state;
    npy p = npy_load("leep_A_probs");
    int32_t *labels = npy_labels("leep_A_labels");
    gbv_measure_input input = {.rows = p.rows, .labels = labels, .probabilities = npy_matrix(&p)};
    double part, *terms = malloc(p.rows * sizeof *terms), scores[2];
    gbv_error error;
    assert_ok(measure_parts("leep", NULL, &input, &part, terms, &error), error);
    assert_true(part == score_of("leep", NULL, &input) && isfinite(terms[0]));
    assert_ok(measure_combine("leep", NULL, (double[]){part, NAN}, 2, scores, &error), error);
    assert_true(scores[0] == part && isnan(scores[1]));
    assert_int_equal(measure_parts("etran", NULL, &input, scores, NULL, &error), GBV_USAGE); /* no features */
    assert_int_equal(measure_parts("leap", NULL, &input, scores, NULL, &error), GBV_USAGE);
    free(terms), free(p.values), free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(etran_of_several_models_matches_the_restatement),
        cmocka_unit_test(what_tells_no_models_apart_counts_nothing),
        cmocka_unit_test(a_model_without_a_score_takes_no_part),
        cmocka_unit_test(no_difference_of_parts_overflows),
        cmocka_unit_test(only_the_papers_etran_is_joint),
        cmocka_unit_test(the_parts_of_other_measures_are_their_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
