/* The posterior against golden numbers (the authors' softmax and adaptive rule, run in float64), the paper's
 * Property 1, and every guard. */
#include "test_support.h"

static const char *const cases[] = {"leep_like_5", "logme_like_5", "three", "two", "one", "ties_4", "wide_6"};
enum { CASES = sizeof cases / sizeof *cases, LARGEST = 8 };

static size_t golden_list(const char *test_case, const char *key, double *values)
{
    size_t count = 0;
    char path[128];
    for (;; count++) {
        snprintf(path, sizeof path, "%s/%s/%zu", test_case, key, count);
        if (!golden_number("posterior.tsv", path, &values[count]))
            return count;
        assert_true(count < LARGEST);
    }
}

static void check_case(const char *test_case, const char *key, const double *prior, gbv_posterior_options how)
{
    double scores[LARGEST + 1], expected[LARGEST + 1], posterior[LARGEST];
    gbv_error error;
    size_t count = golden_list(test_case, "scores", scores), wanted = golden_list(test_case, key, expected);
    if (!wanted) /* no quick or adaptive numbers for one source */
        return;
    assert_int_equal(count, wanted);
    assert_ok(gbv_posterior(scores, prior, count, &how, posterior, NULL, &error), error);
    for (size_t i = 0; i < count; i++)
        if (!isnan(expected[i])) /* the adaptive rule of equal scores is 0/0 there and the prior here */
            assert_near(posterior[i], expected[i], 1e-10 * expected[i] + 1e-300);
        else
            assert_close(posterior[i], 1.0 / (double)count, 1e-15);
}

static void posteriors_match_the_golden_numbers(void **state)
{
    (void)state;
    static const double taus[] = {.01, .05, .1, .5, 1};
    static const char *const keys[] = {"fixed_tau_0.01", "fixed_tau_0.05", "fixed_tau_0.1", "fixed_tau_0.5",
                                       "fixed_tau_1"};
    for (size_t c = 0; c < CASES; c++) {
        for (size_t t = 0; t < 5; t++)
            check_case(cases[c], keys[t], NULL, (gbv_posterior_options){.tau_mode = GBV_TAU_FIXED, .tau = taus[t]});
        check_case(cases[c], "quick", NULL, (gbv_posterior_options){.tau_mode = GBV_TAU_QUICK});
        check_case(cases[c], "code_adaptive", NULL, (gbv_posterior_options){.tau_mode = GBV_TAU_CODE});
    }
    double prior[LARGEST];
    golden_list("prior_given_5", "prior", prior);
    check_case("prior_given_5", "posterior", prior, (gbv_posterior_options){.tau_mode = GBV_TAU_QUICK});
}

/* splitmix64: a generator of the test's own, printed with its seed. */
static uint64_t state_of_test;
static double draw(void)
{
    uint64_t z = state_of_test += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void property_1_of_the_paper_holds(void **state)
{
    (void)state;
    enum { SOURCES = 12, ROUNDS = 2000 };
    state_of_test = 20261115;
    print_message("seed %llu\n", (unsigned long long)state_of_test);
    for (int round = 0; round < ROUNDS; round++) {
        double scores[SOURCES], prior[SOURCES], with_prior[SOURCES], uniform[SOURCES], sum = 0;
        gbv_error error;
        gbv_posterior_options how = {.tau_mode = round % 2 ? GBV_TAU_QUICK : GBV_TAU_FIXED, .tau = .05 + draw()};
        for (int i = 0; i < SOURCES; i++) {
            scores[i] = -3 * draw();
            prior[i] = .01 + draw();
        }
        scores[1] = scores[0]; /* a tie */
        assert_ok(gbv_posterior(scores, prior, SOURCES, &how, with_prior, NULL, &error), error);
        assert_ok(gbv_posterior(scores, NULL, SOURCES, &how, uniform, NULL, &error), error);
        for (int a = 0; a < SOURCES; a++) {
            sum += with_prior[a];
            for (int b = 0; b < SOURCES; b++) {
                double left = with_prior[a] / prior[a], right = with_prior[b] / prior[b];
                if (scores[a] <= scores[b]) { /* (a), up to rounding where scores tie */
                    assert_true(left <= right * (1 + 1e-12));
                    assert_true(uniform[a] <= uniform[b]); /* (b) */
                } else
                    assert_true(left >= right * (1 - 1e-12));
            }
        }
        assert_near(sum, 1, 1e-14);
    }
}

static void adding_a_constant_to_all_scores_changes_nothing(void **state)
{
    (void)state;
    double scores[] = {-.4, -.7, -1.5, -.1}, shifted[4], before[4], after[4];
    gbv_error error;
    for (int i = 0; i < 4; i++)
        shifted[i] = scores[i] + 1024; /* exact in binary up to the last bits of the scores */
    assert_ok(gbv_posterior(scores, NULL, 4, NULL, before, NULL, &error), error);
    assert_ok(gbv_posterior(shifted, NULL, 4, NULL, after, NULL, &error), error);
    for (int i = 0; i < 4; i++)
        assert_close(after[i], before[i], 1e-11);
}

static void one_source_gets_everything_in_every_mode(void **state)
{
    (void)state;
    for (int mode = GBV_TAU_QUICK; mode <= GBV_TAU_FIXED; mode++) {
        double score = -.7, posterior;
        gbv_error error;
        gbv_posterior_options how = {.tau_mode = (gbv_tau_mode)mode, .tau = .1};
        assert_ok(gbv_posterior(&score, NULL, 1, &how, &posterior, NULL, &error), error);
        assert_true(posterior == 1);
    }
}

static void infinite_scores_take_all_or_nothing(void **state)
{
    (void)state;
    double posterior[3], prior[] = {1, 2, 3};
    gbv_error error;
    bool only_prior;
    assert_ok(gbv_posterior((double[]){-INFINITY, -1, -1}, NULL, 3, NULL, posterior, &only_prior, &error), error);
    assert_true(posterior[0] == 0 && posterior[1] == .5 && !only_prior);
    assert_ok(gbv_posterior((double[]){INFINITY, INFINITY, 5}, prior, 3, NULL, posterior, NULL, &error), error);
    assert_close(posterior[0], 1. / 3, 1e-15);
    assert_close(posterior[1], 2. / 3, 1e-15);
    assert_true(posterior[2] == 0);
    assert_ok(
        gbv_posterior((double[]){-INFINITY, -INFINITY, -INFINITY}, prior, 3, NULL, posterior, &only_prior, &error),
        error);
    assert_true(only_prior);
    assert_close(posterior[2], .5, 1e-15);
    /* a -infinity score with one source: the quick inverse is 0, and 0 times -infinity must not become NaN */
    assert_ok(gbv_posterior((double[]){-INFINITY}, NULL, 1, NULL, posterior, &only_prior, &error), error);
    assert_true(only_prior && posterior[0] == 1);
}

static void a_zero_prior_gives_no_weight(void **state)
{
    (void)state;
    double posterior[2];
    gbv_error error;
    assert_ok(gbv_posterior((double[]){10, -10}, (double[]){0, 1}, 2, NULL, posterior, NULL, &error), error);
    assert_true(posterior[0] == 0 && posterior[1] == 1);
}

static void undefined_scores_fail_unless_told_otherwise(void **state)
{
    (void)state;
    double posterior[2], scores[] = {NAN, -1};
    gbv_error error;
    gbv_posterior_options lenient = {.tau_mode = GBV_TAU_QUICK, .undefined_as_zero = true};
    assert_int_equal(gbv_posterior(scores, NULL, 2, NULL, posterior, NULL, &error), GBV_UNDEFINED);
    assert_non_null(strstr(error.message, "source 1"));
    assert_ok(gbv_posterior(scores, NULL, 2, &lenient, posterior, NULL, &error), error);
    assert_true(posterior[0] == 0 && posterior[1] == 1);
    assert_int_equal(gbv_posterior((double[]){NAN, NAN}, NULL, 2, &lenient, posterior, NULL, &error), GBV_UNDEFINED);
}

static void an_undefined_score_gets_nothing_even_when_only_the_prior_is_left(void **state)
{
    (void)state;
    double posterior[2];
    bool only_prior;
    gbv_error error;
    gbv_posterior_options lenient = {.tau_mode = GBV_TAU_QUICK, .undefined_as_zero = true};
    assert_ok(gbv_posterior((double[]){NAN, -INFINITY}, NULL, 2, &lenient, posterior, &only_prior, &error), error);
    assert_true(only_prior && posterior[0] == 0 && posterior[1] == 1);
    assert_int_equal(
        gbv_posterior((double[]){NAN, -INFINITY}, (double[]){1, 0}, 2, &lenient, posterior, &only_prior, &error),
        GBV_UNDEFINED);
}

static void huge_scores_and_priors_do_not_overflow(void **state)
{
    (void)state;
    double posterior[2];
    gbv_error error;
    gbv_posterior_options cold = {.tau_mode = GBV_TAU_FIXED, .tau = .1},
                          too_cold = {.tau_mode = GBV_TAU_FIXED, .tau = 1e-310};
    assert_ok(gbv_posterior((double[]){1e308, -1e308}, NULL, 2, &cold, posterior, NULL, &error), error);
    assert_true(posterior[0] == 1 && posterior[1] == 0);
    assert_ok(
        gbv_posterior((double[]){-INFINITY, -INFINITY}, (double[]){1e308, 1e308}, 2, NULL, posterior, NULL, &error),
        error);
    assert_true(posterior[0] == .5 && posterior[1] == .5);
    assert_int_equal(gbv_posterior((double[]){-1, -2}, NULL, 2, &too_cold, posterior, NULL, &error), GBV_USAGE);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    double posterior[2], scores[] = {-1, -2};
    gbv_error error;
    gbv_posterior_options cold = {.tau_mode = GBV_TAU_FIXED, .tau = 0}, odd = {.tau_mode = GBV_TAU_FIXED, .tau = NAN};
    assert_int_equal(gbv_posterior(scores, NULL, 0, NULL, posterior, NULL, &error), GBV_USAGE);
    assert_int_equal(gbv_posterior(scores, NULL, 2, &cold, posterior, NULL, &error), GBV_USAGE);
    assert_int_equal(gbv_posterior(scores, NULL, 2, &odd, posterior, NULL, &error), GBV_USAGE);
    assert_int_equal(gbv_posterior(scores, (double[]){0, 0}, 2, NULL, posterior, NULL, &error), GBV_USAGE);
    assert_int_equal(gbv_posterior(scores, (double[]){-1, 2}, 2, NULL, posterior, NULL, &error), GBV_USAGE);
    assert_int_equal(gbv_posterior(scores, (double[]){NAN, 2}, 2, NULL, posterior, NULL, NULL), GBV_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posteriors_match_the_golden_numbers),
        cmocka_unit_test(property_1_of_the_paper_holds),
        cmocka_unit_test(adding_a_constant_to_all_scores_changes_nothing),
        cmocka_unit_test(one_source_gets_everything_in_every_mode),
        cmocka_unit_test(infinite_scores_take_all_or_nothing),
        cmocka_unit_test(a_zero_prior_gives_no_weight),
        cmocka_unit_test(undefined_scores_fail_unless_told_otherwise),
        cmocka_unit_test(an_undefined_score_gets_nothing_even_when_only_the_prior_is_left),
        cmocka_unit_test(huge_scores_and_priors_do_not_overflow),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
