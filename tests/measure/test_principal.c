/* Principal components: what makes them so, on both sides of rows = columns. */
#include "measure/npy.h"

#include "base/random.h"
#include "measure/principal.h"

static double *random_values(size_t count)
{
    double *values = malloc(count * sizeof *values);
    random_stream stream = random_stream_open(3, "principal", RANDOM_WEIGHTS);
    for (size_t i = 0; i < count; i++)
        values[i] = 5 + random_normal(&stream);
    return values;
}

static double distance(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t j = 0; j < count; j++)
        sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

static void check(size_t rows, size_t columns, size_t expected)
{
    double *values = random_values(rows * columns), total = 0;
    gbv_matrix matrix = gbv_matrix_f64(values, rows, columns);
    principal_components p;
    gbv_error error;
    assert_ok(principal_components_create(&matrix, INFINITY, &p, &error), error);
    assert_int_equal(p.count, expected);
    for (size_t k = 0; k < p.count; k++) {
        total += p.squares[k];
        assert_true(k == 0 || p.squares[k] <= p.squares[k - 1]);
        for (size_t l = 0; l <= k; l++) {
            double product = 0;
            for (size_t i = 0; i < rows; i++)
                product += p.scores[i * p.count + k] * p.scores[i * p.count + l];
            assert_near(product, k == l ? p.squares[k] : 0, 1e-12 * p.total);
        }
    }
    assert_close(total, p.total, 1e-12);
    for (size_t i = 1; i < rows; i++)
        assert_close(distance(p.scores, p.scores + i * p.count, p.count),
                     distance(values, values + i * columns, columns), 1e-11);
    principal_components_free(&p);
    free(values);
}

static void components_are_orthogonal_and_keep_distances(void **state)
{
    (void)state;
    check(40, 9, 9);
    check(2, 1, 1);
    /* The mean is gone, so rows span one direction less. */
    check(9, 40, 8);
    check(25, 300, 24);
    check(2, 3, 1);
}

static void constant_features_have_no_components(void **state)
{
    (void)state;
    static const size_t shapes[][2] = {{1, 4}, {7, 30}, {7, 3}, {49, 30}, {1, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t rows = shapes[s][0], columns = shapes[s][1];
        double *values = malloc(rows * columns * sizeof *values);
        for (size_t i = 0; i < rows * columns; i++)
            values[i] = 0.1 * (double)(i % columns + 1);
        gbv_matrix matrix = gbv_matrix_f64(values, rows, columns);
        principal_components p;
        gbv_error error;
        assert_ok(principal_components_create(&matrix, 0.8, &p, &error), error);
        assert_int_equal(p.count, 0);
        assert_true(p.total == 0);
        principal_components_free(&p);
        free(values);
    }
}

static void the_fewest_components_with_the_share_are_kept(void **state)
{
    (void)state;
    /* Shares 0.7, 0.2 and 0.1 along the axes. */
    static const double x[6][3] = {{7, 0, 0}, {-7, 0, 0}, {0, 2, 0}, {0, -2, 0}, {0, 0, 1}, {0, 0, -1}};
    double values[6][3];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++)
            values[i][j] = x[i][j] < 0 ? -sqrt(-x[i][j]) : sqrt(x[i][j]);
    gbv_matrix matrix = gbv_matrix_f64(&values[0][0], 6, 3);
    static const double shares[] = {0.69, 0.71, 0.89, 0.91, INFINITY};
    static const size_t counts[] = {1, 2, 2, 3, 3};
    for (int s = 0; s < 5; s++) {
        principal_components p;
        gbv_error error;
        assert_ok(principal_components_create(&matrix, shares[s], &p, &error), error);
        assert_int_equal(p.count, counts[s]);
        assert_close(p.squares[0], 14, 1e-12);
        principal_components_free(&p);
    }
}

static void squares_that_overflow_are_refused(void **state)
{
    (void)state;
    static const double huge[2][2] = {{1e308, 1}, {-1e308, 2}}, large[2][2] = {{1e160, 1}, {-1e160, 2}};
    gbv_matrix matrices[] = {gbv_matrix_f64(&huge[0][0], 2, 2), gbv_matrix_f64(&large[0][0], 2, 2)};
    for (int m = 0; m < 2; m++) {
        principal_components p;
        gbv_error error;
        assert_int_equal(principal_components_create(&matrices[m], 0.8, &p, &error), GBV_BAD_INPUT);
        assert_non_null(strstr(error.message, "scale the features"));
        principal_components_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_orthogonal_and_keep_distances),
        cmocka_unit_test(constant_features_have_no_components),
        cmocka_unit_test(the_fewest_components_with_the_share_are_kept),
        cmocka_unit_test(squares_that_overflow_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
