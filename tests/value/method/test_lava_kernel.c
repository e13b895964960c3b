/* LAVA's gradients against the published program's numbers, against plain loops in double precision, and at the edges.
 */
#include "base/plan.h"
#include "compute/sinkhorn.h"
#include "value/method/lava_reference.h"
#include "value/method/lava_sides.h"

static double golden_lava(const char *format, ...)
{
    char key[128];
    double value = NAN;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key, sizeof key, format, arguments);
    va_end(arguments);
    if (!golden_number("lava.tsv", key, &value))
        fail_msg("lava.tsv has no %s", key);
    return value;
}

static double *solve(const lava_problem *problem, double *distance)
{
    gbv_error error = {0};
    double *gradients = malloc(problem->train_rows * sizeof *gradients);
    plan p = plan_begin(problem->threads);
    assert_ok(lava_gradients(problem, gradients, distance, &error), error);
    plan_end(p);
    return gradients;
}

typedef struct exact {
    double *distances, *f, *g, *gradients, distance;
} exact;

static exact solve_exactly(const sides *s, int further)
{
    lava_rows train = {s->train_rows, s->columns, s->classes, s->train_values, s->train_labels};
    lava_rows reference = {s->reference_rows, s->columns, s->classes, s->reference_values, s->reference_labels};
    exact e = {.distances = malloc(s->classes * s->classes * sizeof(double)),
               .f = malloc(s->train_rows * sizeof(double)),
               .g = malloc(s->reference_rows * sizeof(double)),
               .gradients = malloc(s->train_rows * sizeof(double))};
    e.distance = lava_in_double(&train, &reference, further, e.distances, e.f, e.g, e.gradients);
    return e;
}

static void exact_free(exact *e)
{
    free(e->distances), free(e->f), free(e->g), free(e->gradients);
}

static void plain_loops_match_the_published_program(void **state)
{
    (void)state;
    sides s = golden_sides();
    exact e = solve_exactly(&s, 0);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            assert_close(e.distances[a * 3 + b], golden_lava("lava/own_float64/W_cross/%d/%d", a, b), 1e-8);
            assert_close(e.distances[a * 3 + b], golden_lava("lava/reference_double/W/%d/%d", a, b + 3), 1e-8);
        }
    for (int i = 0; i < 42; i++) {
        assert_close(e.f[i], golden_lava("lava/reference_double/f/%d", i), 1e-8);
        assert_close(e.f[i], golden_lava("lava/own_float64/f/%d", i), 1e-8);
        assert_near(e.gradients[i], golden_lava("lava/reference_double/calibrated_gradient/%d", i), 1e-8);
        assert_near(e.gradients[i], golden_lava("lava/own_float64/calibrated_gradient/%d", i), 1e-8);
    }
    for (int j = 0; j < 30; j++)
        assert_close(e.g[j], golden_lava("lava/reference_double/g/%d", j), 1e-8);
    assert_close(e.distance, golden_lava("lava/own_float64/entropic_ot_cost"), 1e-8);
    exact_free(&e);
    e = solve_exactly(&s, 20000);
    for (int i = 0; i < 42; i++)
        assert_near(e.gradients[i], golden_lava("lava/own_converged_eps0.1/calibrated_gradient/%d", i), 1e-8);
    assert_close(e.distance, golden_lava("lava/own_converged_eps0.1/cost"), 1e-8);
    exact_free(&e);
    sides_free(&s);
}

static void temperatures_fall_as_published(void **state)
{
    (void)state;
    double temperatures[SINKHORN_MOST_STEPS];
    assert_int_equal(sinkhorn_schedule(golden_lava("lava/own_float64/diameter"), temperatures), 8);
    for (int k = 0; k < 8; k++)
        assert_close(temperatures[k], golden_lava("lava/own_float64/eps_schedule/%d", k), 1e-12);
    assert_int_equal(sinkhorn_schedule(0, temperatures), 1);
    assert_int_equal(sinkhorn_schedule(0.1, temperatures), 2);
}

static void gradients_match_the_published_program(void **state)
{
    (void)state;
    sides s = golden_sides();
    lava_problem problem = problem_of(&s);
    double distance, *gradients = solve(&problem, &distance);
    double sums[2] = {0};
    for (int i = 0; i < 42; i++) {
        assert_near(gradients[i], golden_lava("lava/reference_single/calibrated_gradient/%d", i), 1e-5);
        assert_near(gradients[i], golden_lava("lava/reference_double/calibrated_gradient/%d", i), 1e-5);
        sums[i >= 21] += gradients[i] / 21;
    }
    assert_near(sums[0], golden_lava("lava/pooled_per_source_mean_of_calibrated_gradient/source0_0..20"), 1e-5);
    assert_near(sums[1], golden_lava("lava/pooled_per_source_mean_of_calibrated_gradient/source1_21..41"), 1e-5);
    assert_close(distance, golden_lava("lava/own_float64/entropic_ot_cost"), 1e-5);
    free(gradients);
    sides_free(&s);
}

/* The rows of 70 are more than a tile has, the columns of 600 too. */
static void check_with_plain_loops(size_t columns, size_t classes, double spread, double tolerance)
{
    sides s = made_up_sides(600, 70, columns, classes, spread);
    exact e = solve_exactly(&s, 0);
    lava_problem problem = problem_of(&s);
    double distance, *gradients = solve(&problem, &distance);
    for (size_t i = 0; i < s.train_rows; i++)
        assert_near(gradients[i], e.gradients[i], tolerance);
    assert_near(distance, e.distance, tolerance);
    free(gradients);
    exact_free(&e);
    sides_free(&s);
}

static void gradients_match_plain_loops(void **state)
{
    (void)state;
    check_with_plain_loops(1, 2, 1, 1e-5);
    check_with_plain_loops(3, 1, 1, 1e-5);
    check_with_plain_loops(8, 10, 2, 1e-4);
    check_with_plain_loops(64, 5, 0.3, 2e-4);
}

static void threads_and_tiles_change_nothing(void **state)
{
    (void)state;
    sides s = made_up_sides(700, 80, 20, 4, 1);
    lava_problem problem = problem_of(&s);
    double distance, other, *gradients = solve(&problem, &distance);
    problem.threads = 3;
    double *threaded = solve(&problem, &other);
    assert_memory_equal(threaded, gradients, s.train_rows * sizeof *gradients);
    assert_memory_equal(&other, &distance, sizeof other);
    /* Enough for a pair of classes but not for all, then for nothing. */
    for (size_t memory = 100000; memory; memory /= 100000) {
        problem.memory = memory;
        double *tiled = solve(&problem, &other);
        for (size_t i = 0; i < s.train_rows; i++)
            assert_near(tiled[i], gradients[i], 1e-4);
        assert_near(other, distance, 1e-4);
        free(tiled);
    }
    free(gradients), free(threaded);
    sides_free(&s);
}

static void some_reference_rows_are_a_reference_of_their_own(void **state)
{
    (void)state;
    sides s = made_up_sides(300, 60, 12, 3, 1);
    lava_problem problem = problem_of(&s);
    size_t subset[30];
    float *rows = malloc(30 * s.columns * sizeof *rows);
    int32_t labels[30];
    for (size_t i = 0; i < 30; i++) {
        subset[i] = 59 - 2 * i;
        memcpy(rows + i * s.columns, s.reference + subset[i] * s.columns, s.columns * sizeof *rows);
        labels[i] = s.reference_labels[subset[i]];
    }
    for (int tiled = 0; tiled < 2; tiled++) {
        gbv_error error = {0};
        lava *opened;
        double gradients[300], distance, other;
        problem.memory = tiled ? 1 : 0;
        assert_ok(lava_open(&problem, &opened, &error), error);
        assert_ok(lava_solve(opened, subset, 30, gradients, &distance, &error), error);
        lava_close(opened);
        lava_problem alone = problem;
        alone.reference = rows, alone.reference_labels = labels, alone.reference_rows = 30;
        double *expected = solve(&alone, &other);
        for (size_t i = 0; i < 300; i++)
            assert_near(gradients[i], expected[i], 1e-5);
        assert_near(distance, other, 1e-5);
        free(expected);
    }
    free(rows);
    sides_free(&s);
}

static bool count_calls(void *context, const char *stage, size_t done, size_t total)
{
    (void)stage, (void)done, (void)total;
    size_t *left = context;
    return (*left)-- == 0;
}

static void many_choices_of_rows_are_solved_side_by_side(void **state)
{
    (void)state;
    enum { CHOICES = 5, HALF = 20 };
    sides s = made_up_sides(300, 40, 6, 2, 1);
    size_t subsets[CHOICES * HALF], left = SIZE_MAX;
    for (size_t k = 0; k < CHOICES; k++)
        for (size_t i = 0; i < HALF; i++)
            subsets[k * HALF + i] = (2 * i + k * 7) % 40;
    lava_problem problem = problem_of(&s);
    problem.threads = 2, problem.progress = count_calls, problem.context = &left;
    gbv_error error = {0};
    lava *opened;
    double *each = malloc(CHOICES * 300 * sizeof *each), one[300];
    plan p = plan_begin(2);
    assert_ok(lava_open(&problem, &opened, &error), error);
    assert_ok(lava_solve_each(opened, subsets, CHOICES, HALF, each, &error), error);
    for (size_t k = 0; k < CHOICES; k++) {
        assert_ok(lava_solve(opened, subsets + k * HALF, HALF, one, NULL, &error), error);
        assert_memory_equal(each + k * 300, one, sizeof one);
    }
    assert_ok(lava_solve_each(opened, subsets, 0, HALF, each, &error), error);
    left = 0;
    assert_int_equal(lava_solve_each(opened, subsets, 1, HALF, each, &error), GBV_INTERRUPTED);
    left = SIZE_MAX;
    assert_int_equal(lava_solve_each(opened, subsets, 2, 1, each, &error), GBV_UNDEFINED);
    plan_end(p);
    lava_close(opened);
    free(each);
    sides_free(&s);
}

static void going_on_reaches_the_optimum(void **state)
{
    (void)state;
    sides s = made_up_sides(60, 40, 3, 2, 0.1);
    for (size_t i = 0; i < 60 * 3; i++) /* close enough together for the blur to reach from each to each */
        s.train[i] = (float)(s.train_values[i] *= 0.25);
    for (size_t i = 0; i < 40 * 3; i++)
        s.reference[i] = (float)(s.reference_values[i] *= 0.25);
    exact e = solve_exactly(&s, 3000), published = solve_exactly(&s, 0);
    lava_problem problem = problem_of(&s);
    problem.converged = true;
    double distance, *gradients = solve(&problem, &distance), moved = 0;
    for (size_t i = 0; i < s.train_rows; i++) {
        assert_near(gradients[i], e.gradients[i], 1e-4);
        moved = fmax(moved, fabs(published.gradients[i] - e.gradients[i]));
    }
    assert_near(distance, e.distance, 1e-5);
    assert_true(moved > 1e-3); /* the published program stops short of it */
    free(gradients);
    exact_free(&e), exact_free(&published);
    sides_free(&s);

    s = golden_sides();
    problem = problem_of(&s);
    problem.converged = true;
    gradients = solve(&problem, &distance);
    assert_close(distance, golden_lava("lava/own_converged_eps0.1/cost"), 1e-4);
    free(gradients);
    sides_free(&s);
}

static void wrong_labels_have_high_gradients(void **state)
{
    (void)state;
    sides s = golden_sides();
    lava_problem problem = problem_of(&s);
    double *gradients = solve(&problem, NULL), clean = 0, all = 0, wrong = 0;
    npy flipped = npy_load("lava_flipped_idx");
    for (size_t i = 0; i < 42; i++)
        all += gradients[i];
    for (size_t i = 0; i < flipped.rows; i++)
        wrong += gradients[(size_t)flipped.values[i]];
    clean = (all - wrong) / (double)(42 - flipped.rows);
    wrong /= (double)flipped.rows;
    assert_near(wrong, golden_lava("lava/own_float64/mean_gradient_flipped"), 1e-5);
    assert_near(clean, golden_lava("lava/own_float64/mean_gradient_clean"), 1e-5);
    assert_near(all / 42, 0, 1e-12);
    free(flipped.values), free(gradients);
    sides_free(&s);
}

static void classes_with_one_row_are_left_out(void **state)
{
    (void)state;
    sides s = made_up_sides(100, 40, 5, 3, 1);
    lava_problem problem = problem_of(&s);
    problem.class_count = 6;
    double *expected = solve(&problem, NULL);
    free(expected);
    /* Rows 0..5 hold each class twice. Row 10 becomes the only one of class 3, row 11 is unlabelled, the reference's
     * row 20 the only one of class 4. The rest must be as if these rows were not there. */
    s.train_labels[10] = 3, s.train_labels[11] = -1, s.reference_labels[20] = 4;
    double *gradients = solve(&problem, NULL);
    memmove(s.train + 10 * 5, s.train + 12 * 5, 88 * 5 * sizeof *s.train);
    memmove(s.train_labels + 10, s.train_labels + 12, 88 * sizeof *s.train_labels);
    memmove(s.reference + 20 * 5, s.reference + 21 * 5, 19 * 5 * sizeof *s.reference);
    memmove(s.reference_labels + 20, s.reference_labels + 21, 19 * sizeof *s.reference_labels);
    problem.train_rows = 98, problem.reference_rows = 39;
    expected = solve(&problem, NULL);
    assert_true(isnan(gradients[10]) && isnan(gradients[11]));
    for (size_t i = 0; i < 98; i++)
        assert_near(gradients[i < 10 ? i : i + 2], expected[i], 1e-5);
    free(gradients), free(expected);
    sides_free(&s);
}

static void a_class_on_one_side_only_is_transported_all_the_same(void **state)
{
    (void)state;
    sides s = made_up_sides(60, 40, 4, 3, 1);
    for (size_t i = 0; i < 60; i++)
        s.train_labels[i] = i % 2 ? 0 : 2;
    for (size_t i = 0; i < 40; i++)
        s.reference_labels[i] = i % 2 ? 0 : 1;
    lava_problem problem = problem_of(&s);
    double *gradients = solve(&problem, NULL);
    for (size_t i = 0; i < 60; i++)
        assert_true(isfinite(gradients[i]));
    free(gradients);
    sides_free(&s);
}

static void identical_rows_cost_nothing(void **state)
{
    (void)state;
    sides s = made_up_sides(30, 20, 4, 1, 0);
    for (int huge = 0; huge < 2; huge++) {
        for (size_t i = 0; i < 30 * 4; i++)
            s.train[i] = huge ? 3e16f : 0;
        for (size_t i = 0; i < 20 * 4; i++)
            s.reference[i] = huge ? 3e16f : 0;
        lava_problem problem = problem_of(&s);
        double distance, *gradients = solve(&problem, &distance);
        for (size_t i = 0; i < 30; i++)
            assert_near(gradients[i], 0, 1e-6);
        assert_near(distance, 0, 1e-6);
        free(gradients);
    }
    sides_free(&s);
}

static void huge_values_give_gradients_or_a_sentence(void **state)
{
    (void)state;
    sides s = made_up_sides(50, 20, 4, 2, 1);
    lava_problem problem = problem_of(&s);
    double gradients[50];
    gbv_error error = {0};
    s.train[0] = 1e15f;
    assert_ok(lava_gradients(&problem, gradients, NULL, &error), error);
    for (size_t i = 0; i < 50; i++)
        assert_true(isfinite(gradients[i]));
    for (size_t i = 1; i < 50; i++)
        assert_true(gradients[0] > gradients[i]);
    s.train[2 * 4 + 1] = 3e38f;
    assert_int_equal(lava_gradients(&problem, gradients, NULL, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "row 3 of the sources"));
    s.train[2 * 4 + 1] = NAN;
    assert_int_equal(lava_gradients(&problem, gradients, NULL, &error), GBV_BAD_INPUT);
    sides_free(&s);
}

static void too_few_rows_are_undefined(void **state)
{
    (void)state;
    sides s = made_up_sides(50, 20, 4, 2, 1);
    lava_problem problem = problem_of(&s);
    double gradients[50];
    gbv_error error = {0};
    problem.train_rows = 1;
    assert_int_equal(lava_gradients(&problem, gradients, NULL, &error), GBV_UNDEFINED);
    assert_non_null(strstr(error.message, "no class has two rows in the sources"));
    problem.train_rows = 50, problem.reference_rows = 2;
    assert_int_equal(lava_gradients(&problem, gradients, NULL, &error), GBV_UNDEFINED);
    assert_non_null(strstr(error.message, "no class has two of the 2 reference rows"));
    problem.reference_rows = 0;
    assert_int_equal(lava_gradients(&problem, gradients, NULL, &error), GBV_UNDEFINED);
    sides_free(&s);
}

typedef struct patience {
    size_t asked, allowed, last;
} patience;

static bool stop_after(void *context, const char *stage, size_t done, size_t total)
{
    patience *p = context;
    assert_string_equal(stage, "lava");
    assert_true(done <= total && done >= p->last);
    p->last = done;
    return ++p->asked > p->allowed;
}

static void it_can_be_interrupted_anywhere(void **state)
{
    (void)state;
    sides s = made_up_sides(300, 40, 4, 2, 1);
    lava_problem problem = problem_of(&s);
    double gradients[300];
    patience whole = {.allowed = SIZE_MAX};
    gbv_error error = {0};
    problem.progress = stop_after;
    problem.context = &whole;
    assert_ok(lava_gradients(&problem, gradients, NULL, &error), error);
    assert_true(whole.asked > 10);
    for (size_t allowed = 0; allowed < whole.asked; allowed++) {
        patience p = {.allowed = allowed};
        problem.context = &p;
        problem.threads = 1 + allowed % 2;
        gbv_status status = lava_gradients(&problem, gradients, NULL, &error);
        /* With two threads the calling one may have less to do, and so be asked less. */
        assert_true(status == GBV_INTERRUPTED || (problem.threads == 2 && status == GBV_OK));
    }
    sides_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_loops_match_the_published_program),
        cmocka_unit_test(temperatures_fall_as_published),
        cmocka_unit_test(gradients_match_the_published_program),
        cmocka_unit_test(gradients_match_plain_loops),
        cmocka_unit_test(threads_and_tiles_change_nothing),
        cmocka_unit_test(some_reference_rows_are_a_reference_of_their_own),
        cmocka_unit_test(many_choices_of_rows_are_solved_side_by_side),
        cmocka_unit_test(going_on_reaches_the_optimum),
        cmocka_unit_test(wrong_labels_have_high_gradients),
        cmocka_unit_test(classes_with_one_row_are_left_out),
        cmocka_unit_test(a_class_on_one_side_only_is_transported_all_the_same),
        cmocka_unit_test(identical_rows_cost_nothing),
        cmocka_unit_test(huge_values_give_gradients_or_a_sentence),
        cmocka_unit_test(too_few_rows_are_undefined),
        cmocka_unit_test(it_can_be_interrupted_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
