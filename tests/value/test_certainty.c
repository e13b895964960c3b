/* Intervals and chances against cases worked out by hand, and what must hold whatever the numbers are. */
#include "value/certain.h"

static void an_interval_is_what_opposite_replicates_say(void **state)
{
    (void)state;
    numbers *n = numbers_create();
    certainty_input in = input_of(n, 1, 40, 0);
    n->scores[0] = -1;
    in.step = .5;
    for (int k = 0; k < 20; k++) { /* a bias of .1, and chance moves the score by .01, .02, ... .2 */
        double even = .1 * .25, odd = .01 * (1 + k * 7 % 20) * .5;
        n->replicates[2 * k] = -1 + even + odd;
        n->replicates[2 * k + 1] = -1 + even - odd;
    }
    certainty c = compute(&in);
    assert_close(c.sources[0].corrected, -1.1, 1e-12);
    assert_close(c.sources[0].model.low, -1.1 - .1805, 1e-12); /* place 1.95 of 0 to 39 */
    assert_close(c.sources[0].model.high, -1.1 + .1805, 1e-12);
    assert_true(c.sources[0].source.low == c.sources[0].model.low &&
                c.sources[0].source.high == c.sources[0].model.high);
    assert_true(!c.refitted && !c.sources[0].refitted);
    assert_true(c.sources[0].p_best == 1 && c.sources[0].rank_best == 1 && c.sources[0].rank_worst == 1);
    assert_true(c.sources[0].posterior.low == 1 && c.sources[0].posterior.high == 1);
    assert_int_equal(c.pair_count, 0);
    certainty_free(&c);
    in.at_these_rows = true; /* no bias to be rid of */
    c = compute(&in);
    assert_true(c.sources[0].corrected == -1);
    assert_close(c.sources[0].model.low, -1 - .1805, 1e-12);
    certainty_free(&c);
    free(n);
}

/* The score is the squared length of a mean, seen with normal errors z: replicates under opposite draws d say
 * |mean + z + d|^2 and |mean + z - d|^2. How often the truth is covered, and the intervals' deviation over the real. */
static double squares_covered(size_t dimensions, double mean, double *ratio)
{
    enum { TRIALS = 400, MOST = 32 };
    numbers *n = numbers_create();
    certainty_input in = input_of(n, 1, 200, 0);
    double truth = mean * mean * (double)dimensions, squares = 0, variance = 0, seen[MOST], covered = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        n->scores[0] = 0;
        for (size_t i = 0; i < dimensions; i++) {
            seen[i] = mean + draw_normal();
            n->scores[0] += seen[i] * seen[i];
        }
        for (int k = 0; k < 100; k++) {
            double up = 0, down = 0;
            for (size_t i = 0; i < dimensions; i++) {
                double d = draw_normal();
                up += (seen[i] + d) * (seen[i] + d);
                down += (seen[i] - d) * (seen[i] - d);
            }
            n->replicates[2 * k] = up;
            n->replicates[2 * k + 1] = down;
        }
        certainty c = compute(&in);
        squares += pow(c.sources[0].corrected - truth, 2);
        variance += pow(c.sources[0].deviation, 2);
        covered += c.sources[0].model.low <= truth && c.sources[0].model.high >= truth;
        certainty_free(&c);
    }
    *ratio = sqrt(variance / squares);
    free(n);
    return covered / TRIALS;
}

static void intervals_hold_for_scores_of_first_and_of_second_order(void **state)
{
    (void)state;
    static const double means[] = {0, 1, 5};
    static const size_t dimensions[] = {8, 16, 32};
    seed_test(20271);
    for (size_t m = 0; m < 3; m++)
        for (size_t d = 0; d < 3; d++) {
            double ratio, covered = squares_covered(dimensions[d], means[m], &ratio);
            print_message("mean %g in %zu dimensions: covered %.3f, deviation %.2f of the real\n", means[m],
                          dimensions[d], covered, ratio);
            /* Standard error .018. Of second order alone they are somewhat wide; a bootstrap's would be by sqrt(3). */
            assert_true(covered > .81 && (covered < .95 || means[m] == 0));
            assert_true(ratio > .9 && ratio < (means[m] == 0 ? 1.35 : 1.2));
        }
}

static void refits_widen_the_interval_of_the_source_by_their_spread(void **state)
{
    (void)state;
    seed_test(20261);
    numbers *n = numbers_create();
    certainty_input in = input_of(n, 1, 400, 20);
    make_source(n, &in, 0, -.5, .03, .04);
    double mean = 0, squares = 0, replicate_mean = 0, replicate_squares = 0;
    for (int j = 0; j < 20; j++)
        mean += n->refits[j] / 20;
    for (int j = 0; j < 20; j++)
        squares += (n->refits[j] - mean) * (n->refits[j] - mean) / 19;
    for (int r = 0; r < 400; r++)
        replicate_mean += n->replicates[r] / 400;
    for (int r = 0; r < 400; r++)
        replicate_squares += (n->replicates[r] - replicate_mean) * (n->replicates[r] - replicate_mean) / 399;
    certainty c = compute(&in);
    assert_true(c.refitted && c.sources[0].refitted);
    assert_close(c.sources[0].deviation, sqrt(squares + replicate_squares), .05); /* but for chance covariance */
    double model = c.sources[0].model.high - c.sources[0].model.low,
           source = c.sources[0].source.high - c.sources[0].source.low;
    assert_true(source > 1.3 * model);
    assert_close(c.sources[0].corrected, 2 * n->scores[0] - replicate_mean, 1e-12);
    certainty_free(&c);
    free(n);
}

static void p_best_adds_up_to_one_and_follows_the_scores(void **state)
{
    (void)state;
    seed_test(20262);
    numbers *n = numbers_create();
    certainty_input in = input_of(n, 6, 200, 20);
    for (size_t s = 0; s < 6; s++)
        make_source(n, &in, s, -.1 * (double)s, .04, .05);
    certainty c = compute(&in);
    double sum = 0;
    for (size_t s = 0; s < 6; s++)
        sum += c.sources[s].p_best;
    assert_near(sum, 1, 1e-12);
    assert_true(c.sources[0].p_best > c.sources[1].p_best && c.sources[1].p_best > c.sources[2].p_best);
    assert_true(c.sources[0].p_best > .7 && c.sources[5].p_best == 0);
    certainty_free(&c);
    /* A source that gets better all over never gets a smaller chance, a worse rank or a lower interval. */
    double before = 0, low = -INFINITY;
    for (int step = 0; step < 8; step++) {
        n->scores[3] += .05;
        for (size_t r = 0; r < in.replicate_count; r++)
            n->replicates[3 * in.replicate_count + r] += .05;
        c = compute(&in);
        assert_true(c.sources[3].p_best >= before && c.sources[3].source.low > low);
        before = c.sources[3].p_best;
        low = c.sources[3].source.low;
        certainty_free(&c);
    }
    assert_true(before > .5);
    free(n);
}

/* Holm's procedure as its definition has it: a hypothesis is rejected when each one up to it, in the order of their p
 * values, passes at its own step. */
static void infinite_and_undefined_scores_have_their_places(void **state)
{
    (void)state;
    seed_test(20267);
    numbers *n = numbers_create();
    certainty_input in = input_of(n, 5, 100, 10);
    make_source(n, &in, 0, -.5, .01, .01);
    make_source(n, &in, 1, -INFINITY, 0, 0);
    make_source(n, &in, 2, NAN, 0, 0);
    make_source(n, &in, 3, -.1, .01, .01);
    make_source(n, &in, 4, -INFINITY, 0, 0);
    certainty c = compute(&in);
    assert_int_equal(c.pair_count, 1);
    assert_true(c.pairs[0].first == 0 && c.pairs[0].second == 3 && c.pairs[0].distinguishable);
    assert_true(c.sources[3].rank_best == 1 && c.sources[3].rank_worst == 1);
    assert_true(c.sources[0].rank_best == 2 && c.sources[0].rank_worst == 2);
    assert_true(c.sources[1].rank_best == 3 && c.sources[1].rank_worst == 4);
    assert_true(c.sources[2].rank_best == 0 && c.sources[2].rank_worst == 0 && isnan(c.sources[2].p_best));
    assert_true(c.sources[1].p_best == 0 && c.sources[3].p_best == 1);
    assert_true(c.sources[1].corrected == -INFINITY && isnan(c.sources[2].corrected));
    assert_true(isnan(c.sources[1].posterior.low) && c.sources[3].posterior.high <= 1);
    certainty_free(&c);
    in.prior = (double[]){0, 0, 1, 0, 0}; /* only an undefined source may have weight: there are no weights */
    c = compute(&in);
    assert_true(isnan(c.sources[3].posterior.low) && c.sources[3].p_best == 1);
    certainty_free(&c);
    for (size_t s = 0; s < 5; s++)
        n->scores[s] = NAN;
    c = compute(&in);
    assert_true(isnan(c.sources[0].p_best) && c.pair_count == 0);
    certainty_free(&c);
    free(n);
}

static void too_many_undefined_replicates_leave_no_interval(void **state)
{
    (void)state;
    seed_test(20268);
    numbers *n = numbers_create();
    certainty_input in = input_of(n, 2, 200, 20);
    make_source(n, &in, 0, -.5, .01, .01);
    make_source(n, &in, 1, -.7, .01, .01);
    for (int r = 0; r < 5; r++)
        n->replicates[40 * r] = NAN;
    certainty c = compute(&in); /* 5 % of the pairs */
    assert_true(isfinite(c.sources[0].model.low) && isfinite(c.sources[0].posterior.low));
    assert_true(c.pairs[0].distinguishable && c.sources[0].p_best == 1);
    certainty_free(&c);
    n->replicates[3] = -INFINITY; /* counts as undefined */
    c = compute(&in);
    assert_true(isnan(c.sources[0].model.low) && isnan(c.sources[0].source.low) && isnan(c.sources[0].posterior.low));
    assert_true(c.sources[0].corrected == -.5 && !c.pairs[0].distinguishable && isnan(c.pairs[0].rows_needed));
    assert_true(isfinite(c.sources[1].model.low));
    assert_true(c.sources[0].p_best == 1); /* it stands at its score */
    assert_true(c.sources[0].rank_best == 1 && c.sources[0].rank_worst == 2 && c.sources[1].rank_best == 1);
    certainty_free(&c);
    for (int j = 0; j < 11; j++)
        n->refits[20 + j] = NAN; /* fewer than half are left */
    c = compute(&in);
    assert_true(!c.sources[1].refitted && !c.refitted);
    assert_true(c.sources[1].source.low == c.sources[1].model.low);
    certainty_free(&c);
    free(n);
}

static void few_replicates_have_an_answer(void **state)
{
    (void)state;
    numbers *n = numbers_create();
    n->scores[0] = -1, n->scores[1] = -2;
    static const double replicates[] = {-1.1, -.9, -1.2, -.8, -1};
    for (size_t count = 0; count <= 5; count++) {
        certainty_input in = input_of(n, 2, count, 0);
        for (size_t r = 0; r < 2 * count; r++)
            n->replicates[r] = replicates[r % count] - (double)(r / count);
        certainty c = compute(&in);
        assert_int_equal(isfinite(c.sources[0].model.low), count >= 4);
        assert_int_equal(isnan(c.sources[0].p_best), count < 2);
        assert_true(c.pair_count == 1 && !c.pairs[0].distinguishable);
        assert_close(c.sources[0].corrected, -1, 1e-12);
        if (count >= 4) /* the fifth has no partner */
            assert_close(c.sources[0].model.low, -1.185, 1e-12);
        else
            assert_true(c.sources[0].rank_best == 1 && c.sources[0].rank_worst == 2);
        certainty_free(&c);
    }
    free(n);
}

static void nobodys_interval_depends_on_the_others(void **state)
{
    (void)state;
    seed_test(20270);
    numbers *n = numbers_create();
    certainty_input in = input_of(n, 3, 100, 10);
    for (size_t s = 0; s < 3; s++)
        make_source(n, &in, s, -draw(), .05, .05);
    certainty all = compute(&in);
    in.source_count = 1;
    certainty alone = compute(&in);
    assert_true(all.sources[0].source.low == alone.sources[0].source.low);
    assert_true(all.sources[0].source.high == alone.sources[0].source.high);
    in.seed = 2;
    certainty other = compute(&in);
    assert_true(other.sources[0].source.low != alone.sources[0].source.low);
    assert_true(other.sources[0].model.low == alone.sources[0].model.low);
    certainty_free(&all), certainty_free(&alone), certainty_free(&other);
    free(n);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    numbers *n = numbers_create();
    certainty_input in = input_of(n, 2, 10, 0);
    certainty c;
    gbv_error error;
    for (int i = 0; i < 4; i++) {
        in.level = (double[]){0, 1, -2, NAN}[i];
        assert_int_equal(certainty_compute(&in, &c, &error), GBV_USAGE);
        assert_non_null(strstr(error.message, "between 0 and 1"));
        certainty_free(&c);
    }
    in.level = .9;
    in.source_count = 0;
    assert_int_equal(certainty_compute(&in, &c, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "no sources"));
    in.source_count = 2;
    in.prior = (double[]){0, 0};
    assert_int_equal(certainty_compute(&in, &c, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "every prior is zero"));
    assert_null(c.sources);
    free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_is_what_opposite_replicates_say),
        cmocka_unit_test(intervals_hold_for_scores_of_first_and_of_second_order),
        cmocka_unit_test(refits_widen_the_interval_of_the_source_by_their_spread),
        cmocka_unit_test(p_best_adds_up_to_one_and_follows_the_scores),
        cmocka_unit_test(infinite_and_undefined_scores_have_their_places),
        cmocka_unit_test(too_many_undefined_replicates_leave_no_interval),
        cmocka_unit_test(few_replicates_have_an_answer),
        cmocka_unit_test(nobodys_interval_depends_on_the_others),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
