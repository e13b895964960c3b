/* test_advice.c - which rule applies when, on results and histories made for it, and on a real valuation. */
#include <gbv/advice.h>

#include "toy.h"
#include "value/flags.h"
#include "value/result.h"

/* Sources with weights w(i), each known up to a factor `spread` either way. */
static gbv_result *make(const double *weights, size_t count, double spread)
{
    gbv_result *r = result_create(count);
    r->method = strdup("gbv");
    r->measure = strdup("leep");
    r->reference_rows = 100;
    r->certainty = (gbv_certainty){.replicates = 200, .refits = 20, .level = .9};
    for (size_t i = 0; i < count; i++) {
        gbv_source_result *s = &r->sources[i];
        char name[20];
        snprintf(name, sizeof name, "s%zu", i);
        *s = (gbv_source_result){.name = strdup(name),
                                 .rows = 50,
                                 .score = log(weights[i]),
                                 .score_corrected = log(weights[i]),
                                 .score_interval = {log(weights[i]) - .1, log(weights[i]) + .1},
                                 .agreement = .5,
                                 .prior = 1 / (double)count,
                                 .posterior = weights[i],
                                 .posterior_interval = {weights[i] / spread, fmin(1, weights[i] * spread)},
                                 .rank = i + 1};
    }
    return r;
}

static gbv_advice *advise(const gbv_result *r)
{
    gbv_advice *advice;
    gbv_error error;
    assert_ok(gbv_result_advise(r, &advice, &error), error);
    for (size_t i = 0; i < r->source_count; i++) {
        assert_non_null(advice[i].reason);
        assert_true(advice[i].action != GBV_ACTION_UNKNOWN || advice[i].settles);
        assert_null(strstr(advice[i].reason, "nan"));
    }
    return advice;
}

static void expect(gbv_result *r, const char *actions, const char *says)
{
    gbv_advice *advice = advise(r);
    for (size_t i = 0; i < r->source_count; i++)
        if ("bkqsu"[advice[i].action] != actions[i])
            fail_msg("source %zu: %s because %s", i, gbv_action_word(advice[i].action), advice[i].reason);
    if (says && !strstr(advice[0].reason, says) && !(advice[0].settles && strstr(advice[0].settles, says)))
        fail_msg("'%s' is neither in '%s' nor in '%s'", says, advice[0].reason, advice[0].settles);
    gbv_advice_free(advice, r->source_count);
    gbv_result_free(r);
}

static void weights_decide_by_their_intervals(void **state)
{
    (void)state;
    expect(make((double[]){.6, .28, .12}, 3, 1.2), "bks",
           "1.80 times its share of 33.3\xE2\x80\xAF% (90 %: 1.50 to 2.16)");
    expect(make((double[]){.75, .15, .1}, 3, 1.1), "bks", NULL); /* .45 is not surely below a half, .3 is */
    expect(make((double[]){.5, .5}, 2, 1.01), "uu", "same score");
    expect(make((double[]){.51, .49}, 2, 1.3), "kk", NULL);
    expect(make((double[]){.5001, .4999}, 2, 8), "uu", "more reference rows (there are 100)");
    /* Surely above its share, but by next to nothing. */
    expect(make((double[]){.334, .333, .333}, 3, 1.0001), "kkk", NULL);
}

static void one_good_of_twenty_is_bought_and_the_others_stopped(void **state)
{
    (void)state;
    double weights[20];
    for (int i = 0; i < 20; i++)
        weights[i] = i ? .1 / 19 : .9;
    expect(make(weights, 20, 1.2), "bsssssssssssssssssss", NULL);
}

/* One of ten beyond its own 90 % interval is what chance does; far beyond it is not. */
static void among_many_sources_one_must_stand_out_further(void **state)
{
    (void)state;
    double weights[10] = {.13};
    for (int i = 1; i < 10; i++)
        weights[i] = .87 / 9;
    expect(make(weights, 10, 1.25), "kkkkkkkkkk", "as chance may bring about for one of 10 sources");
    expect(make(weights, 10, 1.1), "bkkkkkkkkk", NULL);
}

static void what_is_not_known_is_said(void **state)
{
    (void)state;
    static const double three[3] = {.5, .3, .2};
    gbv_result *r = make(three, 3, 1.2);
    r->certainty.replicates = r->certainty.refits = 0;
    expect(r, "uuu", "--intervals 200");
    r = make(three, 3, 1.2);
    r->certainty.refits = 0;
    expect(r, "uuu", "--refits 5");
    r = make(three, 3, 1.2);
    r->sources[0].rows = 0;
    expect(r, "ukk", "probabilities");
    r = make((double[]){1}, 1, 1);
    r->tau = INFINITY;
    expect(r, "u", "no other source");
    r = make(three, 3, 1.2);
    r->sources[2].posterior_interval[0] = r->sources[2].posterior_interval[1] = NAN;
    expect(r, "bku", NULL);
    r = make(three, 3, 1.2);
    r->sources[2].prior = r->sources[2].posterior = 0;
    r->sources[2].posterior_interval[0] = r->sources[2].posterior_interval[1] = 0;
    expect(r, "bku", NULL);
    r = make(three, 3, 1.2);
    r->sources[0].score_status = GBV_SCORE_UNDEFINED;
    r->sources[0].score = NAN;
    assert_true(flag_add(&r->sources[0], FLAG_UNDEFINED, "no labels"));
    expect(r, "ukk", "no score");
    r = make(three, 3, 1.2);
    r->sources[0].score_status = GBV_SCORE_MINUS_INFINITY;
    r->sources[0].score = -INFINITY;
    expect(r, "ukk", "minus infinity");
}

static void a_weight_of_zero_is_stopped(void **state)
{
    (void)state;
    gbv_result *r = make((double[]){.7, .3, 1e-300}, 3, 1.2);
    r->sources[2].posterior = r->sources[2].posterior_interval[0] = r->sources[2].posterior_interval[1] = 0;
    expect(r, "bks", NULL);
}

static void flags_and_odd_data_are_questions(void **state)
{
    (void)state;
    static const double three[3] = {.5, .3, .2};
    gbv_result *r = make(three, 3, 1.2);
    assert_true(flag_add(&r->sources[0], FLAG_CHANCE, "agrees on 0.2 of 100 rows"));
    assert_true(flag_add(&r->sources[1], "new_kind", "something"));
    expect(r, "qqk", "on 50.0\xE2\x80\xAF% of the 100 rows, no more often than chance");
    r = make(three, 3, 1.2);
    assert_true(flag_add(&r->sources[0], FLAG_ONE_CLASS, "%s", ""));
    expect(r, "qkk", "all its labels are one class");
    r = make(three, 3, 1.2);
    assert_true(text_list_add(&r->sources[0].warnings, &r->sources[0].warning_count, "it holds the reference"));
    assert_true(text_list_add(&r->sources[1].warnings, &r->sources[1].warning_count, "it holds the reference"));
    expect(r, "qkk", "but it holds the reference");
}

/* Two classes, 80 and 20 rows: knowing nothing scores -0.5 by leep. */
static void a_score_at_the_floor_is_stopped(void **state)
{
    (void)state;
    gbv_result *r = make((double[]){.5, .49}, 2, 1.1);
    assert_true(text_list_add(&r->classes, &r->class_count, "a") && text_list_add(&r->classes, &r->class_count, "b"));
    r->sources[0].confusion = calloc(6, sizeof(size_t));
    memcpy(r->sources[0].confusion, (size_t[]){70, 5, 5, 20, 0, 0}, 6 * sizeof(size_t));
    r->sources[0].score_interval[1] = -.51;
    r->sources[1].score_interval[1] = -.49;
    expect(r, "sk", "a model that knows nothing");
}

static void scores_that_chance_explains_buy_nothing(void **state)
{
    (void)state;
    gbv_result *r = make((double[]){.5, .3, .2}, 3, 1.2);
    r->ambiguous = true;
    expect(r, "kkk", "chance explains");
}

static void what_would_settle_it_is_told(void **state)
{
    (void)state;
    gbv_result *r = make((double[]){.55, .45}, 2, 8);
    r->certainty.pairs = calloc(1, sizeof(gbv_pair));
    r->certainty.pair_count = 1;
    r->certainty.pairs[0] = (gbv_pair){.first = 0, .second = 1, .rows_needed = 1234};
    gbv_advice *advice = advise(r);
    assert_string_equal(advice[0].settles, "about 1234 reference rows (there are 100) would tell it from s1");
    assert_string_equal(advice[1].settles, "about 1234 reference rows (there are 100) would tell it from s0");
    gbv_advice_free(advice, 2);
    r->certainty.pairs[0].rows_needed = INFINITY;
    expect(r, "uu", "no number of reference rows");
}

static void every_action_has_a_word_and_a_rule(void **state)
{
    (void)state;
    for (int a = GBV_ACTION_BUY; a <= GBV_ACTION_UNKNOWN; a++) {
        assert_true(strlen(gbv_action_word((gbv_action)a)) > 2);
        const char *rule = gbv_action_rule((gbv_action)a);
        assert_int_equal(rule[strlen(rule) - 1], '.');
    }
    gbv_advice_free(NULL, 0);
}

static void a_real_valuation_buys_the_clean_source_and_not_the_worst(void **state)
{
    (void)state;
    toy *t = make_toy();
    gbv_result *r = value(t, (int[]){0, 1, 2, 3}, 4, NULL);
    gbv_advice *advice = advise(r);
    assert_int_equal(advice[1].action, GBV_ACTION_BUY);
    assert_true(advice[2].action == GBV_ACTION_STOP || advice[2].action == GBV_ACTION_QUESTION);
    gbv_advice_free(advice, 4);
    gbv_result_free(r);
    free(t);
}

enum { BATCHES = 5 };

/* The same weights in every batch, delivered by all. */
typedef struct past {
    gbv_history h;
    gbv_history_batch batches[BATCHES];
    gbv_history_point points[3 * BATCHES];
} past;

static past *make_past(const double *weights, const double *alone, double spread)
{
    static char *const labels[3] = {(char *)"a", (char *)"b", (char *)"c"};
    past *p = calloc(1, sizeof *p);
    p->h = (gbv_history){.batch_count = BATCHES,
                         .batches = p->batches,
                         .source_count = 3,
                         .names = (char **)labels,
                         .points = p->points};
    for (size_t t = 0; t < BATCHES; t++) {
        p->batches[t] = (gbv_history_batch){.name = (char *)"2026-11",
                                            .replicates = 200,
                                            .refits = 20,
                                            .reference_rows = 100,
                                            .present = 3,
                                            .alarm_batches = 12,
                                            .alarm_threshold = 4};
        for (size_t s = 0; s < 3; s++)
            p->points[s * BATCHES + t] =
                (gbv_history_point){.present = true,
                                    .rows = 10,
                                    .score = -.5,
                                    .batch_posterior = alone[s],
                                    .prior = 1. / 3,
                                    .posterior = weights[s],
                                    .posterior_interval = {weights[s] / spread, fmin(1, weights[s] * spread)}};
    }
    return p;
}

static void expect_past(past *p, const char *actions, const char *says)
{
    gbv_advice *advice;
    gbv_error error;
    assert_ok(gbv_history_advise(&p->h, &advice, &error), error);
    for (size_t s = 0; s < p->h.source_count; s++) {
        if ("bkqsu"[advice[s].action] != actions[s])
            fail_msg("source %zu: %s because %s", s, gbv_action_word(advice[s].action), advice[s].reason);
        assert_true(advice[s].action != GBV_ACTION_UNKNOWN || advice[s].settles);
    }
    if (says && !strstr(advice[0].reason, says) && !(advice[0].settles && strstr(advice[0].settles, says)))
        fail_msg("'%s' is neither in '%s' nor in '%s'", says, advice[0].reason, advice[0].settles);
    gbv_advice_free(advice, p->h.source_count);
    free(p);
}

static void a_ledger_is_judged_by_what_has_come_together(void **state)
{
    (void)state;
    static const double weights[3] = {.9, .08, .02}, alone[3] = {.5, .35, .15};
    expect_past(make_past(weights, alone, 1.1), "bks", "and batch 2026-11 alone gives it 1.50 times");
    /* Small differences that added up: the last batch does not say the same. */
    static const double nearly[3] = {.36, .33, .31}, reversed[3] = {.3, .4, .3};
    expect_past(make_past(weights, nearly, 1.1), "bkk", NULL);
    expect_past(make_past(weights, reversed, 1.1), "kkk", "but batch 2026-11 alone gives it 0.90 times");
}

static void alarms_absences_and_leavers_are_told(void **state)
{
    (void)state;
    static const double weights[3] = {.5, .3, .2}, alone[3] = {.5, .3, .2};
    past *p = make_past(weights, alone, 1.1);
    p->points[BATCHES - 1].alarm = -1;
    p->points[2 * BATCHES - 1].alarm = 1;
    p->points[3 * BATCHES - 4].alarm = -1; /* three batches ago */
    expect_past(p, "qqk", "once in 12 batches");
    p = make_past(weights, alone, 1.1);
    p->points[BATCHES - 1] = p->points[0];
    p->points[BATCHES - 1].alarm = -1;
    p->points[BATCHES - 1].z = -19.7;
    p->points[BATCHES - 1].cusum = -19.2;
    expect_past(p, "qkk", "it was 19.7 standard errors below it");
    p = make_past(weights, alone, 1.1);
    p->points[BATCHES - 1].flag = FLAG_CHANCE;     /* whatever its weight is */
    p->points[2 * BATCHES - 2].flag = FLAG_CHANCE; /* not its last delivery */
    expect_past(p, "qkk", "no more often than chance");
    p = make_past(weights, alone, 1.1);
    p->points[BATCHES - 3].alarm = -1; /* two batches ago */
    expect_past(p, "qkk", "ask what changed");
    p = make_past(weights, alone, 1.1);
    for (size_t t = 2; t < BATCHES; t++)
        p->points[t].present = false;
    p->points[2 * BATCHES - 1].present = false;
    p->points[3 * BATCHES - 1].posterior = p->points[3 * BATCHES - 1].prior = NAN;
    expect_past(p, "uks", "three batches");
    p = make_past(weights, alone, 1.1);
    p->points[BATCHES - 1].present = false;
    expect_past(p, "bkk", "it did not deliver in the last batch");
    p = make_past(weights, alone, 1.1);
    p->points[BATCHES - 1].posterior_interval[0] = NAN;
    expect_past(p, "ukk", "--intervals");
    p = make_past(weights, alone, 1.1);
    p->h.batch_count = 0;
    expect_past(p, "uuu", "no batch");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_decide_by_their_intervals),
        cmocka_unit_test(one_good_of_twenty_is_bought_and_the_others_stopped),
        cmocka_unit_test(among_many_sources_one_must_stand_out_further),
        cmocka_unit_test(what_is_not_known_is_said),
        cmocka_unit_test(a_weight_of_zero_is_stopped),
        cmocka_unit_test(flags_and_odd_data_are_questions),
        cmocka_unit_test(a_score_at_the_floor_is_stopped),
        cmocka_unit_test(scores_that_chance_explains_buy_nothing),
        cmocka_unit_test(what_would_settle_it_is_told),
        cmocka_unit_test(every_action_has_a_word_and_a_rule),
        cmocka_unit_test(a_real_valuation_buys_the_clean_source_and_not_the_worst),
        cmocka_unit_test(a_ledger_is_judged_by_what_has_come_together),
        cmocka_unit_test(alarms_absences_and_leavers_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
