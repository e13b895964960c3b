/* Products with few columns against three plain loops, for all small shapes. */
#include "test_support.h"

#include "base/memory.h"
#include "base/random.h"
#include "compute/narrow.h"

static double *numbers(random_stream *stream, size_t count)
{
    double *values = memory_array(count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = random_normal(stream);
    return values;
}

static void products_agree_with_plain_loops(void **state)
{
    (void)state;
    random_stream stream = random_stream_open(1, "narrow", RANDOM_SPLIT);
    const size_t sizes[] = {1, 2, 7, 8, 9, 17, 33, 70}, columns[] = {1, 3, 8, 10, 17};
    for (size_t a = 0; a < 8; a++)
        for (size_t b = 0; b < 8; b++)
            for (size_t c = 0; c < 5; c++) {
                size_t rows = sizes[a], inner = sizes[b], wide = columns[c], padded = narrow_padded(wide);
                double *tall = numbers(&stream, rows * inner), *right = numbers(&stream, inner * wide);
                double *left = numbers(&stream, rows * wide), *start = numbers(&stream, inner * wide);
                double *padded_right = memory_array(inner * padded, sizeof(double));
                double *padded_left = memory_array(rows * padded, sizeof(double));
                double *product = memory_array(rows * padded, sizeof(double));
                double *sums = memory_array(inner * padded, sizeof(double));
                double *back = memory_array(inner * wide, sizeof(double));
                narrow_pad(right, inner, wide, padded_right);
                narrow_pad(left, rows, wide, padded_left);
                narrow_pad(start, inner, wide, sums);
                narrow_multiply(tall, rows, inner, padded_right, padded, product);
                narrow_add_transposed(tall, rows, inner, padded_left, padded, sums);
                narrow_unpad(sums, inner, wide, back);
                for (size_t k = 0; k < padded; k++) {
                    for (size_t i = 0; i < rows; i++) {
                        double expected = 0;
                        for (size_t j = 0; j < inner && k < wide; j++)
                            expected += tall[i * inner + j] * right[j * wide + k];
                        assert_near(product[i * padded + k], expected, 1e-12);
                    }
                    for (size_t j = 0; j < inner && k < wide; j++) {
                        double expected = start[j * wide + k];
                        for (size_t i = 0; i < rows; i++)
                            expected += tall[i * inner + j] * left[i * wide + k];
                        assert_near(back[j * wide + k], expected, 1e-12);
                    }
                }
                void *blocks[] = {tall, right, left, start, padded_right, padded_left, product, sums, back};
                for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
                    free(blocks[i]);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_agree_with_plain_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
