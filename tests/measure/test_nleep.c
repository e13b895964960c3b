/* N-LEEP and its mixture of Gaussians: what the fit must be on any input, and the corners. */
#include "measure/npy.h"

#include "measure/measure.h"
#include "measure/mixture.h"

enum { N = 120, D = 4, C = 3 };
static double features[N][D];
static int32_t labels[N];

/* Three clouds, far apart, one for each class. */
static int fill(void **state)
{
    (void)state;
    random_stream stream = random_stream_open(9, "clouds", RANDOM_WEIGHTS);
    for (size_t i = 0; i < N; i++) {
        labels[i] = (int32_t)(i % C);
        for (size_t j = 0; j < D; j++)
            features[i][j] = random_normal(&stream) + (j == (size_t)labels[i] ? 30 : 0);
    }
    return 0;
}

static gbv_measure_input whole_input(void)
{
    return (gbv_measure_input){
        .rows = N, .labels = labels, .class_count = C, .features = gbv_matrix_f64(&features[0][0], N, D)};
}

static double *fit(const double *points, size_t rows, size_t dimensions, size_t components, uint64_t seed)
{
    double *responsibilities = malloc(rows * components * sizeof *responsibilities);
    random_stream stream = random_stream_open(seed, "test", RANDOM_CENTRES);
    size_t rounds;
    gbv_error error;
    assert_ok(mixture_fit(points, rows, dimensions, components, &stream, responsibilities, &rounds, &error), error);
    assert_in_range(rounds, 1, 101);
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t k = 0; k < components; k++) {
            assert_true(responsibilities[i * components + k] >= 0);
            sum += responsibilities[i * components + k];
        }
        assert_near(sum, 1, 1e-12);
    }
    return responsibilities;
}

static void a_mixture_finds_clouds_that_lie_apart(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        double *r = fit(&features[0][0], N, D, C, seed);
        size_t component_of[C];
        for (size_t i = 0; i < N; i++) {
            size_t best = measure_argmax(r + i * C, C);
            assert_true(r[i * C + best] > 0.999);
            if (i < C)
                component_of[labels[i]] = best;
            assert_int_equal(best, component_of[labels[i]]);
        }
        assert_true(component_of[0] != component_of[1] && component_of[1] != component_of[2] &&
                    component_of[0] != component_of[2]);
        free(r);
    }
}

static void responsibilities_add_up_to_one_for_any_number_of_components(void **state)
{
    (void)state;
    for (size_t components = 1; components <= N; components += 17)
        free(fit(&features[0][0], N, D, components, 1));
    free(fit(&features[0][0], N, D, N, 1));
}

static void one_component_is_one_gaussian(void **state)
{
    (void)state;
    double *r = fit(&features[0][0], N, D, 1, 3);
    for (size_t i = 0; i < N; i++)
        assert_true(r[i] == 1);
    free(r);
}

static void fewer_places_than_components_leave_some_empty(void **state)
{
    (void)state;
    static double points[N][1];
    for (size_t i = 0; i < N; i++)
        points[i][0] = (double)(i % 2);
    double *r = fit(&points[0][0], N, 1, 7, 2);
    for (size_t i = 0; i < N; i++)
        assert_true(r[i * 7 + measure_argmax(r + i * 7, 7)] > 0.1);
    assert_true(measure_argmax(r, 7) != measure_argmax(r + 7, 7));
    free(r);
}

static void equal_calls_give_equal_bits(void **state)
{
    (void)state;
    double *a = fit(&features[0][0], N, D, 15, 4), *b = fit(&features[0][0], N, D, 15, 4);
    assert_memory_equal(a, b, N * 15 * sizeof *a);
    free(a), free(b);
    gbv_measure_input input = whole_input();
    double first = score_of("nleep", NULL, &input), second = score_of("nleep", NULL, &input);
    assert_memory_equal(&first, &second, sizeof first);
}

static void clouds_of_one_class_each_score_best(void **state)
{
    (void)state;
    gbv_measure_input input = whole_input();
    assert_near(score_of("nleep", NULL, &input), 0, 1e-9);
    assert_near(score_of("nleep", "code", &input), 1, 1e-9);
    int32_t mixed[N];
    for (size_t i = 0; i < N; i++)
        mixed[i] = (int32_t)(i / C % C);
    input.labels = mixed;
    assert_true(score_of("nleep", NULL, &input) < -0.3);
    assert_true(score_of("nleep", "code", &input) < 0.9);
}

static void row_terms_average_to_the_score(void **state)
{
    (void)state;
    static const char *const variants[] = {"log", "code"};
    int32_t mixed[N];
    for (size_t i = 0; i < N; i++)
        mixed[i] = (int32_t)(i / C % C);
    gbv_measure_input input = whole_input();
    input.labels = mixed;
    for (int v = 0; v < 2; v++) {
        double terms[N], score, sum = 0;
        gbv_error error;
        assert_ok(gbv_measure("nleep", variants[v], &input, &score, terms, &error), error);
        for (size_t i = 0; i < N; i++)
            sum += terms[i];
        assert_close(sum / N, score, 1e-12);
    }
}

static void one_class_is_predicted_with_certainty(void **state)
{
    (void)state;
    static const int32_t zeros[N];
    gbv_measure_input input = whole_input();
    input.labels = zeros;
    assert_near(score_of("nleep", NULL, &input), 0, 1e-12);
    assert_near(score_of("nleep", "code", &input), 1, 1e-12);
}

static void absent_classes_change_nothing(void **state)
{
    (void)state;
    int32_t spread[N];
    for (size_t i = 0; i < N; i++)
        spread[i] = 5 * labels[i] + 1;
    gbv_measure_input dense = whole_input(), sparse = dense;
    sparse.labels = spread;
    sparse.class_count = 40;
    assert_true(score_of("nleep", NULL, &sparse) == score_of("nleep", NULL, &dense));
}

static void constant_features_give_minus_the_entropy_of_the_labels(void **state)
{
    (void)state;
    static double constant[N][D];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++)
            constant[i][j] = 0.1 * (double)(j + 1);
    gbv_measure_input input = whole_input();
    input.features = gbv_matrix_f64(&constant[0][0], N, D);
    assert_close(score_of("nleep", NULL, &input), -log(C), 1e-12);
    assert_close(score_of("nleep", "code", &input), 1.0 / C, 1e-12);
}

static void only_four_fifths_of_the_variance_are_seen(void **state)
{
    (void)state;
    /* The second column tells the classes apart and has a given share of the variance; the first tells nothing. */
    enum { ROWS = 200 };
    static const double shares[] = {0.15, 0.25};
    static double x[ROWS][2];
    static int32_t y[ROWS];
    double scores[2];
    for (int s = 0; s < 2; s++) {
        double square = 0;
        for (int i = 0; i < ROWS; i++) {
            x[i][0] = i / 2 * 37 % 100 / 49.5 - 1;
            square += x[i][0] * x[i][0] / ROWS;
        }
        for (int i = 0; i < ROWS; i++) {
            y[i] = i % 2;
            x[i][1] = (y[i] ? 1 : -1) * sqrt(square * shares[s] / (1 - shares[s]));
        }
        gbv_measure_input input = {.rows = ROWS, .labels = y, .features = gbv_matrix_f64(&x[0][0], ROWS, 2)};
        scores[s] = score_of("nleep", NULL, &input);
    }
    assert_close(scores[0], -log(2), 1e-2);
    assert_true(scores[1] > -0.1);
}

static void too_few_rows_are_counted_in_the_answer(void **state)
{
    (void)state;
    gbv_measure_input input = whole_input();
    double score = 7;
    gbv_error error;
    input.rows = input.features.rows = 14;
    assert_int_equal(gbv_measure("nleep", NULL, &input, &score, NULL, &error), GBV_UNDEFINED);
    assert_non_null(strstr(error.message, "at least 15 rows"));
    assert_non_null(strstr(error.message, "there are 14"));
    assert_true(score == 7);
    input.rows = input.features.rows = 15;
    assert_true(isfinite(score_of("nleep", NULL, &input)));
}

static void fewer_rows_than_columns_are_enough(void **state)
{
    (void)state;
    enum { ROWS = 30, WIDE = 50 };
    static double wide[ROWS][WIDE];
    random_stream stream = random_stream_open(11, "wide", RANDOM_WEIGHTS);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < WIDE; j++)
            wide[i][j] = random_normal(&stream) + (j % C == (size_t)labels[i] ? 20 : 0);
    gbv_measure_input input = whole_input();
    input.rows = ROWS;
    input.features = gbv_matrix_f64(&wide[0][0], ROWS, WIDE);
    assert_near(score_of("nleep", NULL, &input), 0, 1e-6);
}

static void features_of_any_scale_are_taken_or_refused_in_words(void **state)
{
    (void)state;
    static const double scales[] = {1e-170, 1e-100, 1e-6, 1e3, 1e6, 1e9, 1e50, 1e100, 1e140, 1e151};
    static double scaled[N][D];
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < D; j++)
                scaled[i][j] = scales[s] * features[i][j];
        gbv_measure_input input = whole_input();
        input.features = gbv_matrix_f64(&scaled[0][0], N, D);
        double score = NAN;
        gbv_error error;
        gbv_status status = gbv_measure("nleep", NULL, &input, &score, NULL, &error);
        if (status == GBV_OK)
            assert_true(isfinite(score) && score <= 1e-9);
        else
            assert_non_null(strstr(error.message, "scale the features"));
        if (scales[s] <= 1e100)
            assert_int_equal(status, GBV_OK);
        if (scales[s] >= 1e-3 && scales[s] <= 1e100)
            assert_near(score, 0, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mixture_finds_clouds_that_lie_apart),
        cmocka_unit_test(responsibilities_add_up_to_one_for_any_number_of_components),
        cmocka_unit_test(one_component_is_one_gaussian),
        cmocka_unit_test(fewer_places_than_components_leave_some_empty),
        cmocka_unit_test(equal_calls_give_equal_bits),
        cmocka_unit_test(clouds_of_one_class_each_score_best),
        cmocka_unit_test(row_terms_average_to_the_score),
        cmocka_unit_test(one_class_is_predicted_with_certainty),
        cmocka_unit_test(absent_classes_change_nothing),
        cmocka_unit_test(constant_features_give_minus_the_entropy_of_the_labels),
        cmocka_unit_test(only_four_fifths_of_the_variance_are_seen),
        cmocka_unit_test(too_few_rows_are_counted_in_the_answer),
        cmocka_unit_test(fewer_rows_than_columns_are_enough),
        cmocka_unit_test(features_of_any_scale_are_taken_or_refused_in_words),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
