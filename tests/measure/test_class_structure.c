/* The measures of class structure in the features: their corners, and what must hold for any features. */
#include "measure/npy.h"

#include <float.h>

#include "base/random.h"

/* What a measure gives for the inputs that say nothing. */
static const struct {
    const char *measure, *variant;
    double single_class, constant; /* constant: three rows of four are of class 0, one of class 1 */
} quiet[] = {
    {"etran-lda", "paper", 1, 0.75}, {"etran-lda", "code", 1, 0.625}, /* the mean share of the own class */
    {"hscore", NULL, 0, 0},          {"hscore-regularized", NULL, 0, 0}, {"sfda", NULL, 1, 0.75},
    {"gbc", "diagonal", 0, -2},      {"gbc", "spherical", 0, -2},        {"gbc", "spherical-code", 0, -2},
    {"transrate", "tll", 0, 0},      {"transrate", "weighted", 0, 0},    {"lfc", NULL, 0, 0},
};
enum { MEASURES = sizeof quiet / sizeof quiet[0] };

typedef struct sample {
    size_t rows, columns;
    double *features;
    int32_t *labels;
} sample;

/* Rows around a centre for each class, `scale` wide; every class occurs. */
static sample make(size_t rows, size_t columns, size_t classes, double scale)
{
    sample s = {.rows = rows, .columns = columns};
    random_stream stream = random_stream_open(7, "class structure", RANDOM_WEIGHTS);
    s.features = malloc(rows * columns * sizeof(double));
    s.labels = malloc(rows * sizeof(int32_t));
    for (size_t i = 0; i < rows; i++) {
        s.labels[i] = (int32_t)(i < classes ? i : random_below(&stream, classes));
        for (size_t j = 0; j < columns; j++)
            s.features[i * columns + j] =
                scale * (random_normal(&stream) + 0.8 * (j % classes == (size_t)s.labels[i]) + 0.3);
    }
    return s;
}

static void unmake(sample *s)
{
    free(s->features), free(s->labels);
}

static gbv_measure_input input_of(const sample *s)
{
    return (gbv_measure_input){
        .rows = s->rows, .labels = s->labels, .features = gbv_matrix_f64(s->features, s->rows, s->columns)};
}

/* The same rows `times` over. */
static sample repeat(const sample *s, size_t times)
{
    sample r = {.rows = s->rows * times, .columns = s->columns};
    r.features = malloc(r.rows * r.columns * sizeof(double));
    r.labels = malloc(r.rows * sizeof(int32_t));
    for (size_t i = 0; i < r.rows; i++) {
        memcpy(r.features + i * r.columns, s->features + i % s->rows * r.columns, r.columns * sizeof(double));
        r.labels[i] = s->labels[i % s->rows];
    }
    return r;
}

static void check(size_t i, const gbv_measure_input *input, double expected, double tolerance)
{
    double score = score_of(quiet[i].measure, quiet[i].variant, input);
    if (!(fabs(score - expected) <= tolerance * fmax(fabs(expected), 1e-3)))
        fail_msg("%s %s: %.17g instead of %.17g", quiet[i].measure, quiet[i].variant ? quiet[i].variant : "", score,
                 expected);
}

static void a_single_class_has_no_structure(void **state)
{
    (void)state;
    static const size_t shapes[][2] = {{30, 5}, {5, 30}, {1, 4}, {1, 1}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        sample s = make(shapes[k][0], shapes[k][1], 1, 1);
        for (size_t i = 0; i < s.rows; i++)
            s.labels[i] = 3;
        gbv_measure_input input = input_of(&s);
        for (size_t i = 0; i < MEASURES; i++)
            check(i, &input, quiet[i].single_class, 1e-14);
        assert_close(score_of("etran", NULL, &input), 0.85 + 0.15 * score_of("etran-energy", NULL, &input), 1e-14);
        unmake(&s);
    }
}

static void constant_features_say_only_how_large_the_classes_are(void **state)
{
    (void)state;
    /* Numbers whose sums round, so that a mean of equal rows is not always the row. */
    enum { ROWS = 28 };
    static const double constants[] = {0, 0.1, -1e6 / 3, 0.7};
    int32_t labels[ROWS];
    double values[ROWS * 41];
    for (int i = 0; i < ROWS; i++)
        labels[i] = i % 4 == 3;
    for (size_t k = 0; k < sizeof constants / sizeof constants[0]; k++)
        for (size_t columns = 1; columns <= 41; columns += 20) {
            for (size_t j = 0; j < ROWS * columns; j++)
                values[j] = constants[k];
            gbv_measure_input input = {.rows = ROWS, .labels = labels};
            input.features = gbv_matrix_f64(values, ROWS, columns);
            for (size_t i = 0; i < MEASURES; i++)
                check(i, &input, quiet[i].constant, 1e-14);
        }
}

static void classes_that_are_points_leave_no_scatter_to_invert(void **state)
{
    (void)state;
    static const double points[3][2] = {{0.1, 3.3}, {0.7, 1.9}, {-1.3, 0.23}};
    static const int32_t each[3] = {0, 1, 2};
    double values[33][2];
    int32_t labels[33];
    for (int i = 0; i < 33; i++)
        memcpy(values[i], points[labels[i] = i % 3], sizeof values[i]);
    gbv_measure_input input = {.rows = 33, .labels = labels, .features = gbv_matrix_f64(&values[0][0], 33, 2)};
    gbv_measure_input alone = {.rows = 3, .labels = each, .features = gbv_matrix_f64(&points[0][0], 3, 2)};
    const char *const names[] = {"sfda", "etran-lda", "etran"};
    for (int i = 0; i < 3; i++) {
        double score = 7;
        gbv_error error = {0};
        assert_int_equal(gbv_measure(names[i], NULL, &input, &score, NULL, &error), GBV_UNDEFINED);
        assert_non_null(strstr(error.message, "within any class"));
        assert_int_equal(gbv_measure(names[i], NULL, &alone, &score, NULL, &error), GBV_UNDEFINED);
        assert_true(score == 7);
    }
    assert_close(score_of("hscore", NULL, &input), 2, 1e-12);
    assert_close(score_of("hscore", NULL, &alone), 2, 1e-12);
    assert_true(score_of("gbc", NULL, &input) > -1e-10);
    assert_true(isfinite(score_of("transrate", NULL, &alone)));
    assert_true(isfinite(score_of("hscore-regularized", NULL, &alone)));
}

static void a_class_with_one_row_is_a_class(void **state)
{
    (void)state;
    static const size_t widths[] = {4, 60};
    for (int k = 0; k < 2; k++) {
        sample s = make(40, widths[k], 2, 0.5);
        s.labels[17] = 2;
        gbv_measure_input input = input_of(&s);
        for (size_t i = 0; i < MEASURES; i++)
            assert_true(isfinite(score_of(quiet[i].measure, quiet[i].variant, &input)));
        unmake(&s);
    }
}

static void absent_classes_are_left_out(void **state)
{
    (void)state;
    sample s = make(50, 6, 3, 1);
    gbv_measure_input input = input_of(&s);
    double expected[MEASURES];
    for (size_t i = 0; i < MEASURES; i++)
        expected[i] = score_of(quiet[i].measure, quiet[i].variant, &input);
    for (size_t i = 0; i < s.rows; i++)
        s.labels[i] = 4 + 7 * s.labels[i];
    input.class_count = 1000;
    for (size_t i = 0; i < MEASURES; i++)
        check(i, &input, expected[i], 1e-15);
    unmake(&s);
}

/* Also takes the measures from fewer rows than columns to more, and from one block of rows to several. */
static void repeating_every_row_changes_nothing(void **state)
{
    (void)state;
    static const struct {
        size_t rows, columns, classes, times;
        double scale;
    } cases[] = {{20, 50, 3, 4, 0.1}, {20, 50, 3, 3, 1}, {12, 12, 4, 3, 0.3}, {60, 7, 5, 2, 1}, {900, 600, 3, 2, 0.05}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        sample s = make(cases[k].rows, cases[k].columns, cases[k].classes, cases[k].scale);
        sample r = repeat(&s, cases[k].times);
        gbv_measure_input once = input_of(&s), more = input_of(&r);
        for (size_t i = 0; i < MEASURES; i++)
            /* The shrinkage of Ledoit and Wolf depends on the number of rows. */
            if (strcmp(quiet[i].measure, "hscore-regularized") != 0)
                check(i, &more, score_of(quiet[i].measure, quiet[i].variant, &once), 1e-8);
        unmake(&s), unmake(&r);
    }
}

static void transrate_of_large_classes_in_wide_features_is_one_determinant(void **state)
{
    (void)state;
    sample s = make(1300, 900, 2, 1), r = repeat(&s, 2);
    gbv_measure_input once = input_of(&s), more = input_of(&r);
    assert_close(score_of("transrate", NULL, &more), score_of("transrate", NULL, &once), 1e-9);
    unmake(&s), unmake(&r);
}

static void columns_of_zeros_change_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"hscore", "gbc", "transrate", "lfc"};
    sample s = make(30, 8, 4, 1), wide = {.rows = 30, .columns = 70, .labels = s.labels};
    wide.features = calloc(30 * 70, sizeof(double));
    for (size_t i = 0; i < 30; i++)
        memcpy(wide.features + i * 70, s.features + i * 8, 8 * sizeof(double));
    gbv_measure_input narrow = input_of(&s), dual = input_of(&wide);
    for (int i = 0; i < 4; i++)
        assert_close(score_of(names[i], NULL, &dual), score_of(names[i], NULL, &narrow), 1e-10);
    free(wide.features);
    unmake(&s);
}

static void scores_stay_in_their_ranges(void **state)
{
    (void)state;
    for (size_t k = 0; k < 12; k++) {
        size_t classes = 2 + k % 5;
        sample s = make(10 + 9 * k, 1 + 13 * (k % 4), classes, k % 2 ? 3 : 0.2);
        gbv_measure_input input = input_of(&s);
        double h = score_of("hscore", NULL, &input), shrunk = score_of("hscore-regularized", NULL, &input);
        double f = score_of("sfda", NULL, &input), l = score_of("lfc", NULL, &input);
        assert_true(h > 0 && h <= (double)(classes - 1) * (1 + 1e-9));
        assert_true(shrunk > 0 && shrunk <= h * (double)s.rows / (double)(s.rows - 1) * (1 + 1e-9));
        assert_true(f > 0 && f <= 1 && l >= -1 && l <= 1);
        assert_true(score_of("gbc", NULL, &input) <= 0);
        unmake(&s);
    }
}

/* The N x N form, also where all features share a large offset. */
static void lfc_is_its_definition(void **state)
{
    (void)state;
    static const double offsets[] = {0, 100};
    for (int k = 0; k < 4; k++) {
        sample s = make(40, k < 2 ? 6 : 55, 3, 1);
        size_t rows = s.rows, columns = s.columns;
        double mean_f = 0, mean_y = 0, both = 0, f2 = 0, y2 = 0, *kernel = malloc(rows * rows * sizeof(double));
        for (size_t i = 0; i < rows * columns; i++)
            s.features[i] += offsets[k % 2];
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < rows; j++) {
                double product = 0;
                for (size_t d = 0; d < columns; d++)
                    product += s.features[i * columns + d] * s.features[j * columns + d];
                kernel[i * rows + j] = product;
                mean_f += product / (double)(rows * rows);
                mean_y += (s.labels[i] == s.labels[j] ? 1.0 : -1.0) / (double)(rows * rows);
            }
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < rows; j++) {
                double f = kernel[i * rows + j] - mean_f, y = (s.labels[i] == s.labels[j] ? 1 : -1) - mean_y;
                both += f * y, f2 += f * f, y2 += y * y;
            }
        gbv_measure_input input = input_of(&s);
        assert_close(score_of("lfc", NULL, &input), both / sqrt(f2 * y2), 1e-9);
        free(kernel);
        unmake(&s);
    }
}

static void rows_that_add_up_to_one_do_not_leave_the_shrinkage_to_rounding(void **state)
{
    (void)state;
    sample s = make(80, 6, 3, 1), turned = repeat(&s, 1);
    for (size_t i = 0; i < s.rows; i++) {
        double *row = s.features + i * 6, sum = 0;
        for (size_t j = 0; j < 6; j++)
            sum += row[j] = exp(row[j]);
        for (size_t j = 0; j < 6; j++)
            turned.features[i * 6 + 5 - j] = row[j] /= sum;
    }
    gbv_measure_input a = input_of(&s), b = input_of(&turned);
    assert_close(score_of("etran-lda", NULL, &b), score_of("etran-lda", NULL, &a), 1e-9);
    assert_close(score_of("sfda", NULL, &b), score_of("sfda", NULL, &a), 1e-9);
    unmake(&s), unmake(&turned);
}

static void hscore_does_not_change_under_a_linear_map(void **state)
{
    (void)state;
    sample s = make(60, 4, 3, 1);
    gbv_measure_input input = input_of(&s);
    double before = score_of("hscore", NULL, &input);
    for (size_t i = 0; i < s.rows; i++) {
        double *row = s.features + i * 4;
        row[0] = 5 * row[0] + row[1], row[2] += 3 * row[3] - row[0] + 40, row[3] *= -0.2;
    }
    assert_close(score_of("hscore", NULL, &input), before, 1e-9);
    unmake(&s);
}

static void gbc_does_not_change_with_the_scale_of_a_column(void **state)
{
    (void)state;
    static const double scales[] = {1e65, 1e100, 30, 1e10};
    sample s = make(60, 4, 3, 1);
    gbv_measure_input input = input_of(&s);
    double before = score_of("gbc", NULL, &input);
    for (size_t i = 0; i < s.rows * 4; i++)
        s.features[i] *= scales[i % 4];
    assert_close(score_of("gbc", NULL, &input), before, 1e-12);
    unmake(&s);
}

static void features_beyond_any_scale_are_refused(void **state)
{
    (void)state;
    static const int32_t labels[4] = {0, 1, 0, 1};
    double huge[4][6];
    for (int i = 0; i < 24; i++)
        (&huge[0][0])[i] = (i % 5 - 2) * (DBL_MAX / 16);
    for (size_t columns = 3; columns <= 6; columns += 3) {
        gbv_measure_input input = {.rows = 4, .labels = labels, .features = gbv_matrix_f64(&huge[0][0], 4, columns)};
        for (size_t i = 0; i < MEASURES; i++) {
            double score = 7;
            gbv_error error = {0};
            assert_int_equal(gbv_measure(quiet[i].measure, quiet[i].variant, &input, &score, NULL, &error),
                             GBV_BAD_INPUT);
            assert_non_null(strstr(error.message, "scale the features"));
            assert_true(score == 7);
        }
    }
    /* Squares fit, their squares do not: a score or no score, but never NaN. */
    for (int i = 0; i < 24; i++)
        (&huge[0][0])[i] = (i * i % 7 - 2) * 1e100;
    gbv_measure_input input = {.rows = 4, .labels = labels, .features = gbv_matrix_f64(&huge[0][0], 4, 3)};
    for (size_t i = 0; i < MEASURES; i++) {
        double score = 7;
        gbv_status status = gbv_measure(quiet[i].measure, quiet[i].variant, &input, &score, NULL, NULL);
        assert_true(status == GBV_UNDEFINED || (status == GBV_OK && isfinite(score)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_class_has_no_structure),
        cmocka_unit_test(constant_features_say_only_how_large_the_classes_are),
        cmocka_unit_test(classes_that_are_points_leave_no_scatter_to_invert),
        cmocka_unit_test(a_class_with_one_row_is_a_class),
        cmocka_unit_test(absent_classes_are_left_out),
        cmocka_unit_test(repeating_every_row_changes_nothing),
        cmocka_unit_test(transrate_of_large_classes_in_wide_features_is_one_determinant),
        cmocka_unit_test(columns_of_zeros_change_nothing),
        cmocka_unit_test(scores_stay_in_their_ranges),
        cmocka_unit_test(lfc_is_its_definition),
        cmocka_unit_test(rows_that_add_up_to_one_do_not_leave_the_shrinkage_to_rounding),
        cmocka_unit_test(hscore_does_not_change_under_a_linear_map),
        cmocka_unit_test(gbc_does_not_change_with_the_scale_of_a_column),
        cmocka_unit_test(features_beyond_any_scale_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
