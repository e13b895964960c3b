/* Which sources are told apart, their ranks and groups: an independent Holm, clear cases, any order of the sources. */
#include "value/certain.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_sources_are_told_apart_and_ranked_for_certain),
        cmocka_unit_test(identical_sources_are_indistinguishable_and_share_the_first_place),
        cmocka_unit_test(pairs_follow_holms_procedure),
        cmocka_unit_test(rows_needed_follow_from_the_paired_spread),
        cmocka_unit_test(the_order_of_the_sources_does_not_matter),
        cmocka_unit_test(many_sources_fall_into_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
