/* Policies as files: what is written is read back, what is wrong is named, and draws follow the probabilities. */
#include "test_support.h"

#include "base/file.h"

static char *folder;

static gbv_status read_text(const char *text, gbv_policy **policy, gbv_error *error)
{
    return gbv_policy_read(write_text_file(folder, "policy.json", text), policy, error);
}

/* The one sentence begins with the file's name and holds the words. */
static void assert_refused(const char *text, const char *words)
{
    gbv_policy *policy;
    gbv_error error;
    assert_int_equal(read_text(text, &policy, &error), GBV_BAD_INPUT);
    assert_null(policy);
    if (strncmp(error.message, folder, strlen(folder)) != 0 || !strstr(error.message, words))
        fail_msg("'%s' lacks '%s'", error.message, words);
}

#define HEAD "{\"kind\": \"policy\", \"schema\": 1, "
#define ROTATE(m, p) "{\"op\": \"rotate\", \"magnitude\": " m ", \"probability\": " p "}"

static void a_policy_written_by_hand_needs_three_keys_an_augmentor(void **state)
{
    gbv_policy *policy;
    gbv_error error;
    (void)state;
    assert_int_equal(
        read_text(HEAD "\"augmentors\": [" ROTATE("45", "0.75") ",{\"op\": \"invert\", \"probability\": 0.25}]}",
                  &policy, &error),
        GBV_OK);
    assert_int_equal(policy->count, 2);
    assert_string_equal(policy->entries[1].augmentor.op->name, "invert");
    assert_true(isnan(policy->entries[0].score) && isnan(policy->entries[0].prior));
    assert_close(policy->effective_augmentors, 1.6, 1e-12);
    assert_int_equal(policy->noise, GBV_NOISE_PAPER);
    gbv_policy_free(policy);
}

static void what_is_written_is_read_back_and_written_alike(void **state)
{
    gbv_policy *policy, *again;
    gbv_error error;
    mapped_file one, two;
    char first[600], second[600];
    (void)state;
    assert_int_equal(
        read_text(HEAD "\"grid\": \"code\", \"noise\": \"paper\", \"prior\": \"operator\", \"top_k\": 2, \"seed\": 7,"
                       "\"tau\": {\"mode\": \"fixed\", \"value\": 0.5, \"inverse\": 2},"
                       "\"measure\": \"leep\", \"images\": {\"path\": \"birds\", \"height\": 224, \"width\": 224},"
                       "\"warnings\": [\"few images\"], \"augmentors\": ["
                       "{\"op\": \"shear_x\", \"magnitude\": 0.15000000596046448, \"sign\": \"coin\", \"score\": -1.5,"
                       " \"score_interval\": [-2, -1], \"prior\": 0.5, \"probability\": 1,"
                       " \"probability_interval\": [0.5, 1]},"
                       "{\"op\": \"invert\", \"score\": null, \"score_status\": \"minus_infinity\", \"prior\": 0.5,"
                       " \"probability\": 0}],"
                       "\"density\": {\"operators\": [{\"op\": \"shear_x\", \"sign\": \"coin\", \"prior\": 1,"
                       " \"probability\": 1, \"magnitudes\": [0, 0.1, 0.3], \"scores\": [-1, -2, null]}], \"checks\": {"
                       "\"variational\": {\"probabilities\": [1], \"worst\": 0, \"steps\": 3, \"evaluations\": 9}}}}",
                  &policy, &error),
        GBV_OK);
    assert_true(policy->entries[1].score == -INFINITY);
    assert_true(policy->densities[0].scores[2] == -INFINITY);
    for (size_t i = 0; i < 100; i++) /* no weight there */
        assert_true(fabs(gbv_policy_draw(policy, 1, i, 0).magnitude) <= 0.1);
    assert_true(policy->variational.done && !policy->chain.done);
    snprintf(first, sizeof first, "%s/first.json", folder);
    snprintf(second, sizeof second, "%s/second.json", folder);
    assert_ok(gbv_policy_write(policy, first, &error), error);
    assert_ok(gbv_policy_read(first, &again, &error), error);
    assert_ok(gbv_policy_write(again, second, &error), error);
    assert_ok(mapped_file_open(first, &one, &error), error);
    assert_ok(mapped_file_open(second, &two, &error), error);
    assert_int_equal(one.size, two.size);
    assert_memory_equal(one.bytes, two.bytes, one.size);
    mapped_file_close(&one);
    mapped_file_close(&two);
    assert_int_equal(again->noise, GBV_NOISE_PAPER);
    assert_true(again->entries[0].augmentor.coin && again->densities[0].coin);
    assert_true(again->entries[0].augmentor.magnitude == 0.15000000596046448);
    gbv_policy_free(policy);
    gbv_policy_free(again);
}

static void what_is_wrong_with_a_policy_is_named(void **state)
{
    (void)state;
    assert_refused("", "is not JSON");
    assert_refused(HEAD "\"augmentors\": [" ROTATE("45", "1"), "is not JSON");
    assert_refused("[]", "not a policy");
    assert_refused("{\"gbv\": \"0.1.0\", \"schema\": 1, \"sources\": []}", "a result of gbv value");
    assert_refused("{\"schema\": 1, \"augmentors\": []}", "without \"kind\"");
    assert_refused("{\"kind\": \"policy\", \"augmentors\": []}", "\"schema\"");
    assert_refused("{\"kind\": \"policy\", \"schema\": 2, \"gbv\": \"9.1.0\"}", "a later version of gbv, '9.1.0'");
    assert_refused(HEAD "\"augmentors\": []}", "from 1 to");
    assert_refused(HEAD "\"augmentors\": 3}", "\"augmentors\"");
    assert_refused(HEAD "\"augmentors\": [1]}", "augmentor 1");
    assert_refused(HEAD "\"augmentors\": [" ROTATE("45", "1") ",{\"op\": \"rotat\", \"probability\": 0}]}",
                   "augmentor 2 has the operator 'rotat', which");
    assert_refused(HEAD "\"augmentors\": [{\"op\": \"rotat\", \"probability\": 0}]}", "did you mean rotate?");
    assert_refused(HEAD "\"augmentors\": [{\"op\": \"rotate\", \"probability\": 1}]}", "\"magnitude\"");
    assert_refused(HEAD "\"augmentors\": [" ROTATE("\"45\"", "1") "]}", "\"magnitude\"");
    assert_refused(HEAD "\"augmentors\": [" ROTATE("4500", "1") "]}", "the magnitude 4500");
    assert_refused(HEAD "\"augmentors\": [{\"op\": \"invert\", \"magnitude\": 2, \"probability\": 1}]}", "has none");
    assert_refused(
        HEAD "\"augmentors\": [{\"op\": \"posterize\", \"magnitude\": 4, \"sign\": \"coin\", \"probability\": 1}]}",
        "by a coin");
    assert_refused(HEAD "\"augmentors\": [" ROTATE("45", "-0.5") "," ROTATE("90", "1.5") "]}", "probability -0.5");
    assert_refused(HEAD "\"augmentors\": [" ROTATE("45", "null") "]}", "\"probability\"");
    assert_refused(HEAD "\"augmentors\": [" ROTATE("45", "0.5") "," ROTATE("90", "0.25") "]}", "add up to 0.75");
    assert_refused(HEAD "\"augmentors\": [" ROTATE("45", "0.5") "," ROTATE("45", "0.5") "]}", "augmentors 1 and 2");
    assert_refused(HEAD "\"density\": {\"operators\": []}, \"augmentors\": [" ROTATE("45", "1") "]}", "operators");
    assert_refused(HEAD "\"density\": {\"operators\": [{\"op\": \"invert\", \"probability\": 1, \"magnitudes\": [0],"
                        " \"scores\": [1]}]}, \"augmentors\": [" ROTATE("45", "1") "]}",
                   "tau");
}

static void draws_follow_the_probabilities_and_are_the_same_again(void **state)
{
    enum { DRAWS = 20000 };
    gbv_policy *policy;
    gbv_error error;
    size_t rotated = 0, negative = 0;
    (void)state;
    assert_int_equal(read_text(HEAD "\"augmentors\": [{\"op\": \"equalize\", \"probability\": 0},"
                                    "{\"op\": \"rotate\", \"magnitude\": 30, \"sign\": \"coin\", \"probability\": 0.3},"
                                    "{\"op\": \"invert\", \"probability\": 0.7}]}",
                               &policy, &error),
                     GBV_OK);
    for (size_t i = 0; i < DRAWS; i++) {
        gbv_augmentor drawn = gbv_policy_draw(policy, 1, i % 100, i / 100),
                      again = gbv_policy_draw(policy, 1, i % 100, i / 100);
        assert_true(drawn.op == again.op && drawn.magnitude == again.magnitude && !drawn.coin);
        assert_string_not_equal(drawn.op->name, "equalize");
        rotated += strcmp(drawn.op->name, "rotate") == 0;
        negative += drawn.magnitude == -30;
    }
    /* Four standard deviations. */
    assert_true(fabs((double)rotated / DRAWS - 0.3) < 4 * sqrt(0.21 / DRAWS));
    assert_true(fabs((double)negative / DRAWS - 0.15) < 4 * sqrt(0.1275 / DRAWS));
    gbv_policy_free(policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_written_by_hand_needs_three_keys_an_augmentor),
        cmocka_unit_test(what_is_written_is_read_back_and_written_alike),
        cmocka_unit_test(what_is_wrong_with_a_policy_is_named),
        cmocka_unit_test(draws_follow_the_probabilities_and_are_the_same_again),
    };
    folder = test_folder_create();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_folder_remove(folder);
    return failed;
}
