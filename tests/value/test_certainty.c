/* Intervals, chances, ranks, pairs and groups: against cases worked out by hand, an independent Holm, and what must
 * hold whatever the numbers are. */
#include "test_support.h"

#include "value/certainty.h"

enum { MOST_SOURCES = 300, MOST_REPLICATES = 400, MOST_REFITS = 40 };

/* splitmix64: a generator of the test's own, printed with its seed. */
static uint64_t state_of_test;
static double draw(void)
{
    uint64_t z = state_of_test += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double draw_normal(void)
{
    double radius = sqrt(-2 * log(1 - draw()));
    return radius * cos(2 * M_PI * draw());
}

/* Room for the arrays of an input, filled by name_all and the tests. */
typedef struct numbers {
    char text[MOST_SOURCES][16];
    const char *names[MOST_SOURCES];
    double scores[MOST_SOURCES], replicates[MOST_SOURCES * MOST_REPLICATES], refits[MOST_SOURCES * MOST_REFITS];
} numbers;

static numbers *numbers_create(void)
{
    numbers *n = calloc(1, sizeof *n);
    assert_non_null(n);
    for (size_t s = 0; s < MOST_SOURCES; s++) {
        snprintf(n->text[s], sizeof n->text[s], "source-%03zu", s);
        n->names[s] = n->text[s];
    }
    return n;
}

static certainty_input input_of(const numbers *n, size_t sources, size_t replicates, size_t refits)
{
    return (certainty_input){.source_count = sources,
                             .names = n->names,
                             .scores = n->scores,
                             .replicates = n->replicates,
                             .replicate_count = replicates,
                             .step = 1,
                             .refits = n->refits,
                             .refit_count = refits,
                             .posterior = {.tau_mode = GBV_TAU_QUICK},
                             .reference_rows = 400,
                             .level = .9,
                             .seed = 1};
}

static certainty compute(const certainty_input *in)
{
    certainty c;
    gbv_error error;
    assert_ok(certainty_compute(in, &c, &error), error);
    return c;
}

/* Source s scores `score` and is seen with normal noise of the reference, one way and the other, and of its rows. */
static void make_source(numbers *n, const certainty_input *in, size_t s, double score, double noise, double refit_noise)
{
    n->scores[s] = score;
    double odd = 0;
    for (size_t r = 0; r < in->replicate_count; r++) {
        odd = r % 2 ? -odd : noise * draw_normal();
        n->replicates[s * in->replicate_count + r] = score + odd;
    }
    for (size_t j = 0; j < in->refit_count; j++)
        n->refits[s * in->refit_count + j] = score + refit_noise * draw_normal();
}

static void seed_test(uint64_t seed)
{
    state_of_test = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
}

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

static void clear_sources_are_told_apart_and_ranked_for_certain(void **state)
{
    (void)state;
    seed_test(20263);
    numbers *n = numbers_create();
    certainty_input in = input_of(n, 5, 200, 20);
    for (size_t s = 0; s < 5; s++)
        make_source(n, &in, s, -(double)s, .01, .01);
    certainty c = compute(&in);
    assert_int_equal(c.pair_count, 10);
    for (size_t p = 0; p < c.pair_count; p++) {
        assert_true(c.pairs[p].distinguishable && c.pairs[p].p_value < 1e-6 && c.pairs[p].difference > 0);
        assert_true(isnan(c.pairs[p].rows_needed));
    }
    for (size_t s = 0; s < 5; s++) {
        assert_int_equal(c.sources[s].rank_best, s + 1);
        assert_int_equal(c.sources[s].rank_worst, s + 1);
        assert_int_equal(c.sources[s].group, 0);
    }
    certainty_free(&c);
    in.refit_count = 0; /* nothing is said of what other rows of the sources would have given */
    c = compute(&in);
    for (size_t p = 0; p < c.pair_count; p++)
        assert_false(c.pairs[p].distinguishable);
    assert_false(c.refitted);
    certainty_free(&c);
    free(n);
}

static void identical_sources_are_indistinguishable_and_share_the_first_place(void **state)
{
    (void)state;
    seed_test(20264);
    numbers *n = numbers_create();
    certainty_input in = input_of(n, 3, 200, 0);
    make_source(n, &in, 0, -.3, .02, 0);
    for (size_t s = 1; s < 3; s++) {
        n->scores[s] = n->scores[0];
        memcpy(n->replicates + s * 200, n->replicates, 200 * sizeof *n->replicates);
    }
    certainty c = compute(&in);
    for (size_t p = 0; p < 3; p++) {
        assert_true(c.pairs[p].difference == 0 && c.pairs[p].deviation == 0 && c.pairs[p].p_value == 1);
        assert_true(!c.pairs[p].distinguishable && c.pairs[p].rows_needed == INFINITY);
    }
    for (size_t s = 0; s < 3; s++) {
        assert_near(c.sources[s].p_best, 1. / 3, 1e-12);
        assert_close(c.sources[s].posterior.low, 1. / 3, 1e-12);
        assert_true(c.sources[s].rank_best == 1 && c.sources[s].rank_worst == 3);
    }
    certainty_free(&c);
    free(n);
}

/* Holm's procedure as its definition has it: a hypothesis is rejected when each one up to it, in the order of their p
 * values, passes at its own step. */
static void holm_by_definition(const double *p, size_t count, bool *rejected)
{
    for (size_t i = 0; i < count; i++) {
        rejected[i] = true;
        for (size_t k = 0; k < count; k++) {
            size_t before = 0;
            for (size_t l = 0; l < count; l++)
                before += p[l] < p[k];
            if (p[k] <= p[i])
                rejected[i] &= p[k] <= .05 / (double)(count - before);
        }
    }
}

static void pairs_follow_holms_procedure(void **state)
{
    (void)state;
    seed_test(20265);
    numbers *n = numbers_create();
    size_t open = 0, told = 0;
    for (int round = 0; round < 30; round++) {
        certainty_input in = input_of(n, 6, 100, 10);
        for (size_t s = 0; s < 6; s++)
            make_source(n, &in, s, .25 * draw(), .03, .02);
        certainty c = compute(&in);
        double p[15];
        bool rejected[15];
        assert_int_equal(c.pair_count, 15);
        for (size_t i = 0; i < 15; i++)
            p[i] = erfc(fabs(c.pairs[i].difference) / c.pairs[i].deviation / sqrt(2));
        holm_by_definition(p, 15, rejected);
        for (size_t i = 0; i < 15; i++) {
            const certainty_pair *pair = &c.pairs[i];
            assert_int_equal(pair->distinguishable, rejected[i]);
            assert_true(pair->p_value >= p[i] && pair->p_value <= 1);
            told += rejected[i];
            open += !rejected[i];
            assert_true(pair->first < pair->second);
            assert_true(pair->difference == c.sources[pair->first].corrected - c.sources[pair->second].corrected);
        }
        certainty_free(&c);
    }
    assert_true(open > 20 && told > 20);
    free(n);
}

static void rows_needed_follow_from_the_paired_spread(void **state)
{
    (void)state;
    numbers *n = numbers_create();
    certainty_input in = input_of(n, 2, 200, 2);
    n->scores[0] = -.5;
    n->scores[1] = -.6;
    for (int r = 0; r < 200; r++) { /* the difference is .1 give or take .1: sd .1 with 400 rows, 2 for a row */
        double half = (r % 2 ? .05 : -.05) * sqrt(199. / 200);
        n->replicates[r] = -.5 + half;
        n->replicates[200 + r] = -.6 - half;
    }
    for (int j = 0; j < 4; j++)
        n->refits[j] = j < 2 ? -.5 : -.6;
    certainty c = compute(&in);
    assert_int_equal(c.pair_count, 1);
    assert_close(c.pairs[0].difference, .1, 1e-9);
    assert_close(c.pairs[0].deviation, .1, 1e-9);
    assert_false(c.pairs[0].distinguishable);
    assert_true(c.pairs[0].rows_needed == ceil(pow(2.8 * 2 / .1, 2)) ||
                c.pairs[0].rows_needed == ceil(pow(2.8 * 2 / .1, 2)) + 1); /* 3136, give or take rounding */
    certainty_free(&c);
    n->refits[0] += .06; /* variance of the first source's rows .0018, 1.96 sd = .083: still less than .1 */
    c = compute(&in);
    assert_true(isfinite(c.pairs[0].rows_needed));
    certainty_free(&c);
    n->refits[0] += .02; /* .0032: .111 */
    c = compute(&in);
    assert_true(c.pairs[0].rows_needed == INFINITY);
    certainty_free(&c);
    n->refits[0] -= .08;
    in.reference_rows = 4000000; /* the same spread from more rows means more rows */
    c = compute(&in);
    assert_true(c.pairs[0].rows_needed > 31e6);
    certainty_free(&c);
    free(n);
}

static void the_order_of_the_sources_does_not_matter(void **state)
{
    (void)state;
    for (size_t sources = 7; sources <= 210; sources += 203) { /* pairs, then groups */
        seed_test(20266);
        numbers *n = numbers_create(), *m = numbers_create();
        certainty_input in = input_of(n, sources, 60, 12), turned = input_of(m, sources, 60, 12);
        double prior[210], turned_prior[210];
        for (size_t s = 0; s < sources; s++) {
            make_source(n, &in, s, .5 * draw(), .05, .05);
            prior[s] = .1 + draw();
        }
        n->scores[2] = -INFINITY;
        n->scores[4] = NAN;
        for (size_t s = 0; s < sources; s++) {
            size_t to = sources - 1 - s;
            m->names[to] = n->names[s];
            m->scores[to] = n->scores[s];
            turned_prior[to] = prior[s];
            memcpy(m->replicates + to * 60, n->replicates + s * 60, 60 * sizeof *n->replicates);
            memcpy(m->refits + to * 12, n->refits + s * 12, 12 * sizeof *n->refits);
        }
        in.prior = prior;
        turned.prior = turned_prior;
        certainty a = compute(&in), b = compute(&turned);
        assert_int_equal(a.group_count, b.group_count);
        assert_int_equal(a.pair_count, b.pair_count);
        for (size_t s = 0; s < sources; s++) {
            const certainty_source *x = &a.sources[s], *y = &b.sources[sources - 1 - s];
            assert_int_equal(x->rank_best, y->rank_best);
            assert_int_equal(x->rank_worst, y->rank_worst);
            assert_int_equal(x->group, y->group);
            if (isnan(n->scores[s])) {
                assert_true(isnan(x->p_best) && isnan(y->p_best) && x->rank_best == 0);
                continue;
            }
            assert_near(x->p_best, y->p_best, 1e-12);
            if (isfinite(n->scores[s])) {
                assert_true(x->source.low == y->source.low && x->source.high == y->source.high);
                assert_close(x->posterior.low, y->posterior.low, 1e-9);
                assert_close(x->posterior.high, y->posterior.high, 1e-9);
            } else
                assert_true(isnan(x->source.low) && x->p_best == 0);
        }
        certainty_free(&a), certainty_free(&b);
        free(n), free(m);
    }
}

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

static void many_sources_fall_into_groups(void **state)
{
    (void)state;
    seed_test(20269);
    numbers *n = numbers_create();
    certainty_input in = input_of(n, 300, 100, 20);
    for (size_t s = 0; s < 300; s++) /* three clusters far apart */
        make_source(n, &in, s, -(double)(s % 3), .01, .01);
    certainty c = compute(&in);
    assert_null(c.pairs);
    assert_int_equal(c.group_count, 3);
    double sum = 0;
    for (size_t s = 0; s < 300; s++) {
        assert_int_equal(c.sources[s].group, s % 3 + 1);
        assert_true(c.sources[s].rank_best > 100 * (s % 3) && c.sources[s].rank_worst <= 100 * (s % 3 + 1));
        assert_true(c.sources[s].rank_best <= c.sources[s].rank_worst);
        sum += c.sources[s].p_best;
    }
    assert_near(sum, 1, 1e-12);
    certainty_free(&c);
    in.refit_count = 0;
    c = compute(&in);
    assert_int_equal(c.group_count, 1);
    certainty_free(&c);
    for (size_t s = 0; s < 300; s++) { /* all alike: every rank is open, and names do not decide */
        n->scores[s] = n->scores[0];
        for (size_t r = 0; r < 100; r++)
            n->replicates[s * 100 + r] = n->replicates[r];
    }
    c = compute(&in);
    for (size_t s = 0; s < 300; s++) {
        assert_near(c.sources[s].p_best, 1. / 300, 1e-12);
        assert_true(c.sources[s].rank_best == 1 && c.sources[s].rank_worst == 300);
    }
    certainty_free(&c);
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
        cmocka_unit_test(clear_sources_are_told_apart_and_ranked_for_certain),
        cmocka_unit_test(identical_sources_are_indistinguishable_and_share_the_first_place),
        cmocka_unit_test(pairs_follow_holms_procedure),
        cmocka_unit_test(rows_needed_follow_from_the_paired_spread),
        cmocka_unit_test(the_order_of_the_sources_does_not_matter),
        cmocka_unit_test(infinite_and_undefined_scores_have_their_places),
        cmocka_unit_test(too_many_undefined_replicates_leave_no_interval),
        cmocka_unit_test(few_replicates_have_an_answer),
        cmocka_unit_test(many_sources_fall_into_groups),
        cmocka_unit_test(nobodys_interval_depends_on_the_others),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
