/* The training loop: a step against one by hand, batches that rows do not fill, weights and sampling, held-out rows,
 * the epoch that is kept, and how a training ends before its time. */
#include "nn_support.h"

#include "nn/held_out.h"

/* One step of gradient descent for softmax regression of one feature and two classes, from zero weights. */
typedef struct by_hand {
    double weight[2], bias[2];
} by_hand;

static void step_by_hand(by_hand *m, const double *x, const int32_t *y, const double *w, const size_t *taken,
                         size_t count, double rate)
{
    by_hand gradient = {{0}, {0}};
    for (size_t i = 0; i < count; i++) {
        double logits[2], sum = 0;
        for (int k = 0; k < 2; k++)
            sum += logits[k] = exp(m->weight[k] * x[taken[i]] + m->bias[k]);
        for (int k = 0; k < 2; k++) {
            double residual = w[taken[i]] * (logits[k] / sum - (y[taken[i]] == k)) / (double)count;
            gradient.weight[k] += residual * x[taken[i]];
            gradient.bias[k] += residual;
        }
    }
    for (int k = 0; k < 2; k++) {
        m->weight[k] -= rate * gradient.weight[k];
        m->bias[k] -= rate * gradient.bias[k];
    }
}

static gbv_model_options by_steps(size_t epochs, size_t batch)
{
    gbv_model_options options = gbv_model_defaults();
    options.optimizer = "sgd";
    options.schedule = "constant";
    options.momentum = 0;
    options.l2 = 0;
    options.learning_rate = 0.5;
    options.epochs = epochs;
    options.batch = batch;
    return options;
}

/* Three rows in batches of two: in whichever order they come, the last batch is one row, and the row that fills it up
 * adds nothing. The mean of the weights is one. */
static void a_batch_that_is_not_full_counts_its_own_rows_only(void **state)
{
    (void)state;
    rows r = rows_create(3, 1);
    const double features[] = {-1, 0.5, 0.5};
    const double weights[] = {0.25, 0.5, 0.25};
    const int32_t labels[] = {0, 1, 0};
    double mean = 0, variance = 0, x[3], w[3];
    for (size_t i = 0; i < 3; i++) {
        r.features[i] = features[i];
        r.labels[i] = labels[i];
        mean += weights[i] * features[i];
        w[i] = 3 * weights[i];
    }
    for (size_t i = 0; i < 3; i++)
        variance += weights[i] * (features[i] - mean) * (features[i] - mean);
    for (size_t i = 0; i < 3; i++)
        x[i] = (features[i] - mean) / sqrt(variance);
    gbv_model_options options = by_steps(1, 2);
    gbv_model *model = fit_model(rows_sample(&r, weights), 2, &options);
    static const size_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    double nearest = INFINITY;
    for (size_t o = 0; o < 6; o++) {
        by_hand m = {{0}, {log(0.5) - log(0.5), 0}}; /* both classes weigh the same: the shares give no intercept */
        step_by_hand(&m, x, labels, w, orders[o], 2, 0.5);
        step_by_hand(&m, x, labels, w, orders[o] + 2, 1, 0.5);
        double difference = 0;
        for (int k = 0; k < 2; k++)
            difference = fmax(difference, fabs(model->weights[k] - m.weight[k] / sqrt(variance)));
        nearest = fmin(nearest, difference);
    }
    assert_near(nearest, 0, 1e-6);
    gbv_model_free(model);
    rows_free(&r);
}

/* Two sources label the same rows the other way round; P(s) decides whom the model follows, used either way. */
static void sampling_follows_the_weights_as_weighting_does(void **state)
{
    (void)state;
    enum { ROWS = 120 };
    rows r = rows_create(2 * ROWS, 2);
    double weights[2 * ROWS];
    random_stream stream = random_stream_open(8, "rows", RANDOM_SPLIT);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t s = 0; s < 2; s++) {
            size_t row = s * ROWS + i;
            r.labels[row] = (int32_t)((i + s) % 2);
            weights[row] = s ? 0.2 : 0.8;
            for (size_t j = 0; j < 2; j++)
                r.features[row * 2 + j] = (i % 2 ? 2 : -2) + random_normal(&stream);
        }
    for (int use = 0; use < 2; use++) {
        gbv_model_options options = gbv_model_defaults();
        options.model = "mlp";
        options.hidden = 8;
        gbv_model *model;
        gbv_error error;
        arena scratch = {0};
        assert_ok(model_refit(rows_sample(&r, weights), 2, &options, "final", &(refit){.use = (gbv_use)use}, &scratch,
                              &model, &error),
                  error);
        double *p = model_probabilities(model, rows_sample(&r, weights));
        size_t followed = 0;
        double mean = 0;
        for (size_t i = 0; i < ROWS; i++) {
            followed += p[2 * i + i % 2] > 0.5;
            mean += p[2 * i + i % 2] / ROWS;
        }
        assert_true(followed > ROWS * 9 / 10);
        assert_true(mean > 0.65 && mean < 0.9); /* near the share of 0.8, less what the penalty takes */
        free(p);
        gbv_model_free(model);
        arena_free(&scratch);
    }
    rows_free(&r);
}

static void rows_that_weigh_nothing_change_nothing(void **state)
{
    (void)state;
    rows r = rows_of_classes(12, 60, 3, 2);
    double weights[60];
    for (size_t i = 0; i < 60; i++)
        weights[i] = i % 5 ? 1 : 0;
    for (int use = 0; use < 2; use++) {
        gbv_model *models[2];
        for (int poisoned = 0; poisoned < 2; poisoned++) {
            gbv_model_options options = gbv_model_defaults();
            options.model = "mlp";
            options.epochs = 3;
            gbv_error error;
            arena scratch = {0};
            for (size_t i = 0; i < 60; i += 5) {
                r.labels[i] = poisoned ? 0 : 1;
                r.features[3 * i] = poisoned ? 1e6 : 0;
            }
            assert_ok(model_refit(rows_sample(&r, weights), 2, &options, "final", &(refit){.use = (gbv_use)use},
                                  &scratch, &models[poisoned], &error),
                      error);
            arena_free(&scratch);
        }
        assert_memory_equal(models[0]->parameters, models[1]->parameters, models[0]->parameter_count * sizeof(double));
        gbv_model_free(models[0]), gbv_model_free(models[1]);
    }
    rows_free(&r);
}

static void a_share_of_every_class_is_held_out_but_no_whole_class(void **state)
{
    (void)state;
    enum { ROWS = 500, CLASSES = 60 };
    int32_t classes[ROWS];
    size_t order[ROWS], again[ROWS], trained, trained_again, members[CLASSES] = {0}, held[CLASSES] = {0};
    bool seen[ROWS] = {false};
    arena scratch = {0};
    for (size_t i = 0; i < ROWS; i++) /* one class of 200, some of one row */
        members[classes[i] = i < 200 ? 0 : i < 210 ? (int32_t)(i - 199) : (int32_t)(11 + i % 49)]++;
    random_stream stream = random_stream_open(3, "anna", RANDOM_HELD_OUT);
    assert_true(held_out_split(classes, ROWS, CLASSES, 0.1, stream, &scratch, order, &trained));
    assert_true(held_out_split(classes, ROWS, CLASSES, 0.1, stream, &scratch, again, &trained_again));
    assert_memory_equal(order, again, sizeof order);
    assert_true(ROWS - trained >= 48 && ROWS - trained <= 50);
    for (size_t k = 0; k < ROWS; k++) {
        assert_false(seen[order[k]]);
        seen[order[k]] = true;
        held[classes[order[k]]] += k >= trained;
    }
    for (size_t c = 0; c < CLASSES; c++)
        assert_true(held[c] < members[c]);
    assert_int_equal(held[0], 20);
    assert_true(held_out_split(classes, ROWS, CLASSES, 0, stream, &scratch, order, &trained));
    assert_int_equal(trained, ROWS);
    assert_true(held_out_split(classes, ROWS, CLASSES, 0.999, stream, &scratch, order, &trained));
    assert_int_equal(trained, CLASSES);
    arena_free(&scratch);
}

typedef struct heard {
    size_t count, last_best;
    double losses[200], best_loss;
    double parameters[500];
} heard;

static void hear(void *context, const gbv_epoch *epoch)
{
    heard *h = context;
    assert_int_equal(epoch->epoch, h->count + 1);
    assert_true(epoch->rows == 70 && epoch->learning_rate > 0 && isfinite(epoch->loss));
    assert_true(epoch->held_out_accuracy >= 0 && epoch->held_out_accuracy <= 1);
    assert_int_equal(epoch->best, epoch->held_out_loss < h->best_loss);
    h->losses[h->count++] = epoch->held_out_loss;
    if (epoch->best) {
        h->best_loss = epoch->held_out_loss;
        h->last_best = epoch->epoch;
        memcpy(h->parameters, epoch->model->parameters, epoch->model->parameter_count * sizeof(double));
    }
}

/* Labels without any sense: what is learned is noise, and the held-out rows tell soon. */
static void the_epoch_that_serves_the_held_out_rows_best_is_kept(void **state)
{
    (void)state;
    rows r = rows_of_classes(21, 100, 6, 2);
    random_stream stream = random_stream_open(4, "noise", RANDOM_LABEL_NOISE);
    for (size_t i = 0; i < 100; i++)
        if (random_uniform(&stream) < 0.4)
            r.labels[i] ^= 1;
    for (size_t patience = 0; patience < 6; patience += 5) {
        heard h = {.best_loss = INFINITY};
        gbv_model_options options = gbv_model_defaults();
        options.model = "mlp";
        options.l2 = 0;
        options.hidden = 20;
        options.epochs = 60;
        options.learning_rate = 1e-2;
        options.held_out = 0.3;
        options.patience = patience;
        options.on_epoch = hear;
        options.context = &h;
        gbv_model *model = fit_model(rows_sample(&r, NULL), 2, &options);
        assert_true(h.last_best < 55);
        assert_int_equal(h.count, patience ? h.last_best + patience : 60);
        assert_true(model->parameter_count <= 500);
        assert_memory_equal(model->parameters, h.parameters, model->parameter_count * sizeof(double));
        gbv_model_free(model);
    }
    rows_free(&r);
}

static void a_training_that_diverges_says_where_and_what_helps(void **state)
{
    (void)state;
    rows r = rows_of_classes(5, 40, 4, 2);
    gbv_model_options options = by_steps(30, 8);
    options.model = "mlp";
    options.learning_rate = 1000;
    gbv_model *model;
    gbv_error error;
    arena scratch = {0};
    assert_int_equal(model_fit(rows_sample(&r, NULL), 2, &options, "anna", &scratch, &model, &error), GBV_FAILED);
    assert_null(model);
    assert_non_null(strstr(error.message, "diverged in epoch "));
    assert_non_null(strstr(error.message, " of 30"));
    assert_non_null(strstr(error.message, "--learning-rate (it is 1000)"));
    assert_int_equal(model_fit(rows_sample(&r, NULL), 2, &options, "final", &scratch, &model, &error), GBV_FAILED);
    assert_non_null(strstr(error.message, "of the final model"));
    arena_free(&scratch);
    rows_free(&r);
}

static bool stop_at_once(void *context, const char *stage, size_t done, size_t total)
{
    (void)stage, (void)done, (void)total;
    return ++*(size_t *)context == 3;
}

static void the_caller_is_asked_before_each_step(void **state)
{
    (void)state;
    rows r = rows_of_classes(5, 40, 4, 2);
    size_t asked = 0;
    gbv_model_options options = by_steps(30, 8);
    options.progress = stop_at_once;
    options.context = &asked;
    gbv_model *model;
    gbv_error error;
    arena scratch = {0};
    assert_int_equal(model_fit(rows_sample(&r, NULL), 2, &options, "anna", &scratch, &model, &error), GBV_INTERRUPTED);
    assert_null(model);
    assert_int_equal(asked, 3);
    arena_free(&scratch);
    rows_free(&r);
}

/* The minimum is the same by whichever way it is reached. */
static void linear_by_steps_comes_to_where_lbfgs_does(void **state)
{
    (void)state;
    rows r = rows_of_classes(31, 200, 5, 3);
    gbv_model_options options = gbv_model_defaults();
    gbv_model *best = fit_model(rows_sample(&r, NULL), 3, &options);
    static const char *const optimizers[] = {"sgd", "adam"};
    for (size_t i = 0; i < 2; i++) {
        options.optimizer = optimizers[i];
        options.learning_rate = i ? 0.02 : 0.1;
        options.epochs = 300;
        options.batch = 50;
        gbv_model *steps = fit_model(rows_sample(&r, NULL), 3, &options);
        double *p = model_probabilities(best, rows_sample(&r, NULL)),
               *q = model_probabilities(steps, rows_sample(&r, NULL));
        assert_near(largest_difference(p, q, 600), 0, 5e-3);
        free(p), free(q);
        gbv_model_free(steps);
    }
    gbv_model_free(best);
    rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_that_is_not_full_counts_its_own_rows_only),
        cmocka_unit_test(sampling_follows_the_weights_as_weighting_does),
        cmocka_unit_test(rows_that_weigh_nothing_change_nothing),
        cmocka_unit_test(a_share_of_every_class_is_held_out_but_no_whole_class),
        cmocka_unit_test(the_epoch_that_serves_the_held_out_rows_best_is_kept),
        cmocka_unit_test(a_training_that_diverges_says_where_and_what_helps),
        cmocka_unit_test(the_caller_is_asked_before_each_step),
        cmocka_unit_test(linear_by_steps_comes_to_where_lbfgs_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
