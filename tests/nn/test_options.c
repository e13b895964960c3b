/* What may be asked of a model's training, what is refused and in which words, and what nothing stands for. */
#include "nn_support.h"

static void refused(const gbv_model_options *options, const char *word)
{
    gbv_error error = {0};
    assert_int_equal(model_options_check(options, &error), GBV_USAGE);
    if (!strstr(error.message, word))
        fail_msg("expected \"%s\" in: %s", word, error.message);
}

static gbv_model_options of(const char *model)
{
    gbv_model_options options = gbv_model_defaults();
    options.model = model;
    return options;
}

#define REFUSES(kind, field, value, word)                                                                              \
    do {                                                                                                               \
        gbv_model_options wrong_one = of(kind);                                                                        \
        wrong_one.field = value;                                                                                       \
        refused(&wrong_one, word);                                                                                     \
    } while (0)

static void the_defaults_of_every_model_pass(void **state)
{
    (void)state;
    static const char *const kinds[] = {"linear", "mlp", "cnn", "resnet18", "resnet34", "resnet50"};
    gbv_error error;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        gbv_model_options options = of(kinds[i]), resolved = gbv_model_resolve(&options, 1000);
        assert_ok(model_options_check(&options, &error), error);
        if (i == 0) { /* it has no steps */
            assert_string_equal(resolved.optimizer, "lbfgs");
            continue;
        }
        assert_ok(model_options_check(&resolved, &error), error);
        assert_true(resolved.batch && resolved.epochs && resolved.learning_rate > 0 && resolved.held_out >= 0);
        assert_true(resolved.optimizer && resolved.schedule && resolved.threads_per_model == 1);
    }
}

static void what_is_no_option_is_refused_by_name(void **state)
{
    (void)state;
    gbv_model_options o = of("forest");
    refused(&o, "forest");
    refused(&o, "linear, mlp, cnn, resnet18");
    const double wrong[] = {-1, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++) {
        REFUSES("linear", l2, wrong[i], "l2");
        REFUSES("mlp", learning_rate, wrong[i], "learning_rate");
        REFUSES("cnn", weight_decay, wrong[i], "weight_decay");
        REFUSES("cnn", dropout, wrong[i], "dropout");
        REFUSES("cnn", momentum, wrong[i], "momentum");
        REFUSES("cnn", label_smoothing, wrong[i], "label_smoothing");
    }
    REFUSES("mlp", hidden, 0, "hidden");
    REFUSES("mlp", batch, SIZE_MAX, "batch");
    REFUSES("cnn", epochs, SIZE_MAX, "epochs");
    REFUSES("cnn", held_out, 1, "held_out");
    REFUSES("cnn", optimizer, "rprop", "rprop");
    REFUSES("cnn", schedule, "triangle", "triangle");
    REFUSES("cnn", normalise, "whole", "whole");
    REFUSES("cnn", backend, "abacus", "reference");
    REFUSES("cnn", threads_per_model, SIZE_MAX, "threads_per_model");
}

static void what_makes_no_sense_together_is_refused(void **state)
{
    (void)state;
    gbv_error error;
    gbv_model_options o = of("linear");
    o.pretrained = "w.safetensors", refused(&o, "pretrained is for networks of images");
    REFUSES("mlp", weight_decay, .1, "use l2");
    REFUSES("mlp", optimizer, "lbfgs", "lbfgs");
    REFUSES("linear", held_out, .1, "fitted to its minimum");
    REFUSES("linear", checkpoint, "c", "a checkpoint");
    o = of("linear");
    o.optimizer = "sgd";
    o.held_out = .1;
    assert_ok(model_options_check(&o, &error), error);
    o = of("cnn");
    o.nesterov = true, refused(&o, "nesterov");
    o.optimizer = "sgd";
    assert_ok(model_options_check(&o, &error), error);
    o = of("cnn");
    o.patience = 3, o.held_out = 0, refused(&o, "patience");
    REFUSES("cnn", resume, true, "checkpoint");
}

static void nothing_stands_for_the_models_own_default(void **state)
{
    (void)state;
    gbv_model_options o = of("mlp"), r = gbv_model_resolve(&o, 320);
    assert_int_equal(r.batch, 32);
    assert_int_equal(r.epochs, 60); /* 600 steps of 10 batches */
    assert_true(r.held_out == 0 && r.learning_rate == 1e-3);
    assert_int_equal(gbv_model_resolve(&o, 64000).epochs, 20);
    o.epochs = 3;
    assert_int_equal(gbv_model_resolve(&o, 320).epochs, 3);
    o = of("resnet18");
    double random = gbv_model_resolve(&o, 1000).learning_rate;
    o.pretrained = "w.safetensors";
    assert_true(gbv_model_resolve(&o, 1000).learning_rate < random);
    assert_true(gbv_model_resolve(&o, 1000).held_out > 0);
    assert_true(gbv_model_resolve(&o, 50).held_out == 0); /* too few rows to judge by */
    o.held_out = .2;
    assert_true(gbv_model_resolve(&o, 50).held_out == .2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults_of_every_model_pass),
        cmocka_unit_test(what_is_no_option_is_refused_by_name),
        cmocka_unit_test(what_makes_no_sense_together_is_refused),
        cmocka_unit_test(nothing_stands_for_the_models_own_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
