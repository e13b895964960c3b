/* test_operations.c - every operation of every backend, forward and backward, against the plain loops of `reference`,
 * over sizes that are apt to go wrong: odd and non-square images, channels that fill no vector, kernels larger than
 * the image, single images. test_gradients.c judges `reference` itself. */
#include "compute/operation_case.h"

/* Winograd's transforms lose digits on 3x3 kernels; everything else only sums in another order. */
static double tolerance(const operation_case *c)
{
    return c->kind == CASE_CONVOLUTION && c->kernel == 3 && c->stride == 1 ? 1e-4 : 1e-5;
}

static void compare(const backend *b, const operation_case *c, const char *what, const float *found,
                    const float *expected, size_t count)
{
    assert_int_equal(found != NULL, expected != NULL);
    if (!found)
        return;
    double distance = relative_distance(found, expected, count);
    if (!(distance <= tolerance(c)))
        fail_msg("%s: %s: the %s differ by %g of their norm", b->name, case_text(c), what, distance);
}

static void compare_runs(const backend *b, const operation_case *c, const case_numbers *numbers,
                         const operation_run *found, const operation_run *expected)
{
    compare(b, c, "outputs", found->out, expected->out, numbers->out_count);
    compare(b, c, "gradients by the input", found->in_gradient, expected->in_gradient, numbers->in_count);
    compare(b, c, "gradients by the parameters", found->gradient, expected->gradient, numbers->parameter_count);
    compare(b, c, "gradients of single images", found->samples, expected->samples, c->batch * numbers->parameter_count);
    compare(b, c, "statistics", found->statistics, expected->statistics, numbers->statistic_count);
    if (c->kind == CASE_DROPOUT || c->kind == CASE_RELU || c->kind == CASE_MAX_POOL)
        assert_memory_equal(found->out, expected->out, numbers->out_count * sizeof *found->out);
}

/* On every backend with one and two threads, against the reference with one. */
static void check(operation_case c)
{
    const backend *reference = backend_find("reference");
    case_numbers numbers;
    operation_run found, expected;
    case_numbers_create(&c, &numbers);
    c.threads = 1;
    operation_run_create(reference, &c, &numbers, &expected);
    for (size_t i = 0; backend_at(i); i++)
        for (c.threads = backend_at(i) == reference ? 2 : 1; c.threads <= 2; c.threads++) {
            operation_run_create(backend_at(i), &c, &numbers, &found);
            compare_runs(backend_at(i), &c, &numbers, &found, &expected);
            operation_run_free(&found);
        }
    operation_run_free(&expected);
    case_numbers_free(&numbers);
}

typedef struct window {
    size_t kernel, stride, padding;
} window;

static const extent images[] = {{3, 9, 7},  {16, 8, 8}, {20, 7, 5}, {8, 5, 11},  {32, 4, 4}, {64, 2, 2},
                                {16, 2, 1}, {48, 1, 1}, {5, 1, 3},  {1, 28, 28}, {16, 14, 9}};
enum { IMAGES = sizeof images / sizeof *images };

static bool fits(extent in, window w)
{
    return w.kernel <= in.height + 2 * w.padding && w.kernel <= in.width + 2 * w.padding;
}

static void check_convolutions(window w)
{
    static const size_t outputs[] = {16, 7, 32, 1};
    for (size_t i = 0; i < IMAGES; i++) {
        if (!fits(images[i], w))
            continue;
        operation_case c = {.kind = CASE_CONVOLUTION,
                            .in = images[i],
                            .batch = i % 2 ? 5 : 1,
                            .outputs = outputs[i % 4],
                            .kernel = w.kernel,
                            .stride = w.stride,
                            .padding = w.padding,
                            .bias = i % 3 == 0};
        c.train = true;
        check(c);
        c.keep_all = true;
        if (w.kernel > images[i].height || w.kernel > images[i].width) /* else all taps have a place anyway */
            check(c);
        c.train = c.keep_all = false;
        check(c);
        c.bias = i % 2;
        c.adds = true;
        c.relu = true;
        check(c);
        c.adds = i % 4 < 2;
        c.relu = !c.adds;
        check(c);
    }
}

static void convolutions_of_kernel_1_agree(void **state)
{
    (void)state;
    check_convolutions((window){1, 1, 0});
    check_convolutions((window){1, 2, 0});
}

static void convolutions_of_kernel_3_agree(void **state)
{
    (void)state;
    check_convolutions((window){3, 1, 1});
    check_convolutions((window){3, 2, 1});
    check_convolutions((window){3, 1, 0});
    check_convolutions((window){3, 2, 2});
}

static void convolutions_of_larger_kernels_agree(void **state)
{
    (void)state;
    check_convolutions((window){5, 1, 2});
    check_convolutions((window){5, 2, 1});
    check_convolutions((window){7, 2, 3});
    check_convolutions((window){2, 2, 0});
    check_convolutions((window){4, 3, 3});
}

static void convolutions_as_resnets_have_them_agree(void **state)
{
    (void)state;
    static const struct {
        extent in;
        size_t outputs;
        window w;
    } shapes[] = {{{3, 32, 32}, 64, {7, 2, 3}}, {{64, 8, 8}, 64, {3, 1, 1}},   {{64, 8, 8}, 128, {1, 2, 0}},
                  {{64, 7, 7}, 32, {3, 1, 1}},  {{64, 16, 16}, 16, {3, 1, 1}}, {{128, 2, 2}, 128, {3, 1, 1}},
                  {{128, 2, 2}, 64, {3, 2, 1}}, {{128, 1, 1}, 128, {3, 1, 1}}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check((operation_case){.kind = CASE_CONVOLUTION,
                               .in = shapes[i].in,
                               .batch = 4,
                               .outputs = shapes[i].outputs,
                               .kernel = shapes[i].w.kernel,
                               .stride = shapes[i].w.stride,
                               .padding = shapes[i].w.padding,
                               .train = true});
}

/* Where the backend has no place for a number, no output may depend on it; and what it has comes back as it went in. */
static void weights_come_back_as_they_went_in(void **state)
{
    (void)state;
    static const window windows[] = {{3, 1, 1}, {3, 2, 1}, {5, 1, 2}, {7, 2, 3}, {1, 1, 0}};
    for (size_t i = 0; backend_at(i); i++)
        for (size_t k = 0; k < IMAGES * 5 * 2; k++) {
            window w = windows[k / 2 % 5];
            operation_case c = {.kind = CASE_CONVOLUTION,
                                .in = images[k / 10],
                                .batch = 2,
                                .outputs = 24,
                                .kernel = w.kernel,
                                .stride = w.stride,
                                .padding = w.padding,
                                .bias = true,
                                .train = true,
                                .keep_all = k % 2,
                                .threads = 1};
            if (!fits(c.in, w))
                continue;
            gbv_error error;
            op *o;
            case_numbers numbers;
            operation_run judge;
            case_numbers_create(&c, &numbers);
            operation_run_create(backend_find("reference"), &c, &numbers, &judge);
            assert_ok(case_prepare(backend_at(i), &c, &o, &error), error);
            float *own = numbers_create(o->parameter_count), *back = numbers_create(o->plain_count);
            load_parameters(o, numbers.parameters, own);
            for (size_t j = 0; j < o->plain_count; j++)
                back[j] = NAN;
            store_parameters(o, own, back);
            for (size_t j = 0; j < o->plain_count; j++) {
                if (back[j] == numbers.parameters[j])
                    continue;
                assert_true(isnan(back[j]));
                assert_false(c.keep_all);
                assert_true(judge.gradient[j] == 0);
            }
            o->close(o);
            free(own);
            free(back);
            operation_run_free(&judge);
            case_numbers_free(&numbers);
        }
}

static void batch_norms_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < IMAGES; i++)
        for (int way = 0; way < 6; way++)
            check((operation_case){.kind = CASE_BATCH_NORM,
                                   .in = images[i],
                                   .batch = i % 2 ? 5 : 4,
                                   .relu = way % 2,
                                   .frozen = way / 2 == 1,
                                   .train = way / 2 < 2});
    check((operation_case){.kind = CASE_BATCH_NORM, .in = {16, 3, 3}, .batch = 1, .train = true});
    check((operation_case){.kind = CASE_BATCH_NORM, .in = {16, 1, 1}, .batch = 1, .train = true});
    check((operation_case){.kind = CASE_BATCH_NORM, .in = {7, 1, 1}, .batch = 1, .train = true, .relu = true});
}

static void rectifiers_sums_and_dropout_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < IMAGES; i++)
        for (int way = 0; way < 4; way++) {
            operation_case c = {.in = images[i], .batch = i % 2 ? 5 : 1, .train = way % 2, .in_place = way / 2};
            c.kind = CASE_RELU;
            check(c);
            c.kind = CASE_ADD;
            check(c);
            c.relu = true;
            check(c);
            c.kind = CASE_DROPOUT;
            c.relu = false;
            c.rate = 0.3f;
            check(c);
            c.rate = 0;
            check(c);
        }
}

static void pools_agree(void **state)
{
    (void)state;
    static const window windows[] = {{3, 2, 1}, {2, 2, 0}, {3, 1, 1}, {2, 1, 1}, {3, 3, 0}, {5, 2, 2}};
    for (size_t i = 0; i < IMAGES; i++)
        for (size_t k = 0; k < 6; k++)
            for (int way = 0; way < 4; way++) {
                operation_case c = {.kind = CASE_MAX_POOL,
                                    .in = images[i],
                                    .batch = i % 2 ? 5 : 1,
                                    .kernel = windows[k].kernel,
                                    .stride = windows[k].stride,
                                    .padding = windows[k].padding,
                                    .whole = way / 2,
                                    .train = way % 2};
                if (fits(images[i], windows[k]))
                    check(c);
                c.kind = CASE_MEAN_POOL;
                if (k == 0)
                    check(c);
            }
}

static void linear_layers_agree(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{512, 10}, {784, 64}, {1, 1}, {7, 3}, {33, 200}};
    for (size_t i = 0; i < 5; i++)
        for (int way = 0; way < 4; way++)
            check((operation_case){.kind = CASE_LINEAR,
                                   .in = {sizes[i][0], 1, 1},
                                   .outputs = sizes[i][1],
                                   .batch = way / 2 ? 5 : 1,
                                   .train = way % 2});
}

static void both_orders_hold_the_same_numbers(void **state)
{
    (void)state;
    for (size_t b = 0; backend_at(b); b++)
        for (size_t i = 0; i < IMAGES; i++) {
            size_t count = 3 * extent_count(images[i]);
            float *plain = numbers_create(count);
            hashed_fill(1, count, plain);
            float *own = to_own(backend_at(b), images[i], 3, plain);
            float *back = to_plain(backend_at(b), images[i], 3, own);
            assert_memory_equal(back, plain, count * sizeof *plain);
            if (images[i].height * images[i].width == 1)
                assert_memory_equal(own, plain, count * sizeof *plain);
            free(plain);
            free(own);
            free(back);
        }
}

static void sizes_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const operation_case wrong[] = {
        {.kind = CASE_CONVOLUTION, .in = {3, 2, 2}, .outputs = 4, .kernel = 5, .stride = 1, .batch = 1, .threads = 1},
        {.kind = CASE_CONVOLUTION, .in = {3, 2, 2}, .outputs = 0, .kernel = 1, .stride = 1, .batch = 1, .threads = 1},
        {.kind = CASE_CONVOLUTION, .in = {3, 2, 2}, .outputs = 4, .kernel = 0, .stride = 1, .batch = 1, .threads = 1},
        {.kind = CASE_CONVOLUTION, .in = {3, 2, 2}, .outputs = 4, .kernel = 1, .stride = 0, .batch = 1, .threads = 1},
        {.kind = CASE_CONVOLUTION, .in = {3, 2, 2}, .outputs = 4, .kernel = 1, .stride = 1, .batch = 0, .threads = 1},
        {.kind = CASE_CONVOLUTION, .in = {0, 2, 2}, .outputs = 4, .kernel = 1, .stride = 1, .batch = 1, .threads = 1},
        {.kind = CASE_CONVOLUTION,
         .in = {3, 2, 2},
         .outputs = 4,
         .kernel = 1,
         .stride = 1,
         .batch = 1,
         .threads = 1,
         .train = true,
         .relu = true},
        {.kind = CASE_MAX_POOL, .in = {3, 4, 4}, .kernel = 2, .stride = 2, .padding = 2, .batch = 1, .threads = 1},
        {.kind = CASE_MAX_POOL, .in = {3, 4, 4}, .kernel = 5, .stride = 2, .batch = 1, .threads = 1},
        {.kind = CASE_BATCH_NORM, .in = {3, 0, 4}, .batch = 1, .threads = 1},
        {.kind = CASE_RELU, .in = {1 << 20, 1 << 20, 1 << 20}, .batch = 1 << 20, .threads = 1},
        {.kind = CASE_LINEAR, .in = {3, 1, 1}, .outputs = 0, .batch = 1, .threads = 1},
        {.kind = CASE_DROPOUT, .in = {3, 1, 1}, .rate = 1, .batch = 1, .threads = 1},
        {.kind = CASE_DROPOUT, .in = {3, 1, 1}, .rate = NAN, .batch = 1, .threads = 1},
    };
    for (size_t b = 0; backend_at(b); b++)
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            op *o = NULL;
            gbv_error error = {0};
            if (case_prepare(backend_at(b), &wrong[i], &o, &error) != GBV_USAGE)
                fail_msg("%s takes a %s", backend_at(b)->name, case_text(&wrong[i]));
            assert_true(error.message[0]);
        }
}

static void backends_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(backend_find(NULL), backend_at(0));
    assert_ptr_equal(backend_find("auto"), backend_at(0));
    assert_string_equal(backend_find("reference")->name, "reference");
    assert_null(backend_find("abacus"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_of_kernel_1_agree),
        cmocka_unit_test(convolutions_of_kernel_3_agree),
        cmocka_unit_test(convolutions_of_larger_kernels_agree),
        cmocka_unit_test(convolutions_as_resnets_have_them_agree),
        cmocka_unit_test(weights_come_back_as_they_went_in),
        cmocka_unit_test(batch_norms_agree),
        cmocka_unit_test(rectifiers_sums_and_dropout_agree),
        cmocka_unit_test(pools_agree),
        cmocka_unit_test(linear_layers_agree),
        cmocka_unit_test(both_orders_hold_the_same_numbers),
        cmocka_unit_test(sizes_that_make_no_sense_are_refused),
        cmocka_unit_test(backends_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
