/* The final model inside a valuation: the same as the public door's, with the reference as one more source, and on rows
 * drawn anew. */
#include "nn_support.h"

#include "nn/final.h"

enum { ROWS = 40, COLUMNS = 3 };

typedef struct stand {
    float features[3][ROWS][COLUMNS];
    int32_t labels[3][ROWS]; /* of the sources "one" and "two", then of the reference */
    gbv_sources *sources;
    class_table classes;
    sample_part reference;
} stand;

/* "one" (or another name) has the classes 0 and 1, "two" and the reference all three; `turned` adds "two" first. */
static stand *stand_create(bool turned, const char *first_name)
{
    const char *const names[] = {first_name, "two"};
    stand *s = calloc(1, sizeof *s);
    random_stream stream = random_stream_open(1, "stand", RANDOM_SPLIT);
    gbv_error error;
    s->sources = gbv_sources_create();
    for (size_t i = 0; i < 3; i++)
        for (size_t row = 0; row < ROWS; row++) {
            s->labels[i][row] = (int32_t)(row % (i ? 3 : 2));
            for (size_t j = 0; j < COLUMNS; j++)
                s->features[i][row][j] = (float)(random_normal(&stream) + 2 * ((size_t)s->labels[i][row] == j));
        }
    for (size_t k = 0; k < 2; k++) {
        size_t i = turned ? 1 - k : k;
        gbv_dataset *dataset;
        assert_ok(gbv_dataset_create(names[i], gbv_matrix_f32(&s->features[i][0][0], ROWS, COLUMNS), s->labels[i], NULL,
                                     0, &dataset, &error),
                  error);
        assert_ok(gbv_sources_add_dataset(s->sources, names[i], dataset, &error), error);
    }
    assert_int_equal(sources_fit(NULL, s->sources, &s->classes, NULL, NULL, &error), 0);
    s->reference = (sample_part){.features = gbv_matrix_f32(&s->features[2][0][0], ROWS, COLUMNS),
                                 .labels = s->labels[2],
                                 .count = ROWS,
                                 .row_weight = 1};
    return s;
}

static void stand_free(stand *s)
{
    class_table_free(&s->classes);
    gbv_sources_free(s->sources);
    free(s);
}

static gbv_model *fit_final(const stand *s, bool with_reference, const double *weights, const refit *how)
{
    gbv_model_options options = gbv_model_defaults();
    final_data data = {
        .sources = s->sources, .classes = &s->classes, .reference = with_reference ? &s->reference : NULL};
    arena scratch = {0};
    gbv_error error;
    gbv_model *model;
    assert_ok(final_fit(&data, weights, &options, how, &scratch, &model, &error), error);
    arena_free(&scratch);
    return model;
}

static void assert_same(gbv_model *a, gbv_model *b)
{
    assert_int_equal(a->parameter_count, b->parameter_count);
    assert_near(largest_difference(a->parameters, b->parameters, a->parameter_count), 0, 1e-7);
    gbv_model_free(a);
    gbv_model_free(b);
}

static void it_is_what_the_public_door_trains(void **state)
{
    (void)state;
    stand *s = stand_create(false, "one");
    const double choices[][2] = {{.8, .2}, {1, 0}, {0, 3}};
    for (size_t i = 0; i < 4; i++) {
        const double *weights = i < 3 ? choices[i] : NULL;
        gbv_error error;
        gbv_model *trained, *model = fit_final(s, false, weights, &(refit){0});
        assert_ok(gbv_train(s->sources, weights, NULL, &trained, &error), error);
        assert_int_equal(model->outputs, i == 1 ? 2 : 3);
        assert_memory_equal(trained->parameters, model->parameters, model->parameter_count * sizeof(double));
        gbv_model_free(trained);
        gbv_model_free(model);
    }
    stand_free(s);
}

static void the_reference_is_one_more_source(void **state)
{
    (void)state;
    stand *s = stand_create(false, "one");
    gbv_model_options options = gbv_model_defaults();
    sample alone = {.parts = &s->reference, .part_count = 1, .rows = ROWS, .columns = COLUMNS};
    assert_same(fit_final(s, true, (double[]){0, 0, 2}, &(refit){0}), fit_model(&alone, 3, &options));
    assert_same(fit_final(s, true, (double[]){.6, .4, 0}, &(refit){0}),
                fit_final(s, false, (double[]){.6, .4}, &(refit){0}));
    /* All have as many rows, so that equal sources are equal rows. */
    assert_same(fit_final(s, true, (double[]){1, 1, 1}, &(refit){0}), fit_final(s, true, NULL, &(refit){0}));
    stand_free(s);
}

static void a_path_over_weights_ends_where_each_fit_alone_does(void **state)
{
    (void)state;
    stand *s = stand_create(false, "one");
    fit_shape shape = {0};
    gbv_model *last = NULL;
    for (double first = 0.5; first < 1.1; first += 0.25) {
        const double weights[] = {1 - first, first};
        gbv_model *model = fit_final(s, false, weights, &(refit){.start = last, .shape = &shape});
        gbv_model *alone = fit_final(s, false, weights, &(refit){0});
        assert_near(largest_difference(model->parameters, alone->parameters, model->parameter_count), 0, 1e-6);
        gbv_model_free(alone);
        gbv_model_free(last);
        last = model;
    }
    gbv_model_free(last);
    fit_shape_free(&shape);
    stand_free(s);
}

static void draws_are_keyed_by_the_sources_name(void **state)
{
    (void)state;
    stand *s = stand_create(false, "one"), *turned = stand_create(true, "one");
    const double weights[] = {.7, .3, .5}, swapped[] = {.3, .7, .5};
    assert_same(fit_final(s, true, weights, &(refit){.draw = 1}),
                fit_final(turned, true, swapped, &(refit){.draw = 1}));
    gbv_model *whole = fit_final(s, true, weights, &(refit){0});
    gbv_model *first = fit_final(s, true, weights, &(refit){.draw = 1});
    gbv_model *second = fit_final(s, true, weights, &(refit){.draw = 2});
    stand *renamed = stand_create(false, "uno");
    gbv_model *other = fit_final(renamed, true, weights, &(refit){.draw = 1});
    assert_true(largest_difference(other->parameters, first->parameters, whole->parameter_count) > 0.01);
    gbv_model_free(other);
    stand_free(renamed);
    assert_true(largest_difference(whole->parameters, first->parameters, whole->parameter_count) > 0.01);
    assert_true(largest_difference(second->parameters, first->parameters, whole->parameter_count) > 0.01);
    gbv_model_free(whole);
    gbv_model_free(first);
    gbv_model_free(second);
    stand_free(s);
    stand_free(turned);
}

static void weights_of_nothing_are_refused(void **state)
{
    (void)state;
    stand *s = stand_create(false, "one");
    gbv_model_options options = gbv_model_defaults();
    final_data data = {.sources = s->sources, .classes = &s->classes};
    arena scratch = {0};
    gbv_error error;
    gbv_model *model;
    assert_int_equal(final_fit(&data, (double[]){0, 0}, &options, &(refit){0}, &scratch, &model, &error),
                     GBV_BAD_INPUT);
    assert_null(model);
    arena_free(&scratch);
    stand_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_the_public_door_trains),
        cmocka_unit_test(the_reference_is_one_more_source),
        cmocka_unit_test(a_path_over_weights_ends_where_each_fit_alone_does),
        cmocka_unit_test(draws_are_keyed_by_the_sources_name),
        cmocka_unit_test(weights_of_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
