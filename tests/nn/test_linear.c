/* The linear model: its objective against finite differences, its minimum against a naive gradient, and the cases in
 * which such fits usually go wrong. */
#include "nn_support.h"

#include "nn/linear.h"

static gbv_model_options linear_options(double l2)
{
    gbv_model_options options = gbv_model_defaults();
    options.model = "linear";
    options.l2 = l2;
    return options;
}

/* The gradient of the objective at a fitted model, in standardised features, by plain loops: its largest entry. */
static double gradient_by_hand(const gbv_model *model, const rows *r, const double *weights, double l2)
{
    size_t n = r->count, d = r->columns, outputs = model->outputs;
    double total = 0, largest = 0;
    double *residuals = calloc(n * outputs, sizeof *residuals), *bias = calloc(outputs, sizeof *bias);
    for (size_t i = 0; i < n; i++)
        total += weights ? weights[i] : 1;
    for (size_t i = 0; i < n; i++) {
        double sum = 0, share = (weights ? weights[i] : 1) / total;
        double *row = residuals + i * outputs;
        for (size_t k = 0; k < outputs; k++) {
            double logit = model->bias[k];
            for (size_t j = 0; j < d; j++)
                logit += r->features[i * d + j] * model->weights[j * outputs + k];
            sum += row[k] = exp(logit);
        }
        for (size_t k = 0; k < outputs; k++) {
            row[k] = share * (row[k] / sum - (model->classes[k] == r->labels[i]));
            bias[k] += row[k];
        }
    }
    for (size_t k = 0; k < outputs; k++)
        largest = fmax(largest, fabs(bias[k]));
    for (size_t j = 0; j < d; j++) {
        double mean = 0, variance = 0;
        for (size_t i = 0; i < n; i++)
            mean += (weights ? weights[i] : 1) / total * r->features[i * d + j];
        for (size_t i = 0; i < n; i++)
            variance += (weights ? weights[i] : 1) / total * pow(r->features[i * d + j] - mean, 2);
        double deviation = sqrt(variance);
        for (size_t k = 0; k < outputs && deviation > 0; k++) {
            double slope = l2 * model->weights[j * outputs + k] * deviation;
            for (size_t i = 0; i < n; i++)
                slope += residuals[i * outputs + k] * (r->features[i * d + j] - mean) / deviation;
            largest = fmax(largest, fabs(slope));
        }
    }
    free(residuals);
    free(bias);
    return largest;
}

static void the_gradient_of_the_objective_agrees_with_finite_differences(void **state)
{
    (void)state;
    enum { ROWS = 30, WIDTH = 5, CLASSES = 3, COUNT = (WIDTH + 1) * CLASSES };
    rows r = rows_of_classes(1, ROWS, WIDTH, CLASSES);
    double weights[ROWS], point[COUNT], gradient[COUNT], scrap[COUNT];
    random_stream stream = random_stream_open(2, "point", RANDOM_SPLIT);
    for (size_t i = 0; i < ROWS; i++)
        weights[i] = random_uniform(&stream) / ROWS;
    for (size_t i = 0; i < COUNT; i++)
        point[i] = random_normal(&stream);
    arena scratch = {0};
    gbv_error error;
    gbv_model_options options = linear_options(0.3);
    fit_task task = {.data = rows_sample(&r, NULL),
                     .outputs = CLASSES,
                     .targets = r.labels,
                     .weights = weights,
                     .options = &options,
                     .scratch = &scratch};
    linear_objective objective = {
        .task = &task, .rows = r.features, .width = WIDTH, .outputs = CLASSES, .l2 = options.l2};
    assert_ok(linear_objective_open(&objective, &error), error);
    linear_objective_evaluate(&objective, point, gradient);
    for (size_t i = 0; i < COUNT; i++) {
        double kept = point[i], step = 1e-5;
        point[i] = kept + step;
        double above = linear_objective_evaluate(&objective, point, scrap);
        point[i] = kept - step;
        double below = linear_objective_evaluate(&objective, point, scrap);
        point[i] = kept;
        assert_near(gradient[i], (above - below) / (2 * step), 1e-9);
    }
    arena_free(&scratch);
    rows_free(&r);
}

static void a_naive_gradient_vanishes_at_the_fit(void **state)
{
    (void)state;
    const struct {
        size_t rows, columns, classes;
        double l2;
    } cases[] = {{200, 7, 3, 0.1}, {300, 40, 10, 1e-3}, {20, 60, 5, 0.1}, {12, 200, 3, 1e-4}, {700, 3, 2, 1e-2}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rows r = rows_of_classes(c, cases[c].rows, cases[c].columns, cases[c].classes);
        double *weights = malloc(r.count * sizeof *weights);
        for (size_t i = 0; i < r.count; i++)
            weights[i] = 0.1 + (double)(i % 7);
        gbv_model_options options = linear_options(cases[c].l2);
        gbv_model *plain = fit_model(rows_sample(&r, NULL), cases[c].classes, &options);
        assert_near(gradient_by_hand(plain, &r, NULL, options.l2), 0, 5e-9);
        gbv_model *weighted = fit_model(rows_sample(&r, weights), cases[c].classes, &options);
        assert_near(gradient_by_hand(weighted, &r, weights, options.l2), 0, 5e-9);
        gbv_model_free(plain);
        gbv_model_free(weighted);
        free(weights);
        rows_free(&r);
    }
}

/* x = -1 is class 0 in 3 of 4 rows, x = 1 the mirror image: with l2 small the logits differ by ln 3 at x = -1 and the
 * weights of the two classes are opposite; with l2 the difference solves a scalar equation. */
static void two_classes_on_a_line_have_the_known_solution(void **state)
{
    (void)state;
    rows r = rows_create(8, 1);
    for (size_t i = 0; i < 8; i++) {
        r.features[i] = i < 4 ? -1 : 1;
        r.labels[i] = i == 3 || (i >= 4 && i != 7);
    }
    for (double l2 = 1e-8; l2 < 1; l2 = l2 < 1e-7 ? 0.1 : 1) {
        gbv_model_options options = linear_options(l2);
        gbv_model *model = fit_model(rows_sample(&r, NULL), 2, &options);
        /* With weights -v and v: derivative sigma(2v) - 3/4 + l2 v = 0. */
        double low = 0, high = 10;
        for (int i = 0; i < 200; i++) {
            double v = (low + high) / 2;
            *(1 / (1 + exp(-2 * v)) - 0.75 + l2 * v > 0 ? &high : &low) = v;
        }
        assert_near(model->weights[1], low, 1e-7);
        assert_near(model->weights[0], -low, 1e-7);
        assert_near(model->bias[1] - model->bias[0], 0, 1e-8);
        gbv_model_free(model);
    }
    rows_free(&r);
}

/* Columns that repeat others make more features than rows out of the same problem: spread over m copies, the best
 * weight is shared equally, which is the penalty l2 / m. */
static void the_row_space_gives_what_the_direct_fit_gives(void **state)
{
    (void)state;
    enum { ROWS = 40, WIDTH = 9, CLASSES = 4, COPIES = 6 };
    rows narrow = rows_of_classes(5, ROWS, WIDTH, CLASSES), wide = rows_create(ROWS, WIDTH * COPIES);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < WIDTH * COPIES; j++)
            wide.features[i * WIDTH * COPIES + j] = narrow.features[i * WIDTH + j % WIDTH];
    memcpy(wide.labels, narrow.labels, ROWS * sizeof *wide.labels);
    for (double l2 = 1e-2; l2 < 2; l2 *= 10) {
        gbv_model_options options = linear_options(l2), shared = linear_options(l2 / COPIES);
        gbv_model *reduced = fit_model(rows_sample(&wide, NULL), CLASSES, &options);
        gbv_model *direct = fit_model(rows_sample(&narrow, NULL), CLASSES, &shared);
        double *a = model_probabilities(reduced, rows_sample(&wide, NULL));
        double *b = model_probabilities(direct, rows_sample(&narrow, NULL));
        assert_near(largest_difference(a, b, ROWS * CLASSES), 0, 1e-8);
        for (size_t j = 0; j < WIDTH * COPIES * CLASSES; j++)
            assert_near(reduced->weights[j], direct->weights[j % (WIDTH * CLASSES)] / COPIES, 1e-7);
        free(a);
        free(b);
        gbv_model_free(reduced);
        gbv_model_free(direct);
    }
    rows_free(&narrow);
    rows_free(&wide);
}

static void the_order_of_rows_does_not_matter(void **state)
{
    (void)state;
    for (size_t columns = 10; columns <= 100; columns += 90) {
        rows r = rows_of_classes(3, 60, columns, 3), turned = rows_create(60, columns);
        for (size_t i = 0; i < 60; i++) {
            memcpy(turned.features + i * columns, r.features + (59 - i) * columns, columns * sizeof(double));
            turned.labels[i] = r.labels[59 - i];
        }
        gbv_model_options options = gbv_model_defaults();
        gbv_model *a = fit_model(rows_sample(&r, NULL), 3, &options);
        gbv_model *b = fit_model(rows_sample(&turned, NULL), 3, &options);
        assert_near(largest_difference(a->parameters, b->parameters, a->parameter_count), 0, 1e-7);
        gbv_model_free(a);
        gbv_model_free(b);
        rows_free(&r);
        rows_free(&turned);
    }
}

static void a_weight_of_three_is_a_row_three_times(void **state)
{
    (void)state;
    for (size_t columns = 4; columns <= 100; columns += 96) {
        rows r = rows_of_classes(7, 30, columns, 3), repeated = rows_create(60, columns);
        double weights[30];
        size_t count = 0;
        for (size_t i = 0; i < 30; i++) {
            weights[i] = i % 2 ? 1 : 3;
            for (int copy = 0; copy < weights[i]; copy++, count++) {
                memcpy(repeated.features + count * columns, r.features + i * columns, columns * sizeof(double));
                repeated.labels[count] = r.labels[i];
            }
        }
        assert_int_equal(count, 60);
        gbv_model_options options = gbv_model_defaults();
        gbv_model *a = fit_model(rows_sample(&r, weights), 3, &options);
        gbv_model *b = fit_model(rows_sample(&repeated, NULL), 3, &options);
        assert_near(largest_difference(a->parameters, b->parameters, a->parameter_count), 0, 1e-7);
        gbv_model_free(a);
        gbv_model_free(b);
        rows_free(&r);
        rows_free(&repeated);
    }
}

static void rows_of_weight_zero_change_nothing(void **state)
{
    (void)state;
    rows r = rows_of_classes(8, 40, 6, 2);
    double weights[40];
    for (size_t i = 0; i < 40; i++)
        weights[i] = i < 30;
    for (size_t i = 30 * 6; i < 40 * 6; i++)
        r.features[i] *= 1e9;
    gbv_model_options options = gbv_model_defaults();
    gbv_model *with = fit_model(rows_sample(&r, weights), 2, &options);
    r.count = 30;
    gbv_model *without = fit_model(rows_sample(&r, NULL), 2, &options);
    assert_near(largest_difference(with->parameters, without->parameters, with->parameter_count), 0, 1e-7);
    gbv_model_free(with);
    gbv_model_free(without);
    rows_free(&r);
}

static void classes_that_do_not_occur_get_no_column(void **state)
{
    (void)state;
    rows r = rows_of_classes(9, 30, 4, 2);
    for (size_t i = 0; i < 30; i++)
        r.labels[i] = r.labels[i] ? 5 : 2;
    gbv_model_options options = gbv_model_defaults();
    gbv_model *model = fit_model(rows_sample(&r, NULL), 7, &options);
    assert_int_equal(model->outputs, 2);
    assert_int_equal(model->classes[0], 2);
    assert_int_equal(model->classes[1], 5);
    gbv_model_free(model);
    rows_free(&r);
}

static void one_class_has_probability_one(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 3; count += 2) {
        rows r = rows_of_classes(10, count, 5, 1);
        gbv_model_options options = gbv_model_defaults();
        gbv_model *model = fit_model(rows_sample(&r, NULL), 3, &options);
        double *p = model_probabilities(model, rows_sample(&r, NULL));
        assert_int_equal(model->outputs, 1);
        for (size_t i = 0; i < count; i++)
            assert_true(p[i] == 1);
        free(p);
        gbv_model_free(model);
        rows_free(&r);
    }
}

static void three_rows_of_three_classes_are_told_apart(void **state)
{
    (void)state;
    rows r = rows_of_classes(11, 3, 50, 3);
    gbv_model_options options = linear_options(1e-3);
    gbv_model *model = fit_model(rows_sample(&r, NULL), 3, &options);
    double *p = model_probabilities(model, rows_sample(&r, NULL));
    for (size_t i = 0; i < 3; i++)
        assert_true(p[i * 3 + i] > 0.9);
    assert_near(gradient_by_hand(model, &r, NULL, options.l2), 0, 5e-9);
    free(p);
    gbv_model_free(model);
    rows_free(&r);
}

static void constant_columns_get_no_weight_and_identical_rows_their_shares(void **state)
{
    (void)state;
    rows r = rows_create(4, 6);
    for (size_t i = 0; i < 24; i++)
        r.features[i] = 0.1 * (double)(i % 6);
    r.labels[3] = 1;
    gbv_model_options options = gbv_model_defaults();
    gbv_model *model = fit_model(rows_sample(&r, NULL), 2, &options);
    double *p = model_probabilities(model, rows_sample(&r, NULL));
    for (size_t i = 0; i < 12; i++)
        assert_true(model->weights[i] == 0);
    for (size_t i = 0; i < 4; i++)
        assert_near(p[i * 2], 0.75, 1e-9);
    free(p);
    gbv_model_free(model);
    rows_free(&r);
}

static void features_of_any_size_give_the_same_probabilities(void **state)
{
    (void)state;
    for (size_t columns = 5; columns <= 50; columns += 45) {
        rows r = rows_of_classes(12, 30, columns, 3), scaled = rows_create(30, columns);
        for (size_t i = 0; i < 30 * columns; i++) {
            double size = pow(10, (double)(i % columns % 5) * 15 - 30);
            scaled.features[i] = size * (r.features[i] + 3);
        }
        memcpy(scaled.labels, r.labels, 30 * sizeof *r.labels);
        gbv_model_options options = gbv_model_defaults();
        gbv_model *a = fit_model(rows_sample(&r, NULL), 3, &options);
        gbv_model *b = fit_model(rows_sample(&scaled, NULL), 3, &options);
        double *p = model_probabilities(a, rows_sample(&r, NULL));
        double *q = model_probabilities(b, rows_sample(&scaled, NULL));
        assert_near(largest_difference(p, q, 90), 0, 1e-8);
        free(p);
        free(q);
        gbv_model_free(a);
        gbv_model_free(b);
        rows_free(&r);
        rows_free(&scaled);
    }
}

static void separable_rows_without_a_penalty_stay_finite(void **state)
{
    (void)state;
    rows r = rows_of_classes(13, 20, 30, 2);
    gbv_model_options options = linear_options(0);
    gbv_model *model = fit_model(rows_sample(&r, NULL), 2, &options);
    double *p = model_probabilities(model, rows_sample(&r, NULL));
    for (size_t i = 0; i < 20; i++)
        assert_true(p[i * 2 + (size_t)r.labels[i]] > 0.999);
    free(p);
    gbv_model_free(model);
    rows_free(&r);
}

/* Bytes drawn at random, labels in long runs. */
static sample byte_sample(sample_part *part, size_t rows_wanted, size_t columns, size_t classes)
{
    uint8_t *features = malloc(rows_wanted * columns);
    int32_t *labels = malloc(rows_wanted * sizeof *labels);
    random_stream stream = random_stream_open(14, "bytes", RANDOM_SPLIT);
    for (size_t i = 0; i < rows_wanted * columns; i++)
        features[i] = (uint8_t)random_u32(&stream);
    for (size_t i = 0; i < rows_wanted; i++)
        labels[i] = (int32_t)(i * classes / rows_wanted);
    *part = (sample_part){.features = gbv_matrix_u8(features, rows_wanted, columns),
                          .labels = labels,
                          .count = rows_wanted,
                          .row_weight = 1};
    return (sample){.parts = part, .part_count = 1, .rows = rows_wanted, .columns = columns};
}

static void byte_sample_free(sample_part *part)
{
    free((void *)part->features.data);
    free((void *)part->labels);
}

/* Large enough that other threads are woken; the second also that the rows are not kept as doubles. */
static void the_number_of_threads_changes_no_bit(void **state)
{
    (void)state;
    const struct {
        size_t rows, columns, classes;
        double l2;
    } cases[] = {{3000, 300, 40, 10}, {28000, 300, 3, 1000}};
    for (size_t c = 0; c < 2; c++) {
        sample_part part;
        sample data = byte_sample(&part, cases[c].rows, cases[c].columns, cases[c].classes);
        gbv_model_options options = linear_options(cases[c].l2);
        gbv_model *models[3];
        for (size_t threads = 1; threads <= 2; threads++) {
            options.threads = threads;
            models[threads - 1] = fit_model(&data, cases[c].classes, &options);
        }
#pragma omp parallel num_threads(2)
#pragma omp single
        models[2] = fit_model(&data, cases[c].classes, &options);
        for (size_t i = 1; i < 3; i++)
            assert_memory_equal(models[0]->parameters, models[i]->parameters,
                                models[0]->parameter_count * sizeof(double));
        for (size_t i = 0; i < 3; i++)
            gbv_model_free(models[i]);
        byte_sample_free(&part);
    }
}

/* As the_row_space_gives_what_the_direct_fit_gives, with so many features that they are read block by block. */
static void rows_too_large_to_copy_are_fitted_alike(void **state)
{
    (void)state;
    enum { ROWS = 60, WIDTH = 15, COPIES = 10000, CLASSES = 3 };
    sample_part narrow_part, wide_part;
    sample narrow = byte_sample(&narrow_part, ROWS, WIDTH, CLASSES);
    uint8_t *features = malloc((size_t)ROWS * WIDTH * COPIES);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < COPIES; c++)
            memcpy(features + (i * COPIES + c) * WIDTH, (const uint8_t *)narrow_part.features.data + i * WIDTH, WIDTH);
    wide_part = narrow_part;
    wide_part.features = gbv_matrix_u8(features, ROWS, WIDTH * COPIES);
    sample wide = {.parts = &wide_part, .part_count = 1, .rows = ROWS, .columns = WIDTH * COPIES};
    gbv_model_options options = linear_options(100), shared = linear_options(100.0 / COPIES);
    gbv_model *reduced = fit_model(&wide, CLASSES, &options), *direct = fit_model(&narrow, CLASSES, &shared);
    double *a = model_probabilities(reduced, &wide), *b = model_probabilities(direct, &narrow);
    assert_near(largest_difference(a, b, ROWS * CLASSES), 0, 1e-8);
    free(a);
    free(b);
    gbv_model_free(reduced);
    gbv_model_free(direct);
    free(features);
    byte_sample_free(&narrow_part);
}

static void features_are_the_centred_logits(void **state)
{
    (void)state;
    rows r = rows_of_classes(15, 100, 6, 3);
    gbv_model_options options = gbv_model_defaults();
    gbv_model *model = fit_model(rows_sample(&r, NULL), 3, &options);
    double logits[300], features[300], probabilities[300];
    arena scratch = {0};
    gbv_error error;
    assert_int_equal(model_feature_count(model), 3);
    assert_ok(model_read_out(model, rows_sample(&r, NULL),
                             &(readout){.logits = logits, .probabilities = probabilities, .features = features},
                             &scratch, &error),
              error);
    for (size_t i = 0; i < 100; i++) {
        double mean = (logits[3 * i] + logits[3 * i + 1] + logits[3 * i + 2]) / 3, sum = 0, by_hand = model->bias[1];
        for (size_t j = 0; j < 6; j++)
            by_hand += r.features[i * 6 + j] * model->weights[j * 3 + 1];
        assert_near(logits[3 * i + 1], by_hand, 1e-12);
        for (size_t k = 0; k < 3; k++) {
            assert_near(features[3 * i + k], logits[3 * i + k] - mean, 1e-12);
            sum += exp(logits[3 * i + k]);
        }
        assert_near(probabilities[3 * i], exp(logits[3 * i]) / sum, 1e-14);
    }
    arena_free(&scratch);
    gbv_model_free(model);
    rows_free(&r);
}

static bool stop_at_three(void *context, const char *stage, size_t done, size_t total)
{
    assert_true(stage && done <= total);
    return ++*(size_t *)context == 3;
}

static void a_callback_can_interrupt_the_fit(void **state)
{
    (void)state;
    rows r = rows_of_classes(16, 50, 6, 3);
    const char *kinds[] = {"linear", "mlp"};
    for (size_t k = 0; k < 2; k++) {
        size_t calls = 0;
        gbv_model_options options = gbv_model_defaults();
        options.model = kinds[k];
        options.progress = stop_at_three;
        options.context = &calls;
        gbv_error error;
        gbv_model *model;
        arena scratch = {0};
        assert_int_equal(model_fit(rows_sample(&r, NULL), 3, &options, "s", &scratch, &model, &error), GBV_INTERRUPTED);
        assert_null(model);
        assert_int_equal(calls, 3);
        arena_free(&scratch);
    }
    rows_free(&r);
}

/* A feature that varies among rows of next to no weight only: those rows must not make it look important. */
static void rows_that_hardly_weigh_do_not_set_the_scale(void **state)
{
    (void)state;
    rows r = rows_of_classes(5, 200, 4, 2);
    double weights[200], largest = 0;
    for (size_t i = 0; i < 200; i++) {
        weights[i] = i < 100 ? 1 : 1e-8;
        if (i < 100)
            r.features[i * 4 + 3] = 0;
    }
    gbv_model_options options = linear_options(0.1);
    gbv_model *model = fit_model(rows_sample(&r, weights), 2, &options);
    for (size_t k = 0; k < 2; k++)
        largest = fmax(largest, fabs(model->weights[3 * 2 + k]));
    assert_true(largest < 1e-3);
    gbv_model_free(model);
    rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_of_the_objective_agrees_with_finite_differences),
        cmocka_unit_test(a_naive_gradient_vanishes_at_the_fit),
        cmocka_unit_test(two_classes_on_a_line_have_the_known_solution),
        cmocka_unit_test(the_row_space_gives_what_the_direct_fit_gives),
        cmocka_unit_test(the_order_of_rows_does_not_matter),
        cmocka_unit_test(a_weight_of_three_is_a_row_three_times),
        cmocka_unit_test(rows_of_weight_zero_change_nothing),
        cmocka_unit_test(classes_that_do_not_occur_get_no_column),
        cmocka_unit_test(one_class_has_probability_one),
        cmocka_unit_test(three_rows_of_three_classes_are_told_apart),
        cmocka_unit_test(constant_columns_get_no_weight_and_identical_rows_their_shares),
        cmocka_unit_test(features_of_any_size_give_the_same_probabilities),
        cmocka_unit_test(separable_rows_without_a_penalty_stay_finite),
        cmocka_unit_test(the_number_of_threads_changes_no_bit),
        cmocka_unit_test(rows_too_large_to_copy_are_fitted_alike),
        cmocka_unit_test(features_are_the_centred_logits),
        cmocka_unit_test(a_callback_can_interrupt_the_fit),
        cmocka_unit_test(rows_that_hardly_weigh_do_not_set_the_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
