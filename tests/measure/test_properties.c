/* What must hold for any input: random ones, whose seed is printed (set GBV_TEST_SEED to repeat a failure). */
#include "measure/made.h"

#include <omp.h>
#include <time.h>

#include "measure/rbf.h"

static void leep_is_never_above_zero(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        char subject[32];
        snprintf(subject, sizeof subject, "leep-%d", round);
        made m = make(subject, 20 + 17 * (size_t)round, 3 + (size_t)round % 40, 2 + (size_t)round % 7);
        gbv_measure_input input = input_of(&m);
        /* Single-precision rows add up to one within 1e-6. */
        assert_true(score_of("leep", NULL, &input) <= 1e-6);
        assert_true(score_of("nce", NULL, &input) <= 0);
        unmake(&m);
    }
}

static void uniform_probabilities_give_minus_the_entropy_of_the_labels(void **state)
{
    (void)state;
    made m = make("uniform", 333, 8, 5);
    double counts[5] = {0}, entropy = 0;
    for (size_t i = 0; i < m.rows * m.columns; i++)
        m.probabilities[i] = 1.0 / (double)m.columns;
    for (size_t i = 0; i < m.rows; i++)
        counts[m.labels[i]]++;
    for (int c = 0; c < 5; c++)
        entropy -= counts[c] ? counts[c] / 333 * log(counts[c] / 333) : 0;
    gbv_measure_input input = input_of(&m);
    assert_close(score_of("leep", NULL, &input), -entropy, 1e-12);
    unmake(&m);
}

static void leep_of_certain_predictions_is_nce(void **state)
{
    (void)state;
    made m = make("certain", 400, 70, 6);
    gbv_measure_input input = input_of(&m);
    double nce = score_of("nce", NULL, &input);
    for (size_t i = 0; i < m.rows; i++) {
        double *row = m.probabilities + i * m.columns;
        size_t best = 0;
        for (size_t j = 1; j < m.columns; j++)
            best = row[j] > row[best] ? j : best;
        for (size_t j = 0; j < m.columns; j++)
            row[j] = j == best;
    }
    assert_close(score_of("leep", NULL, &input), nce, 1e-12);
    unmake(&m);
}

/* The straightforward N x C form, for inputs wide and narrow. */
static void leep_is_its_definition(void **state)
{
    (void)state;
    static const size_t widths[] = {1, 3, 8, 64, 65, 200};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        made m = make("definition", 150, widths[w], 7);
        double score = 0;
        for (size_t i = 0; i < m.rows; i++) {
            double likelihood = 0;
            for (size_t z = 0; z < m.columns; z++) {
                double own = 0, all = 0;
                for (size_t k = 0; k < m.rows; k++) {
                    own += m.labels[k] == m.labels[i] ? m.probabilities[k * m.columns + z] : 0;
                    all += m.probabilities[k * m.columns + z];
                }
                likelihood += m.probabilities[i * m.columns + z] * own / all;
            }
            score += log(likelihood) / (double)m.rows;
        }
        gbv_measure_input input = input_of(&m);
        assert_close(score_of("leep", NULL, &input), score, 1e-12);
        unmake(&m);
    }
}

static void the_order_of_rows_and_columns_does_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = {"leep",
                                        "nce",
                                        "logme",
                                        "etran-energy",
                                        "mmd",
                                        "cmmd",
                                        "accuracy",
                                        "loss",
                                        "etran-lda",
                                        "etran",
                                        "hscore",
                                        "hscore-regularized",
                                        "sfda",
                                        "gbc",
                                        "transrate",
                                        "lfc",
                                        "pactran-dirichlet",
                                        "pactran-gamma",
                                        "pactran-gauss"};
    made m = make("order", 157, 12, 9), n = make("order", 157, 12, 9);
    random_stream stream = random_stream_open(seed, "order", RANDOM_ORDER);
    size_t rows[157], columns[12];
    int32_t column_class[12];
    for (size_t i = 0; i < 157; i++)
        rows[i] = i;
    for (size_t j = 0; j < 12; j++)
        columns[j] = j;
    random_shuffle(&stream, rows, 157);
    random_shuffle(&stream, columns, 12);
    for (size_t i = 0; i < m.rows; i++) {
        n.labels[i] = m.labels[rows[i]];
        for (size_t j = 0; j < m.columns; j++) {
            n.probabilities[i * 12 + j] = m.probabilities[rows[i] * 12 + columns[j]];
            n.features[i * 12 + j] = m.features[rows[i] * 12 + columns[j]];
            n.source[i * 12 + j] = m.source[i * 12 + columns[j]];
            column_class[j] = columns[j] < 9 ? (int32_t)columns[j] : -1;
        }
    }
    gbv_measure_input a = input_of(&m), b = input_of(&n);
    b.column_class = column_class;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_close(score_of(names[i], NULL, &b), score_of(names[i], NULL, &a), 1e-9);
    }
    unmake(&m), unmake(&n);
}

static void mmd_of_a_set_with_itself_is_zero(void **state)
{
    (void)state;
    made m = make("self", 300, 20, 3);
    gbv_measure_input input = input_of(&m);
    input.source_features = input.features;
    assert_near(score_of("mmd", NULL, &input), 0, 1e-7);
    input.fast = true;
    assert_near(score_of("mmd", NULL, &input), 0, 1e-3);
    unmake(&m);
}

/* Pair by pair, over sizes on both sides of the tiles and distances from none to far beyond every bandwidth. */
static void rbf_sums_are_those_of_the_pairs(void **state)
{
    (void)state;
    static const double scales[] = {1e-3, 0.3, 3, 300, 1e5};
    static const size_t sizes[] = {1, 2, 255, 256, 257, 515, 600};
    for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++) {
        size_t rows = sizes[s + 2], columns = 5;
        made m = make("pairs", rows, columns, 2);
        double xx = 0, xy = 0, sum;
        rbf_points x, y;
        gbv_error error;
        for (size_t i = 0; i < rows * columns; i++)
            m.features[i] *= scales[s], m.source[i] *= scales[s];
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < rows; j++) {
                double within = 0, between = 0;
                for (size_t k = 0; k < columns; k++) {
                    double a = m.features[i * columns + k];
                    within += (a - m.features[j * columns + k]) * (a - m.features[j * columns + k]);
                    between += (a - m.source[j * columns + k]) * (a - m.source[j * columns + k]);
                }
                xx += rbf_kernel(within), xy += rbf_kernel(between);
            }
        gbv_measure_input input = input_of(&m);
        for (int single = 0; single < 2; single++) {
            double tolerance = single ? 3e-5 : 1e-11;
            assert_ok(rbf_points_pair(&input.features, &input.source_features, single, &x, &y, &error), error);
            assert_ok(rbf_sum_within(&x, &sum, &error), error);
            assert_close(sum, xx, tolerance);
            assert_ok(rbf_sum_between(&x, &y, &sum, &error), error);
            assert_near(sum, xy, tolerance * xy + (single ? 1e-7 * xx : 1e-25));
            rbf_points_free(&x), rbf_points_free(&y);
        }
        unmake(&m);
    }
}

typedef struct view {
    const char *name;
    gbv_matrix matrix;
} view;

/* The same numbers in other clothes: singles, Fortran order, strided, byte-swapped, upside down and not aligned. */
enum { VIEWS = 6 };
static void make_views(const double *values, size_t rows, size_t columns, unsigned char *memory, view *views)
{
    size_t cells = rows * columns;
    unsigned char *single = memory, *fortran = single + cells * 8, *strided = fortran + cells * 8;
    unsigned char *swapped = strided + cells * 24, *unaligned = swapped + cells * 8,
                  *reversed = unaligned + cells * 8 + 8;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double value = values[i * columns + j];
            float small = (float)value;
            uint64_t bits;
            memcpy(&bits, &value, 8);
            bits = __builtin_bswap64(bits);
            memcpy(single + (i * columns + j) * 4, &small, 4);
            memcpy(fortran + (j * rows + i) * 8, &value, 8);
            memcpy(strided + (i * columns + j) * 24, &value, 8);
            memcpy(swapped + (i * columns + j) * 8, &bits, 8);
            memcpy(unaligned + (i * columns + j) * 8 + 1, &value, 8);
            memcpy(reversed + ((rows - 1 - i) * columns + j) * 8, &value, 8);
        }
    ptrdiff_t line = (ptrdiff_t)columns * 8;
    gbv_matrix plain = {.rows = rows, .columns = columns, .row_stride = line, .column_stride = 8, .type = GBV_F64};
    for (int v = 0; v < VIEWS; v++)
        views[v].matrix = plain;
    views[0] = (view){"single", gbv_matrix_f32((const float *)(void *)single, rows, columns)};
    views[1].name = "fortran", views[1].matrix.data = fortran;
    views[1].matrix.row_stride = 8, views[1].matrix.column_stride = (ptrdiff_t)rows * 8;
    views[2].name = "strided", views[2].matrix.data = strided;
    views[2].matrix.row_stride = 3 * line, views[2].matrix.column_stride = 24;
    views[3].name = "swapped", views[3].matrix.data = swapped, views[3].matrix.swapped = true;
    views[4].name = "unaligned", views[4].matrix.data = unaligned + 1;
    views[5].name = "reversed", views[5].matrix.data = reversed + (rows - 1) * columns * 8;
    views[5].matrix.row_stride = -line;
}

static void check_views(size_t rows, size_t columns, size_t classes)
{
    made m = make("views", rows, columns, classes);
    size_t bytes = rows * columns * 64 + 64;
    unsigned char *p = malloc(bytes), *f = malloc(bytes), *s = malloc(bytes);
    view probabilities[VIEWS], features[VIEWS], source[VIEWS];
    make_views(m.probabilities, rows, columns, p, probabilities);
    make_views(m.features, rows, columns, f, features);
    make_views(m.source, rows, columns, s, source);
    gbv_measure_input plain = input_of(&m);
    const gbv_measure_info *info;
    for (size_t i = 0; (info = gbv_measure_at(i)); i++) {
        double expected = score_of(info->name, NULL, &plain);
        for (int v = 0; v < VIEWS; v++) {
            gbv_measure_input input = plain;
            input.probabilities = probabilities[v].matrix;
            input.features = features[v].matrix;
            input.source_features = source[v].matrix;
            /* The numbers are singles, so nothing is lost; only mmd then also computes in single precision. */
            bool rough = v == 0 && strcmp(info->name, "mmd") == 0;
            double score = score_of(info->name, NULL, &input);
            if (!(fabs(score - expected) <= (rough ? 1e-4 : 1e-12) * fabs(expected)))
                fail_msg("%s, %s: %.17g instead of %.17g", info->name, probabilities[v].name, score, expected);
        }
    }
    free(p), free(f), free(s);
    unmake(&m);
}

static void views_of_any_layout_score_the_same(void **state)
{
    (void)state;
    check_views(130, 11, 6);
    check_views(40, 70, 5);
}

static void bytes_and_halves_are_read_too(void **state)
{
    (void)state;
    /* 0.5, 1 and 2 as halves; the same numbers doubled as bytes. */
    static const uint16_t halves[6] = {0x3800, 0x3c00, 0x4000, 0x3c00, 0x3800, 0x3c00};
    static const uint8_t bytes[6] = {1, 2, 4, 2, 1, 2};
    static const double doubles[6] = {0.5, 1, 2, 1, 0.5, 1};
    static const int32_t y[3] = {0, 1, 0};
    gbv_measure_input input = {.rows = 3, .labels = y};
    input.probabilities = input.features = gbv_matrix_f64(doubles, 3, 2);
    double leep = score_of("leep", NULL, &input), logme = score_of("logme", NULL, &input);
    input.probabilities = input.features =
        (gbv_matrix){.data = halves, .rows = 3, .columns = 2, .row_stride = 4, .column_stride = 2, .type = GBV_F16};
    assert_close(score_of("leep", NULL, &input), leep, 1e-15);
    assert_close(score_of("logme", NULL, &input), logme, 1e-15);
    input.probabilities = gbv_matrix_u8(bytes, 3, 2);
    assert_close(score_of("leep", NULL, &input), leep + log(2), 1e-14);
}

static void threads_and_nesting_change_no_bit(void **state)
{
    (void)state;
    static const char *const names[] = {"leep",
                                        "logme",
                                        "mmd",
                                        "cmmd",
                                        "nll",
                                        "etran",
                                        "hscore",
                                        "sfda",
                                        "gbc",
                                        "transrate",
                                        "lfc",
                                        "nleep",
                                        "pactran-dirichlet",
                                        "pactran-gamma",
                                        "pactran-gauss"};
    made m = make("threads", 700, 40, 6);
    gbv_measure_input input = input_of(&m);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        double alone, several, nested[4];
        omp_set_num_threads(1);
        alone = score_of(names[i], NULL, &input);
        omp_set_num_threads(4);
        several = score_of(names[i], NULL, &input);
        int failures = 0;
#pragma omp parallel for reduction(+ : failures)
        for (int t = 0; t < 4; t++)
            failures += gbv_measure(names[i], NULL, &input, &nested[t], NULL, NULL) != GBV_OK;
        assert_int_equal(failures, 0);
        assert_memory_equal(&alone, &several, sizeof alone);
        for (int t = 0; t < 4; t++)
            assert_memory_equal(&alone, &nested[t], sizeof alone);
    }
    unmake(&m);
}

static void logme_does_not_depend_on_which_gram_matrix_is_used(void **state)
{
    (void)state;
    /* Columns of zeros change neither the fit nor the corrected evidence, but they turn N > D into N < D. */
    made m = make("gram", 60, 20, 4);
    double *wide = calloc(60 * 90, sizeof *wide);
    for (size_t i = 0; i < 60; i++)
        memcpy(wide + i * 90, m.features + i * 20, 20 * sizeof *wide);
    gbv_measure_input narrow = input_of(&m), dual = narrow;
    dual.features = gbv_matrix_f64(wide, 60, 90);
    assert_close(score_of("logme", NULL, &dual), score_of("logme", NULL, &narrow), 1e-9);
    assert_close(score_of("logme", "icml", &dual), score_of("logme", "icml", &narrow), 1e-9);
    double *onehot = calloc(60 * 4, sizeof *onehot);
    for (size_t i = 0; i < 60; i++)
        onehot[i * 4 + (size_t)m.labels[i]] = 1;
    narrow.targets = dual.targets = gbv_matrix_f64(onehot, 60, 4);
    assert_close(score_of("logme", NULL, &dual), score_of("logme", NULL, &narrow), 1e-9);
    narrow.labels = NULL;
    double regression = score_of("logme", NULL, &narrow);
    narrow = input_of(&m);
    assert_close(score_of("logme", NULL, &narrow), regression, 1e-12);
    free(wide), free(onehot);
    unmake(&m);
}

static void logme_fast_agrees_to_a_millionth(void **state)
{
    (void)state;
    made m = make("fast", 900, 48, 10);
    gbv_measure_input input = input_of(&m);
    double exact = score_of("logme", NULL, &input);
    input.fast = true;
    double fast = score_of("logme", NULL, &input);
    assert_close(fast, exact, 1e-6);
    assert_true(fast != exact);
    unmake(&m);
}

int main(void)
{
    const char *given = getenv("GBV_TEST_SEED");
    seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    print_message("GBV_TEST_SEED=%llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leep_is_never_above_zero),
        cmocka_unit_test(uniform_probabilities_give_minus_the_entropy_of_the_labels),
        cmocka_unit_test(leep_of_certain_predictions_is_nce),
        cmocka_unit_test(leep_is_its_definition),
        cmocka_unit_test(the_order_of_rows_and_columns_does_not_matter),
        cmocka_unit_test(mmd_of_a_set_with_itself_is_zero),
        cmocka_unit_test(rbf_sums_are_those_of_the_pairs),
        cmocka_unit_test(views_of_any_layout_score_the_same),
        cmocka_unit_test(bytes_and_halves_are_read_too),
        cmocka_unit_test(threads_and_nesting_change_no_bit),
        cmocka_unit_test(logme_does_not_depend_on_which_gram_matrix_is_used),
        cmocka_unit_test(logme_fast_agrees_to_a_millionth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
