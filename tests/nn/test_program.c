/* A program does what its layers say: the gradients of whole nets, on every backend, agree with differences of the
 * loss; without training the folded net computes the same; what single images add to a gradient adds up to it. */
#include "nn/program.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"

enum { BATCH = 3, CLASSES = 4 };

/* A net with all that makes gradients meet: a residual block with and one without a convolution on the way past it, and
 * a tensor that three layers read. Without rectifiers and maxima the loss is smooth. */
static net *residual_net(bool smooth, double dropout)
{
    net *n = net_empty("cnn", 2);
    size_t a = net_add(n, (layer){.kind = LAYER_CONVOLUTION, .name = "a", .convolution = {6, 3, 1, 1, .bias = true}});
    size_t b = net_add(n, (layer){.kind = LAYER_BATCH_NORM, .name = "b", .input = a, .batch_norm = {.relu = !smooth}});
    if (!smooth)
        b = net_add(n, (layer){.kind = LAYER_MAX_POOL, .input = b, .max_pool = {3, 2, 1}});
    size_t c =
        net_add(n, (layer){.kind = LAYER_CONVOLUTION, .name = "c", .input = b, .convolution = {6, 3, 1, 1, false}});
    size_t d = net_add(n, (layer){.kind = LAYER_BATCH_NORM, .name = "d", .input = c});
    size_t e = net_add(n, (layer){.kind = LAYER_ADD, .input = d, .add = {.other = b, .relu = !smooth}});
    if (dropout > 0)
        e = net_add(n, (layer){.kind = LAYER_DROPOUT, .input = e, .dropout = {dropout}});
    size_t s =
        net_add(n, (layer){.kind = LAYER_CONVOLUTION, .name = "s", .input = e, .convolution = {8, 1, 2, 0, false}});
    size_t t = net_add(n, (layer){.kind = LAYER_BATCH_NORM, .name = "t", .input = s});
    size_t f =
        net_add(n, (layer){.kind = LAYER_CONVOLUTION, .name = "f", .input = e, .convolution = {8, 3, 2, 1, false}});
    size_t g = net_add(n, (layer){.kind = LAYER_BATCH_NORM, .name = "g", .input = f});
    size_t h = net_add(n, (layer){.kind = LAYER_ADD, .input = g, .add = {.other = t, .relu = !smooth}});
    size_t i = net_add(n, (layer){.kind = LAYER_ADD, .input = h, .add = {.other = t}});
    size_t j = net_add(n, (layer){.kind = LAYER_MEAN_POOL, .input = i});
    net_add(n, (layer){.kind = LAYER_LINEAR, .name = "fc", .input = j, .linear = {CLASSES}});
    assert_int_equal(net_close(n, NULL), GBV_OK);
    return n;
}

typedef struct fixture {
    net *n;
    net_values values;
    program *p;
    float *pixels;
    int32_t targets[BATCH];
    float weights[BATCH];
} fixture;

static fixture open(net *n, program_options options)
{
    fixture f = {.n = n, .targets = {1, 3, 0}, .weights = {1, 0.5f, 2}};
    gbv_error error;
    options.in = (extent){n->channels, 7, 5};
    options.batch = BATCH;
    assert_int_equal(net_values_create(n, &f.values, &error), GBV_OK);
    net_initialise(n, 3, "test", 0, &f.values);
    random_stream stream = random_stream_open(5, "values", RANDOM_WEIGHTS);
    for (size_t i = 0; i < n->parameter_count; i++) /* gains and shifts that differ, too */
        f.values.parameters[i] += 0.2f * (float)random_normal(&stream);
    for (size_t i = 0; i < n->statistic_count; i++)
        f.values.statistics[i] += 0.3f * (float)random_uniform(&stream);
    if (program_compile(n, &options, &f.p, &error) != GBV_OK)
        fail_msg("%s", error.message);
    size_t count = BATCH * extent_count(options.in);
    f.pixels = malloc(count * sizeof *f.pixels);
    for (size_t i = 0; i < count; i++)
        f.pixels[i] = (float)random_normal(&stream);
    program_load(f.p, &f.values);
    return f;
}

static void close_all(fixture *f)
{
    program_free(f->p);
    net_values_free(&f->values);
    free(f->pixels);
}

static double loss_of(fixture *f)
{
    program_load(f->p, &f->values); /* statistics, too */
    program_images(f->p, &(image_batch){.floats = f->pixels,
                                        .of = {f->n->channels, 7, 5},
                                        .channels = f->n->channels,
                                        .deviation = {1, 1, 1}});
    program_forward(f->p, 9);
    return program_loss(
        f->p, (cross_entropy_task){.rows = BATCH, .targets = f->targets, .weights = f->weights, .smoothing = 0.1f});
}

/* Along random directions, because single numbers drown in the rounding of single precision. */
static void check_gradient(fixture *f, const char *what, double tolerance)
{
    size_t count = f->n->parameter_count;
    float *gradient = calloc(count, sizeof *gradient), *kept = malloc(count * sizeof *kept);
    loss_of(f);
    program_backward(f->p);
    program_store_gradient(f->p, gradient);
    memcpy(kept, f->values.parameters, count * sizeof *kept);
    random_stream stream = random_stream_open(11, "direction", RANDOM_WEIGHTS);
    for (const net_tensor *t = f->n->tensors; t < f->n->tensors + f->n->tensor_count; t++) {
        double along = 0, norm = 0, step = 1e-2;
        if (t->statistic)
            continue;
        float *direction = malloc(t->count * sizeof *direction);
        for (size_t i = 0; i < t->count; i++) {
            direction[i] = (float)(random_normal(&stream) / sqrt((double)t->count));
            along += (double)direction[i] * gradient[t->offset + i];
            norm += (double)gradient[t->offset + i] * gradient[t->offset + i];
        }
        double sides[2];
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < t->count; i++)
                f->values.parameters[t->offset + i] = kept[t->offset + i] + (float)(side ? -step : step) * direction[i];
            sides[side] = loss_of(f);
            memcpy(f->values.parameters, kept, count * sizeof *kept);
        }
        double difference = (sides[0] - sides[1]) / (2 * step);
        if (!(fabs(difference - along) <= tolerance * (fabs(along) + sqrt(norm / (double)t->count)) + 3e-5))
            fail_msg("%s: %s: the gradient says %g, differences %g", what, t->name, along, difference);
        free(direction);
    }
    free(gradient);
    free(kept);
}

static void gradients_of_a_smooth_net_agree_with_differences(void **state)
{
    (void)state;
    for (size_t b = 0; backend_at(b); b++)
        for (int dropped = 0; dropped < 2; dropped++)
            for (int frozen = 0; frozen < 2; frozen++)
                for (int samples = 0; samples < 2; samples++) {
                    net *n = residual_net(true, dropped ? 0.3 : 0);
                    fixture f =
                        open(n, (program_options){
                                    .backend = backend_at(b), .train = true, .frozen = frozen, .samples = samples});
                    check_gradient(&f, backend_at(b)->name, 5e-3);
                    close_all(&f);
                    net_free(n);
                }
}

/* What one backend computes another does, also with rectifiers and maxima. */
static void gradients_of_backends_agree(void **state)
{
    (void)state;
    net *n = residual_net(false, 0);
    float *judge = NULL;
    double judged = 0;
    for (size_t b = 0; backend_at(b); b++)
        for (size_t threads = 1; threads <= 2; threads++) {
            fixture f = open(n, (program_options){.backend = backend_at(b), .train = true, .threads = threads});
            float *gradient = calloc(n->parameter_count, sizeof *gradient);
            double loss = loss_of(&f), distance = 0, norm = 0;
            program_backward(f.p);
            program_store_gradient(f.p, gradient);
            for (size_t i = 0; judge && i < n->parameter_count; i++) {
                distance += pow((double)gradient[i] - judge[i], 2);
                norm += pow(judge[i], 2);
            }
            if (judge && (distance > 1e-10 * norm || fabs(loss - judged) > 1e-5 * fabs(judged)))
                fail_msg("%s, %zu threads: gradient off by %g of %g, loss %g of %g", backend_at(b)->name, threads,
                         sqrt(distance), sqrt(norm), loss, judged);
            if (!judge) {
                judge = gradient;
                judged = loss;
            } else
                free(gradient);
            close_all(&f);
        }
    free(judge);
    net_free(n);
}

static void the_folded_net_computes_the_same(void **state)
{
    (void)state;
    for (size_t b = 0; backend_at(b); b++) {
        net *n = residual_net(false, 0.5);
        fixture frozen = open(n, (program_options){.backend = backend_at(b), .train = true, .frozen = true});
        fixture folded = open(n, (program_options){.backend = backend_at(b)});
        net *without = residual_net(false, 0); /* dropout must not count */
        fixture plain = open(without, (program_options){.backend = backend_at(b), .train = true, .frozen = true});
        loss_of(&folded);
        loss_of(&plain);
        loss_of(&frozen);
        for (size_t i = 0; i < BATCH * CLASSES; i++)
            assert_true(fabsf(program_logits(folded.p)[i] - program_logits(plain.p)[i]) < 2e-5f);
        for (size_t i = 0; i < BATCH * n->feature_count; i++)
            assert_true(fabsf(program_features(folded.p)[i] - program_features(plain.p)[i]) < 2e-5f);
        assert_memory_not_equal(program_logits(frozen.p), program_logits(plain.p), sizeof(float) * BATCH * CLASSES);
        close_all(&frozen);
        close_all(&folded);
        close_all(&plain);
        net_free(n);
        net_free(without);
    }
}

static void what_single_images_add_is_the_gradient(void **state)
{
    (void)state;
    for (size_t b = 0; backend_at(b); b++) {
        net *n = residual_net(false, 0);
        fixture f =
            open(n, (program_options){.backend = backend_at(b), .train = true, .frozen = true, .samples = true});
        float *gradient = calloc(n->parameter_count, sizeof *gradient);
        loss_of(&f);
        program_backward(f.p);
        program_store_gradient(f.p, gradient);
        for (size_t l = 0; l < n->layer_count; l++) {
            size_t offset = SIZE_MAX, count = 0;
            for (const net_tensor *t = n->tensors; t < n->tensors + n->tensor_count; t++)
                if (t->layer == l && !t->statistic) {
                    offset = t->offset < offset ? t->offset : offset;
                    count += t->count;
                }
            layer_kind kind = n->layers[l].kind;
            bool weighted = kind == LAYER_CONVOLUTION || kind == LAYER_LINEAR;
            float *each = calloc(BATCH * (count + 1), sizeof *each);
            assert_int_equal(program_sample_gradients(f.p, l, 0, BATCH, each), weighted);
            for (size_t i = 0; weighted && i < count; i++) {
                float sum = each[i] + each[count + i] + each[2 * count + i];
                if (fabsf(sum - gradient[offset + i]) > 1e-5f + 1e-4f * fabsf(sum))
                    fail_msg("%s: layer %zu, number %zu: %g and %g", backend_at(b)->name, l, i, sum,
                             gradient[offset + i]);
            }
            free(each);
        }
        free(gradient);
        close_all(&f);
        net_free(n);
    }
}

static void values_and_moments_come_back_as_they_went(void **state)
{
    (void)state;
    for (size_t b = 0; backend_at(b); b++) {
        net *n = residual_net(false, 0);
        fixture f = open(n, (program_options){.backend = backend_at(b), .train = true});
        size_t count = n->parameter_count;
        float *first = calloc(count, sizeof *first), *second = calloc(count, sizeof *second);
        net_values back;
        optimizer_step step = {.kind = OPTIMIZER_ADAM,
                               .rate = 0.01f,
                               .first_decay = 0.9f,
                               .second_decay = 0.999f,
                               .epsilon = 1e-8f,
                               .step = 1};
        assert_int_equal(net_values_create(n, &back, NULL), GBV_OK);
        program_store(f.p, &back);
        assert_memory_equal(back.parameters, f.values.parameters, count * sizeof(float));
        assert_memory_equal(back.statistics, f.values.statistics, n->statistic_count * sizeof(float));
        loss_of(&f);
        program_backward(f.p);
        program_update(f.p, &step, true);
        program_store(f.p, &f.values);
        program_store_moments(f.p, first, second);
        /* A second step from what was stored is the second step. */
        fixture again = open(n, (program_options){.backend = backend_at(b), .train = true});
        memcpy(again.values.parameters, f.values.parameters, count * sizeof(float));
        memcpy(again.values.statistics, f.values.statistics, n->statistic_count * sizeof(float));
        program_load_moments(again.p, first, second);
        step.step = 2;
        for (int i = 0; i < 2; i++) {
            fixture *of = i ? &again : &f;
            assert_true(isfinite(loss_of(of)));
            program_backward(of->p);
            program_update(of->p, &step, true);
            program_store(of->p, &of->values);
        }
        assert_memory_equal(again.values.parameters, f.values.parameters, count * sizeof(float));
        free(first);
        free(second);
        net_values_free(&back);
        close_all(&f);
        close_all(&again);
        net_free(n);
    }
}

static void images_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    gbv_error error;
    net *n = net_empty("cnn", 1);
    size_t a = net_add(n, (layer){.kind = LAYER_CONVOLUTION, .name = "a", .convolution = {6, 5, 1, 0, false}});
    size_t b = net_add(n, (layer){.kind = LAYER_MEAN_POOL, .input = a});
    net_add(n, (layer){.kind = LAYER_LINEAR, .name = "fc", .input = b, .linear = {2}});
    assert_int_equal(net_close(n, NULL), GBV_OK);
    program *p;
    program_options options = {.backend = backend_find("reference"), .batch = 1, .in = {1, 4, 9}};
    assert_int_equal(program_compile(n, &options, &p, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "9 x 4 pixels are too small"));
    options.in = (extent){3, 9, 9};
    assert_int_equal(program_compile(n, &options, &p, &error), GBV_BAD_INPUT);
    net_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_a_smooth_net_agree_with_differences),
        cmocka_unit_test(gradients_of_backends_agree),
        cmocka_unit_test(the_folded_net_computes_the_same),
        cmocka_unit_test(what_single_images_add_is_the_gradient),
        cmocka_unit_test(values_and_moments_come_back_as_they_went),
        cmocka_unit_test(images_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
