/* Random numbers: Philox's published values, independence of who draws, and the moments they should have. */
#include "test_support.h"

#include "base/random.h"

static void the_generator_is_philox_4x32_10(void **state)
{
    (void)state;
    /* Known answers of Random123 (kat_vectors): counter and key all zero. The block is handed out backwards. */
    random_stream stream = {.left = 0};
    assert_int_equal(random_u32(&stream), 0x9b00dbd8);
    assert_int_equal(random_u32(&stream), 0xbc57ac4c);
    assert_int_equal(random_u32(&stream), 0xe169c58d);
    assert_int_equal(random_u32(&stream), 0x6627e8d5);
}

static void a_stream_depends_on_seed_subject_and_purpose_only(void **state)
{
    (void)state;
    random_stream one = random_stream_open(7, "anna", RANDOM_SPLIT), same = random_stream_open(7, "anna", RANDOM_SPLIT);
    random_stream others[] = {random_stream_open(8, "anna", RANDOM_SPLIT), random_stream_open(7, "ben", RANDOM_SPLIT),
                              random_stream_open(7 + (1ull << 32), "anna", RANDOM_SPLIT),
                              random_stream_open(7, "anna", RANDOM_LABEL_NOISE)};
    int equal[4] = {0};
    for (int i = 0; i < 1000; i++) {
        uint32_t draw = random_u32(&one);
        assert_int_equal(draw, random_u32(&same));
        for (int k = 0; k < 4; k++)
            equal[k] += draw == random_u32(&others[k]);
    }
    for (int k = 0; k < 4; k++)
        assert_true(equal[k] < 3);
}

static void draws_of_one_kind_share_no_numbers(void **state)
{
    (void)state;
    random_stream plain = random_stream_open(7, "anna", RANDOM_DRAW);
    random_stream draws[3];
    int equal = 0;
    for (uint32_t d = 0; d < 3; d++)
        draws[d] = random_stream_open_draw(7, "anna", RANDOM_DRAW, d);
    for (int i = 0; i < 1000; i++) {
        uint32_t first = random_u32(&draws[0]), second = random_u32(&draws[1]), third = random_u32(&draws[2]);
        assert_int_equal(first, random_u32(&plain));
        equal += first == second || first == third || second == third;
    }
    assert_true(equal < 3);
}

static void uniform_numbers_fill_the_unit_interval(void **state)
{
    (void)state;
    random_stream stream = random_stream_open(1, "uniform", RANDOM_ORDER);
    enum { DRAWS = 200000, BINS = 20 };
    size_t bins[BINS] = {0};
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        double u = random_uniform(&stream);
        assert_true(u >= 0 && u < 1);
        bins[(size_t)(u * BINS)]++;
        sum += u;
        squares += u * u;
    }
    assert_near(sum / DRAWS, 0.5, 0.003);
    assert_near(squares / DRAWS, 1.0 / 3, 0.003);
    for (int b = 0; b < BINS; b++)
        assert_near((double)bins[b], DRAWS / (double)BINS, 500); /* five standard deviations */
}

static void numbers_below_a_bound_are_unbiased(void **state)
{
    (void)state;
    random_stream stream = random_stream_open(1, "below", RANDOM_ORDER);
    size_t counts[7] = {0}, upper = 0;
    for (int i = 0; i < 70000; i++)
        counts[random_below(&stream, 7)]++;
    for (int k = 0; k < 7; k++)
        assert_near((double)counts[k], 10000, 500);
    assert_int_equal(random_below(&stream, 1), 0);
    /* With a bound of 3/4 of the range, a plain remainder would favour the lower third two to one. */
    uint64_t bound = 3ull << 62;
    for (int i = 0; i < 30000; i++)
        upper += random_below(&stream, bound) >= bound / 3;
    assert_near((double)upper, 20000, 450);
}

static void normal_numbers_have_the_right_moments(void **state)
{
    (void)state;
    random_stream stream = random_stream_open(1, "normal", RANDOM_WEIGHTS);
    enum { DRAWS = 200000 };
    double sums[4] = {0};
    for (int i = 0; i < DRAWS; i++) {
        double z = random_normal(&stream);
        assert_true(isfinite(z));
        sums[0] += z;
        sums[1] += z * z;
        sums[2] += z * z * z;
        sums[3] += z * z * z * z;
    }
    assert_near(sums[0] / DRAWS, 0, 0.012);
    assert_near(sums[1] / DRAWS, 1, 0.016);
    assert_near(sums[2] / DRAWS, 0, 0.05);
    assert_near(sums[3] / DRAWS, 3, 0.12);
}

static void a_shuffle_is_a_fair_permutation(void **state)
{
    (void)state;
    random_stream stream = random_stream_open(1, "shuffle", RANDOM_ORDER);
    size_t orders[6] = {0};
    for (int i = 0; i < 60000; i++) {
        size_t items[3] = {0, 1, 2};
        random_shuffle(&stream, items, 3);
        assert_int_equal((1 << items[0]) + (1 << items[1]) + (1 << items[2]), 7);
        orders[items[0] * 2 + (items[1] > items[2])]++;
    }
    for (int k = 0; k < 6; k++)
        assert_near((double)orders[k], 10000, 500);
    random_shuffle(&stream, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_is_philox_4x32_10),
        cmocka_unit_test(a_stream_depends_on_seed_subject_and_purpose_only),
        cmocka_unit_test(draws_of_one_kind_share_no_numbers),
        cmocka_unit_test(uniform_numbers_fill_the_unit_interval),
        cmocka_unit_test(numbers_below_a_bound_are_unbiased),
        cmocka_unit_test(normal_numbers_have_the_right_moments),
        cmocka_unit_test(a_shuffle_is_a_fair_permutation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
