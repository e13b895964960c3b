/* test_gradients.c - every gradient of the `reference` backend against central differences: of the sum of outputs times
 * fixed numbers, in turn by every number of the input and of the parameters. The sums are taken in double; where a
 * step would carry an output over the corner of a rectifier or another number to the top of a window, the difference
 * says nothing about the gradient and is left out. */
#include "compute/operation_case.h"

enum { MOST_LEFT_OUT = 4 }; /* one in so many */

/* sum_i out_i * out_gradient_i, whose gradient by anything is what backward computes. */
static double objective(const operation_case *c, const case_numbers *numbers, float **out)
{
    operation_case forward = *c;
    operation_run run;
    forward.train = c->kind == CASE_BATCH_NORM || c->kind == CASE_DROPOUT;
    operation_run_create(backend_find("reference"), &forward, numbers, &run);
    double sum = 0;
    for (size_t i = 0; i < numbers->out_count; i++)
        sum += (double)run.out[i] * numbers->out_gradient[i];
    *out = run.out;
    run.out = NULL;
    operation_run_free(&run);
    return sum;
}

static bool same_corner(const operation_case *c, const float *a, const float *b, size_t count)
{
    for (size_t i = 0; (c->relu || c->kind == CASE_RELU) && i < count; i++)
        if ((a[i] > 0) != (b[i] > 0))
            return false;
    return true;
}

/* Compares `gradient` with differences by each of `values`, which numbers->... points at. */
static void check_by(const operation_case *c, const case_numbers *numbers, const char *what, float *values,
                     const float *gradient, size_t count, float step, double tolerance)
{
    double apart = 0, norm = 0;
    size_t left_out = 0;
    for (size_t i = 0; i < count; i++) {
        float middle = values[i], *high, *low;
        values[i] = middle + step;
        double up = values[i], above = objective(c, numbers, &high);
        values[i] = middle - step;
        double down = values[i], below = objective(c, numbers, &low);
        values[i] = middle;
        if (same_corner(c, high, low, numbers->out_count)) {
            double slope = (above - below) / (up - down);
            apart += (slope - gradient[i]) * (slope - gradient[i]);
            norm += slope * slope;
        } else {
            left_out++;
        }
        free(high);
        free(low);
    }
    assert_true(left_out * MOST_LEFT_OUT <= count);
    if (!(sqrt(apart) <= tolerance * sqrt(norm)))
        fail_msg("%s: the gradient by the %s is %g of its norm away from differences", case_text(c), what,
                 sqrt(apart / norm));
}

/* Differences of linear functions are exact at any step, so that only rounding is left. */
static void check(operation_case c, float step, double tolerance)
{
    case_numbers numbers;
    operation_run run;
    c.train = true;
    c.threads = 1;
    case_numbers_create(&c, &numbers);
    if (c.kind == CASE_MAX_POOL) /* far apart from each other, in no order */
        for (size_t i = 0; i < numbers.in_count; i++)
            numbers.in[i] = (float)(i * 7919 % numbers.in_count);
    operation_run_create(backend_find("reference"), &c, &numbers, &run);
    check_by(&c, &numbers, "input", numbers.in, run.in_gradient, numbers.in_count, step, tolerance);
    if (c.kind == CASE_ADD) /* of the second summand it is the same */
        check_by(&c, &numbers, "other", numbers.other, run.in_gradient, numbers.in_count, step, tolerance);
    if (numbers.parameter_count)
        check_by(&c, &numbers, "parameters", numbers.parameters, run.gradient, numbers.parameter_count, step,
                 tolerance);
    for (size_t i = 0; run.samples && i < numbers.parameter_count; i++) {
        double sum = 0;
        for (size_t n = 0; n < c.batch; n++)
            sum += run.samples[n * numbers.parameter_count + i];
        assert_near(sum, run.gradient[i], 1e-5);
    }
    operation_run_free(&run);
    case_numbers_free(&numbers);
}

static void convolution_has_the_gradient_of_its_outputs(void **state)
{
    (void)state;
    static const size_t windows[][3] = {{3, 1, 1}, {3, 2, 1}, {1, 1, 0}, {1, 2, 0}, {5, 2, 2}, {2, 3, 0}, {7, 2, 3}};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        check((operation_case){.kind = CASE_CONVOLUTION,
                               .in = {2, 4, 3 + i % 2},
                               .batch = 2,
                               .outputs = 3,
                               .kernel = windows[i][0],
                               .stride = windows[i][1],
                               .padding = windows[i][2],
                               .bias = i % 2},
              0.5f, 1e-5);
}

static void linear_has_the_gradient_of_its_outputs(void **state)
{
    (void)state;
    check((operation_case){.kind = CASE_LINEAR, .in = {7, 1, 1}, .batch = 3, .outputs = 4}, 0.5f, 1e-5);
}

static void batch_norm_has_the_gradient_of_its_outputs(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++)
        check(
            (operation_case){.kind = CASE_BATCH_NORM, .in = {3, 3, 4}, .batch = 3, .relu = way % 2, .frozen = way / 2},
            3e-3f, 1e-3);
}

static void rectifier_and_sum_have_the_gradient_of_their_outputs(void **state)
{
    (void)state;
    check((operation_case){.kind = CASE_RELU, .in = {3, 5, 4}, .batch = 2}, 0.01f, 1e-5);
    check((operation_case){.kind = CASE_ADD, .in = {3, 5, 4}, .batch = 2}, 0.5f, 1e-5);
    check((operation_case){.kind = CASE_ADD, .in = {3, 5, 4}, .batch = 2, .relu = true}, 0.01f, 1e-5);
}

static void pools_have_the_gradient_of_their_outputs(void **state)
{
    (void)state;
    check((operation_case){.kind = CASE_MEAN_POOL, .in = {3, 5, 4}, .batch = 2}, 0.5f, 1e-5);
    check((operation_case){.kind = CASE_MAX_POOL, .in = {3, 5, 4}, .batch = 2, .kernel = 3, .stride = 2, .padding = 1},
          0.25f, 1e-5);
    check((operation_case){.kind = CASE_MAX_POOL, .in = {2, 6, 7}, .batch = 1, .kernel = 2, .stride = 2}, 0.25f, 1e-5);
}

/* Where differences say nothing: all numbers of the first window are alike, of the second only its last two. */
static void the_first_of_equal_numbers_has_the_gradient(void **state)
{
    (void)state;
    for (size_t i = 0; backend_at(i); i++)
        for (size_t channels = 1; channels <= 16; channels += 15) {
            operation_case c = {.kind = CASE_MAX_POOL,
                                .in = {channels, 2, 4},
                                .batch = 1,
                                .kernel = 2,
                                .stride = 2,
                                .train = true,
                                .threads = 1};
            static const float image[8] = {0, 0, 1, 2, 0, 0, 3, 3}, expected[8] = {5, 0, 0, 0, 0, 0, 7, 0};
            case_numbers numbers;
            operation_run run;
            case_numbers_create(&c, &numbers);
            for (size_t k = 0; k < channels; k++) {
                memcpy(numbers.in + 8 * k, image, sizeof image);
                numbers.out_gradient[2 * k] = 5;
                numbers.out_gradient[2 * k + 1] = 7;
            }
            operation_run_create(backend_at(i), &c, &numbers, &run);
            for (size_t k = 0; k < channels; k++)
                assert_memory_equal(run.in_gradient + 8 * k, expected, sizeof expected);
            operation_run_free(&run);
            case_numbers_free(&numbers);
        }
}

static void dropout_has_the_gradient_of_its_outputs(void **state)
{
    (void)state;
    check((operation_case){.kind = CASE_DROPOUT, .in = {3, 5, 4}, .batch = 2, .rate = 0.4f}, 0.5f, 1e-5);
}

static void cross_entropy_has_the_gradient_of_its_loss(void **state)
{
    (void)state;
    enum { ROWS = 4, CLASSES = 5 };
    int32_t targets[ROWS] = {4, 0, 2, 2};
    float weights[ROWS] = {1, 0.25f, 0, 3}, logits[ROWS * CLASSES], gradient[ROWS * CLASSES];
    const backend *b = backend_find("reference");
    hashed_fill(1, ROWS * CLASSES, logits);
    for (int smooth = 0; smooth < 2; smooth++) {
        cross_entropy_task task = {.batch = ROWS,
                                   .classes = CLASSES,
                                   .rows = 3,
                                   .targets = targets,
                                   .weights = weights,
                                   .smoothing = smooth ? 0.1f : 0};
        b->cross_entropy(&task, logits, gradient);
        for (size_t i = 0; i < ROWS * CLASSES; i++) {
            float middle = logits[i];
            logits[i] = middle + 0.01f;
            double up = logits[i], above = b->cross_entropy(&task, logits, NULL);
            logits[i] = middle - 0.01f;
            double down = logits[i], below = b->cross_entropy(&task, logits, NULL);
            logits[i] = middle;
            assert_near(gradient[i], (above - below) / (up - down), 1e-5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolution_has_the_gradient_of_its_outputs),
        cmocka_unit_test(linear_has_the_gradient_of_its_outputs),
        cmocka_unit_test(batch_norm_has_the_gradient_of_its_outputs),
        cmocka_unit_test(rectifier_and_sum_have_the_gradient_of_their_outputs),
        cmocka_unit_test(pools_have_the_gradient_of_their_outputs),
        cmocka_unit_test(the_first_of_equal_numbers_has_the_gradient),
        cmocka_unit_test(dropout_has_the_gradient_of_its_outputs),
        cmocka_unit_test(cross_entropy_has_the_gradient_of_its_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
