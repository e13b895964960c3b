/* LEEP with each row left out of its own table, against tables made anew without it. */
#include "test_support.h"

#include "measure/leep.h"

enum { ROWS = 7, COLUMNS = 4, CLASSES = 4 };

/* The last class has one row, which nothing else can predict; one of no use at all is not among them. */
static const int32_t labels[ROWS] = {0, 0, 1, 1, 1, 0, 3};

static void fill(double values[ROWS][COLUMNS])
{
    for (size_t i = 0; i < ROWS; i++)
        for (size_t z = 0; z < COLUMNS; z++)
            values[i][z] = (double)(1 + (i * 5 + z * 3 + i * z) % 11);
    for (size_t i = 0; i < ROWS; i++) {
        double sum = values[i][0] + values[i][1] + values[i][2] + values[i][3];
        for (size_t z = 0; z < COLUMNS; z++)
            values[i][z] /= sum;
    }
}

static void it_is_the_score_of_tables_made_without_the_row(void **state)
{
    double values[ROWS][COLUMNS], expected = 0, found;
    gbv_error error;
    (void)state;
    fill(values);
    for (size_t i = 0; i + 1 < ROWS; i++) {
        double likelihood = 0;
        for (size_t z = 0; z < COLUMNS; z++) {
            double own = 0, all = 0;
            for (size_t j = 0; j < ROWS; j++) {
                own += j != i && labels[j] == labels[i] ? values[j][z] : 0;
                all += j != i ? values[j][z] : 0;
            }
            likelihood += values[i][z] * own / all;
        }
        expected += log(likelihood) / (ROWS - 1);
    }
    assert_ok(leep_left_out(values[0], ROWS, COLUMNS, labels, CLASSES, &found, &error), error);
    assert_near(found, expected, 1e-12);
}

/* Every row in a column of its own: LEEP is perfect, and says nothing. */
static void what_was_only_remembered_is_worth_nothing(void **state)
{
    double values[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, score, found;
    static const int32_t two[4] = {0, 0, 1, 1}, all_different[4] = {0, 1, 2, 3};
    gbv_measure_input input = {
        .rows = 4, .labels = two, .class_count = 2, .probabilities = gbv_matrix_f64(values[0], 4, 4)};
    gbv_error error;
    (void)state;
    assert_ok(gbv_measure("leep", NULL, &input, &score, NULL, &error), error);
    assert_near(score, 0, 1e-12);
    assert_ok(leep_left_out(values[0], 4, 4, two, 2, &found, &error), error);
    assert_true(isfinite(found) && found < -20);
    assert_ok(leep_left_out(values[0], 4, 4, all_different, 4, &found, &error), error);
    assert_true(isnan(found)); /* no class has another row */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_score_of_tables_made_without_the_row),
        cmocka_unit_test(what_was_only_remembered_is_worth_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
