/* Matrix views: every type, byte order, stride and alignment gives the same numbers. */
#include "test_support.h"

#include "base/matrix.h"

enum { ROWS = 3, COLUMNS = 37 };

/* Element (i, j) of every test matrix; small whole numbers, which every type holds. */
static double expected(size_t i, size_t j)
{
    return (double)((i * COLUMNS + j) % 120);
}

static uint64_t bits_of(gbv_type type, double value)
{
    uint64_t whole;
    float single = (float)value;
    uint32_t word;
    switch (type) {
    case GBV_F64:
        memcpy(&whole, &value, 8);
        return whole;
    case GBV_F32:
        memcpy(&word, &single, 4);
        return word;
    case GBV_F16: {
        int exponent;
        double fraction = frexp(value, &exponent);
        return value == 0 ? 0 : (uint64_t)(exponent + 14) << 10 | ((uint64_t)(fraction * 2048) & 1023);
    }
    default:
        return (uint64_t)value;
    }
}

static void put_bits(unsigned char *at, uint64_t bits, size_t size, bool swapped)
{
    unsigned char native[8];
    uint64_t copy = bits << (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 64 - 8 * size : 0);
    memcpy(native, &copy, 8);
    for (size_t k = 0; k < size; k++)
        at[k] = native[swapped ? size - 1 - k : k];
}

static void check_view(const gbv_matrix *m)
{
    double row[COLUMNS], block[2 * COLUMNS];
    float single[COLUMNS];
    size_t at_row = 99, at_column = 99;
    for (size_t i = 0; i < ROWS; i++) {
        matrix_row_f64(m, i, row);
        matrix_row_f32(m, i, single);
        double buffer[COLUMNS];
        const double *view = matrix_row(m, i, buffer);
        for (size_t j = 0; j < COLUMNS; j++) {
            int64_t integer;
            assert_true(gbv_matrix_get(m, i, j) == expected(i, j));
            assert_true(row[j] == expected(i, j) && single[j] == (float)expected(i, j) && view[j] == expected(i, j));
            assert_true(matrix_integer(m, i, j, &integer) && integer == (int64_t)expected(i, j));
        }
    }
    const double *view = matrix_block(m, 1, 2, block);
    for (size_t j = 0; j < 2 * COLUMNS; j++)
        assert_true(view[j] == expected(1 + j / COLUMNS, j % COLUMNS));
    assert_false(matrix_find_non_finite(m, &at_row, &at_column));
}

static void every_kind_of_view_gives_the_same_numbers(void **state)
{
    (void)state;
    static unsigned char memory[ROWS * COLUMNS * 8 * 2 + 16];
    for (int type = GBV_U8; type <= GBV_F64; type++)
        for (int swapped = 0; swapped < 2; swapped++)
            for (int shift = 0; shift < 2; shift++)
                for (int layout = 0; layout < 3; layout++) { /* row-major, column-major, with gaps */
                    size_t size = type_size((gbv_type)type);
                    gbv_matrix m = {
                        .data = memory + shift,
                        .rows = ROWS,
                        .columns = COLUMNS,
                        .type = (gbv_type)type,
                        .swapped = swapped,
                        .row_stride = (ptrdiff_t)(layout == 1 ? size : COLUMNS * size * (size_t)(1 + layout / 2)),
                        .column_stride = (ptrdiff_t)(layout == 1 ? ROWS * size : size * (size_t)(1 + layout / 2))};
                    for (size_t i = 0; i < ROWS; i++)
                        for (size_t j = 0; j < COLUMNS; j++)
                            put_bits(memory + shift + (ptrdiff_t)i * m.row_stride + (ptrdiff_t)j * m.column_stride,
                                     bits_of((gbv_type)type, expected(i, j)), size, swapped);
                    check_view(&m);
                }
}

static void a_plain_matrix_of_doubles_is_not_copied(void **state)
{
    (void)state;
    double data[6] = {1, 2, 3, 4, 5, 6}, buffer[6];
    gbv_matrix m = gbv_matrix_f64(data, 3, 2);
    assert_ptr_equal(matrix_row(&m, 1, buffer), data + 2);
    assert_ptr_equal(matrix_block(&m, 1, 2, buffer), data + 2);
    assert_true(matrix_is_plain(&m, GBV_F64));
    assert_false(matrix_is_plain(&m, GBV_F32));
    m.swapped = true;
    assert_false(matrix_is_plain(&m, GBV_F64));
    assert_ptr_equal(matrix_row(&m, 1, buffer), buffer);
}

static void numbers_that_are_not_finite_are_found(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < 3; k++)
        for (size_t at = 0; at < 6; at++) {
            double wide[6] = {1, 2, 3, 4, 5, 6};
            float narrow[6] = {1, 2, 3, 4, 5, 6};
            wide[at] = bad[k];
            narrow[at] = (float)bad[k];
            gbv_matrix views[] = {gbv_matrix_f64(wide, 2, 3), gbv_matrix_f32(narrow, 2, 3)};
            for (size_t v = 0; v < 2; v++) {
                size_t row, column;
                assert_true(matrix_find_non_finite(&views[v], &row, &column));
                assert_int_equal(row, at / 3);
                assert_int_equal(column, at % 3);
            }
        }
}

static void the_largest_finite_numbers_are_finite(void **state)
{
    (void)state;
    double wide[2] = {1.7976931348623157e308, -1.7976931348623157e308};
    uint16_t halves[3] = {0x7BFF, 0x0001, 0x7C00}; /* 65504, the smallest subnormal, infinity */
    gbv_matrix doubles = gbv_matrix_f64(wide, 1, 2);
    gbv_matrix half = {.data = halves, .rows = 3, .columns = 1, .row_stride = 2, .column_stride = 2, .type = GBV_F16};
    size_t row, column;
    assert_false(matrix_find_non_finite(&doubles, &row, &column));
    assert_true(gbv_matrix_get(&half, 0, 0) == 65504 && gbv_matrix_get(&half, 1, 0) == 0x1p-24);
    assert_true(matrix_find_non_finite(&half, &row, &column));
    assert_int_equal(row, 2);
}

static void integers_are_exact_or_refused(void **state)
{
    (void)state;
    int64_t large[2] = {INT64_MIN, INT64_MAX}, value;
    uint64_t huge[1] = {UINT64_MAX};
    double floats[] = {-0.0, 2.5, 0x1p63, -0x1p63, NAN, INFINITY};
    gbv_matrix m = {.data = large, .rows = 2, .columns = 1, .row_stride = 8, .column_stride = 8, .type = GBV_I64};
    assert_true(matrix_integer(&m, 0, 0, &value) && value == INT64_MIN);
    assert_true(matrix_integer(&m, 1, 0, &value) && value == INT64_MAX);
    m.data = huge;
    m.type = GBV_U64;
    assert_false(matrix_integer(&m, 0, 0, &value));
    gbv_matrix f = gbv_matrix_f64(floats, 6, 1);
    assert_true(matrix_integer(&f, 0, 0, &value) && value == 0);
    assert_true(matrix_integer(&f, 3, 0, &value) && value == INT64_MIN);
    for (size_t i = 1; i < 6; i++)
        if (i != 3)
            assert_false(matrix_integer(&f, i, 0, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_view_gives_the_same_numbers),
        cmocka_unit_test(a_plain_matrix_of_doubles_is_not_copied),
        cmocka_unit_test(numbers_that_are_not_finite_are_found),
        cmocka_unit_test(the_largest_finite_numbers_are_finite),
        cmocka_unit_test(integers_are_exact_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
