/* test_agreement.c - Kendall's tau-b beside its definition, counted pair by pair. */
#include "value/agreement.h"

#include <math.h>

#include "base/random.h"
#include "test_support.h"

enum { MOST = 60 };

static int order_of(double a, double b)
{
    return (a > b) - (a < b);
}

static double by_definition(const gbv_score *first, const gbv_score *other, size_t count)
{
    double same = 0, pairs_first = 0, pairs_other = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            if (isnan(first[i].score + other[i].score) || isnan(first[j].score + other[j].score))
                continue;
            int a = order_of(first[i].score, first[j].score), b = order_of(other[i].score, other[j].score);
            same += a * b;
            pairs_first += a != 0;
            pairs_other += b != 0;
        }
    return pairs_first > 0 && pairs_other > 0 ? same / sqrt(pairs_first * pairs_other) : NAN;
}

/* Few values, so that many are tied; some are missing, some minus infinity. */
static double draw(random_stream *stream, uint64_t values)
{
    uint64_t value = random_below(stream, values + 2);
    return value == 0 ? NAN : value == 1 ? -INFINITY : (double)value;
}

static void agreement_is_that_of_the_definition(void **state)
{
    (void)state;
    random_stream stream = random_stream_open(7, "agreement", RANDOM_ORDER); /* seed 7 */
    for (size_t trial = 0; trial < 400; trial++) {
        gbv_score first[MOST] = {0}, other[MOST] = {0};
        size_t count = random_below(&stream, MOST + 1);
        uint64_t values = 1 + random_below(&stream, 40);
        for (size_t i = 0; i < count; i++) {
            first[i].score = draw(&stream, values);
            other[i].score = draw(&stream, values);
        }
        gbv_error error;
        double found, expected = by_definition(first, other, count);
        assert_int_equal(rank_agreement(first, other, count, &found, &error), GBV_OK);
        if (isnan(expected) ? !isnan(found) : found != expected)
            fail_msg("trial %zu: %.17g instead of %.17g", trial, found, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agreement_is_that_of_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
