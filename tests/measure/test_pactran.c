/* The corners of PACTran: what the smallest and the most awkward inputs give, and what the fit must be. */
#include "measure/npy.h"

#include "base/random.h"

enum { N = 60, D = 7, C = 3, Z = 5 };
static double probabilities[N][Z], features[N][D];
static int32_t labels[N];
static const char *const names[] = {"pactran-dirichlet", "pactran-gamma", "pactran-gauss"};

static int fill(void **state)
{
    (void)state;
    random_stream stream = random_stream_open(5, "pactran", RANDOM_WEIGHTS);
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        labels[i] = (int32_t)(i % C);
        for (size_t z = 0; z < Z; z++)
            sum += probabilities[i][z] = exp(random_normal(&stream) + 2 * (z == (size_t)labels[i]));
        for (size_t z = 0; z < Z; z++)
            probabilities[i][z] /= sum;
        for (size_t j = 0; j < D; j++)
            features[i][j] = random_normal(&stream) + 2 * (j == (size_t)labels[i]);
    }
    return 0;
}

static gbv_measure_input whole_input(void)
{
    return (gbv_measure_input){.rows = N,
                               .labels = labels,
                               .class_count = C,
                               .probabilities = gbv_matrix_f64(&probabilities[0][0], N, Z),
                               .features = gbv_matrix_f64(&features[0][0], N, D)};
}

static void a_better_model_scores_higher(void **state)
{
    (void)state;
    int32_t noisy[N];
    memcpy(noisy, labels, sizeof noisy);
    for (size_t i = 0; i < N; i += 2)
        noisy[i] = (int32_t)(i * 7 % 11 % C);
    gbv_measure_input good = whole_input(), bad = good;
    bad.labels = noisy;
    for (int m = 0; m < 3; m++)
        assert_true(score_of(names[m], NULL, &good) > score_of(names[m], NULL, &bad));
}

static void one_class_leaves_nothing_to_learn(void **state)
{
    (void)state;
    static const int32_t zeros[N];
    gbv_measure_input input = whole_input();
    input.labels = zeros;
    assert_near(score_of("pactran-dirichlet", NULL, &input), 0, 1e-8);
    assert_near(score_of("pactran-gauss", NULL, &input), 0, 1e-8);
    assert_true(isfinite(score_of("pactran-gamma", NULL, &input)));
}

static void absent_classes_change_nothing(void **state)
{
    (void)state;
    int32_t spread[N];
    for (size_t i = 0; i < N; i++)
        spread[i] = labels[i] * 4 + 2;
    gbv_measure_input dense = whole_input(), sparse = dense;
    sparse.labels = spread;
    sparse.class_count = 100;
    for (int m = 0; m < 3; m++)
        assert_close(score_of(names[m], NULL, &sparse), score_of(names[m], NULL, &dense), 1e-14);
}

static void a_column_of_zeros_hardly_matters(void **state)
{
    (void)state;
    static double wider[N][Z + 1];
    for (size_t i = 0; i < N; i++)
        memcpy(wider[i], probabilities[i], sizeof probabilities[i]);
    gbv_measure_input input = whole_input(), wide = input;
    wide.probabilities = gbv_matrix_f64(&wider[0][0], N, Z + 1);
    for (int m = 0; m < 2; m++)
        assert_near(score_of(names[m], NULL, &wide), score_of(names[m], NULL, &input), 1e-7);
}

static void certain_probabilities_are_taken(void **state)
{
    (void)state;
    static double certain[N][Z];
    for (size_t i = 0; i < N; i++)
        certain[i][labels[i]] = 1;
    gbv_measure_input input = whole_input(), sure = input;
    sure.probabilities = gbv_matrix_f64(&certain[0][0], N, Z);
    for (int m = 0; m < 2; m++) {
        assert_true(isfinite(score_of(names[m], NULL, &sure)));
        assert_true(score_of(names[m], NULL, &sure) > score_of(names[m], NULL, &input));
    }
}

/* Nothing but the biases to fit: the loss is the entropy of the labels and the rest can be written down. */
static void constant_features_give_the_entropy_of_the_labels(void **state)
{
    (void)state;
    static double constant[N][D];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++)
            constant[i][j] = 0.1 * (double)(j + 1);
    gbv_measure_input input = whole_input();
    input.features = gbv_matrix_f64(&constant[0][0], N, D);
    double variance = C * (1.0 / C) * (1 - 1.0 / C), flatness = N * variance + (double)D * C / N;
    double expected = log(C) + 50.0 * C / N * log(flatness * N / (D * C) + 1e-10);
    assert_close(-score_of("pactran-gauss", NULL, &input), expected, 1e-12);
}

static void gauss_does_not_depend_on_where_the_features_lie(void **state)
{
    (void)state;
    static double moved[N][D];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++)
            moved[i][j] = features[i][j] + 100.0 * (double)j;
    gbv_measure_input input = whole_input(), other = input;
    other.features = gbv_matrix_f64(&moved[0][0], N, D);
    assert_close(score_of("pactran-gauss", NULL, &other), score_of("pactran-gauss", NULL, &input), 1e-9);
}

/* Columns of zeros leave the classifier as it was, but turn N > D into N < D. They show as D alone, in
 * bound = L + 50 C / N ln(h N / (D C) + ...), h = data + D C / N: four widths give three differences for two unknowns.
 */
static void gauss_with_fewer_rows_than_columns_is_the_same_fit(void **state)
{
    (void)state;
    static const size_t widths[] = {D, 20, 90, 400};
    double data = 0, loss = 0;
    for (size_t w = 0; w < 4; w++) {
        double *wide = calloc(N * widths[w], sizeof *wide), cells = (double)widths[w] * C;
        for (size_t i = 0; i < N; i++)
            memcpy(wide + i * widths[w], features[i], sizeof features[i]);
        gbv_measure_input input = whole_input();
        input.features = gbv_matrix_f64(wide, N, widths[w]);
        double bound = -score_of("pactran-gauss", NULL, &input), factor = 50.0 * C / N;
        if (w == 0)
            loss = bound;
        else if (w == 1) { /* exp of the difference is (1 + data N / cells) / (1 + data N / first cells) */
            double ratio = exp((bound - loss) / factor);
            data = (1 - ratio) / (ratio / (D * C) - 1 / cells);
            loss -= factor * log(1 + data / (D * C));
        } else
            assert_close(bound, loss + factor * log(1 + data / cells), 1e-7);
        free(wide);
    }
}

static void gauss_takes_features_of_any_scale_or_refuses_them_in_words(void **state)
{
    (void)state;
    static const double scales[] = {1e-160, 1e-100, 1e-6, 1, 1e6, 1e100, 1e147, 1e150};
    static double scaled[N][D];
    double before = 0;
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < D; j++)
                scaled[i][j] = scales[s] * features[i][j];
        gbv_measure_input input = whole_input();
        input.features = gbv_matrix_f64(&scaled[0][0], N, D);
        double score;
        gbv_error error;
        if (scales[s] == 1e150) {
            assert_int_equal(gbv_measure("pactran-gauss", NULL, &input, &score, NULL, &error), GBV_BAD_INPUT);
            assert_non_null(strstr(error.message, "scale the features"));
            break;
        }
        score = score_of("pactran-gauss", NULL, &input);
        assert_true(isfinite(score));
        if (scales[s] <= 1e-100 && s > 0)
            assert_close(score, before, 1e-12);
        before = score;
    }
}

static void probabilities_beyond_one_stay_finite(void **state)
{
    (void)state;
    static double large[N][Z];
    for (size_t i = 0; i < N; i++)
        for (size_t z = 0; z < Z; z++)
            large[i][z] = 1e28 * probabilities[i][z];
    gbv_measure_input input = whole_input();
    input.probabilities = gbv_matrix_f64(&large[0][0], N, Z);
    for (int m = 0; m < 2; m++)
        assert_true(isfinite(score_of(names[m], NULL, &input)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_better_model_scores_higher),
        cmocka_unit_test(one_class_leaves_nothing_to_learn),
        cmocka_unit_test(absent_classes_change_nothing),
        cmocka_unit_test(a_column_of_zeros_hardly_matters),
        cmocka_unit_test(certain_probabilities_are_taken),
        cmocka_unit_test(constant_features_give_the_entropy_of_the_labels),
        cmocka_unit_test(gauss_does_not_depend_on_where_the_features_lie),
        cmocka_unit_test(gauss_with_fewer_rows_than_columns_is_the_same_fit),
        cmocka_unit_test(gauss_takes_features_of_any_scale_or_refuses_them_in_words),
        cmocka_unit_test(probabilities_beyond_one_stay_finite),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
