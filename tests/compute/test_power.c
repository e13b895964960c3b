/* Powers of e as polynomials, and the rows of powers that measures and models are made of, against the C library. */
#include "test_support.h"

#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "compute/dense.h"
#include "compute/power.h"

static void powers_agree_with_the_c_library(void **state)
{
    (void)state;
    for (double x = 0; x > -690; x -= 0.00917)
        assert_near(power_of_e(x) / exp(x), 1, 1e-13);
    for (double x = 1; x > 1e-320; x /= 7)
        assert_near(power_of_e(-x), exp(-x), 1e-15);
    assert_true(power_of_e(0) == 1);
    assert_true(power_of_e(-0.0) == 1);
}

static void powers_too_small_are_zero_and_nan_stays(void **state)
{
    (void)state;
    const double low[] = {-694, -1e3, -1e100, -1.7e308, -INFINITY};
    for (size_t i = 0; i < 5; i++)
        assert_true(power_of_e(low[i]) == 0);
    assert_true(isnan(power_of_e(NAN)));
    assert_true(isnan(power_of_e(-NAN)));
    assert_true(isnan(power_of_e(INFINITY - INFINITY)));
}

static void logarithms_agree_with_the_c_library(void **state)
{
    (void)state;
    for (double x = 1e-320; x < 1e308; x *= 1.00371)
        assert_near(power_logarithm(x), log(x), 4e-16 * fmax(1, fabs(log(x))));
    for (double x = 0.5; x < 2; x += 0.000917)
        assert_close(power_logarithm(x), log(x), 1e-14);
    assert_close(power_logarithm(0x1p-1074), -1074 * M_LN2, 1e-15);
    assert_true(power_logarithm(1) == 0);
    assert_true(power_logarithm(0) == -INFINITY);
    assert_true(power_logarithm(INFINITY) == INFINITY);
    assert_true(isnan(power_logarithm(NAN)));
}

static void weighted_logarithms_add_up_and_no_weight_counts_nothing(void **state)
{
    (void)state;
    double weights[37], values[37], sum = 0;
    for (size_t i = 0; i < 37; i++) {
        weights[i] = i % 5 == 2 ? 0 : 1.0 / (double)(i + 1);
        values[i] = i % 5 == 2 ? 0 : exp(-(double)(i * i));
        sum += weights[i] > 0 ? weights[i] * log(values[i]) : 0;
    }
    assert_close(dense_weighted_logarithms(weights, values, 37), sum, 1e-14);
    values[0] = 0;
    assert_true(dense_weighted_logarithms(weights, values, 37) == -INFINITY);
    assert_true(dense_weighted_logarithms(weights, values, 0) == 0);
}

static double plain_log_sum(const double *row, size_t columns)
{
    double largest = -INFINITY, sum = 0;
    for (size_t j = 0; j < columns; j++)
        largest = fmax(largest, row[j]);
    for (size_t j = 0; j < columns; j++)
        sum += exp(row[j] - largest);
    return isfinite(largest) ? largest + log(sum) : largest;
}

static void rows_of_any_width_agree_with_plain_loops(void **state)
{
    (void)state;
    static const size_t widths[] = {1, 2, 7, 8, 10, 63, 64, 65, 130}, heights[] = {1, 7, 8, 9, 20};
    random_stream stream = random_stream_open(1, "power", RANDOM_SPLIT);
    for (size_t w = 0; w < 9; w++)
        for (size_t h = 0; h < 5; h++) {
            size_t columns = widths[w], rows = heights[h];
            double *values = memory_array(rows, columns * sizeof *values), logs[20], alone;
            for (size_t i = 0; i < rows * columns; i++)
                values[i] = 20 * random_normal(&stream) - (i % 11 == 3 ? INFINITY : 0);
            values[0] = 1e300;
            dense_log_sum_exp_rows(values, rows, columns, logs);
            for (size_t i = 0; i < rows; i++) {
                double expected = plain_log_sum(values + i * columns, columns);
                if (isinf(expected))
                    assert_true(logs[i] == expected);
                else
                    assert_close(logs[i], expected, 1e-13);
                dense_log_sum_exp_rows(values + i * columns, 1, columns, &alone);
                assert_memory_equal(&alone, &logs[i], sizeof alone);
            }
            double *shares = memory_array(rows, columns * sizeof *shares);
            memcpy(shares, values, rows * columns * sizeof *shares);
            dense_softmax_rows(shares, rows, columns);
            for (size_t i = 0; i < rows * columns; i++)
                if (isfinite(logs[i / columns]))
                    assert_near(shares[i], exp(values[i] - logs[i / columns]), 1e-13);
            free(values);
            free(shares);
        }
}

static void a_row_with_nan_gives_nan_and_leaves_the_others(void **state)
{
    (void)state;
    static const size_t widths[] = {10, 100};
    for (size_t w = 0; w < 2; w++)
        for (size_t place = 0; place < widths[w]; place += 3) {
            double values[3 * 100] = {0}, logs[3];
            values[widths[w] + place] = NAN;
            dense_log_sum_exp_rows(values, 3, widths[w], logs);
            dense_softmax_rows(values, 3, widths[w]);
            assert_true(isnan(logs[1]) && isnan(values[widths[w]]));
            for (size_t i = 0; i < 3; i += 2) {
                assert_close(logs[i], log((double)widths[w]), 1e-14);
                assert_close(values[i * widths[w]], 1 / (double)widths[w], 1e-14);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_agree_with_the_c_library),
        cmocka_unit_test(powers_too_small_are_zero_and_nan_stays),
        cmocka_unit_test(logarithms_agree_with_the_c_library),
        cmocka_unit_test(weighted_logarithms_add_up_and_no_weight_counts_nothing),
        cmocka_unit_test(rows_of_any_width_agree_with_plain_loops),
        cmocka_unit_test(a_row_with_nan_gives_nan_and_leaves_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
