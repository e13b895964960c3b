/* test_continual.c - the step from batch to batch: golden numbers, the rules for who stays away, comes and goes. */
#include "value/continual.h"

#include "base/random.h"
#include "test_support.h"
#include "value/strategies.h"

enum { SOURCES = 6, BATCHES = 12, ROUNDS = 300 };
static const uint64_t seed = 20261119;

static random_stream open_stream(void)
{
    print_message("seed %llu\n", (unsigned long long)seed);
    return random_stream_open(seed, "ledger", RANDOM_LABEL_NOISE);
}

static double between(random_stream *stream, double low, double high)
{
    return low + (high - low) * random_uniform(stream);
}

/* A ledger that `count` sources have entered, with priors of their own. */
static void open_ledger(continual_source *sources, size_t count, random_stream *stream)
{
    continual_delivery deliveries[SOURCES];
    double total = 0;
    for (size_t s = 0; s < count; s++) {
        sources[s] = (continual_source){.log_weight = -INFINITY};
        deliveries[s] = (continual_delivery){.source = s, .prior = between(stream, .1, 1)};
        total += deliveries[s].prior;
    }
    for (size_t s = 0; s < count; s++)
        deliveries[s].prior /= total;
    continual_enter(sources, count, deliveries, count);
    for (size_t s = 0; s < count; s++) {
        assert_true(sources[s].in);
        assert_near(sources[s].prior, deliveries[s].prior, 1e-15);
        assert_near(exp(sources[s].log_weight), deliveries[s].prior, 1e-15);
    }
}

static bool fold(continual_source *sources, const double *scores, double inverse_tau, double forgetting)
{
    continual_delivery deliveries[SOURCES];
    for (size_t s = 0; s < SOURCES; s++)
        deliveries[s] = (continual_delivery){.source = s, .score = scores[s]};
    return continual_fold(sources, deliveries, SOURCES, scores, inverse_tau, forgetting);
}

static void assert_adds_up(const continual_source *sources, size_t count)
{
    double prior = 0, weight = 0;
    for (size_t s = 0; s < count; s++)
        if (sources[s].in) {
            prior += sources[s].prior;
            weight += exp(sources[s].log_weight);
        }
    assert_near(prior, 1, 1e-12);
    assert_near(weight, 1, 1e-12);
}

static double golden(const char *key, size_t batch, size_t source)
{
    char path[128];
    double value = NAN;
    snprintf(path, sizeof path, "%s/%zu/%zu", key, batch, source);
    if (!golden_number("cgbv.tsv", path, &value))
        fail_msg("no golden number %s", path);
    return value;
}

enum { STEPS = 4, ANNOTATORS = 5 };

static void fill_golden(const char *tau, const char *what, double *values)
{
    char key[96];
    snprintf(key, sizeof key, "%s%s%s", tau, *tau ? "/" : "", what);
    for (size_t i = 0; i < STEPS * ANNOTATORS; i++)
        values[i] = golden(key, i / ANNOTATORS, i % ANNOTATORS);
}

static void assert_like_golden(const char *tau, const char *what, const double *values, double tolerance)
{
    double expected[STEPS * ANNOTATORS];
    fill_golden(tau, what, expected);
    for (size_t i = 0; i < STEPS * ANNOTATORS; i++)
        assert_close(values[i], expected[i], tolerance);
}

/* The authors add 1e-7 to each of the five, so that weights add up to a little less than one and, carried forward, to
 * next to nothing in the end; made to add up again they are the exact ones. */
static void assert_like_authors(const char *tau, const double *posterior)
{
    double code[STEPS * ANNOTATORS];
    fill_golden(tau, "cgbv_code_eps1e-7", code);
    for (size_t t = 0; t < STEPS; t++) {
        double sum = 0;
        for (size_t s = 0; s < ANNOTATORS; s++)
            sum += code[t * ANNOTATORS + s];
        for (size_t s = 0; s < ANNOTATORS; s++)
            assert_close(posterior[t * ANNOTATORS + s], code[t * ANNOTATORS + s] / sum, 1e-12);
        if (strcmp(tau, "1") == 0)
            assert_near(sum, 1, 4e-6);
    }
}

static void the_recursion_and_its_baselines_match_the_golden_numbers(void **state)
{
    (void)state;
    static const char *const taus[] = {"1", "0.43067655807339306", "0.050000000000000003"};
    static const struct {
        const char *strategy, *golden;
        double tolerance;
    } strategies[] = {
        {"continual", "cgbv_exact_logspace", 1e-12},
        {"no-update", "no_update_code_first", 5.1e-7}, /* those of the authors are divided by 1 + 5e-7 */
        {"average", "average_code", 5.1e-7},
        {"average-posterior", "average_of_recursive_posteriors", 1e-12},
        {"last", "last_code", 5.1e-7},
    };
    double scores[STEPS * ANNOTATORS];
    fill_golden("", "scores", scores);
    for (size_t k = 0; k < 3; k++) {
        double q[STEPS * ANNOTATORS], posterior[STEPS * ANNOTATORS], weights[STEPS * ANNOTATORS];
        continual_source sources[ANNOTATORS] = {{0}};
        for (size_t t = 0; t < STEPS; t++) {
            continual_delivery deliveries[ANNOTATORS];
            gbv_error error;
            const double *batch = &scores[t * ANNOTATORS], tau = strtod(taus[k], NULL);
            for (size_t s = 0; s < ANNOTATORS; s++)
                deliveries[s] = (continual_delivery){s, 1.0 / ANNOTATORS, batch[s]};
            continual_enter(sources, ANNOTATORS, deliveries, ANNOTATORS);
            assert_true(continual_fold(sources, deliveries, ANNOTATORS, batch, 1 / tau, 1));
            for (size_t s = 0; s < ANNOTATORS; s++)
                posterior[t * ANNOTATORS + s] = exp(sources[s].log_weight);
            gbv_posterior_options fixed = {.tau_mode = GBV_TAU_FIXED, .tau = tau};
            assert_ok(gbv_posterior(batch, NULL, ANNOTATORS, &fixed, &q[t * ANNOTATORS], NULL, &error), error);
        }
        assert_like_golden(taus[k], "per_step_softmax", q, 1e-12);
        assert_like_authors(taus[k], posterior);
        strategy_input input = {STEPS, ANNOTATORS, q, posterior};
        for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
            strategy_find(strategies[i].strategy)->weigh(&input, weights);
            assert_like_golden(taus[k], strategies[i].golden, weights, strategies[i].tolerance);
        }
    }
}

static void with_everybody_there_it_is_the_sum_of_faded_scores(void **state)
{
    (void)state;
    random_stream stream = open_stream();
    for (int round = 0; round < ROUNDS; round++) {
        continual_source sources[SOURCES];
        double scores[BATCHES][SOURCES], expected[SOURCES], logs[SOURCES], sum = 0;
        double inverse_tau = between(&stream, .1, 20), forgetting = round % 3 ? between(&stream, .5, 1) : 1;
        open_ledger(sources, SOURCES, &stream);
        for (size_t t = 0; t < BATCHES; t++) {
            for (size_t s = 0; s < SOURCES; s++)
                scores[t][s] = between(&stream, -3, 0);
            assert_true(fold(sources, scores[t], inverse_tau, forgetting));
        }
        for (size_t s = 0; s < SOURCES; s++) {
            logs[s] = log(sources[s].prior);
            for (size_t t = 0; t < BATCHES; t++)
                logs[s] += pow(forgetting, (double)(BATCHES - 1 - t)) * scores[t][s] * inverse_tau;
        }
        for (size_t s = 0; s < SOURCES; s++)
            sum += expected[s] = exp(logs[s] - logs[0]);
        for (size_t s = 0; s < SOURCES; s++)
            assert_close(exp(sources[s].log_weight), expected[s] / sum, 1e-9);
        assert_adds_up(sources, SOURCES);
    }
}

static void skipping_a_batch_never_raises_a_share(void **state)
{
    (void)state;
    random_stream stream = open_stream();
    for (int round = 0; round < ROUNDS; round++) {
        enum { KNOWN = SOURCES - 1 };
        continual_source sources[SOURCES];
        double forgetting = round % 3 ? between(&stream, .5, 1) : 1;
        open_ledger(sources, KNOWN, &stream);
        sources[KNOWN] = (continual_source){.log_weight = -INFINITY};
        for (size_t t = 0; t < BATCHES; t++) {
            continual_source before[SOURCES];
            continual_delivery deliveries[SOURCES];
            double scores[SOURCES];
            size_t present = 0, candidates = t == BATCHES / 2 ? SOURCES : KNOWN; /* then a newcomer may come */
            bool there[SOURCES] = {false}, may_be_in = t > BATCHES / 2;
            for (size_t s = 0; s < (may_be_in ? SOURCES : candidates); s++)
                if ((there[s] = random_uniform(&stream) < .6)) {
                    scores[present] = between(&stream, -3, 0);
                    deliveries[present] = (continual_delivery){s, 0, scores[present]};
                    present++;
                }
            for (size_t i = 0; i < present; i++)
                deliveries[i].prior = 1 / (double)present;
            memcpy(before, sources, sizeof sources);
            continual_enter(sources, SOURCES, deliveries, present);
            assert_int_equal(continual_fold(sources, deliveries, present, scores, 2, forgetting), present > 0);
            for (size_t s = 0; s < SOURCES; s++)
                if (before[s].in && !there[s])
                    assert_true(sources[s].log_weight <= before[s].log_weight);
            assert_adds_up(sources, SOURCES);
        }
    }
}

static void the_absent_keep_their_share_to_the_last_bit(void **state)
{
    (void)state;
    random_stream stream = open_stream();
    continual_source sources[SOURCES], before[SOURCES];
    open_ledger(sources, SOURCES, &stream);
    memcpy(before, sources, sizeof sources);
    const double scores[SOURCES] = {-1, NAN, -2, NAN, -.5, -3}; /* without a score it is as if it were absent */
    assert_true(fold(sources, scores, 3, .9));
    assert_true(sources[1].log_weight == before[1].log_weight && sources[3].log_weight == before[3].log_weight);
    double there = 0, product[SOURCES], products = 0;
    for (size_t s = 0; s < SOURCES; s++)
        if (!isnan(scores[s])) {
            there += exp(before[s].log_weight);
            product[s] = pow(before[s].prior, .1) * pow(exp(before[s].log_weight), .9) * exp(3 * scores[s]);
            products += product[s];
        }
    for (size_t s = 0; s < SOURCES; s++)
        if (!isnan(scores[s]))
            assert_close(exp(sources[s].log_weight), there * product[s] / products, 1e-13);
}

static void adding_a_constant_to_all_scores_of_a_batch_changes_nothing(void **state)
{
    (void)state;
    random_stream stream = open_stream();
    for (int round = 0; round < ROUNDS; round++) {
        continual_source plain[SOURCES], raised[SOURCES];
        double inverse_tau = between(&stream, .1, 20), forgetting = round % 3 ? between(&stream, .5, 1) : 1;
        open_ledger(plain, SOURCES, &stream);
        memcpy(raised, plain, sizeof plain);
        for (size_t t = 0; t < BATCHES; t++) {
            double scores[SOURCES], more[SOURCES], constant = between(&stream, -100, 100);
            for (size_t s = 0; s < SOURCES; s++) {
                scores[s] = random_uniform(&stream) < .2 ? NAN : between(&stream, -3, 0);
                more[s] = scores[s] + constant;
            }
            assert_int_equal(fold(plain, scores, inverse_tau, forgetting), fold(raised, more, inverse_tau, forgetting));
        }
        for (size_t s = 0; s < SOURCES; s++)
            assert_near(raised[s].log_weight, plain[s].log_weight, 1e-9);
    }
}

static void no_weight_is_lost_in_thousands_of_batches(void **state)
{
    (void)state;
    random_stream stream = open_stream();
    continual_source sources[SOURCES];
    double scores[SOURCES];
    open_ledger(sources, SOURCES, &stream);
    for (int t = 0; t < 10000; t++) {
        for (size_t s = 0; s < SOURCES; s++)
            scores[s] = -(double)s + between(&stream, -.1, .1);
        assert_true(fold(sources, scores, 1, 1));
    }
    assert_adds_up(sources, SOURCES);
    assert_true(exp(sources[SOURCES - 1].log_weight) == 0); /* as a double, but not as a logarithm */
    assert_near(sources[SOURCES - 1].log_weight, -5e4, 100);
    for (int t = 0; t < 10000; t++) {
        for (size_t s = 0; s < SOURCES; s++)
            scores[s] = (double)s;
        assert_true(fold(sources, scores, 1, 1));
    }
    /* Both were equally often best; what is left is the noise of 10,000 draws. */
    assert_near(sources[SOURCES - 1].log_weight - sources[0].log_weight, 0, 60);
    assert_adds_up(sources, SOURCES);
    for (int t = 0; t < 10000; t++)
        assert_true(fold(sources, scores, 1, .9));
    double first = log(sources[0].prior) + 10 * scores[0], last = log(sources[5].prior) + 10 * scores[5];
    assert_near(sources[5].log_weight - sources[0].log_weight, last - first, 1e-9); /* a memory of ten batches */
}

static void a_newcomer_enters_with_its_prior_and_the_others_make_room(void **state)
{
    (void)state;
    /* Three are in; one of them delivers beside a newcomer. */
    continual_source sources[5] = {{true, .5, log(.7)}, {true, .25, log(.2)}, {true, .25, log(.1)}};
    const continual_delivery uniform[] = {{1, .5, -1}, {3, .5, -1}};
    continual_enter(sources, 5, uniform, 2);
    /* It counts as much as the one of its batch: 1/4 of 5/4. */
    assert_true(sources[3].in && !sources[4].in);
    assert_near(sources[3].prior, .2, 1e-15);
    assert_near(exp(sources[3].log_weight), .2, 1e-15);
    assert_near(sources[0].prior, .4, 1e-15);
    assert_near(exp(sources[0].log_weight), .7 * .8, 1e-15);
    /* Another comes alone, and counts as much as one of four on average. */
    const continual_delivery alone[] = {{4, 1, -1}};
    continual_enter(sources, 5, alone, 1);
    assert_near(sources[4].prior, .2, 1e-15);
    assert_near(exp(sources[0].log_weight), .7 * .8 * .8, 1e-15);
    assert_adds_up(sources, 5);
    /* Who is in already does not enter again, and who has no score does not enter. */
    continual_source before[5];
    memcpy(before, sources, sizeof before);
    continual_enter(sources, 5, alone, 1);
    assert_near(sources[4].log_weight, before[4].log_weight, 1e-15);
    sources[4] = (continual_source){.log_weight = -INFINITY};
    continual_enter(sources, 5, &(continual_delivery){4, 1, NAN}, 1);
    assert_false(sources[4].in);
}

static void newcomers_with_priors_of_their_own_keep_their_proportions(void **state)
{
    (void)state;
    continual_source sources[4] = {{true, .6, log(.9)}, {true, .4, log(.1)}};
    const continual_delivery batch[] = {{0, .3, -1}, {2, .6, -1}, {3, .1, -1}};
    continual_enter(sources, 4, batch, 3);
    assert_near(sources[2].prior / sources[0].prior, 2, 1e-14);
    assert_near(sources[3].prior / sources[0].prior, 1.0 / 3, 1e-14);
    assert_near(sources[1].prior / sources[0].prior, 4.0 / 6, 1e-14);
    assert_adds_up(sources, 4);
    /* Priors of zero say nothing of the scale. */
    continual_source few[3] = {{true, 1, 0}};
    continual_enter(few, 3, (const continual_delivery[]){{0, 0, -1}, {1, .5, -1}, {2, .5, -1}}, 3);
    assert_near(few[1].prior / few[0].prior, 1.5, 1e-14);
    assert_adds_up(few, 3);
}

static void who_leaves_hands_its_share_to_the_others(void **state)
{
    (void)state;
    continual_source sources[3] = {{true, .5, log(.6)}, {true, .3, log(.3)}, {true, .2, log(.1)}};
    assert_true(continual_leave(sources, 3, 0));
    assert_false(sources[0].in);
    assert_true(sources[0].log_weight == -INFINITY);
    assert_near(sources[1].prior, .6, 1e-15);
    assert_near(exp(sources[1].log_weight), .75, 1e-15);
    assert_near(exp(sources[2].log_weight), .25, 1e-15);
    assert_false(continual_leave(sources, 3, 0)); /* it is gone already */
    assert_true(continual_leave(sources, 3, 2));
    assert_near(sources[1].log_weight, 0, 1e-15);
    assert_false(continual_leave(sources, 3, 1)); /* nobody is left */
    assert_true(sources[1].in);
    /* It may come again, as a newcomer. */
    continual_enter(sources, 3, (const continual_delivery[]){{0, .5, -1}, {1, .5, -1}}, 2);
    assert_true(sources[0].in);
    assert_near(exp(sources[0].log_weight), .5, 1e-15);
    /* Weights that are nothing beside the leaver's become all there is. */
    continual_source faint[3] = {{true, .4, 0}, {true, .3, -2000}, {true, .3, -2000 + log(3)}};
    assert_true(continual_leave(faint, 3, 0));
    assert_near(exp(faint[2].log_weight), .75, 1e-12);
    continual_source nothing[2] = {{true, .5, 0}, {true, .5, -INFINITY}};
    assert_false(continual_leave(nothing, 2, 0));
    assert_true(nothing[0].in && nothing[0].log_weight == 0);
}

static void infinite_scores_take_or_give_everything(void **state)
{
    (void)state;
    continual_source sources[SOURCES], before[SOURCES];
    random_stream stream = open_stream();
    open_ledger(sources, SOURCES, &stream);
    memcpy(before, sources, sizeof sources);
    const double lost[SOURCES] = {-INFINITY, -1, -1, -1, -1, -1}, good[SOURCES] = {0, -9, -9, -9, -9, -9};
    assert_true(fold(sources, lost, 1, .9));
    assert_true(sources[0].log_weight == -INFINITY);
    assert_adds_up(sources, SOURCES);
    assert_true(fold(sources, good, 1, .9));
    assert_true(sources[0].log_weight == -INFINITY); /* for good */
    assert_adds_up(sources, SOURCES);

    double none[SOURCES];
    for (size_t s = 0; s < SOURCES; s++)
        none[s] = s % 2 ? NAN : -INFINITY;
    memcpy(before, sources, sizeof sources);
    assert_false(fold(sources, none, 1, 1));
    assert_false(fold(sources, (const double[SOURCES]){-1, NAN, NAN, NAN, NAN, -INFINITY}, 1, 1));
    assert_memory_equal(sources, before, sizeof sources);

    assert_true(fold(sources, (const double[SOURCES]){INFINITY, INFINITY, 3, -1, INFINITY, NAN}, 1, 1));
    assert_true(sources[2].log_weight == -INFINITY && sources[3].log_weight == -INFINITY);
    assert_near(sources[1].log_weight - sources[4].log_weight, before[1].log_weight - before[4].log_weight, 1e-12);
    assert_true(sources[5].log_weight == before[5].log_weight);
    assert_adds_up(sources, SOURCES);

    /* An infinite tau is that of one source: nothing counts but -INFINITY. */
    continual_source one = {true, 1, 0};
    assert_true(continual_fold(&one, &(continual_delivery){0}, 1, (double[]){-1e308}, 0, 1) && one.log_weight == 0);
    continual_source huge[2] = {{true, .5, log(.5)}, {true, .5, log(.5)}};
    const continual_delivery both[] = {{.source = 0}, {.source = 1}};
    assert_true(continual_fold(huge, both, 2, (double[]){1e308, -1e308}, 10, 1) && huge[0].log_weight == 0);
}

static void strategies_know_who_is_absent_or_new(void **state)
{
    (void)state;
    const double q[] = {.5, .5, NAN, NAN, .25, .75}, p[] = {.5, .5, NAN, .4, .2, .4};
    const strategy_input input = {2, 3, q, p};
    static const struct {
        const char *name;
        double second[3];
    } expected[] = {{"continual", {.4, .2, .4}},
                    {"no-update", {.5, .5, 0}},
                    {"average", {.25, .375, .375}},
                    {"average-posterior", {.45, .35, .2}},
                    {"last", {0, .25, .75}}};
    const char *name, *summary;
    for (size_t i = 0; i < 5; i++) {
        double weights[6];
        assert_true(gbv_list("strategies", i, &name, &summary));
        assert_string_equal(name, expected[i].name);
        strategy_find(name)->weigh(&input, weights);
        assert_true(weights[0] == .5 && weights[1] == .5 && weights[2] == 0);
        for (size_t s = 0; s < 3; s++)
            assert_near(weights[3 + s], expected[i].second[s], 1e-15);
    }
    assert_false(gbv_list("strategies", 5, &name, &summary));
    assert_null(strategy_find("first"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_recursion_and_its_baselines_match_the_golden_numbers),
        cmocka_unit_test(with_everybody_there_it_is_the_sum_of_faded_scores),
        cmocka_unit_test(skipping_a_batch_never_raises_a_share),
        cmocka_unit_test(the_absent_keep_their_share_to_the_last_bit),
        cmocka_unit_test(adding_a_constant_to_all_scores_of_a_batch_changes_nothing),
        cmocka_unit_test(no_weight_is_lost_in_thousands_of_batches),
        cmocka_unit_test(a_newcomer_enters_with_its_prior_and_the_others_make_room),
        cmocka_unit_test(newcomers_with_priors_of_their_own_keep_their_proportions),
        cmocka_unit_test(who_leaves_hands_its_share_to_the_others),
        cmocka_unit_test(infinite_scores_take_or_give_everything),
        cmocka_unit_test(strategies_know_who_is_absent_or_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
