/* test_drift.c - alarms come as often as stated when nothing changes, and soon when something does. */
#include "value/drift.h"

#include "base/random.h"
#include "test_support.h"

enum { MOST_SOURCES = 1000 };
static const uint64_t seed = 20261120;

/* Sources whose scores vary about levels of their own. */
typedef struct simulation {
    size_t sources, batches;
    double alarm_batches;  /* one false alarm in so many, over all sources */
    double source_spread;  /* standard errors of sources lie within a factor of so much, ... */
    double batch_spread;   /* ... and those of one source from batch to batch */
    double common_shift;   /* of all sources: the standard deviation from batch to batch */
    double absent;         /* share of sources that a batch lacks */
    double shift;          /* of the first source, in its standard errors, ... */
    size_t shift_batch;    /* ... from this batch on */
    size_t first_alarm;    /* found: of the first source since then, counted from 1; 0: none */
    double alarms, judged; /* found */
} simulation;

static void simulate(simulation *how)
{
    static drift_state states[MOST_SOURCES], *pointers[MOST_SOURCES];
    static double scores[MOST_SOURCES], errors[MOST_SOURCES];
    static drift_finding findings[MOST_SOURCES];
    random_stream stream = random_stream_open(seed, "scores", RANDOM_LABEL_NOISE);
    double threshold = drift_threshold(how->alarm_batches * (double)how->sources);
    memset(states, 0, sizeof states);
    for (size_t s = 0; s < how->sources; s++)
        pointers[s] = &states[s];
    for (size_t t = 0; t < how->batches; t++) {
        double common = how->common_shift * random_normal(&stream);
        for (size_t s = 0; s < how->sources; s++) {
            double place = (double)s / (double)how->sources - .5, here = random_uniform(&stream) - .5;
            errors[s] = .1 * exp(place * log(how->source_spread) + here * log(how->batch_spread));
            scores[s] = -(double)s + common + errors[s] * random_normal(&stream);
            if (random_uniform(&stream) < how->absent)
                scores[s] = NAN;
        }
        if (how->shift != 0 && t >= how->shift_batch)
            scores[0] += how->shift * .1;
        assert_true(drift_judge(pointers, scores, errors, how->sources, threshold, findings));
        for (size_t s = 0; s < how->sources; s++) {
            how->alarms += findings[s].alarm != 0;
            how->judged += !isnan(findings[s].z);
        }
        if (how->shift != 0 && t >= how->shift_batch && findings[0].alarm != 0 && !how->first_alarm)
            how->first_alarm = t - how->shift_batch + 1;
    }
}

/* Alarms found by alarms expected, and the standard error of that were they independent. */
static double rate_of(simulation *how, double *error)
{
    simulate(how);
    double expected = how->judged / ((double)how->sources * how->alarm_batches);
    *error = 1 / sqrt(expected);
    print_message("%4zu sources, errors within %3g between them and %g over time, one alarm in %2g batches: "
                  "%g found, %.1f expected\n",
                  how->sources, how->source_spread, how->batch_spread, how->alarm_batches, how->alarms, expected);
    return how->alarms / expected;
}

static void false_alarms_are_at_most_as_often_as_stated(void **state)
{
    (void)state;
    static const size_t sources[] = {1, 2, 3, 5, 12, 50};
    static const double spreads[][2] = {{1, 1}, {100, 1}, {4, 4}}, alarm_batches[] = {3, 12, 50};
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t m = 0; m < 6; m++)
        for (size_t v = 0; v < 3; v++)
            for (size_t a = 0; a < 3; a++) {
                simulation how = {.sources = sources[m],
                                  .alarm_batches = alarm_batches[a],
                                  .batches = (size_t)(300 * alarm_batches[a]) / (sources[m] > 12 ? 3 : 1),
                                  .source_spread = spreads[v][0],
                                  .batch_spread = spreads[v][1],
                                  .common_shift = .1};
                double error, rate = rate_of(&how, &error);
                assert_true(rate <= 1 + 3 * error);
                if (sources[m] == 1)
                    assert_true(how.alarms == 0);
            }
}

static void false_alarms_of_many_sources_are_as_often_as_stated(void **state)
{
    (void)state;
    static const size_t sources[] = {100, 1000};
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t m = 0; m < 2; m++)
        for (size_t v = 0; v < 3; v++) {
            simulation how = {.sources = sources[m],
                              .batches = m ? 600 : 3000,
                              .alarm_batches = 2,
                              .source_spread = v ? 4 : 1,
                              .batch_spread = v ? 2 : 1,
                              .common_shift = .5, /* five times what a score varies by itself */
                              .absent = v == 2 ? .3 : 0};
            double error, rate = rate_of(&how, &error);
            assert_near(rate, 1, .1 + 3 * error);
        }
}

static void a_shift_of_two_standard_errors_is_found_within_a_few_batches(void **state)
{
    (void)state;
    static const size_t sources[] = {5, 20, 100};
    for (size_t m = 0; m < 3; m++)
        for (int direction = -1; direction <= 1; direction += 2) {
            simulation how = {.sources = sources[m],
                              .batches = 40,
                              .alarm_batches = 12,
                              .source_spread = 1,
                              .batch_spread = 1,
                              .common_shift = .3,
                              .shift = 2 * direction,
                              .shift_batch = 25};
            simulate(&how);
            print_message("%zu sources: found in batch %zu after the shift\n", how.sources, how.first_alarm);
            assert_true(how.first_alarm >= 1 && how.first_alarm <= 8);
        }
}

static void alarms_say_in_which_direction_and_begin_anew(void **state)
{
    (void)state;
    drift_state states[3] = {{0}}, *pointers[] = {&states[0], &states[1], &states[2]};
    const double before[] = {-1, -2, -3}, after[] = {-2, -2, -2}, errors[] = {.1, .1, .1};
    drift_finding findings[3];
    for (int t = 0; t < 4; t++)
        assert_true(drift_judge(pointers, before, errors, 3, 4, findings));
    assert_true(findings[1].z == 0 && findings[1].cusum == 0 && findings[1].alarm == 0);
    assert_true(drift_judge(pointers, after, errors, 3, 4, findings));
    double z = 1 / sqrt(.01 + .01 / 4);
    assert_near(findings[0].z, -z, 1e-12);
    assert_near(findings[0].cusum, -(z - .5), 1e-12);
    assert_int_equal(findings[0].alarm, -1);
    assert_int_equal(findings[1].alarm, 0);
    assert_near(findings[2].cusum, z - .5, 1e-12);
    assert_int_equal(findings[2].alarm, 1);
    assert_memory_equal(&states[0], &(drift_state){0}, sizeof states[0]);
    assert_true(states[1].batches == 5);
    assert_true(drift_judge(pointers, after, errors, 3, 4, findings) && isnan(findings[0].z));
    assert_true(drift_judge(pointers, after, errors, 3, 4, findings));
    assert_true(findings[0].z == 0 && findings[0].alarm == 0);
}

static void a_shift_of_all_sources_raises_no_alarm(void **state)
{
    (void)state;
    drift_state states[4] = {{0}}, *pointers[] = {&states[0], &states[1], &states[2], &states[3]};
    double scores[] = {-1, -2, -3, -4};
    const double errors[] = {.01, .02, .01, .3};
    drift_finding findings[4];
    for (int t = 0; t < 20; t++) {
        assert_true(drift_judge(pointers, scores, errors, 4, 1, findings));
        for (int s = 0; s < 4; s++) {
            assert_int_equal(findings[s].alarm, 0);
            scores[s] -= t % 3;
        }
    }
}

static void what_is_not_known_changes_nothing(void **state)
{
    (void)state;
    drift_state states[3] = {{.batches = 2, .score_sum = -2, .variance_sum = .02, .up = 1},
                             {.batches = 2, .score_sum = -2, .variance_sum = .02, .down = 1},
                             {.batches = 2, .score_sum = -2, .variance_sum = .02}},
                before[3], *pointers[] = {&states[0], &states[1], &states[2]};
    memcpy(before, states, sizeof states);
    const double odd_scores[] = {NAN, -INFINITY, -1}, odd_errors[] = {.1, .1, NAN};
    drift_finding findings[3];
    assert_true(drift_judge(pointers, odd_scores, odd_errors, 3, 1, findings));
    assert_memory_equal(states, before, sizeof states);
    for (int s = 0; s < 3; s++)
        assert_true(isnan(findings[s].z) && isnan(findings[s].cusum) && findings[s].alarm == 0);
    /* No error at all says nothing of what is usual, and is nothing to divide by. */
    drift_state exact = {0}, *only = &exact;
    for (int t = 0; t < 3; t++)
        assert_true(drift_judge(&only, (double[]){t}, (double[]){0}, 1, 1, findings) && isnan(findings[0].z));
    assert_true(drift_judge(NULL, NULL, NULL, 0, 1, NULL));
}

static void thresholds_rise_with_the_batches_between_alarms(void **state)
{
    (void)state;
    /* Brook and Evans' Markov chain (experiments/drift): 465.4 scores at h = 5, 9482 at h = 8. */
    assert_near(drift_threshold(465.4), 5, .05);
    assert_near(drift_threshold(9482), 8, .05);
    double before = drift_threshold(1.7);
    for (double batches = 1.8; batches < 1e9; batches *= 1.1) {
        double threshold = drift_threshold(batches);
        assert_true(threshold > before && threshold < before + .3);
        before = threshold;
    }
    assert_true(drift_threshold(1) == 0 && drift_threshold(0) == 0 && drift_threshold(-1) == 0);
    assert_true(drift_threshold(NAN) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(false_alarms_are_at_most_as_often_as_stated),
        cmocka_unit_test(false_alarms_of_many_sources_are_as_often_as_stated),
        cmocka_unit_test(a_shift_of_two_standard_errors_is_found_within_a_few_batches),
        cmocka_unit_test(alarms_say_in_which_direction_and_begin_anew),
        cmocka_unit_test(a_shift_of_all_sources_raises_no_alarm),
        cmocka_unit_test(what_is_not_known_changes_nothing),
        cmocka_unit_test(thresholds_rise_with_the_batches_between_alarms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
