/* Training on weighted sources, predicting and evaluating through the public calls. */
#include "nn_support.h"

typedef struct stand {
    float features[2][40][3];
    int32_t labels[2][40];
    gbv_sources *sources;
} stand;

static const char *const animals[] = {"cat", "dog", "emu"};

/* Source "one" has `first` rows of cats and dogs, "two" has `second` rows of all three. */
static stand *stand_create(size_t first, size_t second)
{
    stand *s = calloc(1, sizeof *s);
    random_stream stream = random_stream_open(1, "stand", RANDOM_SPLIT);
    gbv_error error;
    s->sources = gbv_sources_create();
    for (size_t i = 0; i < 2; i++) {
        size_t count = i ? second : first;
        for (size_t row = 0; row < count; row++) {
            s->labels[i][row] = (int32_t)(row % (2 + i));
            for (size_t j = 0; j < 3; j++)
                s->features[i][row][j] = (float)(random_normal(&stream) + 2 * ((size_t)s->labels[i][row] == j));
        }
        gbv_dataset *dataset;
        assert_ok(gbv_dataset_create(i ? "two" : "one", gbv_matrix_f32(&s->features[i][0][0], count, 3), s->labels[i],
                                     animals, 2 + i, &dataset, &error),
                  error);
        assert_ok(gbv_sources_add_dataset(s->sources, i ? "two" : "one", dataset, &error), error);
    }
    return s;
}

static void stand_free(stand *s)
{
    gbv_sources_free(s->sources);
    free(s);
}

static gbv_model *train(const stand *s, const double *weights)
{
    gbv_error error;
    gbv_model *model;
    assert_ok(gbv_train(s->sources, weights, NULL, &model, &error), error);
    return model;
}

/* The gradient of sum_s w_s / sum w * mean over s of CE + l2/2 |W|^2 along the intercepts, which are not penalised and
 * not scaled: it vanishes at the minimum of Eq. 1. */
static double intercept_gradient(const gbv_model *model, const stand *s, const double *weights, const size_t *counts)
{
    double gradient[3] = {0}, total = weights[0] + weights[1], largest = 0;
    for (size_t i = 0; i < 2; i++)
        for (size_t row = 0; row < counts[i]; row++) {
            double p[3], sum = 0;
            for (size_t k = 0; k < model->outputs; k++) {
                p[k] = model->bias[k];
                for (size_t j = 0; j < 3; j++)
                    p[k] += (double)s->features[i][row][j] * model->weights[j * model->outputs + k];
                sum += p[k] = exp(p[k]);
            }
            for (size_t k = 0; k < model->outputs; k++) {
                bool is_it = strcmp(model->class_names[k], animals[s->labels[i][row]]) == 0;
                gradient[k] += weights[i] / total / (double)counts[i] * (p[k] / sum - is_it);
            }
        }
    for (size_t k = 0; k < 3; k++)
        largest = fmax(largest, fabs(gradient[k]));
    return largest;
}

static void each_source_weighs_as_much_as_it_was_given(void **state)
{
    (void)state;
    const size_t counts[] = {10, 36};
    const double weights[] = {0.8, 0.2}, larger[] = {80, 20}, other[] = {0.3, 0.7};
    stand *s = stand_create(counts[0], counts[1]);
    gbv_model *model = train(s, weights), *same = train(s, larger);
    assert_near(intercept_gradient(model, s, weights, counts), 0, 1e-8);
    assert_true(intercept_gradient(model, s, other, counts) > 1e-3);
    assert_near(largest_difference(model->parameters, same->parameters, model->parameter_count), 0, 1e-7);
    gbv_model_free(model);
    gbv_model_free(same);
    stand_free(s);
}

static void pooled_rows_weigh_alike(void **state)
{
    (void)state;
    const size_t counts[] = {10, 36};
    const double by_rows[] = {10, 36};
    stand *s = stand_create(counts[0], counts[1]);
    gbv_model *pooled = train(s, NULL), *weighted = train(s, by_rows);
    assert_near(intercept_gradient(pooled, s, by_rows, counts), 0, 1e-8);
    assert_near(largest_difference(pooled->parameters, weighted->parameters, pooled->parameter_count), 0, 1e-7);
    gbv_model_free(pooled);
    gbv_model_free(weighted);
    stand_free(s);
}

static void a_source_of_weight_zero_is_left_out_with_its_classes(void **state)
{
    (void)state;
    stand *s = stand_create(20, 30);
    gbv_model *model = train(s, (const double[]){1, 0});
    assert_int_equal(gbv_model_class_count(model), 2);
    assert_string_equal(gbv_model_class_name(model, 0), "cat");
    assert_string_equal(gbv_model_class_name(model, 1), "dog");
    gbv_model_free(model);
    stand_free(s);
}

static void wrong_weights_are_refused_with_the_source_named(void **state)
{
    (void)state;
    stand *s = stand_create(10, 10);
    const double wrong[][2] = {{1, -1}, {1, NAN}, {1, INFINITY}, {0, 0}};
    for (size_t i = 0; i < 4; i++) {
        gbv_error error;
        gbv_model *model;
        assert_int_equal(gbv_train(s->sources, wrong[i], NULL, &model, &error), GBV_USAGE);
        assert_null(model);
        if (i < 3)
            assert_non_null(strstr(error.message, "two"));
    }
    stand_free(s);
}

static bool stop(void *context, const char *stage, size_t done, size_t total)
{
    (void)context, (void)stage, (void)done, (void)total;
    return true;
}

static void training_can_be_interrupted(void **state)
{
    (void)state;
    stand *s = stand_create(10, 10);
    gbv_model_options options = gbv_model_defaults();
    options.progress = stop;
    gbv_error error;
    gbv_model *model;
    assert_int_equal(gbv_train(s->sources, NULL, &options, &model, &error), GBV_INTERRUPTED);
    assert_null(model);
    stand_free(s);
}

/* logits = (x, -x): a positive x is a cat. */
static gbv_model *cat_or_dog(void)
{
    rows r = rows_create(4, 1);
    for (size_t i = 0; i < 4; i++) {
        r.features[i] = i < 2 ? 1 : -1;
        r.labels[i] = i >= 2;
    }
    gbv_model_options options = gbv_model_defaults();
    gbv_model *model = fit_model(rows_sample(&r, NULL), 2, &options);
    model->weights[0] = 1;
    model->weights[1] = -1;
    model->bias[0] = model->bias[1] = 0;
    model->class_names = calloc(2, sizeof *model->class_names);
    for (size_t k = 0; k < 2; k++)
        model->class_names[k] = strdup(animals[k]);
    rows_free(&r);
    return model;
}

static void evaluation_agrees_with_counting_by_hand(void **state)
{
    (void)state;
    /* truth: dog cat emu cat dog; predicted: cat cat cat dog dog. The dataset has its classes in another order. */
    const double x[] = {2, 1, 3, -1, -0.5};
    const char *const names[] = {"ant", "dog", "cat"};
    const int32_t labels[] = {1, 2, 0, 2, 1};
    gbv_model *model = cat_or_dog();
    gbv_dataset *dataset;
    gbv_evaluation *e;
    gbv_error error;
    assert_ok(gbv_dataset_create("test", gbv_matrix_f64(x, 5, 1), labels, names, 3, &dataset, &error), error);
    assert_ok(gbv_evaluate(model, dataset, &e, &error), error);
    assert_int_equal(e->rows, 5);
    assert_int_equal(e->class_count, 3);
    assert_string_equal(e->class_names[0], "cat");
    assert_string_equal(e->class_names[1], "dog");
    assert_string_equal(e->class_names[2], "ant");
    assert_near(e->accuracy, 0.4, 1e-15);
    const size_t confusion[] = {1, 1, 0, 1, 1, 0, 1, 0, 0};
    assert_memory_equal(e->confusion, confusion, sizeof confusion);
    double expected = -log1p(exp(4)) - log1p(exp(-2)) + log(1e-12) - log1p(exp(2)) - log1p(exp(-1));
    assert_near(e->mean_log_likelihood, expected / 5, 1e-12);
    double p[10];
    assert_ok(gbv_predict(model, dataset, p, &error), error);
    assert_near(p[0], 1 / (1 + exp(-4)), 1e-15);
    assert_near(p[1], 1 / (1 + exp(4)), 1e-15);
    gbv_evaluation_free(e);
    gbv_dataset_free(dataset);
    gbv_model_free(model);
}

static void datasets_that_do_not_fit_the_model_are_refused(void **state)
{
    (void)state;
    const double x[6] = {0};
    const int32_t labels[] = {0, 1, 0};
    gbv_model *model = cat_or_dog();
    gbv_dataset *wide, *unlabelled;
    gbv_evaluation *e;
    gbv_error error;
    double p[6];
    assert_ok(gbv_dataset_create("wide", gbv_matrix_f64(x, 3, 2), labels, NULL, 0, &wide, &error), error);
    assert_ok(gbv_dataset_create("bare", gbv_matrix_f64(x, 3, 1), NULL, NULL, 0, &unlabelled, &error), error);
    assert_int_equal(gbv_predict(model, wide, p, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "wide"));
    assert_non_null(strstr(error.message, "2 features"));
    assert_int_equal(gbv_evaluate(model, wide, &e, &error), GBV_BAD_INPUT);
    assert_null(e);
    assert_ok(gbv_predict(model, unlabelled, p, &error), error);
    assert_int_equal(gbv_evaluate(model, unlabelled, &e, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "bare"));
    gbv_dataset_free(wide);
    gbv_dataset_free(unlabelled);
    gbv_model_free(model);
}

/* Features are made block by block; a row that cannot be used is told by its number in the dataset. */
static void features_name_the_row_that_is_out_of_range(void **state)
{
    (void)state;
    enum { ROWS = 700, BAD = 650 };
    stand *s = stand_create(40, 40);
    gbv_model *model = train(s, (double[]){1, 1});
    gbv_error error;
    gbv_dataset *dataset;
    double *numbers = calloc(ROWS, 3 * sizeof *numbers);
    float *features = calloc(ROWS, gbv_model_feature_count(model) * sizeof *features);
    numbers[(BAD - 1) * 3] = 1e308;
    for (size_t i = 0; i < model->parameter_count; i++)
        model->parameters[i] *= 100;
    assert_ok(gbv_dataset_create("many", gbv_matrix_f64(numbers, ROWS, 3), NULL, NULL, 0, &dataset, &error), error);
    assert_int_equal(gbv_features(model, dataset, features, NULL, NULL, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "row 650 "));
    gbv_dataset_free(dataset);
    gbv_model_free(model);
    free(numbers), free(features);
    stand_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_source_weighs_as_much_as_it_was_given),
        cmocka_unit_test(pooled_rows_weigh_alike),
        cmocka_unit_test(a_source_of_weight_zero_is_left_out_with_its_classes),
        cmocka_unit_test(wrong_weights_are_refused_with_the_source_named),
        cmocka_unit_test(training_can_be_interrupted),
        cmocka_unit_test(evaluation_agrees_with_counting_by_hand),
        cmocka_unit_test(datasets_that_do_not_fit_the_model_are_refused),
        cmocka_unit_test(features_name_the_row_that_is_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
