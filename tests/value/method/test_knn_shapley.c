/* KNN-Shapley: the golden numbers, a readable form in double precision, and the corners. */
#include "test_support.h"

#include "base/memory.h"
#include "base/random.h"
#include "value/method/knn_shapley_kernel.h"

static double golden(const char *format, size_t i, size_t j)
{
    char key[96];
    double value = NAN;
    snprintf(key, sizeof key, format, i, j);
    if (!golden_number("knn_shapley.tsv", key, &value))
        fail_msg("knn_shapley.tsv has no %s", key);
    return value;
}

typedef struct neighbour {
    double distance;
    size_t row;
} neighbour;

static int nearer_first(const void *a, const void *b)
{
    const neighbour *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The recursion as it is written down: sort, then walk back from the farthest row. `one` holds a value for each
 * training row, for this reference row alone. */
static void shapley_of_row(const knn_problem *p, size_t reference_row, double *one)
{
    neighbour *sorted = malloc(p->train_rows * sizeof *sorted);
    for (size_t i = 0; i < p->train_rows; i++) {
        sorted[i] = (neighbour){.row = i};
        for (size_t j = 0; j < p->columns; j++) {
            double difference =
                (double)p->train[i * p->columns + j] - (double)p->reference[reference_row * p->columns + j];
            sorted[i].distance += difference * difference;
        }
    }
    qsort(sorted, p->train_rows, sizeof *sorted, nearer_first);
    double next = 0, value = 0, k = (double)p->neighbours;
    for (size_t i = p->train_rows; i >= 1; i--) {
        double match = p->train_labels[sorted[i - 1].row] == p->reference_labels[reference_row];
        value += (match - next) / k * fmin(k, (double)i) / (double)i;
        next = match;
        one[sorted[i - 1].row] = value;
    }
    free(sorted);
}

static void check_against_recursion(const knn_problem *p)
{
    double *values = malloc(p->train_rows * sizeof *values), *one = malloc(p->train_rows * sizeof *one);
    double *expected = calloc(p->train_rows, sizeof *expected);
    double *by_source = malloc(p->source_count * p->reference_rows * sizeof *by_source);
    gbv_error error = {0};
    assert_ok(knn_shapley(p, values, by_source, &error), error);
    for (size_t v = 0; v < p->reference_rows; v++) {
        double sums[16] = {0}, counts[16] = {0};
        shapley_of_row(p, v, one);
        for (size_t i = 0; i < p->train_rows; i++) {
            expected[i] += one[i] / (double)p->reference_rows;
            sums[p->source_of_row[i]] += one[i];
            counts[p->source_of_row[i]]++;
        }
        for (size_t s = 0; s < p->source_count; s++)
            if (counts[s] > 0)
                assert_near(by_source[s * p->reference_rows + v], sums[s] / counts[s], 1e-12);
            else
                assert_true(isnan(by_source[s * p->reference_rows + v]));
    }
    for (size_t i = 0; i < p->train_rows; i++)
        assert_near(values[i], expected[i], 1e-12);
    free(values), free(one), free(expected), free(by_source);
}

typedef struct made_up {
    knn_problem problem;
    float *train, *reference;
    int32_t *train_labels, *labels;
    uint32_t *source_of_row;
} made_up;

/* Coordinates are small integers: their distances are exact in single precision, and many are equal. */
static made_up make_problem(size_t rows, size_t reference_rows, size_t columns, uint64_t classes, uint64_t sources,
                            uint64_t levels)
{
    random_stream stream = random_stream_open(7, "knn", RANDOM_SPLIT);
    made_up m = {.train = malloc((rows * columns + 1) * sizeof(float)),
                 .reference = malloc((reference_rows * columns + 1) * sizeof(float)),
                 .train_labels = malloc(rows * sizeof(int32_t)),
                 .labels = malloc(reference_rows * sizeof(int32_t)),
                 .source_of_row = malloc(rows * sizeof(uint32_t))};
    for (size_t i = 0; i < rows * columns; i++)
        m.train[i] = (float)random_below(&stream, levels);
    for (size_t i = 0; i < reference_rows * columns; i++)
        m.reference[i] = (float)random_below(&stream, levels);
    for (size_t i = 0; i < rows; i++) {
        m.train_labels[i] = (int32_t)random_below(&stream, classes);
        m.source_of_row[i] = (uint32_t)random_below(&stream, sources);
    }
    for (size_t i = 0; i < reference_rows; i++)
        m.labels[i] = (int32_t)random_below(&stream, classes);
    m.problem = (knn_problem){.train_rows = rows,
                              .reference_rows = reference_rows,
                              .columns = columns,
                              .neighbours = KNN_DEFAULT_NEIGHBOURS,
                              .source_count = sources,
                              .train = m.train,
                              .reference = m.reference,
                              .train_labels = m.train_labels,
                              .reference_labels = m.labels,
                              .source_of_row = m.source_of_row,
                              .threads = 1};
    return m;
}

static void free_problem(made_up *m)
{
    free(m->train), free(m->reference), free(m->train_labels), free(m->labels), free(m->source_of_row);
}

static void values_are_those_of_brute_force(void **state)
{
    (void)state;
    enum { ROWS = 9, REFERENCE = 5, COLUMNS = 3 };
    float train[ROWS * COLUMNS], reference[REFERENCE * COLUMNS];
    int32_t train_labels[ROWS], labels[REFERENCE];
    uint32_t source_of_row[ROWS] = {0, 1, 0, 1, 1, 0, 0, 1, 0};
    for (size_t i = 0; i < ROWS; i++) {
        train_labels[i] = (int32_t)golden("knn_shapley/y/%zu", i, 0);
        for (size_t j = 0; j < COLUMNS; j++)
            train[i * COLUMNS + j] = (float)golden("knn_shapley/X/%zu/%zu", i, j);
    }
    for (size_t i = 0; i < REFERENCE; i++) {
        labels[i] = (int32_t)golden("knn_shapley/yv/%zu", i, 0);
        for (size_t j = 0; j < COLUMNS; j++)
            reference[i * COLUMNS + j] = (float)golden("knn_shapley/V/%zu/%zu", i, j);
    }
    knn_problem p = {.train_rows = ROWS,
                     .reference_rows = REFERENCE,
                     .columns = COLUMNS,
                     .neighbours = (size_t)golden("knn_shapley/K", 0, 0),
                     .source_count = 2,
                     .train = train,
                     .reference = reference,
                     .train_labels = train_labels,
                     .reference_labels = labels,
                     .source_of_row = source_of_row,
                     .threads = 1};
    double values[ROWS], by_source[2 * REFERENCE], of_sources[2] = {0}, rows_of[2] = {0};
    gbv_error error = {0};
    assert_ok(knn_shapley(&p, values, by_source, &error), error);
    for (size_t i = 0; i < ROWS; i++) {
        assert_near(values[i], golden("knn_shapley/brute_force/%zu", i, 0), 1e-10);
        assert_near(values[i], golden("knn_shapley/recursion/%zu", i, 0), 1e-10);
        of_sources[source_of_row[i]] += values[i];
        rows_of[source_of_row[i]]++;
    }
    for (size_t s = 0; s < 2; s++) {
        double mean = 0;
        for (size_t v = 0; v < REFERENCE; v++)
            mean += by_source[s * REFERENCE + v] / REFERENCE;
        assert_near(mean, of_sources[s] / rows_of[s], 1e-14);
    }
    check_against_recursion(&p);
}

static void ties_go_by_index_and_sums_match_the_recursion(void **state)
{
    (void)state;
    static const struct {
        size_t rows, reference, columns, neighbours;
        uint64_t classes, sources, levels;
    } cases[] = {
        {700, 37, 4, 10, 3, 5, 4},   {250, 300, 3, 1, 10, 4, 100}, {5000, 9, 8, 10, 2, 7, 256},
        {300, 20, 2, 1000, 5, 3, 3}, {40, 3, 2, 10, 1, 2, 50},     {1, 1, 1, 10, 1, 1, 2},
        {2000, 17, 1, 5, 40, 16, 2}, {60, 5, 0, 3, 4, 3, 2},       {9000, 3, 2, 10, 9, 2, 1000},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        print_message("case %zu\n", c + 1);
        made_up m = make_problem(cases[c].rows, cases[c].reference, cases[c].columns, cases[c].classes,
                                 cases[c].sources, cases[c].levels);
        m.problem.neighbours = cases[c].neighbours;
        check_against_recursion(&m.problem);
        m.train[0] = cases[c].columns ? 4000 : 0; /* far away, so that all the others share a few buckets */
        check_against_recursion(&m.problem);
        free_problem(&m);
    }
}

static void a_source_without_rows_has_no_value(void **state)
{
    (void)state;
    made_up m = make_problem(50, 4, 3, 3, 2, 9);
    m.problem.source_count = 3;
    check_against_recursion(&m.problem);
    free_problem(&m);
}

static void labels_that_one_side_lacks_match_nothing(void **state)
{
    (void)state;
    made_up m = make_problem(50, 4, 3, 3, 2, 9);
    for (size_t i = 0; i < 4; i++)
        m.labels[i] = i % 2 ? INT32_MAX : -5;
    m.train_labels[3] = INT32_MIN;
    double values[50], by_source[8];
    gbv_error error = {0};
    assert_ok(knn_shapley(&m.problem, values, by_source, &error), error);
    for (size_t i = 0; i < 50; i++)
        assert_true(values[i] == 0);
    m.labels[0] = INT32_MIN;
    check_against_recursion(&m.problem);
    free_problem(&m);
}

/* The values of all rows add up to what the classifier gains from them: here all K neighbours are right. */
static void values_add_up_to_the_utility(void **state)
{
    (void)state;
    made_up m = make_problem(500, 6, 5, 1, 2, 50);
    double values[500], by_source[12], sum = 0;
    gbv_error error = {0};
    assert_ok(knn_shapley(&m.problem, values, by_source, &error), error);
    for (size_t i = 0; i < 500; i++)
        sum += values[i];
    assert_near(sum, 1, 1e-12);
    free_problem(&m);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    made_up m = make_problem(5000, 300, 16, 7, 6, 1000);
    for (size_t i = 0; i < 5000 * 16; i++)
        m.train[i] = m.train[i] / 333 + 0.1f;
    double *values[2], *by_source[2];
    gbv_error error = {0};
    for (size_t run = 0; run < 2; run++) {
        values[run] = malloc(5000 * sizeof(double));
        by_source[run] = malloc(6 * 300 * sizeof(double));
        m.problem.threads = run ? 3 : 1;
        assert_ok(knn_shapley(&m.problem, values[run], by_source[run], &error), error);
    }
    assert_memory_equal(values[0], values[1], 5000 * sizeof(double));
    assert_memory_equal(by_source[0], by_source[1], 6 * 300 * sizeof(double));
    for (size_t run = 0; run < 2; run++)
        free(values[run]), free(by_source[run]);
    free_problem(&m);
}

static void assert_refused(const knn_problem *p, gbv_status expected, const char *text)
{
    double values[50], by_source[200];
    gbv_error error = {0};
    assert_int_equal(knn_shapley(p, values, by_source, &error), expected);
    if (!strstr(error.message, text))
        fail_msg("no \"%s\" in: %s", text, error.message);
    assert_int_equal(knn_shapley(p, values, by_source, NULL), expected);
}

static void what_has_no_distance_is_refused(void **state)
{
    (void)state;
    made_up m = make_problem(50, 4, 3, 3, 2, 9);
    static const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, -1e19f};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        m.train[17 * 3 + 1] = bad[i];
        assert_refused(&m.problem, GBV_BAD_INPUT, "row 18 of the sources");
        m.train[17 * 3 + 1] = 0;
        m.reference[2] = bad[i];
        assert_refused(&m.problem, GBV_BAD_INPUT, "row 1 of the reference");
        m.reference[2] = 0;
    }
    knn_problem none = m.problem;
    none.neighbours = 0;
    assert_refused(&none, GBV_USAGE, "0 neighbours");
    none = m.problem;
    none.train_rows = 0;
    assert_refused(&none, GBV_USAGE, "0 rows of sources");
    none = m.problem;
    none.train_rows = (size_t)1 << 40;
    assert_refused(&none, GBV_BAD_INPUT, "fewer rows");
    free_problem(&m);
}

static bool stop_at_the_third(void *context, const char *stage, size_t done, size_t total)
{
    assert_string_equal(stage, "knn-shapley");
    assert_true(done <= total);
    return ++*(int *)context >= 3;
}

static void an_interruption_ends_it(void **state)
{
    (void)state;
    made_up m = make_problem(50, 50, 3, 3, 2, 9);
    for (size_t threads = 1; threads < 3; threads++) {
        int asked = threads == 1 ? 0 : 2; /* with more threads it is sure to be asked at the start only */
        m.problem.progress = stop_at_the_third;
        m.problem.context = &asked;
        m.problem.threads = threads;
        assert_refused(&m.problem, GBV_INTERRUPTED, "interrupted");
    }
    free_problem(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_brute_force),
        cmocka_unit_test(ties_go_by_index_and_sums_match_the_recursion),
        cmocka_unit_test(a_source_without_rows_has_no_value),
        cmocka_unit_test(labels_that_one_side_lacks_match_nothing),
        cmocka_unit_test(values_add_up_to_the_utility),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(what_has_no_distance_is_refused),
        cmocka_unit_test(an_interruption_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
