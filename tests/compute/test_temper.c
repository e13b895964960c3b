/* One temperature for probabilities: against its closed form for two classes, and where there is nothing to fit. */
#include "compute/temper.h"

#include "test_support.h"

/* Every row says `probabilities`, and `right` of `rows` have the label 0. */
static temper_rows rows_alike(const double *probabilities, size_t columns, size_t rows, size_t right,
                              const int32_t *column_class, size_t classes)
{
    static double logarithms[400], powers[TEMPER_BLOCK];
    static int32_t labels[100];
    static size_t first[5], own[4];
    memset(first, 0, sizeof first);
    temper_sort_columns(column_class, columns, classes, first, own);
    for (size_t i = 0; i < rows; i++) {
        temper_logarithms(probabilities, columns, logarithms + i * columns);
        labels[i] = i >= right;
    }
    return (temper_rows){.rows = rows,
                         .columns = columns,
                         .logarithms = logarithms,
                         .labels = labels,
                         .first = first,
                         .own = own,
                         .powers = powers};
}

static void two_classes_have_the_known_temperature(void **state)
{
    (void)state;
    const int32_t classes[] = {0, 1};
    for (size_t right = 6; right < 10; right++) {
        temper_rows rows = rows_alike((double[]){.8, .2}, 2, 10, right, classes, 2);
        /* (p / q)^inverse must be the odds of the labels. */
        double inverse = temper_fit(&rows), likelihoods[10];
        assert_close(inverse, log((double)right / (double)(10 - right)) / log(4), 1e-9);
        temper_likelihoods(&rows, inverse, likelihoods);
        for (size_t i = 0; i < 10; i++)
            assert_close(likelihoods[i], (double)(i < right ? right : 10 - right) / 10, 1e-9);
    }
}

static void the_temperature_stays_in_its_range_and_at_one_without_evidence(void **state)
{
    (void)state;
    const int32_t classes[] = {0, 1};
    temper_rows always = rows_alike((double[]){.8, .2}, 2, 10, 10, classes, 2);
    assert_true(temper_fit(&always) == 20);
    temper_rows never = rows_alike((double[]){.8, .2}, 2, 10, 0, classes, 2);
    assert_true(temper_fit(&never) == .05);
    temper_rows even = rows_alike((double[]){.5, .5}, 2, 10, 7, classes, 2);
    assert_true(temper_fit(&even) == 1);
    temper_rows none = rows_alike((double[]){.8, .2}, 2, 0, 0, classes, 2);
    assert_true(temper_fit(&none) == 1);
}

static void columns_of_one_class_add_up_and_a_class_without_any_has_none(void **state)
{
    (void)state;
    const int32_t classes[] = {0, -1, 0};
    double likelihoods[2];
    temper_rows rows = rows_alike((double[]){.5, .2, .3}, 3, 2, 1, classes, 2);
    temper_likelihoods(&rows, 1, likelihoods);
    assert_close(likelihoods[0], .8, 1e-12);
    assert_true(likelihoods[1] == 0);
    temper_rows certain = rows_alike((double[]){1, 0, 0}, 3, 2, 1, classes, 2);
    temper_likelihoods(&certain, .05, likelihoods);
    assert_true(likelihoods[0] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes_have_the_known_temperature),
        cmocka_unit_test(the_temperature_stays_in_its_range_and_at_one_without_evidence),
        cmocka_unit_test(columns_of_one_class_add_up_and_a_class_without_any_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
