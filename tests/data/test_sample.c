/* test_sample.c - blocks of rows over several parts, in place where possible. */
#include "data/sample.h"

#include "test_support.h"

static const double doubles[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
static const uint8_t bytes[2][3] = {{101, 102, 103}, {104, 105, 106}};

static void dense_doubles_are_not_copied(void **state)
{
    (void)state;
    sample_part part = {.features = gbv_matrix_f64(&doubles[0][0], 4, 3), .count = 4, .row_weight = 1};
    sample s = {.parts = &part, .part_count = 1, .rows = 4, .columns = 3};
    double buffer[12];
    assert_ptr_equal(sample_block_f64(&s, 1, 2, buffer), doubles[1]);
    size_t rows[] = {1, 2, 0};
    part.rows = rows;
    part.count = s.rows = 3;
    assert_ptr_equal(sample_block_f64(&s, 0, 2, buffer), doubles[1]);
    assert_ptr_equal(sample_block_f64(&s, 2, 1, buffer), doubles[0]);
    assert_ptr_equal(sample_block_f64(&s, 0, 3, buffer), buffer);
    assert_memory_equal(buffer, doubles[1], sizeof doubles[1]);
    assert_memory_equal(buffer + 6, doubles[0], sizeof doubles[0]);
}

static void rows_with_gaps_between_them_are_copied(void **state)
{
    (void)state;
    gbv_matrix every_other = gbv_matrix_f64(&doubles[0][0], 2, 3);
    every_other.row_stride *= 2;
    sample_part part = {.features = every_other, .count = 2};
    sample s = {.parts = &part, .part_count = 1, .rows = 2, .columns = 3};
    double buffer[6];
    assert_ptr_equal(sample_block_f64(&s, 0, 2, buffer), buffer);
    assert_memory_equal(buffer, doubles[0], sizeof doubles[0]);
    assert_memory_equal(buffer + 3, doubles[2], sizeof doubles[2]);
    assert_ptr_equal(sample_block_f64(&s, 1, 1, buffer), doubles[2]);
}

/* Parts: two chosen rows of doubles, nothing, both rows of bytes, row 3 of doubles. */
static void any_block_is_the_naive_one(void **state)
{
    (void)state;
    size_t chosen[] = {2, 0}, third[] = {3};
    sample_part parts[] = {{.features = gbv_matrix_f64(&doubles[0][0], 4, 3), .rows = chosen, .count = 2},
                           {.features = gbv_matrix_f64(&doubles[0][0], 4, 3), .count = 0},
                           {.features = gbv_matrix_u8(&bytes[0][0], 2, 3), .count = 2},
                           {.features = gbv_matrix_f64(&doubles[0][0], 4, 3), .rows = third, .count = 1}};
    sample s = {.parts = parts, .part_count = 4, .rows = 5, .columns = 3};
    const double expected[5][3] = {{7, 8, 9}, {1, 2, 3}, {101, 102, 103}, {104, 105, 106}, {10, 11, 12}};
    for (size_t first = 0; first < 5; first++)
        for (size_t count = 0; first + count <= 5; count++) {
            double buffer[15];
            float singles[15];
            const double *block = sample_block_f64(&s, first, count, buffer);
            sample_block_f32(&s, first, count, singles);
            for (size_t i = 0; i < 3 * count; i++) {
                assert_true(block[i] == expected[first + i / 3][i % 3]);
                assert_true(singles[i] == (float)block[i]);
            }
        }
}

static void labels_pass_through_the_class_table(void **state)
{
    (void)state;
    gbv_matrix features = gbv_matrix_f64(&doubles[0][0], 4, 3);
    int32_t labels[] = {2, 0}, class_of[] = {5, 6, 7}, classes[5];
    double weights[5];
    sample_part parts[] = {
        {.features = features, .count = 2, .labels = labels, .class_of = class_of, .row_weight = 0.5},
        {.features = features, .count = 2, .labels = labels, .row_weight = 0.25},
        {.features = features, .count = 1, .row_weight = 2}};
    sample s = {.parts = parts, .part_count = 3, .rows = 5, .columns = 3};
    sample_labels(&s, classes, weights);
    const int32_t expected[] = {7, 5, 2, 0, -1};
    const double expected_weights[] = {0.5, 0.5, 0.25, 0.25, 2};
    assert_memory_equal(classes, expected, sizeof expected);
    assert_memory_equal(weights, expected_weights, sizeof expected_weights);
    memset(classes, 0, sizeof classes);
    sample_labels(&s, classes, NULL);
    assert_memory_equal(classes, expected, sizeof expected);
    memset(weights, 0, sizeof weights);
    sample_labels(&s, NULL, weights);
    assert_memory_equal(weights, expected_weights, sizeof expected_weights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_doubles_are_not_copied),
        cmocka_unit_test(rows_with_gaps_between_them_are_copied),
        cmocka_unit_test(any_block_is_the_naive_one),
        cmocka_unit_test(labels_pass_through_the_class_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
