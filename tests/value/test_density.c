/* Densities over (operator, magnitude) where T is known everywhere: every way of finding them against dense quadrature
 * of the truth. */
#include "value/density.h"
#include "augment/density.h"
#include "base/random.h"
#include "test_support.h"

enum { OPERATORS = 4, MOST_NODES = 65 };

static const gbv_operator operators[OPERATORS] = {
    {.name = "shear_x", .has_magnitude = true},
    {.name = "rotate", .has_magnitude = true},
    {.name = "solarize", .has_magnitude = true},
    {.name = "invert"},
};
static const double ranges[OPERATORS][2] = {{0, 0.3}, {-90, 90}, {256, 0}, {0, 0}}; /* the grid's first and last */

/* T = -(a - c)^2 in each operator's own units, and a constant. */
static double truth(const gbv_operator *op, double magnitude)
{
    switch (op - operators) {
    case 0:
        return -0.2 - 8 * (magnitude - 0.1) * (magnitude - 0.1);
    case 1:
        return -0.1 - (magnitude - 10) * (magnitude - 10) / 9000;
    case 2:
        return 0.05 - (magnitude / 256 - 1.1) * (magnitude / 256 - 1.1);
    default:
        return -0.3;
    }
}

/* A policy of `nodes` magnitudes an operator, scored by the truth. */
static gbv_policy policy_of(size_t nodes, gbv_augment_prior prior, double inverse_tau)
{
    gbv_policy policy = {.prior = prior, .tau_mode = GBV_TAU_FIXED, .tau = 1 / inverse_tau, .inverse_tau = inverse_tau};
    policy.count = (OPERATORS - 1) * nodes + 1;
    policy.entries = calloc(policy.count, sizeof *policy.entries);
    assert_non_null(policy.entries);
    size_t entry = 0;
    for (size_t i = 0; i < OPERATORS; i++) {
        size_t magnitudes = operators[i].has_magnitude ? nodes : 1;
        for (size_t n = 0; n < magnitudes; n++) {
            double share = magnitudes > 1 ? (double)n / (double)(magnitudes - 1) : 0;
            gbv_policy_entry *e = &policy.entries[entry++];
            e->augmentor.op = &operators[i];
            e->augmentor.magnitude = ranges[i][0] + share * (ranges[i][1] - ranges[i][0]);
            e->score = truth(&operators[i], e->augmentor.magnitude);
            e->prior =
                prior == GBV_PRIOR_EACH_AUGMENTOR ? 1 / (double)policy.count : 1 / (double)(OPERATORS * magnitudes);
        }
    }
    return policy;
}

static void policy_done(gbv_policy *policy)
{
    densities_free(policy->densities, policy->density_count);
    density_check_free(&policy->denser);
    density_check_free(&policy->chain);
    density_check_free(&policy->variational);
    free(policy->entries);
}

/* P of every operator with T as it is, by Simpson's rule; returns the logarithm of the sum that they were divided by.
 */
static double true_probabilities(const gbv_policy *policy, double *probabilities)
{
    enum { STEPS = 20000 };
    double sum = 0;
    for (size_t i = 0; i < OPERATORS; i++) {
        double mean = 0, it = policy->inverse_tau;
        for (size_t n = 0; n <= STEPS; n++) {
            double at = ranges[i][0] + (ranges[i][1] - ranges[i][0]) * (double)n / STEPS;
            mean += (n == 0 || n == STEPS ? 1 : n % 2 ? 4 : 2) / (3.0 * STEPS) * exp(it * truth(&operators[i], at));
        }
        probabilities[i] = policy->densities[i].prior * mean;
        sum += probabilities[i];
    }
    for (size_t i = 0; i < OPERATORS; i++)
        probabilities[i] /= sum;
    return log(sum);
}

typedef struct counted {
    size_t calls, stop_after; /* 0: never */
} counted;

static gbv_status evaluate(void *context, const gbv_operator *op, bool coin, double magnitude, double *score,
                           bool *known, gbv_error *error)
{
    counted *c = context;
    assert_false(coin);
    *known = false;
    if (c->stop_after && c->calls == c->stop_after) {
        snprintf(error->message, sizeof error->message, "stopped");
        return error->status = GBV_INTERRUPTED;
    }
    c->calls++;
    *score = truth(op, magnitude);
    return GBV_OK;
}

static void nodes_are_the_grid_in_order_and_priors_add_up(void **state)
{
    (void)state;
    gbv_error error;
    for (int prior = GBV_PRIOR_EACH_AUGMENTOR; prior <= GBV_PRIOR_EACH_OPERATOR; prior++) {
        gbv_policy policy = policy_of(5, (gbv_augment_prior)prior, 4);
        assert_ok(density_make(&policy, &error), error);
        assert_int_equal(policy.density_count, OPERATORS);
        double sum = 0;
        for (size_t i = 0; i < OPERATORS; i++) {
            const gbv_density *d = &policy.densities[i];
            assert_int_equal(d->count, i == 3 ? 1 : 5);
            for (size_t n = 0; n < d->count; n++) {
                assert_true(n == 0 || d->magnitudes[n] > d->magnitudes[n - 1]);
                assert_near(d->scores[n], truth(d->op, d->magnitudes[n]), 0);
            }
            assert_near(d->prior, prior == GBV_PRIOR_EACH_OPERATOR ? 0.25 : (i == 3 ? 1 : 5) / 16.0, 1e-15);
            sum += d->probability;
        }
        assert_near(sum, 1, 1e-14);
        assert_near(policy.densities[2].magnitudes[0], 0, 0); /* solarize counts down in the grid */
        policy_done(&policy);
    }
}

static void interpolation_converges_as_the_square_of_the_distance(void **state)
{
    (void)state;
    static const size_t nodes[] = {5, 9, 17, 33};
    double errors[4], probabilities[OPERATORS];
    gbv_error error;
    for (size_t k = 0; k < 4; k++) {
        gbv_policy policy = policy_of(nodes[k], GBV_PRIOR_EACH_OPERATOR, 6.0875);
        assert_ok(density_make(&policy, &error), error);
        true_probabilities(&policy, probabilities);
        errors[k] = 0;
        for (size_t i = 0; i < OPERATORS; i++)
            errors[k] = fmax(errors[k], fabs(policy.densities[i].probability - probabilities[i]));
        policy_done(&policy);
    }
    for (size_t k = 1; k < 4; k++) {
        print_message("%zu nodes: P differs by %.2e, with half the distance %.2f times less\n", nodes[k - 1],
                      errors[k - 1], errors[k - 1] / errors[k]);
        assert_near(errors[k - 1] / errors[k], 4, k == 1 ? 0.8 : 0.4);
    }
}

static void the_chain_agrees_with_quadrature_within_three_errors(void **state)
{
    (void)state;
    gbv_error error;
    double probabilities[OPERATORS];
    for (int prior = GBV_PRIOR_EACH_AUGMENTOR; prior <= GBV_PRIOR_EACH_OPERATOR; prior++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            counted calls = {0};
            gbv_policy policy = policy_of(5, (gbv_augment_prior)prior, 6.0875);
            density_checking checking = {.evaluate = evaluate, .context = &calls, .evaluations = 2000, .seed = seed};
            assert_ok(density_make(&policy, &error), error);
            assert_ok(density_check(&policy, &checking, &error), error);
            true_probabilities(&policy, probabilities);
            const gbv_density_check *chain = &policy.chain;
            assert_true(chain->done && chain->acceptance > 0.2 && chain->acceptance < 0.95);
            assert_true(chain->autocorrelation >= 1 && chain->autocorrelation < 50);
            assert_int_equal(chain->steps, 400000);
            assert_int_equal(12 + chain->evaluations, calls.calls);
            assert_int_equal(policy.denser.evaluations, calls.calls);
            assert_true(chain->worst <= 3);
            for (size_t i = 0; i < OPERATORS; i++) {
                assert_true(chain->errors[i] > 0 && chain->errors[i] < 0.005);
                assert_near(chain->operator_probabilities[i], probabilities[i], 3 * chain->errors[i]);
                assert_near(policy.denser.operator_probabilities[i], probabilities[i], 1e-5);
            }
            policy_done(&policy);
        }
}

static void errors_of_chains_are_as_large_as_their_differences(void **state)
{
    (void)state;
    enum { CHAINS = 40 };
    gbv_error error;
    double squares = 0;
    gbv_policy policy = policy_of(5, GBV_PRIOR_EACH_OPERATOR, 6.0875);
    assert_ok(density_make(&policy, &error), error);
    for (uint64_t seed = 0; seed < CHAINS; seed++) {
        counted calls = {0};
        density_checking checking = {
            .evaluate = evaluate, .context = &calls, .evaluations = 12, .steps = 20000, .seed = seed};
        assert_ok(density_check(&policy, &checking, &error), error);
        assert_int_equal(calls.calls, 12);
        for (size_t i = 0; i < OPERATORS; i++) {
            double apart = policy.chain.operator_probabilities[i] - policy.denser.operator_probabilities[i];
            squares += apart * apart / (policy.chain.errors[i] * policy.chain.errors[i]);
        }
    }
    double ratio = sqrt(squares / (CHAINS * OPERATORS));
    print_message("differences of %d chains are %.2f errors large\n", CHAINS, ratio);
    assert_near(ratio, 1, 0.2);
    policy_done(&policy);
}

static void beta_forms_come_close_from_below(void **state)
{
    (void)state;
    gbv_error error;
    static const double inverses[] = {0.5, 6.0875, 20, 300};
    for (size_t k = 0; k < 4; k++) {
        double probabilities[OPERATORS];
        counted calls = {0};
        gbv_policy policy = policy_of(17, GBV_PRIOR_EACH_OPERATOR, inverses[k]);
        density_checking checking = {.evaluate = evaluate, .context = &calls, .steps = 1000};
        assert_ok(density_make(&policy, &error), error);
        assert_ok(density_check(&policy, &checking, &error), error);
        true_probabilities(&policy, probabilities);
        print_message("1/tau %g: the Beta forms lack %.5f nats, P differs by %.4f\n", inverses[k],
                      policy.variational.divergence, policy.variational.worst);
        assert_true(policy.variational.divergence >= -1e-9 && policy.variational.divergence < 0.02);
        assert_true(policy.variational.worst < 0.02);
        for (size_t i = 0; i < OPERATORS; i++)
            assert_near(policy.variational.operator_probabilities[i], probabilities[i], 0.02);
        policy_done(&policy);
    }
}

/* Draws from the density, weighed by how much more likely the truth makes them. */
static void importance_sampling_agrees(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    gbv_error error;
    gbv_policy policy = policy_of(9, GBV_PRIOR_EACH_OPERATOR, 6.0875);
    double probabilities[OPERATORS], sums[OPERATORS] = {0}, total = 0, it = policy.inverse_tau;
    assert_ok(density_make(&policy, &error), error);
    true_probabilities(&policy, probabilities);
    random_stream random = random_stream_open(3, "importance", RANDOM_DRAW);
    for (size_t n = 0; n < DRAWS; n++) {
        double u = random_uniform(&random);
        size_t i = 0;
        for (; i + 1 < OPERATORS && u >= policy.densities[i].probability; i++)
            u -= policy.densities[i].probability;
        const gbv_density *d = &policy.densities[i];
        double at = density_draw(d, it, random_uniform(&random));
        double weight = exp(it * (truth(d->op, at) - density_score(d, at)));
        sums[i] += weight;
        total += weight;
    }
    for (size_t i = 0; i < OPERATORS; i++)
        assert_near(sums[i] / total, probabilities[i], 3 * sqrt(probabilities[i] * (1 - probabilities[i]) / DRAWS));
    policy_done(&policy);
}

/* The divergence from the density to the truth, by quadrature. */
static double true_divergence(const gbv_policy *policy)
{
    enum { STEPS = 20000 };
    double probabilities[OPERATORS], it = policy->inverse_tau, log_sum = true_probabilities(policy, probabilities);
    double mean = 0, ours = 0;
    for (size_t i = 0; i < OPERATORS; i++)
        ours += policy->densities[i].prior * exp(density_log_mass(&policy->densities[i], it));
    for (size_t i = 0; i + 1 < OPERATORS; i++)
        for (size_t n = 0; n < STEPS; n++) {
            const gbv_density *d = &policy->densities[i];
            double range = d->magnitudes[d->count - 1] - d->magnitudes[0];
            double at = d->magnitudes[0] + range * ((double)n + 0.5) / STEPS;
            mean += d->probability * gbv_density_at(d, it, at) * range / STEPS * it *
                    (density_score(d, at) - truth(d->op, at));
        }
    return mean - log(ours) + log_sum;
}

static void mid_points_tell_what_interpolation_costs(void **state)
{
    (void)state;
    gbv_error error;
    for (size_t nodes = 5; nodes <= 17; nodes = 2 * nodes - 1) {
        counted calls = {0};
        gbv_policy policy = policy_of(nodes, GBV_PRIOR_EACH_OPERATOR, 6.0875);
        density_checking checking = {
            .evaluate = evaluate, .context = &calls, .evaluations = 3 * (nodes - 1), .steps = 1000};
        assert_ok(density_make(&policy, &error), error);
        assert_ok(density_check(&policy, &checking, &error), error);
        double truly = true_divergence(&policy);
        print_message("%zu nodes: divergence %.3e, by the mid-points %.3e\n", nodes, truly, policy.denser.divergence);
        assert_int_equal(policy.denser.evaluations, 3 * (nodes - 1));
        assert_int_equal(policy.chain.evaluations, 0);
        assert_true(truly > 0 && policy.denser.divergence > 0.3 * truly && policy.denser.divergence < 1.1 * truly);
        policy_done(&policy);
    }
}

static void checks_are_repeatable_bounded_and_can_be_stopped(void **state)
{
    (void)state;
    gbv_error error;
    counted calls = {0};
    gbv_policy one = policy_of(5, GBV_PRIOR_EACH_OPERATOR, 6), two = policy_of(5, GBV_PRIOR_EACH_OPERATOR, 6);
    density_checking checking = {.evaluate = evaluate, .context = &calls, .evaluations = 20, .seed = 9, .steps = 5000};
    assert_int_equal(density_check(&one, &checking, &error), GBV_USAGE); /* there is none yet */
    assert_ok(density_make(&one, &error), error);
    assert_ok(density_make(&two, &error), error);
    assert_ok(density_check(&one, &checking, &error), error);
    assert_int_equal(calls.calls, 20);
    assert_ok(density_check(&two, &checking, &error), error);
    for (size_t i = 0; i < OPERATORS; i++) {
        assert_true(one.chain.operator_probabilities[i] == two.chain.operator_probabilities[i]);
        assert_true(one.variational.operator_probabilities[i] == two.variational.operator_probabilities[i]);
    }
    checking.seed = 10;
    assert_ok(density_check(&two, &checking, &error), error);
    assert_true(one.chain.operator_probabilities[0] != two.chain.operator_probabilities[0]);
    for (size_t stop = 1; stop <= 19; stop += 6) { /* among the mid-points and within the chain */
        calls = (counted){.stop_after = stop};
        assert_int_equal(density_check(&two, &checking, &error), GBV_INTERRUPTED);
        assert_false(two.denser.done || two.chain.done || two.variational.done);
    }
    policy_done(&one);
    policy_done(&two);
}

static void what_has_no_density_is_refused(void **state)
{
    (void)state;
    gbv_error error;
    gbv_policy policy = policy_of(5, GBV_PRIOR_EACH_OPERATOR, 6);
    policy.top_k = 2;
    assert_int_equal(density_make(&policy, &error), GBV_USAGE);
    policy.top_k = 0;
    policy.tau_mode = GBV_TAU_CODE;
    assert_int_equal(density_make(&policy, &error), GBV_USAGE);
    policy.tau_mode = GBV_TAU_QUICK;
    policy.entries[7].score = NAN;
    assert_int_equal(density_make(&policy, &error), GBV_UNDEFINED);
    assert_non_null(strstr(error.message, "rotate"));
    policy.entries[7].score = -INFINITY; /* no weight there */
    assert_ok(density_make(&policy, &error), error);
    assert_near(gbv_density_at(&policy.densities[1], 6, -10), 0, 0);
    counted calls = {0};
    density_checking checking = {.evaluate = evaluate, .context = &calls, .seed = 9, .steps = 5000};
    assert_ok(density_check(&policy, &checking, &error), error);
    policy_done(&policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_the_grid_in_order_and_priors_add_up),
        cmocka_unit_test(interpolation_converges_as_the_square_of_the_distance),
        cmocka_unit_test(the_chain_agrees_with_quadrature_within_three_errors),
        cmocka_unit_test(errors_of_chains_are_as_large_as_their_differences),
        cmocka_unit_test(beta_forms_come_close_from_below),
        cmocka_unit_test(importance_sampling_agrees),
        cmocka_unit_test(mid_points_tell_what_interpolation_costs),
        cmocka_unit_test(checks_are_repeatable_bounded_and_can_be_stopped),
        cmocka_unit_test(what_has_no_density_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
