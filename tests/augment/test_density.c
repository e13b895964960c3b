/* The closed forms of a log-linear density against dense quadrature and against what they promise where numbers end. */
#include "augment/density.h"
#include "test_support.h"

static double magnitudes[] = {-2, -1, 0.5, 0.75, 4};
static double scores[] = {0.3, 1.1, -0.4, -0.4, 0.9};
static const gbv_operator rotate = {.name = "rotate", .has_magnitude = true};
static const gbv_density curve = {
    .op = &rotate, .count = 5, .magnitudes = magnitudes, .scores = scores, .prior = 1, .probability = 1};

/* Simpson's rule over every piece. */
static double quadrature(const gbv_density *d, double inverse_tau, double to, bool mean)
{
    enum { STEPS = 4000 };
    double total = 0;
    for (size_t n = 0; n + 1 < d->count && d->magnitudes[n] < to; n++) {
        double low = d->magnitudes[n], high = fmin(d->magnitudes[n + 1], to), h = (high - low) / STEPS;
        for (size_t i = 0; i <= STEPS; i++) {
            double at = i == STEPS ? high : low + h * (double)i, f = exp(inverse_tau * density_score(d, at));
            total += (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * h / 3 * f * (mean ? at : 1);
        }
    }
    return total;
}

static void mass_mean_and_distribution_are_those_of_quadrature(void **state)
{
    (void)state;
    static const double inverses[] = {0, 1e-9, 0.1, 1, 6.0875, 40};
    for (size_t i = 0; i < sizeof inverses / sizeof *inverses; i++) {
        double it = inverses[i], whole = quadrature(&curve, it, 4, false);
        assert_close(density_log_mass(&curve, it) + 1, log(whole / 6) + 1, 1e-9);
        assert_near(density_mean(&curve, it), quadrature(&curve, it, 4, true) / whole, 1e-7);
        for (double at = -2.5; at < 4.5; at += 0.37) {
            double expected = at < -2 || at > 4 ? 0 : exp(it * density_score(&curve, at)) / whole;
            assert_near(gbv_density_at(&curve, it, at), expected, 1e-8 * (1 + expected));
            assert_near(gbv_density_below(&curve, it, at), quadrature(&curve, it, fmin(at, 4), false) / whole, 1e-8);
        }
    }
}

static void draws_undo_the_distribution(void **state)
{
    (void)state;
    static const double inverses[] = {0, 1e-9, 1, 6.0875, 700, 1e5};
    for (size_t i = 0; i < sizeof inverses / sizeof *inverses; i++) {
        double before = -INFINITY;
        for (double u = 0; u < 1; u += 1.0 / 512) {
            double at = density_draw(&curve, inverses[i], u);
            assert_true(at >= -2 && at <= 4 && at >= before);
            assert_near(gbv_density_below(&curve, inverses[i], at), u, inverses[i] > 1000 ? 1e-7 : 1e-10);
            before = at;
        }
        assert_true(density_draw(&curve, inverses[i], 1 - 0x1p-53) <= 4);
    }
    assert_near(density_draw(&curve, 0, 0.25), -0.5, 1e-12); /* without T: uniform */
}

/* One piece from 0 to 1 whose log density rises by x, against numbers of 60-digit arithmetic. */
static void pieces_are_exact_from_flat_to_steep(void **state)
{
    (void)state;
    static const struct {
        double x, log_mass, mean;
    } known[] = {
        {0, 0, 0.5},
        {1e-12, 5e-13, 0.5},
        {1e-6, 5.0000004166666662e-07, 0.500000083333333345},
        {9e-4, 0.00045003374999977221, 0.500074999998987524},
        {1.1e-3, 0.00055005041666615834, 0.50009166666481808},
        {-2, -0.83856063842880435, 0.343482357250334325},
        {50, 46.087976994571854, 0.98},
        {800, 793.31538827233203, 0.99875},
        {-800, -6.6846117276679271, 0.00125},
        {1e6, 999986.18448944204, 0.999999},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_near(density_piece_log_mass(0, known[i].x), known[i].log_mass, 1e-13 * (1 + fabs(known[i].log_mass)));
        assert_near(density_piece_mean(known[i].x), known[i].mean, 1e-11);
    }
}

static void scores_without_measure_do_no_harm(void **state)
{
    (void)state;
    double at[] = {0, 1, 2, 3}, huge[] = {-1e308, 1e308, 0, -1e308}, gap[] = {-INFINITY, 0, 0, -INFINITY};
    double none[] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    gbv_density d = {.op = &rotate, .count = 4, .magnitudes = at, .scores = huge};
    for (double u = 0; u < 1; u += 0.1) {
        assert_near(density_draw(&d, 7, u), 1, 1e-12);
        d.scores = gap;
        assert_near(density_draw(&d, 7, u), 1 + u, 1e-12);
        d.scores = none;
        assert_near(density_draw(&d, 7, u), 0, 0);
        d.scores = huge;
    }
    assert_false(isnan(density_log_mass(&d, 7)) || isnan(density_mean(&d, 7)));
    d.scores = gap;
    assert_near(density_log_mass(&d, 7), log(1.0 / 3), 1e-12);
    assert_near(gbv_density_at(&d, 7, 0.5), 0, 0);
    assert_near(gbv_density_at(&d, 7, 1.5), 1, 1e-12);
    d.scores = none;
    assert_true(density_log_mass(&d, 7) == -INFINITY);

    gbv_density free_of_magnitudes = {.op = &rotate, .count = 1, .magnitudes = at, .scores = at};
    assert_near(density_log_mass(&free_of_magnitudes, 7), 0, 0);
    assert_near(density_draw(&free_of_magnitudes, 7, 0.9), 0, 0);
    assert_near(gbv_density_below(&free_of_magnitudes, 7, -1), 0, 0);
    assert_near(gbv_density_below(&free_of_magnitudes, 7, 0), 1, 0);
}

/* Kolmogorov-Smirnov: the draws of u in order are the distribution itself, so uniform numbers give its law. */
static void independent_draws_have_the_moments(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    uint64_t z = 7;
    double sum = 0, squares = 0, it = 3;
    for (size_t i = 0; i < DRAWS; i++) {
        z = z * 6364136223846793005u + 1442695040888963407u;
        double at = density_draw(&curve, it, (double)(z >> 11) * 0x1p-53);
        sum += at;
        squares += at * at;
    }
    double mean = sum / DRAWS, deviation = sqrt((squares / DRAWS - mean * mean) / DRAWS);
    assert_near(mean, density_mean(&curve, it), 3 * deviation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_mean_and_distribution_are_those_of_quadrature),
        cmocka_unit_test(draws_undo_the_distribution),
        cmocka_unit_test(pieces_are_exact_from_flat_to_steep),
        cmocka_unit_test(scores_without_measure_do_no_harm),
        cmocka_unit_test(independent_draws_have_the_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
