/* The likeliest column of each row, and what depends on it: against plain loops, with ties and rows to be refused. */
#include "measure/npy.h"

#include "base/random.h"
#include "measure/likeliest.h"

enum { ROWS = 40, WIDEST = 200 };
static const size_t widths[] = {1, 2, 10, 63, 64, 65, 128, WIDEST};

static void the_first_of_the_largest_is_found(void **state)
{
    (void)state;
    random_stream stream = random_stream_open(2, "likeliest", RANDOM_WEIGHTS);
    static double doubles[ROWS * WIDEST];
    static float singles[ROWS * WIDEST];
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        size_t columns = widths[w], of_doubles[ROWS], of_singles[ROWS], of_turned[ROWS];
        for (size_t i = 0; i < ROWS * columns; i++) {
            doubles[i] = (double)(1 + random_below(&stream, 8)) / 8; /* many ties, and exact in single precision */
            if (i % columns == columns - 1)
                doubles[i] += 1e-3 * (double)(i / columns % 2); /* not exact, and the last column wins */
            singles[i] = (float)doubles[i];
        }
        gbv_matrix f64 = gbv_matrix_f64(doubles, ROWS, columns), f32 = gbv_matrix_f32(singles, ROWS, columns);
        gbv_matrix turned = f64; /* a view that is not plain: the rows backwards */
        turned.data = doubles + (ROWS - 1) * columns;
        turned.row_stride = -f64.row_stride;
        gbv_error error;
        assert_ok(likeliest_columns(&f64, of_doubles, &error), error);
        assert_ok(likeliest_columns(&f32, of_singles, &error), error);
        assert_ok(likeliest_columns(&turned, of_turned, &error), error);
        for (size_t i = 0; i < ROWS; i++) {
            size_t expected = measure_argmax(doubles + i * columns, columns);
            assert_int_equal(of_doubles[i], expected);
            assert_int_equal(of_singles[i], expected);
            assert_int_equal(of_turned[ROWS - 1 - i], expected);
        }
    }
}

static void rows_that_are_none_of_probabilities_are_refused(void **state)
{
    (void)state;
    static const double bad[] = {-1e-300, -1, NAN, -NAN, INFINITY, -INFINITY, 1e31};
    for (size_t w = 2; w < sizeof widths / sizeof *widths; w++)
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
            static double values[3 * WIDEST];
            static float singles[3 * WIDEST];
            size_t columns = widths[w], found[3];
            gbv_error error;
            for (size_t i = 0; i < 3 * columns; i++)
                values[i] = 0.5;
            values[2 * columns - 1] = bad[b];
            for (size_t i = 0; i < 3 * columns; i++)
                singles[i] = bad[b] == -1e-300 && i == 2 * columns - 1 ? -1e-30f : (float)values[i];
            gbv_matrix f64 = gbv_matrix_f64(values, 3, columns), f32 = gbv_matrix_f32(singles, 3, columns);
            assert_int_equal(likeliest_columns(&f64, found, &error), GBV_BAD_INPUT);
            assert_non_null(strstr(error.message, "row 2"));
            assert_int_equal(likeliest_columns(&f32, found, &error), GBV_BAD_INPUT);
            assert_non_null(strstr(error.message, "row 2"));
        }
}

static void negative_zero_and_large_numbers_are_taken(void **state)
{
    (void)state;
    static const double odd[] = {-0.0, 1e21, 1e29, 5e-324};
    for (size_t w = 2; w < sizeof widths / sizeof *widths; w++)
        for (size_t v = 0; v < sizeof odd / sizeof *odd; v++) {
            static double values[WIDEST];
            size_t columns = widths[w], found, place = columns / 2;
            gbv_error error;
            for (size_t i = 0; i < columns; i++)
                values[i] = 0;
            values[place] = odd[v];
            values[columns - 1] = odd[v] > 1 ? 1 : odd[v] > 0 ? 0 : 1e-5;
            gbv_matrix matrix = gbv_matrix_f64(values, 1, columns);
            assert_ok(likeliest_columns(&matrix, &found, &error), error);
            assert_int_equal(found, odd[v] > 0 ? place : columns - 1);
        }
}

/* etran-energy's code variant takes the mean of the largest hundredth, however the rows are ordered. */
static void the_largest_energies_are_found_in_any_order(void **state)
{
    (void)state;
    static double energies[1000];
    for (size_t rows = 1; rows <= 1000; rows += 37)
        for (size_t step = 1; step <= rows; step += 1 + rows / 3) {
            size_t used = (rows + 99) / 100;
            double expected = 0;
            gbv_measure_input input = {.rows = rows, .features = gbv_matrix_f64(energies, rows, 1)};
            for (size_t i = 0; i < rows; i++)
                energies[i] = (double)(i * step % rows / 2 + i * step / rows % 2);
            double *sorted = malloc(rows * sizeof *sorted);
            memcpy(sorted, energies, rows * sizeof *sorted);
            for (size_t i = 0; i < used; i++) { /* selection sort of the first few */
                size_t best = i + measure_argmax(sorted + i, rows - i);
                double kept = sorted[i];
                sorted[i] = sorted[best];
                sorted[best] = kept;
                expected += sorted[i] / (double)used;
            }
            assert_near(score_of("etran-energy", "code", &input), expected, 1e-12 * (1 + expected));
            free(sorted);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_the_largest_is_found),
        cmocka_unit_test(rows_that_are_none_of_probabilities_are_refused),
        cmocka_unit_test(negative_zero_and_large_numbers_are_taken),
        cmocka_unit_test(the_largest_energies_are_found_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
