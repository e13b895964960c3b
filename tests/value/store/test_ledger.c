/* The ledger as a store: what batches make of the weights, which of them are taken, that everything can be read back
 * and taken back. The arithmetic itself is tests/value/test_continual.c. */
#include "value/store/ledger_toy.h"

#include "value/drift.h"

static void weights_are_those_of_all_scores_together(void **state)
{
    const char *path = *state;
    gbv_error error;
    const double scores[][3] = {{-1, -.5, -2}, {-.2, -1.5, -.3}, {-1, -1.1, -.9}};
    const char *const batches[] = {"2026-09", "2026-10", "2026-11"};
    for (size_t t = 0; t < 3; t++)
        assert_ok(add_scores(path, batches[t], scores[t], 3, &error), error);
    gbv_history *h = history_of(path, NULL);
    assert_int_equal(h->batch_count, 3);
    assert_int_equal(h->source_count, 3);
    double sums[3] = {0};
    for (size_t t = 0; t < 3; t++) {
        double total = 0, alone = 0;
        for (size_t s = 0; s < 3; s++) {
            sums[s] += scores[t][s];
            total += exp(sums[s]);
            alone += exp(scores[t][s]);
        }
        for (size_t s = 0; s < 3; s++) {
            const gbv_history_point *p = point_of(h, s, t);
            assert_true(p->present && p->rows == 10 + s && p->score == scores[t][s]);
            assert_close(p->posterior, exp(sums[s]) / total, 1e-12);
            assert_close(p->batch_posterior, exp(scores[t][s]) / alone, 1e-12);
            assert_close(p->prior, 1 / 3., 1e-15);
            assert_close(p->deviation, .1, 1e-12);
            assert_int_equal(strlen(p->sha256), 64);
            assert_true(isnan(p->posterior_interval[0]));  /* no resampled scores */
            assert_true(t > 1 || isnan(p->z) == (t == 0)); /* an alarm makes a new beginning */
        }
        assert_string_equal(h->batches[t].name, batches[t]);
        assert_string_equal(h->names[t], LETTERS[t]);
        assert_int_equal(h->batches[t].time, 1000);
        assert_string_equal(h->batches[t].measure, "leep");
        assert_string_equal(h->batches[t].version, gbv_version());
        assert_int_equal(h->batches[t].reference_batches, t + 1);
        assert_true(h->batches[t].tau == 1 && h->batches[t].forgetting == 1 && h->batches[t].alarm_batches == 12);
        assert_true(h->batches[t].alarm_threshold == drift_threshold(12 * 3));
        assert_int_equal(h->batches[t].present, 3);
        assert_int_equal(h->batches[t].newcomers, t == 0 ? 3 : 0);
        assert_int_equal(h->batches[t].change_count + h->batches[t].warning_count, 0);
    }
    gbv_ledger_summary summary = verified(path);
    assert_int_equal(summary.records, 3);
    assert_int_equal(summary.batches, 3);
    assert_int_equal(summary.sources, 3);
    assert_string_equal(summary.head, h->batches[2].hash);
    assert_string_equal(summary.last, "2026-11");
    gbv_history_free(h);
}

static void a_history_can_be_of_one_source_and_of_the_last_batches(void **state)
{
    const char *path = *state;
    gbv_error error;
    const double scores[][2] = {{-1, -.5}, {-.2, -1.5}, {-1, -1.1}};
    for (size_t t = 0; t < 3; t++)
        assert_ok(add_scores(path, LETTERS[t], scores[t], 2, &error), error);
    gbv_history *all = history_of(path, &(gbv_history_options){.strategies = "all"}),
                *some = history_of(
                    path, &(gbv_history_options){.source = "b", .last = 2, .strategies = "last, average,last"});
    assert_int_equal(some->batch_count, 2);
    assert_int_equal(some->first_batch, 1);
    assert_int_equal(some->source_count, 1);
    assert_string_equal(some->names[0], "b");
    for (size_t t = 0; t < 2; t++)
        assert_memory_equal(point_of(some, 0, t), point_of(all, 1, t + 1), sizeof(gbv_history_point));
    assert_int_equal(some->strategy_count, 2);
    assert_string_equal(some->strategies[1].name, "average");
    assert_true(all->strategy_count >= 4);
    for (size_t i = 0; i < all->strategy_count; i++)
        for (size_t j = 0; j < 2; j++)
            if (strcmp(all->strategies[i].name, some->strategies[j].name) == 0)
                for (size_t t = 0; t < 2; t++)
                    assert_true(all->strategies[i].posterior[(t + 1) * 2 + 1] == some->strategies[j].posterior[t]);
    for (size_t t = 0; t < 3; t++)
        assert_close(all->strategies[0].posterior[t * 2], point_of(all, 0, t)->posterior, 1e-15);
    gbv_history_free(all);
    gbv_history_free(some);
    gbv_ledger *ledger = opened(path, GBV_LEDGER_READ);
    assert_int_equal(gbv_ledger_history(ledger, &(gbv_history_options){.source = "nobody"}, &all, &error),
                     GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "'nobody'"));
    assert_int_equal(gbv_ledger_history(ledger, &(gbv_history_options){.strategies = "first"}, &all, &error),
                     GBV_USAGE);
    assert_non_null(strstr(error.message, "\"first\""));
    gbv_ledger_close(ledger);
}

static void who_is_absent_keeps_its_share_and_newcomers_enter_with_their_prior(void **state)
{
    const char *path = *state;
    gbv_error error;
    gbv_update_options options = {.batch = "1"};
    assert_ok(add_result(path, scored(LETTERS, (double[]){-1, -2}, 2, .1), &options, &error), error);
    const char *const later[] = {"c", "b"};
    options.batch = "2";
    assert_ok(add_result(path, scored(later, (double[]){-1, -1}, 2, .1), &options, &error), error);
    gbv_history *h = history_of(path, NULL);
    const gbv_history_point *a = point_of(h, 0, 1), *c = point_of(h, 2, 1);
    assert_true(!a->present && isnan(a->score) && isnan(a->batch_posterior) && !*a->sha256 && a->rows == 0);
    assert_close(a->posterior, point_of(h, 0, 0)->posterior * 2 / 3, 1e-12);
    assert_close(c->posterior, 1 / 3., 1e-12); /* scores alike: what it entered with */
    assert_true(isnan(point_of(h, 2, 0)->posterior) && isnan(point_of(h, 2, 0)->prior));
    assert_close(c->prior, 1 / 3., 1e-15);
    assert_int_equal(h->batches[1].newcomers, 1);
    gbv_history_free(h);
    options = (gbv_update_options){.batch = "3", .leavers = (const char *const[]){"a"}, .leaver_count = 1};
    assert_ok(add_result(path, scored(later, (double[]){-1, -1}, 2, .1), &options, &error), error);
    h = history_of(path, NULL);
    assert_true(isnan(point_of(h, 0, 2)->posterior));
    assert_close(point_of(h, 1, 2)->posterior + point_of(h, 2, 2)->posterior, 1, 1e-12);
    assert_int_equal(h->batches[2].leavers, 1);
    gbv_history_free(h);
    /* who left may come back, as anybody new */
    options = (gbv_update_options){.batch = "4"};
    assert_ok(add_result(path, scored(LETTERS, (double[]){-1, -1, -1}, 3, .1), &options, &error), error);
    h = history_of(path, NULL);
    assert_close(point_of(h, 0, 3)->posterior, 1 / 3., 1e-12);
    gbv_history_free(h);
    verified(path);
}

static void assert_refused(gbv_status status, gbv_status wanted, const gbv_error *error, const char *part)
{
    if (status != wanted || !strstr(error->message, part))
        fail_msg("status %d, not %d with '%s': %s", status, wanted, part, error->message);
}

static void batches_and_leavers_that_cannot_be_are_refused(void **state)
{
    const char *path = *state;
    gbv_error error;
    const double scores[] = {-1, -2, -3};
    gbv_update_options options = {.batch = "1"};
    assert_ok(add_scores(path, "1", scores, 2, &error), error);
    gbv_ledger_summary before = verified(path);
#define REFUSED(wanted, part, ...)                                                                                     \
    options = (gbv_update_options){__VA_ARGS__};                                                                       \
    assert_refused(add_result(path, scored(LETTERS, scores, 2, .1), &options, &error), wanted, &error, part)
    REFUSED(GBV_FAILED, "'1' is there already", .batch = "1");
    REFUSED(GBV_USAGE, "has no name", .batch = NULL);
    REFUSED(GBV_USAGE, "has no name", .batch = "");
    REFUSED(GBV_USAGE, "UTF-8", .batch = "\xff");
    REFUSED(GBV_USAGE, "forgetting is 1.5", .batch = "2", .forgetting = 1.5);
    REFUSED(GBV_USAGE, "forgetting is -1", .batch = "2", .forgetting = -1);
    REFUSED(GBV_USAGE, "forgetting is nan", .batch = "2", .forgetting = NAN);
    REFUSED(GBV_USAGE, "one false alarm in -3", .batch = "2", .alarm_batches = -3);
    REFUSED(GBV_USAGE, "\"colour\"", .batch = "2", .allow = "tau,colour");
    REFUSED(GBV_FAILED, "'z' is said to leave, and is not in", .batch = "2", .leavers = (const char *const[]){"z"},
            .leaver_count = 1);
    REFUSED(GBV_FAILED, "'a' is said to leave and delivers", .batch = "2", .leavers = (const char *const[]){"a"},
            .leaver_count = 1);
    REFUSED(GBV_FAILED, "forgetting: 1 in the batch before", .batch = "2", .forgetting = .9);
    REFUSED(GBV_FAILED, "alarms: one false alarm in 12 batches in the batch before", .batch = "2",
            .alarm_batches = 100);
    options = (gbv_update_options){.batch = "2"};
    const char *const twice[] = {"a", "a"};
    assert_refused(add_result(path, scored(twice, scores, 2, .1), &options, &error), GBV_BAD_INPUT, &error, "twice");
    assert_refused(add_result(path, scored(LETTERS, (double[]){NAN, NAN}, 2, .1), &options, &error), GBV_UNDEFINED,
                   &error, "no source of batch '2' has a score");
    assert_refused(add_result(path, scored(LETTERS, (double[]){-INFINITY, -INFINITY}, 2, .1), &options, &error),
                   GBV_UNDEFINED, &error, "minus infinity");
    const char *const only[] = {"c"};
    options.leavers = (const char *const[]){"a", "b"};
    options.leaver_count = 2;
    assert_refused(add_result(path, scored(only, scores, 1, .1), &options, &error), GBV_FAILED, &error,
                   "nobody is left to take it");
    assert_string_equal(verified(path).head, before.head);
}

typedef void change(gbv_result *r);

static void other_reference(gbv_result *r)
{
    r->inputs[0].sha256[5] = r->inputs[0].sha256[5] == '0' ? '1' : '0';
}

static void other_rows(gbv_result *r)
{
    r->reference_rows++;
}

static void other_measure(gbv_result *r)
{
    strcpy(r->measure, "nce");
}

static void other_model(gbv_result *r)
{
    strcpy(r->model, "mlp");
}

static void other_l2(gbv_result *r)
{
    strcpy(r->options[3].value, "0.2");
}

static void other_tau(gbv_result *r)
{
    r->tau = .25;
}

static void quick_tau(gbv_result *r)
{
    r->tau_mode = GBV_TAU_QUICK;
    r->tau = .5;
}

static void other_seed(gbv_result *r)
{
    r->seed = UINT64_MAX;
}

static void other_intervals(gbv_result *r)
{
    strcpy(r->options[2].value, "100");
}

static void what_the_first_batch_fixed_changes_only_when_that_is_said(void **state)
{
    const char *path = *state;
    gbv_error error;
    static const struct {
        const char *word;
        change *make;
        const char *said;
    } changes[] = {{"reference", other_reference, "rows, labelled) became "},
                   {"reference", other_rows, "(101 rows"},
                   {"measure", other_measure, "gbv leep became gbv nce"},
                   {"model", other_model, "linear, l2 0.1 became mlp, l2 0.1"},
                   {"model", other_l2, "linear, l2 0.1 became linear, l2 0.2"},
                   {"tau", other_tau, "1 became 0.25"},
                   {"tau", quick_tau, "1 became 0.5"},
                   {"seed", other_seed, "0 became 18446744073709551615"},
                   {"intervals", other_intervals, "200 became 100"}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        unlink(path);
        assert_ok(add_scores(path, "1", (double[]){-1, -2}, 2, &error), error);
        gbv_update_options options = {.batch = "2", .allow = "forgetting,alarms"};
        gbv_result *r = scored(LETTERS, (double[]){-1, -2}, 2, .1);
        changes[i].make(r);
        char part[100];
        snprintf(part, sizeof part, "%s: ", changes[i].word);
        assert_refused(add_result(path, r, &options, &error), GBV_FAILED, &error, part);
        snprintf(part, sizeof part, "seed, %s,tau", changes[i].word);
        options.allow = part;
        r = scored(LETTERS, (double[]){-1, -2}, 2, .1);
        changes[i].make(r);
        assert_ok(add_result(path, r, &options, &error), error);
        gbv_history *h = history_of(path, NULL);
        assert_int_equal(h->batches[1].change_count, 1);
        if (!strstr(h->batches[1].changes[0], changes[i].said))
            fail_msg("%s", h->batches[1].changes[0]);
        gbv_history_free(h);
        verified(path);
    }
}

static void a_rule_for_tau_gives_it_once(void **state)
{
    const char *path = *state;
    gbv_error error;
    gbv_update_options options = {.batch = "1"};
    gbv_result *r = scored(LETTERS, (double[]){-1, -2, -1, -1}, 4, .1);
    r->tau_mode = GBV_TAU_QUICK;
    r->tau = .5;
    assert_ok(add_result(path, r, &options, &error), error);
    r = scored(LETTERS, (double[]){-1, -2}, 2, .1);
    r->tau_mode = GBV_TAU_QUICK;
    r->tau = 1;
    options.batch = "2";
    assert_ok(add_result(path, r, &options, &error), error);
    gbv_history *h = history_of(path, NULL);
    assert_true(h->batches[1].tau == .5 && h->batches[1].change_count == 0);
    gbv_history_free(h);
    r = scored(LETTERS, (double[]){-1, -2}, 2, .1);
    r->tau_mode = GBV_TAU_CODE;
    options.batch = "3";
    assert_refused(add_result(path, r, &options, &error), GBV_USAGE, &error, "tau code");
    unlink(path);
    r = scored(LETTERS, (double[]){-1}, 1, .1);
    r->tau_mode = GBV_TAU_QUICK;
    r->tau = INFINITY;
    assert_refused(add_result(path, r, &options, &error), GBV_FAILED, &error, "--tau VALUE");
    assert_false(is_there(path));
}

static size_t warnings_with(const gbv_history *h, size_t batch, const char *part)
{
    size_t found = 0;
    for (size_t i = 0; i < h->batches[batch].warning_count; i++)
        found += strstr(h->batches[batch].warnings[i], part) != NULL;
    return found;
}

static void scores_that_are_none_and_minus_infinity_are_warned_of(void **state)
{
    const char *path = *state;
    gbv_error error;
    assert_ok(add_scores(path, "1", (double[]){-1, -1, -1}, 3, &error), error);
    assert_ok(add_scores(path, "2", (double[]){-1, NAN, -INFINITY, NAN}, 4, &error), error);
    assert_ok(add_scores(path, "3", (double[]){-1, -1, -1}, 3, &error), error);
    gbv_history *h = history_of(path, NULL);
    assert_int_equal(h->source_count, 3); /* d has not entered */
    assert_int_equal(warnings_with(h, 1, "'b' has no score in this batch and counts as absent: it keeps its weight"),
                     1);
    assert_int_equal(warnings_with(h, 1, "'d' has no score in this batch and counts as absent; it has not entered"), 1);
    assert_int_equal(warnings_with(h, 1, "'c' scores minus infinity: its weight is gone for good"), 1);
    assert_close(point_of(h, 1, 1)->posterior, 1 / 3., 1e-12);
    assert_close(point_of(h, 0, 1)->posterior, 2 / 3., 1e-12);
    assert_true(point_of(h, 2, 1)->posterior == 0 && point_of(h, 2, 1)->score == -INFINITY);
    assert_true(point_of(h, 2, 2)->posterior == 0 && point_of(h, 2, 2)->present);
    gbv_history_free(h);
    verified(path);
}

static void a_worn_reference_a_collapse_and_samples_that_come_again_are_warned_of(void **state)
{
    const char *path = *state;
    gbv_error error;
    char batch[20];
    for (int t = 1; t <= 14; t++) {
        snprintf(batch, sizeof batch, "%d", t);
        assert_ok(add_scores(path, batch, (double[]){-1, t < 10 ? -1 : -2}, 2, &error), error);
    }
    gbv_history *h = history_of(path, NULL);
    for (size_t t = 0; t < 14; t++) {
        assert_int_equal(warnings_with(h, t, "this reference has scored"), t >= 12);
        assert_int_equal(
            warnings_with(h, t, t == 9 ? "1 of 2 sources delivered the very file" : "2 of 2 sources delivered"), t > 0);
        assert_int_equal(warnings_with(h, t, "--forgetting 0.9"), h->batches[t].effective_sources < 1.05);
    }
    assert_true(h->batches[8].effective_sources > 1.9 && h->batches[13].effective_sources < 1.05);
    gbv_history_free(h);
    gbv_update_options options = {.batch = "15", .allow = "reference,forgetting", .forgetting = .5};
    gbv_result *r = scored(LETTERS, (double[]){-3, -3}, 2, .1);
    other_reference(r);
    assert_ok(add_result(path, r, &options, &error), error);
    h = history_of(path, &(gbv_history_options){.last = 1});
    assert_int_equal(h->batches[0].warning_count, 0);
    assert_int_equal(h->batches[0].reference_batches, 1);
    assert_int_equal(h->batches[0].change_count, 2);
    gbv_history_free(h);
    verified(path);
}

static void a_batch_is_undone_as_if_it_had_not_been(void **state)
{
    const char *path = *state;
    gbv_error error;
    char other[600], *undone;
    snprintf(other, sizeof other, "%s.other", path);
    const double scores[][3] = {{-1, -.5, -2}, {-.2, -1.5, -.3}, {-1, -1.1, -.9}, {-2, -1, -1.2}};
    for (size_t t = 0; t < 3; t++)
        assert_ok(add_scores(path, LETTERS[t], scores[t], 2 + (t == 2), &error), error);
    gbv_ledger *ledger = opened(path, GBV_LEDGER_UPDATE);
    assert_ok(gbv_ledger_undo(ledger, 7, &undone, &error), error);
    assert_string_equal(undone, "c");
    gbv_text_free(undone);
    gbv_ledger_close(ledger);
    gbv_ledger_summary summary = verified(path);
    assert_int_equal(summary.records, 4);
    assert_int_equal(summary.batches, 2);
    assert_string_equal(summary.last, "b");
    assert_ok(add_scores(path, "c", scores[3], 2, &error), error); /* its name is free again */
    for (size_t t = 0; t < 4; t++)
        if (t != 2)
            assert_ok(add_scores(other, t == 3 ? "c" : LETTERS[t], scores[t], 2, &error), error);
    gbv_history *h = history_of(path, NULL), *g = history_of(other, NULL);
    assert_int_equal(h->batch_count, 3);
    assert_int_equal(h->source_count, 2);
    assert_memory_equal(h->points, g->points, 6 * sizeof *h->points);
    gbv_history_free(h);
    gbv_history_free(g);
    ledger = opened(path, GBV_LEDGER_UPDATE);
    for (int i = 0; i < 3; i++)
        assert_ok(gbv_ledger_undo(ledger, 0, NULL, &error), error);
    assert_refused(gbv_ledger_undo(ledger, 0, &undone, &error), GBV_FAILED, &error, "has no batch");
    assert_null(undone);
    gbv_ledger_close(ledger);
    assert_int_equal(verified(path).batches, 0);
    assert_ok(add_scores(path, "a", scores[0], 2, &error), error);
    assert_int_equal(verified(path).records, 9);
}

static void the_ledger_is_a_prior_for_a_valuation(void **state)
{
    const char *path = *state;
    gbv_error error;
    double prior[3], tau;
    gbv_ledger *ledger = opened(path, GBV_LEDGER_UPDATE);
    assert_refused(gbv_ledger_prior(ledger, LETTERS, 2, prior, &tau, &error), GBV_BAD_INPUT, &error, "no batches");
    assert_ok(add_scores(path, "1", (double[]){-1, -3}, 2, &error), error);
    assert_ok(gbv_ledger_prior(ledger, LETTERS, 3, prior, &tau, &error), error);
    assert_true(tau == 1);
    assert_close(prior[2], 1 / 3., 1e-12);
    assert_close(prior[0] / prior[1], exp(2), 1e-12);
    assert_close(prior[0] + prior[1], 2 / 3., 1e-12);
    assert_ok(add_scores(path, "2", (double[]){-1, -3000}, 2, &error), error);
    assert_ok(gbv_ledger_prior(ledger, LETTERS + 1, 1, prior, NULL, &error), error);
    assert_true(prior[0] == 1); /* however small */
    gbv_ledger_close(ledger);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_path, remove_path)
    const struct CMUnitTest tests[] = {
        TEST(weights_are_those_of_all_scores_together),
        TEST(a_history_can_be_of_one_source_and_of_the_last_batches),
        TEST(who_is_absent_keeps_its_share_and_newcomers_enter_with_their_prior),
        TEST(batches_and_leavers_that_cannot_be_are_refused),
        TEST(what_the_first_batch_fixed_changes_only_when_that_is_said),
        TEST(a_rule_for_tau_gives_it_once),
        TEST(scores_that_are_none_and_minus_infinity_are_warned_of),
        TEST(a_worn_reference_a_collapse_and_samples_that_come_again_are_warned_of),
        TEST(a_batch_is_undone_as_if_it_had_not_been),
        TEST(the_ledger_is_a_prior_for_a_valuation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
