/* test_correlation.c - correlations beside those of SciPy 1.10.1 (pearsonr, spearmanr, kendalltau), to 1e-14. */
#include "value/correlation.h"

#include "test_support.h"

typedef struct lists {
    size_t count;
    double first[5], other[5];
    double pearson, spearman, kendall;
} lists;

static const lists known[] = {
    {5, {.5, .3, .15, .04, .01}, {.82, .80, .74, .76, .31}, 0.6298542335984317, 0.9, 0.8},
    {5, {.25, .25, .2, .2, .1}, {.7, .8, .8, .6, .5}, 0.7827803638564368, 0.6488856845230502, 0.5892556509887895},
    {4, {.1, .4, .3, .2}, {.9, .5, .5, .7}, -0.943879807448539, -0.9486832980505139, -0.9128709291752769},
};

static void correlations_are_those_of_scipy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const lists *l = &known[i];
        double value;
        gbv_error error;
        assert_near(correlation_pearson(l->first, l->other, l->count), l->pearson, 1e-14);
        assert_ok(correlation_spearman(l->first, l->other, l->count, &value, &error), error);
        assert_near(value, l->spearman, 1e-14);
        assert_ok(correlation_kendall(l->first, l->other, l->count, &value, &error), error);
        assert_near(value, l->kendall, 1e-14);
    }
}

static void correlation_with_equal_values_is_undefined(void **state)
{
    (void)state;
    /* 0.1 three times: its mean is not 0.1 to the last bit. */
    double same[] = {.1, .1, .1}, rising[] = {1, 2, 3}, value = 0;
    gbv_error error;
    for (size_t count = 0; count <= 3; count++) {
        assert_true(isnan(correlation_pearson(same, rising, count)));
        assert_true(isnan(correlation_pearson(rising, same, count)));
        assert_ok(correlation_spearman(same, rising, count, &value, &error), error);
        assert_true(isnan(value));
        assert_ok(correlation_kendall(same, rising, count, &value, &error), error);
        assert_true(isnan(value));
    }
}

static void correlation_of_minute_weights_is_a_number(void **state)
{
    (void)state;
    double minute[] = {1e-200, 2e-200, 3e-200}, rising[] = {1, 2, 3};
    assert_near(correlation_pearson(minute, rising, 3), 1, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correlations_are_those_of_scipy),
        cmocka_unit_test(correlation_with_equal_values_is_undefined),
        cmocka_unit_test(correlation_of_minute_weights_is_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
