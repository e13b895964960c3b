/* LEEP of more rows than there are, and with each row left out of its own table. */
#include "test_support.h"

#include "base/random.h"
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
    assert_ok(leep_among(&(leep_rows){values[0], ROWS, COLUMNS, labels, CLASSES}, INFINITY, &found, &error), error);
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
    assert_ok(leep_among(&(leep_rows){values[0], 4, 4, two, 2}, INFINITY, &found, &error), error);
    assert_true(isfinite(found) && found < -20);
    assert_ok(leep_among(&(leep_rows){values[0], 4, 4, all_different, 4}, INFINITY, &found, &error), error);
    assert_true(isnan(found)); /* no class has another row */
}

enum { MANY = 400, FEW = 100, WIDE = 200, KINDS = 5, DRAWS = 12, HALVES = 40 };

/* Rows of a model with many columns that says something of the label, and much else. */
static void fill_many(double (*values)[WIDE], int32_t *kinds)
{
    random_stream stream = random_stream_open(7, "rows", RANDOM_SPLIT);
    for (size_t i = 0; i < MANY; i++) {
        double sum = 0;
        kinds[i] = (int32_t)(i % KINDS);
        for (size_t z = 0; z < WIDE; z++)
            sum += values[i][z] = exp(2 * random_normal(&stream) + (z % KINDS == i % KINDS ? 1.5 : 0));
        for (size_t z = 0; z < WIDE; z++)
            values[i][z] /= sum;
    }
}

static void a_quarter_of_the_rows_tells_the_score_of_all(void **state)
{
    static double values[MANY][WIDE], some[FEW][WIDE];
    int32_t kinds[MANY], some_kinds[FEW];
    double all, again, plain, told, error_of_plain = 0, error_of_told = 0;
    gbv_error error;
    (void)state;
    fill_many(values, kinds);
    gbv_measure_input input = {
        .rows = MANY, .labels = kinds, .class_count = KINDS, .probabilities = gbv_matrix_f64(values[0], MANY, WIDE)};
    assert_ok(gbv_measure("leep", NULL, &input, &all, NULL, &error), error);
    assert_ok(leep_among(&(leep_rows){values[0], MANY, WIDE, kinds, KINDS}, 1, &again, &error), error);
    assert_near(again, all, 1e-12);
    for (uint32_t draw = 0; draw < DRAWS; draw++) {
        random_stream stream = random_stream_open_draw(7, "subset", RANDOM_SPLIT, draw);
        size_t order[MANY];
        for (size_t i = 0; i < MANY; i++)
            order[i] = i;
        random_shuffle(&stream, order, MANY);
        for (size_t i = 0; i < FEW; i++) {
            memcpy(some[i], values[order[i]], sizeof some[i]);
            some_kinds[i] = kinds[order[i]];
        }
        leep_rows given = {some[0], FEW, WIDE, some_kinds, KINDS};
        row_draws draws;
        double replicates[HALVES], step;
        assert_ok(row_draws_create(7, "halves", HALVES, FEW, 1, &draws, &error), error);
        assert_ok(leep_among(&given, 1, &plain, &error), error);
        assert_ok(leep_of_more(&given, MANY, &draws, 1, &told, &step, replicates, &error), error);
        row_draws_free(&draws);
        error_of_plain += (plain - all) / DRAWS;
        error_of_told += (told - all) / DRAWS;
    }
    print_message("a quarter of the rows: too high by %.3f, and %.3f brought to all\n", error_of_plain, error_of_told);
    assert_true(error_of_plain > 0.1);
    assert_true(fabs(error_of_told) < error_of_plain / 3);
}

static void halves_say_the_same_by_any_number_of_threads(void **state)
{
    static double values[MANY][WIDE];
    int32_t kinds[MANY];
    row_draws draws;
    double one[8], three[8], score, again, step, mean = 0;
    gbv_error error;
    (void)state;
    fill_many(values, kinds);
    leep_rows given = {values[0], MANY, WIDE, kinds, KINDS};
    assert_ok(row_draws_create(3, "halves", 8, MANY, 1, &draws, &error), error);
    assert_ok(leep_of_more(&given, MANY, &draws, 1, &score, &step, one, &error), error);
    assert_ok(leep_of_more(&given, MANY, &draws, 3, &again, &step, three, &error), error);
    assert_memory_equal(one, three, sizeof one);
    for (size_t b = 0; b < 8; b++)
        mean += one[b] / 8;
    assert_true(score == again);
    assert_near(mean, score, 0.05); /* brought to all rows, of which LEEP itself is known */
    row_draws_free(&draws);
    assert_ok(row_draws_create(3, "halves", 2, 3, 1, &draws, &error), error);
    assert_ok(leep_of_more(&(leep_rows){values[0], 3, WIDE, kinds, KINDS}, MANY, &draws, 1, &score, &step, one, &error),
              error);
    assert_true(isfinite(score) && isnan(one[0]) && isnan(one[1])); /* a half of one row says nothing */
    row_draws_free(&draws);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_score_of_tables_made_without_the_row),
        cmocka_unit_test(what_was_only_remembered_is_worth_nothing),
        cmocka_unit_test(a_quarter_of_the_rows_tells_the_score_of_all),
        cmocka_unit_test(halves_say_the_same_by_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
