/* Fits that follow on another: the minimum stays where it is, whatever they start from and share. */
#include "nn_support.h"

#include "nn/kind.h"

static gbv_model *follow(const sample *data, size_t classes, const gbv_model_options *options, const refit *how)
{
    gbv_error error;
    gbv_model *model;
    arena scratch = {0};
    plan p = plan_begin(0);
    assert_ok(model_refit(data, classes, options, "subject", how, &scratch, &model, &error), error);
    plan_end(p);
    arena_free(&scratch);
    return model;
}

/* The rows drawn anew, as a sample that lives until the next call. */
static const sample *drawn_sample(const rows *r, uint32_t draw, arena *scratch)
{
    static sample_part part;
    static sample data;
    random_stream stream = random_stream_open_draw(1, "subject", RANDOM_DRAW, draw);
    assert_true(sample_part_draw(r->parts, &stream, false, scratch, &part));
    data = (sample){.parts = &part, .part_count = 1, .rows = part.count, .columns = r->columns};
    return &data;
}

/* More rows than features, fewer, and more that become fewer by drawing; the last has classes that may vanish. */
static const struct {
    size_t rows, columns, classes;
} cases[] = {{200, 7, 3}, {40, 90, 4}, {60, 50, 3}, {30, 4, 12}};

enum { CASES = sizeof cases / sizeof *cases };

static void the_start_and_the_shape_do_not_move_the_minimum(void **state)
{
    (void)state;
    gbv_model_options options = gbv_model_defaults();
    for (size_t c = 0; c < CASES; c++) {
        rows r = rows_of_classes(c, cases[c].rows, cases[c].columns, cases[c].classes);
        fit_shape shape = {0};
        gbv_model *plain = fit_model(rows_sample(&r, NULL), cases[c].classes, &options);
        gbv_model *first = follow(rows_sample(&r, NULL), cases[c].classes, &options, &(refit){.shape = &shape});
        assert_memory_equal(plain->parameters, first->parameters, plain->parameter_count * sizeof(double));
        assert_int_equal(shape.width, cases[c].rows > cases[c].columns ? cases[c].columns : 0);
        for (uint32_t draw = 1; draw < 4; draw++) {
            arena scratch = {0};
            const sample *data = drawn_sample(&r, draw, &scratch);
            gbv_model *cold = follow(data, cases[c].classes, &options, &(refit){0});
            gbv_model *warm = follow(data, cases[c].classes, &options, &(refit){.start = first, .shape = &shape});
            assert_int_equal(cold->outputs, warm->outputs);
            assert_memory_equal(cold->classes, warm->classes, cold->outputs * sizeof *cold->classes);
            assert_near(largest_difference(cold->parameters, warm->parameters, cold->parameter_count), 0, 1e-6);
            gbv_model_free(cold);
            gbv_model_free(warm);
            arena_free(&scratch);
        }
        fit_shape_free(&shape);
        gbv_model_free(plain);
        gbv_model_free(first);
        rows_free(&r);
    }
}

static bool count_steps(void *context, const char *stage, size_t done, size_t total)
{
    (void)stage, (void)total;
    *(size_t *)context = done + 1;
    return false;
}

static void a_fit_started_at_its_minimum_is_done_at_once(void **state)
{
    (void)state;
    size_t steps;
    gbv_model_options options = gbv_model_defaults();
    options.progress = count_steps;
    options.context = &steps;
    for (size_t c = 0; c < CASES; c++) {
        rows r = rows_of_classes(c, cases[c].rows, cases[c].columns, cases[c].classes);
        for (size_t i = 0; i < r.count * r.columns; i++) /* so that scaling matters */
            r.features[i] = 100 * r.features[i] + 300;
        gbv_model *first = fit_model(rows_sample(&r, NULL), cases[c].classes, &options);
        assert_true(steps > 10);
        steps = 0;
        gbv_model *again = follow(rows_sample(&r, NULL), cases[c].classes, &options, &(refit){.start = first});
        assert_true(steps <= 2);
        gbv_model_free(first);
        gbv_model_free(again);
        rows_free(&r);
    }
}

static void the_start_is_taken_class_by_class(void **state)
{
    (void)state;
    size_t steps = 0;
    gbv_model_options options = gbv_model_defaults();
    options.progress = count_steps;
    options.context = &steps;
    rows r = rows_of_classes(6, 60, 5, 2);
    for (size_t i = 0; i < r.count; i++)
        r.labels[i] *= 2; /* classes 0 and 2 of three */
    gbv_model *fitted = fit_model(rows_sample(&r, NULL), 3, &options);
    gbv_model *start = model_create(model_kind_find("linear"), 5, 0, 3);
    for (size_t k = 0; k < 3; k++) {
        for (size_t j = 0; j < 5; j++)
            start->weights[j * 3 + k] = k == 1 ? 7 : fitted->weights[j * 2 + k / 2];
        start->bias[k] = k == 1 ? 7 : fitted->bias[k / 2];
    }
    steps = 0;
    gbv_model *again = follow(rows_sample(&r, NULL), 3, &options, &(refit){.start = start});
    assert_true(steps <= 2);
    gbv_model_free(fitted);
    gbv_model_free(start);
    gbv_model_free(again);
    rows_free(&r);
}

static void a_rough_refit_leaves_little_of_the_way(void **state)
{
    (void)state;
    gbv_model_options options = gbv_model_defaults();
    for (size_t c = 0; c < 3; c++) {
        rows r = rows_of_classes(c, cases[c].rows, cases[c].columns, cases[c].classes);
        fit_shape shape = {0};
        arena scratch = {0};
        const sample *whole = rows_sample(&r, NULL);
        gbv_model *start = follow(whole, cases[c].classes, &options, &(refit){.shape = &shape});
        const sample *data = drawn_sample(&r, 1, &scratch);
        gbv_model *exact = follow(data, cases[c].classes, &options, &(refit){0});
        gbv_model *rough =
            follow(data, cases[c].classes, &options, &(refit){.start = start, .shape = &shape, .rough = true});
        double *before = model_probabilities(start, whole), *after = model_probabilities(exact, whole);
        double *near = model_probabilities(rough, whole);
        size_t count = whole->rows * cases[c].classes;
        double way = largest_difference(before, after, count), left = largest_difference(near, after, count);
        assert_true(way > 0.01 && left < 0.03 * way && left > 0);
        free(before);
        free(after);
        free(near);
        gbv_model_free(start);
        gbv_model_free(exact);
        gbv_model_free(rough);
        fit_shape_free(&shape);
        arena_free(&scratch);
        rows_free(&r);
    }
}

static void a_rough_fit_recovers_from_a_poor_start(void **state)
{
    (void)state;
    gbv_model_options options = gbv_model_defaults();
    rows r = rows_of_classes(7, 200, 8, 3);
    gbv_model *exact = fit_model(rows_sample(&r, NULL), 3, &options);
    gbv_model *start = fit_model(rows_sample(&r, NULL), 3, &options);
    for (size_t i = 0; i < start->parameter_count; i++)
        start->parameters[i] *= i % 2 ? -1e4 : 1e4;
    gbv_model *rough = follow(rows_sample(&r, NULL), 3, &options, &(refit){.start = start, .rough = true});
    double *a = model_probabilities(exact, rows_sample(&r, NULL));
    double *b = model_probabilities(rough, rows_sample(&r, NULL));
    assert_near(largest_difference(a, b, 600), 0, 0.02);
    free(a);
    free(b);
    gbv_model_free(exact);
    gbv_model_free(start);
    gbv_model_free(rough);
    rows_free(&r);
}

static void a_start_that_cannot_serve_is_not_used(void **state)
{
    (void)state;
    rows r = rows_of_classes(3, 60, 6, 3), other = rows_of_classes(4, 60, 5, 3);
    gbv_model_options options = gbv_model_defaults(), network = gbv_model_defaults();
    network.model = "mlp";
    network.hidden = 4;
    gbv_model *cold = fit_model(rows_sample(&r, NULL), 3, &options);
    r.count = 2; /* two classes */
    gbv_model *starts[] = {fit_model(rows_sample(&r, NULL), 3, &options),
                           fit_model(rows_sample(&other, NULL), 3, &options),
                           fit_model(rows_sample(&r, NULL), 3, &network)};
    r.count = 60;
    for (size_t i = 0; i < 3; i++) {
        gbv_model *same = follow(rows_sample(&r, NULL), 3, &options, &(refit){.start = starts[i], .rough = true});
        assert_memory_equal(cold->parameters, same->parameters, cold->parameter_count * sizeof(double));
        gbv_model_free(same);
        gbv_model_free(starts[i]);
    }
    gbv_model_free(cold);
    rows_free(&r);
    rows_free(&other);
}

static void a_network_of_another_draw_has_other_numbers(void **state)
{
    (void)state;
    rows r = rows_of_classes(5, 40, 6, 3);
    gbv_model_options options = gbv_model_defaults();
    options.model = "mlp";
    options.hidden = 5;
    options.epochs = 2;
    gbv_model *plain = fit_model(rows_sample(&r, NULL), 3, &options);
    gbv_model *zeroth = follow(rows_sample(&r, NULL), 3, &options, &(refit){.start = plain, .rough = true});
    gbv_model *first = follow(rows_sample(&r, NULL), 3, &options, &(refit){.draw = 1});
    gbv_model *again = follow(rows_sample(&r, NULL), 3, &options, &(refit){.draw = 1, .start = plain});
    size_t size = plain->parameter_count * sizeof(double);
    assert_memory_equal(plain->parameters, zeroth->parameters, size);
    assert_memory_equal(first->parameters, again->parameters, size);
    assert_true(largest_difference(plain->parameters, first->parameters, plain->parameter_count) > 0.1);
    gbv_model_free(plain);
    gbv_model_free(zeroth);
    gbv_model_free(first);
    gbv_model_free(again);
    rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start_and_the_shape_do_not_move_the_minimum),
        cmocka_unit_test(a_fit_started_at_its_minimum_is_done_at_once),
        cmocka_unit_test(the_start_is_taken_class_by_class),
        cmocka_unit_test(a_rough_refit_leaves_little_of_the_way),
        cmocka_unit_test(a_rough_fit_recovers_from_a_poor_start),
        cmocka_unit_test(a_start_that_cannot_serve_is_not_used),
        cmocka_unit_test(a_network_of_another_draw_has_other_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
