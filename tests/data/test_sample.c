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
    arena scratch = {0};
    for (size_t i = 0; i < 10; i++) {
        size_t first = i % 5;
        if (i == 5) /* now the parts are searched */
            assert_true(sample_index(&s, &scratch));
        for (size_t count = 0; first + count <= 5; count++) {
            double buffer[15];
            float singles[15];
            const double *block = sample_block_f64(&s, first, count, buffer);
            sample_block_f32(&s, first, count, singles);
            for (size_t j = 0; j < 3 * count; j++) {
                assert_true(block[j] == expected[first + j / 3][j % 3]);
                assert_true(singles[j] == (float)block[j]);
            }
        }
    }
    arena_free(&scratch);
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

/* Row i of the part is row 9 - i of the features and has the label i. */
static void a_draw_keeps_labels_with_their_rows_and_counts_repeats(void **state)
{
    (void)state;
    enum { COUNT = 10, DRAWS = 4000 };
    double features[COUNT], own_weights[COUNT];
    size_t rows[COUNT], seen[COUNT] = {0};
    int32_t labels[COUNT];
    for (int i = 0; i < COUNT; i++) {
        features[i] = i;
        rows[i] = (size_t)(COUNT - 1 - i);
        labels[i] = i;
        own_weights[i] = 1 + i % 2;
    }
    sample_part part = {.features = gbv_matrix_f64(features, COUNT, 1),
                        .rows = rows,
                        .labels = labels,
                        .count = COUNT,
                        .row_weight = 0.25,
                        .weights = own_weights};
    arena scratch = {0};
    random_stream stream = random_stream_open(1, "draw", RANDOM_DRAW);
    for (int half = 0; half < 2; half++)
        for (int draw = 0; draw < DRAWS; draw++) {
            sample_part drawn;
            double total = 0;
            arena_reset(&scratch);
            assert_true(sample_part_draw(&part, &stream, half, &scratch, &drawn));
            assert_true(drawn.row_weight == 0.25 && drawn.features.data == features);
            for (size_t i = 0; i < drawn.count; i++) {
                assert_int_equal(drawn.rows[i], COUNT - 1 - drawn.labels[i]);
                assert_true(i == 0 || drawn.labels[i] > drawn.labels[i - 1]);
                double times = drawn.weights[i] / own_weights[drawn.labels[i]];
                assert_true(times == floor(times) && times >= 1 && (!half || times == 1));
                total += times;
                seen[drawn.labels[i]] += (size_t)times;
            }
            assert_true(total == (half ? COUNT / 2 : COUNT));
        }
    for (int i = 0; i < COUNT; i++) /* 4000 + 2000 expected, standard deviation about 70 */
        assert_near((double)seen[i], DRAWS * 1.5, 350);
    sample_part drawn;
    sample s = {.parts = &drawn, .part_count = 1, .columns = 1};
    double weights[COUNT];
    assert_true(sample_part_draw(&part, &stream, false, &scratch, &drawn));
    s.rows = drawn.count;
    sample_labels(&s, NULL, weights);
    for (size_t i = 0; i < drawn.count; i++)
        assert_true(weights[i] == 0.25 * drawn.weights[i]);
    arena_free(&scratch);
}

static void half_of_an_odd_number_is_rounded_up_and_one_row_is_drawn_as_itself(void **state)
{
    (void)state;
    arena scratch = {0};
    random_stream stream = random_stream_open(2, "draw", RANDOM_DRAW);
    sample_part part = {.features = gbv_matrix_f64(&doubles[0][0], 4, 3), .count = 3, .row_weight = 1}, drawn;
    assert_true(sample_part_draw(&part, &stream, true, &scratch, &drawn));
    assert_int_equal(drawn.count, 2);
    assert_null(drawn.labels);
    part.count = 1;
    for (int half = 0; half < 2; half++) {
        assert_true(sample_part_draw(&part, &stream, half, &scratch, &drawn));
        assert_int_equal(drawn.count, 1);
        assert_int_equal(drawn.rows[0], 0);
        assert_true(drawn.weights[0] == 1);
    }
    arena_free(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_doubles_are_not_copied),
        cmocka_unit_test(rows_with_gaps_between_them_are_copied),
        cmocka_unit_test(any_block_is_the_naive_one),
        cmocka_unit_test(labels_pass_through_the_class_table),
        cmocka_unit_test(a_draw_keeps_labels_with_their_rows_and_counts_repeats),
        cmocka_unit_test(half_of_an_odd_number_is_rounded_up_and_one_row_is_drawn_as_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
