/* The network with one hidden layer: what it learns, and that nothing but seed and subject decides its numbers. */
#include "nn_support.h"

static gbv_model_options mlp_options(void)
{
    gbv_model_options options = gbv_model_defaults();
    options.model = "mlp";
    options.hidden = 16;
    return options;
}

/* The corners of a square, opposite ones alike: no linear model tells them apart. */
static rows four_corners(size_t count)
{
    rows r = rows_create(count, 2);
    random_stream stream = random_stream_open(2, "corners", RANDOM_SPLIT);
    for (size_t i = 0; i < count; i++) {
        bool right = i & 1, top = i & 2;
        r.features[2 * i] = 1000 * ((right ? 1 : -1) + 0.2 * random_normal(&stream)) + 5e5;
        r.features[2 * i + 1] = 1e-3 * ((top ? 1 : -1) + 0.2 * random_normal(&stream));
        r.labels[i] = right == top;
    }
    return r;
}

static void it_learns_what_no_linear_model_can(void **state)
{
    (void)state;
    rows r = four_corners(200);
    gbv_model_options options = mlp_options();
    options.l2 = 1e-3;
    options.learning_rate = 1e-2;
    gbv_model *model = fit_model(rows_sample(&r, NULL), 2, &options);
    double *p = model_probabilities(model, rows_sample(&r, NULL));
    size_t right = 0;
    for (size_t i = 0; i < 200; i++)
        right += p[2 * i + (size_t)r.labels[i]] > 0.5;
    assert_true(right >= 195);
    assert_int_equal(model_feature_count(model), 16);
    free(p);
    gbv_model_free(model);
    rows_free(&r);
}

static void seed_and_subject_decide_and_threads_do_not(void **state)
{
    (void)state;
    rows r = rows_of_classes(3, 70, 9, 3);
    gbv_model_options options = mlp_options();
    options.epochs = 3;
    options.threads = 1;
    gbv_model *first = fit_model(rows_sample(&r, NULL), 3, &options);
    options.threads = 2;
    gbv_model *again = fit_model(rows_sample(&r, NULL), 3, &options);
    gbv_model *inside = NULL;
#pragma omp parallel num_threads(2)
#pragma omp single
    inside = fit_model(rows_sample(&r, NULL), 3, &options);
    options.seed++;
    gbv_model *other = fit_model(rows_sample(&r, NULL), 3, &options);
    size_t bytes = first->parameter_count * sizeof(double);
    assert_memory_equal(first->parameters, again->parameters, bytes);
    assert_memory_equal(first->parameters, inside->parameters, bytes);
    assert_memory_not_equal(first->parameters, other->parameters, bytes);
    options.seed--;
    gbv_error error;
    gbv_model *stranger;
    arena scratch = {0};
    assert_ok(model_fit(rows_sample(&r, NULL), 3, &options, "another", &scratch, &stranger, &error), error);
    assert_memory_not_equal(first->parameters, stranger->parameters, bytes);
    arena_free(&scratch);
    gbv_model_free(first);
    gbv_model_free(again);
    gbv_model_free(inside);
    gbv_model_free(other);
    gbv_model_free(stranger);
    rows_free(&r);
}

static void only_the_proportions_of_weights_matter(void **state)
{
    (void)state;
    rows r = rows_of_classes(4, 50, 4, 2);
    double weights[50], larger[50];
    for (size_t i = 0; i < 50; i++)
        larger[i] = 1024 * (weights[i] = i % 3 ? 0.5 : 2);
    gbv_model_options options = mlp_options();
    options.epochs = 5;
    gbv_model *a = fit_model(rows_sample(&r, weights), 2, &options);
    gbv_model *b = fit_model(rows_sample(&r, larger), 2, &options);
    gbv_model *c = fit_model(rows_sample(&r, NULL), 2, &options);
    assert_near(largest_difference(a->parameters, b->parameters, a->parameter_count), 0, 1e-12);
    assert_true(largest_difference(a->parameters, c->parameters, a->parameter_count) > 1e-4);
    gbv_model_free(a);
    gbv_model_free(b);
    gbv_model_free(c);
    rows_free(&r);
}

static void rows_from_many_parts_are_found(void **state)
{
    (void)state;
    rows r = rows_of_classes(5, 40, 3, 2);
    double ones[40];
    for (size_t i = 0; i < 40; i++)
        ones[i] = 1;
    gbv_model_options options = mlp_options();
    options.epochs = 4;
    gbv_model *whole = fit_model(rows_sample(&r, NULL), 2, &options);
    gbv_model *parts = fit_model(rows_sample(&r, ones), 2, &options);
    assert_memory_equal(whole->parameters, parts->parameters, whole->parameter_count * sizeof(double));
    gbv_model_free(whole);
    gbv_model_free(parts);
    rows_free(&r);
}

static void a_larger_penalty_gives_smaller_weights(void **state)
{
    (void)state;
    rows r = rows_of_classes(6, 60, 5, 3);
    double last = INFINITY;
    for (double l2 = 0; l2 < 2; l2 = l2 == 0 ? 0.1 : l2 * 10) {
        gbv_model_options options = mlp_options();
        options.l2 = l2;
        gbv_model *model = fit_model(rows_sample(&r, NULL), 3, &options);
        double norm = 0;
        for (size_t i = 0; i < model->hidden * model->outputs; i++)
            norm += model->weights[i] * model->weights[i];
        assert_true(norm < last);
        last = norm;
        gbv_model_free(model);
    }
    rows_free(&r);
}

static void few_rows_and_constant_columns_stay_finite(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 3; count += 2) {
        rows r = rows_of_classes(7, count, 4, count);
        for (size_t i = 0; i < count; i++)
            r.features[i * 4] = 7;
        gbv_model_options options = mlp_options();
        gbv_model *model = fit_model(rows_sample(&r, NULL), 3, &options);
        for (size_t h = 0; h < model->hidden; h++)
            assert_true(model->hidden_weights[h] == 0);
        double *p = model_probabilities(model, rows_sample(&r, NULL));
        for (size_t i = 0; i < count; i++)
            assert_true(p[i * model->outputs + i] > 0.5);
        free(p);
        gbv_model_free(model);
        rows_free(&r);
    }
}

static void the_start_of_a_fit_can_be_had_alone(void **state)
{
    (void)state;
    gbv_model_options options = mlp_options();
    options.hidden = 300;
    gbv_model *model, *again, *other, *linear;
    gbv_error error = {0};
    assert_ok(model_start(&options, 200, 10, "a", &model, &error), error);
    assert_ok(model_start(&options, 200, 10, "a", &again, &error), error);
    assert_ok(model_start(&options, 200, 10, "b", &other, &error), error);
    assert_memory_equal(model->parameters, again->parameters, model->parameter_count * sizeof(double));
    assert_memory_not_equal(model->parameters, other->parameters, model->parameter_count * sizeof(double));
    double squares = 0;
    for (size_t i = 0; i < 200 * 300; i++)
        squares += model->hidden_weights[i] * model->hidden_weights[i];
    assert_close(squares / (200 * 300), 2.0 / 200, 0.05);
    for (size_t k = 0; k < 300; k++)
        assert_true(model->hidden_bias[k] == 0);
    gbv_model_free(other);
    options.model = "linear";
    assert_ok(model_start(&options, 200, 10, "a", &linear, &error), error);
    for (size_t i = 0; i < linear->parameter_count; i++)
        assert_true(linear->parameters[i] == 0);
    options.model = "tree";
    assert_int_equal(model_start(&options, 200, 10, "a", &other, NULL), GBV_USAGE);
    gbv_model_free(model), gbv_model_free(again), gbv_model_free(linear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start_of_a_fit_can_be_had_alone),
        cmocka_unit_test(it_learns_what_no_linear_model_can),
        cmocka_unit_test(seed_and_subject_decide_and_threads_do_not),
        cmocka_unit_test(only_the_proportions_of_weights_matter),
        cmocka_unit_test(rows_from_many_parts_are_found),
        cmocka_unit_test(a_larger_penalty_gives_smaller_weights),
        cmocka_unit_test(few_rows_and_constant_columns_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
