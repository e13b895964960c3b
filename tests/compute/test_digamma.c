/* The digamma function against closed forms and its recurrence. */
#include "test_support.h"

#include <math.h>

#include "compute/digamma.h"

static const double euler = 0.57721566490153286061;

static void digamma_of_known_arguments_is_known(void **state)
{
    (void)state;
    assert_near(digamma(1), -euler, 1e-15);
    assert_near(digamma(2), 1 - euler, 1e-15);
    assert_near(digamma(0.5), -euler - 2 * log(2), 1e-14);
    assert_near(digamma(0.25), -euler - M_PI / 2 - 3 * log(2), 1e-14);
    assert_near(digamma(1.46163214496836234126), 0, 1e-15);
    double harmonic = 0;
    for (int n = 1; n <= 500; n++) {
        assert_near(digamma(n), harmonic - euler, 1e-14 * fmax(1, harmonic));
        harmonic += 1.0 / n;
    }
}

static void digamma_keeps_its_recurrence_over_all_scales(void **state)
{
    (void)state;
    for (double x = 1e-12; x < 1e15; x *= 1.37)
        assert_near(digamma(x + 1) - digamma(x), 1 / x, 3e-14 * fmax(1, fmax(1 / x, fabs(digamma(x)))));
}

static void digamma_of_extreme_arguments_is_finite(void **state)
{
    (void)state;
    assert_close(digamma(1e-300), -1e300, 1e-15);
    assert_close(digamma(1e-10), -1e10 - euler, 1e-15);
    assert_close(digamma(1e300), log(1e300), 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digamma_of_known_arguments_is_known),
        cmocka_unit_test(digamma_keeps_its_recurrence_over_all_scales),
        cmocka_unit_test(digamma_of_extreme_arguments_is_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
