/* test_compare.c - comparisons of methods on small problems where the right purchase is known. */
#include "value/toy.h"
#include "value/verdict.h"

enum { TEST_ROWS = 500, MOST_SOURCES = 4 };

/* Who labels how: the class itself, always the next class, any class whatever, or as the first source, row by row. */
typedef enum habit { HONEST, SHIFTED, GUESSING, COPYING } habit;

typedef struct shop {
    float rows[MOST_SOURCES + 2][TEST_ROWS][COLUMNS]; /* of each source, the reference, the test set */
    int32_t labels[MOST_SOURCES + 2][TEST_ROWS];
    gbv_dataset *reference, *test;
    gbv_sources *sources;
} shop;

static gbv_dataset *dataset_of(shop *s, size_t slot, size_t rows, habit how, const char *name)
{
    random_stream stream = random_stream_open(11, how == COPYING ? "north" : name, RANDOM_SPLIT);
    gbv_dataset *d;
    gbv_error error;
    for (size_t i = 0; i < rows; i++) {
        int32_t label = draw_row(&stream, s->rows[slot][i]);
        s->labels[slot][i] = how == SHIFTED    ? (label + 1) % CLASSES
                             : how == GUESSING ? (int32_t)random_below(&stream, CLASSES)
                                               : label;
    }
    assert_ok(gbv_dataset_create(name, gbv_matrix_f32(&s->rows[slot][0][0], rows, COLUMNS), s->labels[slot], NULL, 0,
                                 &d, &error),
              error);
    return d;
}

static shop *open_shop(size_t reference_rows, const habit *habits, size_t count)
{
    static const char *const shelf[MOST_SOURCES] = {"north", "east", "south", "west"};
    shop *s = calloc(1, sizeof *s);
    gbv_error error;
    s->sources = gbv_sources_create();
    for (size_t i = 0; i < count; i++)
        assert_ok(gbv_sources_add_dataset(s->sources, shelf[i], dataset_of(s, i, SAMPLE, habits[i], shelf[i]), &error),
                  error);
    s->reference = dataset_of(s, MOST_SOURCES, reference_rows, HONEST, "reference");
    s->test = dataset_of(s, MOST_SOURCES + 1, TEST_ROWS, HONEST, "test");
    return s;
}

static void close_shop(shop *s)
{
    gbv_sources_free(s->sources);
    gbv_dataset_free(s->reference);
    gbv_dataset_free(s->test);
    free(s);
}

static gbv_comparison *compare(const shop *s, const char *methods)
{
    gbv_compare_options options = gbv_compare_defaults();
    gbv_comparison *c;
    gbv_error error;
    options.methods = methods;
    options.test = s->test;
    assert_ok(gbv_compare(s->reference, s->sources, &options, &c, &error), error);
    return c;
}

static void assert_refused(const shop *s, const gbv_compare_options *options, gbv_status status, const char *part)
{
    gbv_comparison *c;
    gbv_error error;
    assert_int_equal(gbv_compare(s->reference, s->sources, options, &c, &error), status);
    assert_null(c);
    if (!strstr(error.message, part))
        fail_msg("'%s' does not hold '%s'", error.message, part);
}

static const habit one_honest[] = {SHIFTED, HONEST, SHIFTED}, all_guess[] = {GUESSING, GUESSING, GUESSING},
                   all_honest[] = {HONEST, HONEST, HONEST}, one_copied[] = {HONEST, COPYING};

static void a_valuation_that_finds_the_honest_source_pays(void **state)
{
    (void)state;
    shop *s = open_shop(12, one_honest, 3);
    gbv_comparison *c = compare(s, "accuracy,uniform,loss");
    assert_int_equal(c->verdict, GBV_VERDICT_PAYS);
    assert_true(c->best == 0 || c->best == 2);
    assert_true(c->gain > 2 * c->gain_error);
    assert_non_null(strstr(c->sentence, " beats "));
    assert_string_equal(c->baselines[2].name, "best-source-only");
    assert_string_equal(c->baselines[2].detail, "east");
    assert_true(c->source_accuracy[1] > .8 && c->source_accuracy[0] < .2);
    assert_true(c->methods[0].pearson > .9 && isnan(c->methods[1].pearson));
    gbv_comparison_free(c);
    close_shop(s);
}

static void sources_that_guess_are_not_worth_their_price(void **state)
{
    (void)state;
    shop *s = open_shop(400, all_guess, 3);
    gbv_comparison *c = compare(s, "gbv,uniform,accuracy");
    assert_int_equal(c->verdict, GBV_VERDICT_NO);
    assert_int_equal(c->to_beat, 0);
    assert_true(c->gain < 0);
    assert_int_equal(strncmp(c->sentence, "No valuation beats training on the reference alone", 50), 0);
    gbv_comparison_free(c);
    close_shop(s);
}

static void equal_sources_need_no_valuation(void **state)
{
    (void)state;
    shop *s = open_shop(12, all_honest, 3);
    gbv_comparison *c = compare(s, "gbv,uniform");
    assert_int_equal(c->verdict, GBV_VERDICT_NO);
    assert_string_equal(c->baselines[c->to_beat].name, "pooled");
    /* Sources of equal size: equal weights and pooled rows are the same, trained once. */
    for (size_t r = 0; r < c->seeds; r++)
        assert_true(c->methods[1].trained.accuracies[r] == c->baselines[1].trained.accuracies[r]);
    gbv_comparison_free(c);
    close_shop(s);
}

static void accuracies_give_their_mean_and_standard_error(void **state)
{
    (void)state;
    shop *s = open_shop(12, one_honest, 3);
    gbv_comparison *c = compare(s, "accuracy");
    const gbv_trained *t = &c->methods[0].trained;
    double mean = 0, squares = 0;
    for (size_t r = 0; r < 5; r++)
        mean += t->accuracies[r] / 5;
    for (size_t r = 0; r < 5; r++)
        squares += (t->accuracies[r] - mean) * (t->accuracies[r] - mean);
    assert_int_equal(c->seeds, 5);
    assert_near(t->accuracy, mean, 1e-15);
    assert_near(t->standard_error, sqrt(squares / 4 / 5), 1e-15);
    assert_true(squares > 0); /* the seeds draw other rows */
    assert_true(c->result->measures[0].rank_agreement == 1);
    gbv_comparison_free(c);
    close_shop(s);
}

static char *text_of(const shop *s, size_t threads, const char *model)
{
    gbv_compare_options options = gbv_compare_defaults();
    gbv_comparison *c;
    gbv_error error;
    char *text;
    options.test = s->test;
    options.seeds = 3;
    options.value.model.threads = threads;
    options.value.model.model = model;
    options.value.model.hidden = 8;
    options.value.model.epochs = 3;
    assert_ok(gbv_compare(s->reference, s->sources, &options, &c, &error), error);
    assert_ok(gbv_comparison_text(c, GBV_FORMAT_JSON, &text, &error), error);
    gbv_comparison_free(c);
    return text;
}

static void threads_do_not_change_a_comparison(void **state)
{
    (void)state;
    static const char *const models[] = {"linear", "mlp"};
    shop *s = open_shop(60, one_honest, 3);
    for (int m = 0; m < 2; m++) {
        char *one = text_of(s, 1, models[m]), *two = text_of(s, 2, models[m]), *five = text_of(s, 5, models[m]);
        assert_string_equal(one, two);
        assert_string_equal(one, five);
        gbv_text_free(one);
        gbv_text_free(two);
        gbv_text_free(five);
    }
    close_shop(s);
}

static void without_a_test_set_nothing_is_judged(void **state)
{
    (void)state;
    shop *s = open_shop(60, one_honest, 3);
    gbv_compare_options options = gbv_compare_defaults();
    gbv_comparison *c;
    gbv_error error;
    options.seeds = 0; /* which does not matter then */
    assert_ok(gbv_compare(s->reference, s->sources, &options, &c, &error), error);
    assert_int_equal(c->verdict, GBV_VERDICT_NONE);
    assert_int_equal(c->baseline_count, 0);
    assert_null(c->source_accuracy);
    assert_null(c->methods[0].trained.accuracies);
    assert_true(c->method_count >= 6);
    assert_non_null(strstr(c->sentence, "--test"));
    gbv_comparison_free(c);
    close_shop(s);
}

static void rows_of_unseen_classes_count_as_wrong(void **state)
{
    (void)state;
    shop *s = open_shop(60, all_honest, 3);
    gbv_comparison *before = compare(s, "gbv");
    int32_t *labels = s->labels[MOST_SOURCES + 1];
    double share = 0;
    gbv_error error;
    for (size_t i = 0; i < TEST_ROWS; i++)
        if (labels[i] == 2) {
            labels[i] = 77;
            share += 1. / TEST_ROWS;
        }
    gbv_dataset_free(s->test);
    assert_ok(gbv_dataset_create("test", gbv_matrix_f32(&s->rows[MOST_SOURCES + 1][0][0], TEST_ROWS, COLUMNS), labels,
                                 NULL, 0, &s->test, &error),
              error);
    gbv_comparison *after = compare(s, "gbv");
    assert_true(after->methods[0].trained.accuracy <= 1 - share);
    assert_true(after->methods[0].trained.accuracy < before->methods[0].trained.accuracy - share / 2);
    assert_int_equal(after->test_rows, TEST_ROWS);
    bool warned = false;
    for (size_t i = 0; i < after->result->warning_count; i++)
        warned |= strstr(after->result->warnings[i], "('77'): they count as wrong") != NULL;
    assert_true(warned);
    gbv_comparison_free(before);
    gbv_comparison_free(after);
    close_shop(s);
}

static void a_test_set_that_cannot_judge_is_refused(void **state)
{
    (void)state;
    shop *s = open_shop(60, all_honest, 2);
    gbv_compare_options options = gbv_compare_defaults();
    gbv_dataset *unlabelled, *narrow;
    gbv_error error;
    const float *rows = &s->rows[0][0][0];
    assert_ok(gbv_dataset_create("plain", gbv_matrix_f32(rows, 10, COLUMNS), NULL, NULL, 0, &unlabelled, &error),
              error);
    assert_ok(
        gbv_dataset_create("narrow", gbv_matrix_f32(rows, 10, COLUMNS - 1), s->labels[0], NULL, 0, &narrow, &error),
        error);
    options.test = unlabelled;
    assert_refused(s, &options, GBV_BAD_INPUT, "plain: has no labels to judge by");
    options.test = narrow;
    assert_refused(s, &options, GBV_BAD_INPUT, "narrow: has 7 features, the sources have 8");
    options.test = s->test;
    options.seeds = 1;
    assert_refused(s, &options, GBV_USAGE, "a standard error takes 2 to");
    options.seeds = 2;
    options.methods = "gbv,no-such-method";
    assert_refused(s, &options, GBV_USAGE, "there is no method \"no-such-method\"");
    options = gbv_compare_defaults();
    options.value.model.model = "cnn";
    options.value.model.policy = "sra";
    assert_refused(s, &options, GBV_USAGE, "a policy changes the images of the final training");
    gbv_dataset_free(unlabelled);
    gbv_dataset_free(narrow);
    close_shop(s);
}

static void one_source_and_equal_sources_have_an_answer(void **state)
{
    (void)state;
    shop *s = open_shop(60, all_honest, 1);
    gbv_comparison *c = compare(s, NULL);
    assert_int_equal(c->verdict, GBV_VERDICT_NO);
    assert_true(c->methods[0].trained.accuracy == c->baselines[1].trained.accuracy);
    assert_true(isnan(c->methods[0].pearson));
    gbv_comparison_free(c);
    close_shop(s);

    s = open_shop(60, one_copied, 2);
    c = compare(s, "gbv,cmmd,uniform");
    assert_int_equal(c->verdict, GBV_VERDICT_NO);
    assert_near(c->result->sources[0].posterior, .5, 1e-9);
    gbv_comparison_free(c);
    close_shop(s);
}

static void without_labels_of_the_reference_it_is_not_trained_on(void **state)
{
    (void)state;
    shop *s = open_shop(60, one_honest, 3);
    gbv_compare_options options = gbv_compare_defaults();
    gbv_comparison *c;
    gbv_error error;
    options.test = s->test;
    options.seeds = 2;
    options.value.unlabelled = true;
    assert_ok(gbv_compare(s->reference, s->sources, &options, &c, &error), error);
    assert_null(c->baselines[0].trained.accuracies);
    assert_null(c->baselines[3].trained.accuracies);
    assert_non_null(strstr(c->baselines[0].detail, "no reference with labels"));
    assert_string_equal(c->baselines[c->to_beat].name, "pooled");
    bool cannot = false; /* a method that needs labels is listed with its reason */
    for (size_t m = 0; m < c->method_count; m++)
        if (strcmp(c->result->measures[m].method, "loss") == 0)
            cannot = strstr(c->result->measures[m].scores[0].reason, "needs the labels") &&
                     !c->methods[m].trained.accuracies;
    assert_true(cannot);
    gbv_comparison_free(c);
    close_shop(s);
}

static bool stop_at_final_models(void *context, const char *stage, size_t done, size_t total)
{
    size_t *seen = context;
    assert_true(done <= total);
    return strcmp(stage, "final models") == 0 && ++*seen > 3;
}

static void a_comparison_can_be_stopped_while_it_trains(void **state)
{
    (void)state;
    shop *s = open_shop(60, one_honest, 3);
    gbv_compare_options options = gbv_compare_defaults();
    size_t seen = 0;
    options.test = s->test;
    options.value.model.progress = stop_at_final_models;
    options.value.model.context = &seen;
    assert_refused(s, &options, GBV_INTERRUPTED, "interrupted after");
    close_shop(s);
}

/* The most accurate valuation is not sure to beat the baseline; one that is nearly as good is. */
static void any_valuation_that_clearly_beats_the_baselines_pays(void **state)
{
    (void)state;
    gbv_error error;
    double unsure[3] = {.95, .80, .86}, sure[3] = {.83, .84, .85}, baseline[3] = {.80, .81, .82};
    gbv_measure_result by[2] = {{.method = (char *)"gbv"}, {.method = (char *)"lava"}};
    gbv_result result = {.measures = by, .measure_count = 2};
    gbv_method_comparison methods[2] = {{.label = (char *)"gbv leep", .trained = {unsure, .87, .04}},
                                        {.label = (char *)"lava pooled", .trained = {sure, .84, .006}}};
    gbv_baseline baselines[BASELINE_COUNT] = {[BASELINE_POOLED] = {.trained = {baseline, .81, .006}}};
    gbv_comparison c = {.result = &result,
                        .methods = methods,
                        .method_count = 2,
                        .seeds = 3,
                        .test_rows = 100,
                        .baselines = baselines,
                        .baseline_count = BASELINE_COUNT};
    assert_ok(verdict_give(&c, &error), error);
    assert_int_equal(c.verdict, GBV_VERDICT_PAYS);
    assert_int_equal(c.best, 1);
    assert_true(fabs(c.gain - .03) < 1e-12);
    assert_non_null(strstr(c.sentence, "lava pooled beats training on all rows alike"));
    free(c.sentence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_valuation_that_finds_the_honest_source_pays),
        cmocka_unit_test(sources_that_guess_are_not_worth_their_price),
        cmocka_unit_test(equal_sources_need_no_valuation),
        cmocka_unit_test(any_valuation_that_clearly_beats_the_baselines_pays),
        cmocka_unit_test(accuracies_give_their_mean_and_standard_error),
        cmocka_unit_test(threads_do_not_change_a_comparison),
        cmocka_unit_test(without_a_test_set_nothing_is_judged),
        cmocka_unit_test(rows_of_unseen_classes_count_as_wrong),
        cmocka_unit_test(a_test_set_that_cannot_judge_is_refused),
        cmocka_unit_test(one_source_and_equal_sources_have_an_answer),
        cmocka_unit_test(without_labels_of_the_reference_it_is_not_trained_on),
        cmocka_unit_test(a_comparison_can_be_stopped_while_it_trains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
