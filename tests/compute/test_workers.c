/* test_workers.c - operations of several workers side by side, each with its own, give to the bit what they give alone;
 * and what the backend cpu does besides computing the right numbers. */
#include "compute/operation_case.h"

#include <omp.h>

static const operation_case cases[] = {
    {.kind = CASE_CONVOLUTION, .in = {16, 9, 8}, .outputs = 32, .kernel = 3, .stride = 1, .padding = 1, .bias = true},
    {.kind = CASE_CONVOLUTION, .in = {32, 2, 2}, .outputs = 16, .kernel = 3, .stride = 1, .padding = 1},
    {.kind = CASE_CONVOLUTION, .in = {3, 12, 12}, .outputs = 16, .kernel = 7, .stride = 2, .padding = 3},
    {.kind = CASE_BATCH_NORM, .in = {16, 6, 5}, .relu = true},
    {.kind = CASE_MAX_POOL, .in = {16, 8, 7}, .kernel = 3, .stride = 2, .padding = 1},
    {.kind = CASE_LINEAR, .in = {64, 1, 1}, .outputs = 20},
};
enum { CASES = sizeof cases / sizeof *cases, WORKERS = 4 };

static void run_case(const backend *b, size_t index, size_t threads, operation_run *run)
{
    operation_case c = cases[index];
    c.batch = 5;
    c.train = true;
    c.threads = threads;
    case_numbers numbers;
    case_numbers_create(&c, &numbers);
    operation_run_create(b, &c, &numbers, run);
    case_numbers_free(&numbers);
}

static void assert_same(size_t index, const operation_run *a, const operation_run *b)
{
    operation_case c = cases[index];
    c.batch = 5;
    c.train = true;
    case_numbers numbers;
    case_numbers_create(&c, &numbers);
    assert_memory_equal(a->out, b->out, numbers.out_count * sizeof *a->out);
    assert_memory_equal(a->in_gradient, b->in_gradient, numbers.in_count * sizeof *a->in_gradient);
    if (numbers.parameter_count)
        assert_memory_equal(a->gradient, b->gradient, numbers.parameter_count * sizeof *a->gradient);
    case_numbers_free(&numbers);
}

static void workers_side_by_side_get_what_one_gets_alone(void **state)
{
    (void)state;
    for (size_t i = 0; backend_at(i); i++) {
        operation_run alone[CASES], beside[WORKERS * CASES];
        for (size_t k = 0; k < CASES; k++)
            run_case(backend_at(i), k, 1, &alone[k]);
#pragma omp parallel for num_threads(WORKERS) schedule(static, 1)
        for (size_t k = 0; k < WORKERS * CASES; k++)
            run_case(backend_at(i), k % CASES, 1, &beside[k]);
        for (size_t k = 0; k < WORKERS * CASES; k++) {
            assert_same(k % CASES, &alone[k % CASES], &beside[k]);
            operation_run_free(&beside[k]);
        }
        for (size_t k = 0; k < CASES; k++)
            operation_run_free(&alone[k]);
    }
}

static void numbers_do_not_depend_on_what_openmp_would_use(void **state)
{
    (void)state;
    int before = omp_get_max_threads();
    for (size_t i = 0; backend_at(i); i++)
        for (size_t k = 0; k < CASES; k++) {
            operation_run few, many;
            omp_set_num_threads(1);
            run_case(backend_at(i), k, 2, &few);
            omp_set_num_threads(3);
            run_case(backend_at(i), k, 2, &many);
            assert_int_equal(omp_get_max_threads(), 3);
            assert_same(k, &few, &many);
            operation_run_free(&few);
            operation_run_free(&many);
        }
    omp_set_num_threads(before);
}

static op *prepared(const backend *b, bool keep_all, extent in)
{
    gbv_error error;
    op *made;
    convolution_shape shape = {.in = in, .outputs = 16, .kernel = 3, .stride = 1, .padding = 1, .bias = true};
    assert_ok(b->convolution(&shape, &(op_setting){.batch = 2, .train = true, .keep_all = keep_all, .threads = 1},
                             &made, &error),
              error);
    return made;
}

static void taps_that_never_meet_the_image_have_no_place_on_the_cpu(void **state)
{
    (void)state;
    const backend *b = backend_find("cpu");
    if (!b)
        skip();
    static const struct {
        extent in;
        size_t taps;
    } maps[] = {{{32, 1, 1}, 1}, {{32, 1, 5}, 3}, {{32, 2, 2}, 9}, {{32, 8, 8}, 9}};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        op *some = prepared(b, false, maps[i].in), *all = prepared(b, true, maps[i].in);
        assert_int_equal(some->parameter_count, maps[i].taps * 32 * 16 + 16);
        assert_int_equal(all->parameter_count, 9 * 32 * 16 + 16);
        assert_int_equal(some->plain_count, 9 * 32 * 16 + 16);
        some->close(some);
        all->close(all);
    }
}

static void several_threads_inside_a_worker_are_refused_on_the_cpu(void **state)
{
    (void)state;
    const backend *b = backend_find("cpu");
    if (!b)
        skip();
    gbv_status statuses[2];
    gbv_error errors[2];
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (size_t i = 0; i < 2; i++) {
        op *made;
        statuses[i] = b->relu((extent){3, 4, 4}, &(op_setting){.batch = 1, .threads = 2}, &made, &errors[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(statuses[i], GBV_USAGE);
        assert_non_null(strstr(errors[i].message, "prepare it for one thread"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_side_by_side_get_what_one_gets_alone),
        cmocka_unit_test(numbers_do_not_depend_on_what_openmp_would_use),
        cmocka_unit_test(taps_that_never_meet_the_image_have_no_place_on_the_cpu),
        cmocka_unit_test(several_threads_inside_a_worker_are_refused_on_the_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
