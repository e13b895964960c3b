/* test_training_operations.c - what surrounds the layers in a step: pixels, the loss, sums, the optimizer, the places
 * of dropout; of every backend against `reference`, and of `reference` against numbers worked out here. That the
 * optimizers are PyTorch's own is tested in nn/test_golden_steps.c. */
#include "compute/dropout_mask.h"
#include "compute/operation_case.h"

static void assert_alike(const backend *b, const char *what, const float *found, const float *expected, size_t count,
                         double tolerance)
{
    double distance = relative_distance(found, expected, count);
    if (!(distance <= tolerance))
        fail_msg("%s: the %s differ by %g of their norm", b->name, what, distance);
}

static void pixels_are_normalised_alike(void **state)
{
    (void)state;
    static const struct {
        extent of;
        size_t channels;
    } cases[] = {{{3, 5, 7}, 3}, {{3, 5, 7}, 1}, {{1, 28, 28}, 1}, {{4, 3, 2}, 4}, {{16, 2, 3}, 16}, {{16, 2, 3}, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        size_t plane = cases[k].of.height * cases[k].of.width, count = 2 * cases[k].channels * plane;
        size_t made = 2 * extent_count(cases[k].of);
        unsigned char *bytes = malloc(count);
        float *floats = numbers_create(count), *expected = numbers_create(made), *own = numbers_create(made);
        hashed_fill(1, count, floats);
        for (size_t i = 0; i < count; i++)
            bytes[i] = (unsigned char)hashed_bits(2, i);
        image_batch images = {.of = cases[k].of,
                              .channels = cases[k].channels,
                              .mean = {0.485f, 0.456f, 0.406f},
                              .deviation = {0.229f, 0.224f, 0.225f}};
        for (int way = 0; way < 2; way++) {
            images.bytes = way ? NULL : bytes;
            images.floats = way ? floats : NULL;
            for (size_t i = 0; i < made; i++) {
                size_t c = i / plane % images.of.channels, n = i / extent_count(images.of);
                size_t from = (n * images.channels + (images.channels == 1 ? 0 : c)) * plane + i % plane;
                double value = way ? (double)floats[from] : bytes[from] / 255.0;
                expected[i] = (float)((value - images.mean[c % 3]) / images.deviation[c % 3]);
            }
            for (size_t i = 0; backend_at(i); i++)
                for (size_t threads = 1; threads <= 2; threads++) {
                    backend_at(i)->normalise(&images, &(op_setting){.batch = 2, .threads = threads}, own);
                    float *plain = to_plain(backend_at(i), images.of, 2, own);
                    assert_alike(backend_at(i), "pixels", plain, expected, made, 1e-6);
                    free(plain);
                }
        }
        free(bytes);
        free(floats);
        free(expected);
        free(own);
    }
}

/* By the definition, in long double. */
static double plain_cross_entropy(const cross_entropy_task *task, const float *logits, float *gradient)
{
    long double loss = 0;
    for (size_t n = 0; n < task->batch; n++) {
        long double sum = 0, weight = task->weights[n] / (long double)task->rows;
        for (size_t k = 0; k < task->classes; k++)
            sum += expl(logits[n * task->classes + k]);
        for (size_t k = 0; k < task->classes; k++) {
            long double target = task->smoothing / (long double)task->classes, p;
            target += (size_t)task->targets[n] == k ? 1 - task->smoothing : 0;
            p = expl(logits[n * task->classes + k]) / sum;
            gradient[n * task->classes + k] = (float)(weight * (p - target));
            loss -= weight * target * logl(p);
        }
    }
    return (double)loss;
}

static void cross_entropy_is_what_its_definition_says(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{1, 2}, {5, 10}, {3, 200}, {17, 3}, {2, 1}};
    for (size_t k = 0; k < 5; k++)
        for (int smooth = 0; smooth < 2; smooth++) {
            size_t batch = sizes[k][0], classes = sizes[k][1];
            float *logits = numbers_create(batch * classes), *weights = numbers_create(batch);
            float *expected = numbers_create(batch * classes), *found = numbers_create(batch * classes);
            int32_t *targets = calloc(batch, sizeof *targets);
            hashed_fill(1, batch * classes, logits);
            hashed_fill(2, batch, weights);
            for (size_t i = 0; i < batch * classes; i++)
                logits[i] *= 5;
            for (size_t i = 0; i < batch; i++) {
                weights[i] = fabsf(weights[i]) * (i == 2 ? 0 : 1);
                targets[i] = (int32_t)(hashed_bits(3, i) % classes);
            }
            cross_entropy_task task = {.batch = batch,
                                       .classes = classes,
                                       .rows = k % 2 ? (double)batch : 1.5,
                                       .targets = targets,
                                       .weights = weights,
                                       .smoothing = smooth ? 0.2f : 0};
            double loss = plain_cross_entropy(&task, logits, expected);
            for (size_t i = 0; backend_at(i); i++) {
                double by_backend = backend_at(i)->cross_entropy(&task, logits, found);
                assert_near(by_backend, loss, 2e-6 * (1 + fabs(loss)));
                assert_near(backend_at(i)->cross_entropy(&task, logits, NULL), loss, 2e-6 * (1 + fabs(loss)));
                if (classes > 1)
                    assert_alike(backend_at(i), "gradients by the logits", found, expected, batch * classes, 1e-5);
            }
            free(logits);
            free(weights);
            free(expected);
            free(found);
            free(targets);
        }
}

static void padded_rows_do_not_count_whatever_they_hold(void **state)
{
    (void)state;
    float logits[9] = {1, 2, 3, NAN, INFINITY, 0, 3, 2, 1}, weights[3] = {1, 0, 2}, gradient[9], alone[9];
    float without[6] = {1, 2, 3, 3, 2, 1}, both[2] = {1, 2};
    int32_t targets[3] = {0, -1, 1}, live[2] = {0, 1};
    cross_entropy_task padded = {.batch = 3, .classes = 3, .rows = 2, .targets = targets, .weights = weights};
    cross_entropy_task plain = {.batch = 2, .classes = 3, .rows = 2, .targets = live, .weights = both};
    for (size_t i = 0; backend_at(i); i++) {
        double loss = backend_at(i)->cross_entropy(&padded, logits, gradient);
        assert_close(loss, backend_at(i)->cross_entropy(&plain, without, alone), 1e-6);
        for (size_t k = 0; k < 3; k++) {
            assert_true(gradient[3 + k] == 0);
            assert_near(gradient[k], alone[k], 1e-6);
            assert_near(gradient[6 + k], alone[3 + k], 1e-6);
        }
    }
}

static void a_diverged_row_is_seen_in_the_loss(void **state)
{
    (void)state;
    float logits[6] = {1, NAN, 3, 1, 2, 3}, extreme[3] = {-3e38f, 3e38f, 0}, weights[2] = {1, 1}, gradient[6];
    int32_t targets[2] = {0, 0};
    cross_entropy_task task = {.batch = 2, .classes = 3, .rows = 2, .targets = targets, .weights = weights};
    for (size_t i = 0; backend_at(i); i++) {
        task.batch = 2;
        assert_true(isnan(backend_at(i)->cross_entropy(&task, logits, gradient)));
        task.batch = 1;
        assert_true(backend_at(i)->cross_entropy(&task, extreme, gradient) > 1e38);
        assert_near(gradient[1], 0.5, 1e-6);
    }
}

static void sums_of_blocks_agree(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 15, 64, 1003};
    for (size_t k = 0; k < 5; k++)
        for (size_t i = 0; backend_at(i); i++)
            for (size_t threads = 1; threads <= 2; threads++) {
                float *sum = numbers_create(counts[k]), *more = numbers_create(counts[k]);
                hashed_fill(1, counts[k], sum);
                hashed_fill(2, counts[k], more);
                backend_at(i)->accumulate(sum, more, counts[k], threads);
                for (size_t j = 0; j < counts[k]; j++)
                    assert_true(sum[j] == hashed_number(1, j) + hashed_number(2, j));
                free(sum);
                free(more);
            }
}

/* One number by the definitions in PyTorch's documentation, in double. */
static void plain_update(const optimizer_step *s, double *w, double g, double *first, double *second)
{
    if (s->kind == OPTIMIZER_ADAMW)
        *w *= 1 - (double)s->rate * s->decay;
    else
        g += s->decay * *w;
    if (s->kind == OPTIMIZER_SGD) {
        *first = s->step == 1 ? g : s->momentum * *first + g;
        *w -= s->rate * (s->nesterov ? g + s->momentum * *first : *first);
        return;
    }
    *first = s->first_decay * *first + (1 - (double)s->first_decay) * g;
    *second = s->second_decay * *second + (1 - (double)s->second_decay) * g * g;
    double unbiased = *first / (1 - pow(s->first_decay, (double)s->step));
    double unbiased_square = *second / (1 - pow(s->second_decay, (double)s->step));
    *w -= s->rate * unbiased / (sqrt(unbiased_square) + s->epsilon);
}

static void check_optimizer(optimizer_step step, const backend *b, size_t threads)
{
    enum { COUNT = 1003, STEPS = 6 };
    static float w[COUNT] __attribute__((aligned(64))), g[COUNT] __attribute__((aligned(64)));
    static float first[COUNT] __attribute__((aligned(64))), second[COUNT] __attribute__((aligned(64)));
    static float expected[COUNT];
    static double exact[COUNT], exact_first[COUNT], exact_second[COUNT];
    bool sgd = step.kind == OPTIMIZER_SGD;
    hashed_fill(1, COUNT, w);
    for (size_t i = 0; i < COUNT; i++) {
        exact[i] = w[i];
        first[i] = second[i] = 0;
        exact_first[i] = exact_second[i] = 0;
    }
    for (step.step = 1; step.step <= STEPS; step.step++) {
        hashed_fill(10 + step.step, COUNT, g);
        g[0] = 0; /* Adam divides by its root */
        b->update(&step, w, g, first, sgd ? NULL : second, COUNT, threads);
        for (size_t i = 0; i < COUNT; i++)
            plain_update(&step, &exact[i], g[i], &exact_first[i], &exact_second[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        expected[i] = (float)exact[i];
    assert_alike(b, "weights", w, expected, COUNT, 1e-6);
    for (size_t i = 0; i < COUNT; i++)
        expected[i] = (float)exact_first[i];
    assert_alike(b, "first moments", first, expected, COUNT, 1e-6);
    for (size_t i = 0; i < COUNT; i++)
        expected[i] = (float)exact_second[i];
    assert_alike(b, "second moments", second, expected, COUNT, 1e-6);
}

static void optimizers_are_what_their_definitions_say(void **state)
{
    (void)state;
    const optimizer_step adam = {.rate = 0.01f, .first_decay = 0.9f, .second_decay = 0.999f, .epsilon = 1e-8f};
    for (size_t i = 0; backend_at(i); i++)
        for (size_t threads = 1; threads <= 2; threads++) {
            check_optimizer((optimizer_step){.rate = 0.1f}, backend_at(i), threads);
            check_optimizer((optimizer_step){.rate = 0.1f, .decay = 0.05f}, backend_at(i), threads);
            check_optimizer((optimizer_step){.rate = 0.1f, .momentum = 0.9f}, backend_at(i), threads);
            check_optimizer((optimizer_step){.rate = 0.1f, .momentum = 0.9f, .decay = 0.05f, .nesterov = true},
                            backend_at(i), threads);
            optimizer_step step = adam;
            step.kind = OPTIMIZER_ADAM;
            check_optimizer(step, backend_at(i), threads);
            step.decay = 0.1f;
            check_optimizer(step, backend_at(i), threads);
            step.kind = OPTIMIZER_ADAMW;
            check_optimizer(step, backend_at(i), threads);
        }
}

static void dropout_leaves_out_the_share_it_is_told(void **state)
{
    (void)state;
    enum { COUNT = 40000 };
    static float factors[COUNT], others[COUNT];
    static const float rates[] = {0, 0.1f, 0.5f, 0.9f};
    for (size_t k = 0; k < 4; k++) {
        double dropped = 0, alike = 0;
        dropout_factors(7, rates[k], 0, COUNT, factors);
        dropout_factors(8, rates[k], 0, COUNT, others);
        for (size_t i = 0; i < COUNT; i++) {
            assert_true(factors[i] == 0 || factors[i] == 1 / (1 - rates[k]));
            dropped += factors[i] == 0;
            alike += factors[i] == 0 && others[i] == 0;
        }
        assert_near(dropped / COUNT, rates[k], 0.01);
        assert_near(alike / COUNT, rates[k] * rates[k], 0.01); /* other keys leave out others */
    }
}

static void places_of_dropout_do_not_depend_on_who_asks(void **state)
{
    (void)state;
    float whole[103], piece[103];
    dropout_factors(99, 0.5f, 0, 103, whole);
    for (size_t first = 0; first < 103; first += 7) {
        size_t count = 103 - first < 7 ? 103 - first : 7;
        dropout_factors(99, 0.5f, first, count, piece);
        assert_memory_equal(piece, whole + first, count * sizeof *piece);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_are_normalised_alike),
        cmocka_unit_test(cross_entropy_is_what_its_definition_says),
        cmocka_unit_test(padded_rows_do_not_count_whatever_they_hold),
        cmocka_unit_test(a_diverged_row_is_seen_in_the_loss),
        cmocka_unit_test(sums_of_blocks_agree),
        cmocka_unit_test(optimizers_are_what_their_definitions_say),
        cmocka_unit_test(dropout_leaves_out_the_share_it_is_told),
        cmocka_unit_test(places_of_dropout_do_not_depend_on_who_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
