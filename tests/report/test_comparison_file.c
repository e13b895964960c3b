/* A comparison written as JSON, read back and written again gives the same bytes; edited documents are refused by key.
 */
#include "report/folder.h"
#include "value/toy.h"

static char path[600], again[600];

static int make_paths(void **state)
{
    make_folder(state);
    snprintf(path, sizeof path, "%s/c.json", folder);
    snprintf(again, sizeof again, "%s/again.json", folder);
    return 0;
}

/* One method cannot be used here, another knows no difference. */
static gbv_comparison *compare(bool test, size_t replicates)
{
    toy *t = make_toy();
    gbv_dataset *reference = reference_of(t), *judge = reference_of(t);
    gbv_sources *sources = gbv_sources_create();
    gbv_comparison *comparison;
    gbv_compare_options options = gbv_compare_defaults();
    gbv_error error;
    for (int s = 0; s < 3; s++)
        add_source(sources, t, s, SAMPLE);
    options.methods = "gbv:leep,uniform,gold-accuracy";
    options.value.replicates = replicates;
    options.value.refits = 2;
    options.seeds = 2;
    options.test = test ? judge : NULL;
    assert_ok(gbv_compare(reference, sources, &options, &comparison, &error), error);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    gbv_dataset_free(judge);
    free(t);
    return comparison;
}

static char *read_file(const char *name)
{
    FILE *stream = fopen(name, "r");
    assert_non_null(stream);
    char *text = calloc(1, 1 << 17);
    assert_true(fread(text, 1, (1 << 17) - 1, stream) > 0);
    fclose(stream);
    return text;
}

static void written_read_and_written_again_it_is_the_same(void **state)
{
    (void)state;
    for (int form = 0; form < 4; form++) {
        gbv_comparison *before = compare(form & 1, form & 2 ? 20 : 0), *after;
        gbv_error error;
        assert_ok(gbv_comparison_write(before, GBV_FORMAT_JSON, path, &error), error);
        assert_ok(gbv_comparison_read(path, &after, &error), error);
        assert_ok(gbv_comparison_write(after, GBV_FORMAT_JSON, again, &error), error);
        char *first = read_file(path), *second = read_file(again);
        assert_string_equal(first, second);
        free(first);
        free(second);
        /* What the document has once is where a result has it. */
        const gbv_result *a = before->result, *b = after->result;
        assert_string_equal(a->measure, b->measure);
        assert_true(a->tau == b->tau && a->effective_sources == b->effective_sources);
        assert_true(fabs(a->entropy - b->entropy) < 1e-12 && fabs(a->effective_rows - b->effective_rows) < 1e-9);
        for (size_t i = 0; i < a->source_count; i++)
            assert_true(a->sources[i].posterior == b->sources[i].posterior &&
                        a->sources[i].score == b->sources[i].score && a->sources[i].rank == b->sources[i].rank &&
                        fabs(a->sources[i].row_weight - b->sources[i].row_weight) < 1e-15);
        assert_int_equal(after->best, before->best);
        assert_int_equal(after->to_beat, before->to_beat);
        gbv_comparison_free(before);
        gbv_comparison_free(after);
    }
}

static void expect_refusal(const char *text, const char *old, const char *new_text, const char *key)
{
    gbv_comparison *read;
    gbv_error error;
    const char *at = strstr(text, old);
    if (!at)
        fail_msg("'%s' is not in the document", old);
    FILE *stream = fopen(path, "w");
    fprintf(stream, "%.*s%s%s", (int)(at - text), text, new_text, at + strlen(old));
    fclose(stream);
    assert_int_equal(gbv_comparison_read(path, &read, &error), GBV_BAD_INPUT);
    if (!strstr(error.message, key))
        fail_msg("'%s' does not name %s", error.message, key);
}

static void broken_documents_are_refused_by_key(void **state)
{
    (void)state;
    gbv_comparison *c = compare(true, 0);
    gbv_error error;
    assert_ok(gbv_comparison_write(c, GBV_FORMAT_JSON, path, &error), error);
    char *text = read_file(path);
    expect_refusal(text, "\"verdict\"", "\"verdikt\"", "verdict");
    expect_refusal(text, "\"schema\": 1", "\"schema\": 2", "form this version");
    expect_refusal(text, "\"kind\": ", "\"kind\": 1, \"kin\": ", "kind");
    expect_refusal(text, "\"best\": \"gbv leep\"", "\"best\": \"gbv nce\"", "best");
    expect_refusal(text, "\"to_beat\"", "\"too_beat\"", "to_beat");
    expect_refusal(text, "\"label\": \"gbv leep\"", "\"label\": 7", "methods[0]");
    expect_refusal(text, "\"seeds\": 2,", "\"seeds\": 3,", "accuracies");
    expect_refusal(text, "\"pearson\"", "\"pearson\": \"x\", \"parson\"", "pearson");
    expect_refusal(text, "\"baselines\": [", "\"baselines\": [{}, ", "baselines[0]");
    expect_refusal(text, "\"baselines\": [", "\"basslines\": [", "baselines");
    expect_refusal(text, "\"test_accuracy\"", "\"test_akkuracy\"", "test_accuracy");
    expect_refusal(text, "\"methods\": [", "\"methods\": [], \"m\": [", "methods");
    expect_refusal(text, "\"rank\": 0", "\"rank\": -1", "methods[2]");
    expect_refusal(text, "{", "", "JSON");
    free(text);
    gbv_comparison_free(c);
}

static void a_result_is_no_comparison(void **state)
{
    (void)state;
    gbv_comparison *read;
    gbv_error error;
    assert_int_equal(gbv_comparison_read(write_text_file(folder, "r.json", "{\"gbv\": \"0\"}"), &read, &error),
                     GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "gbv compare"));
    assert_int_equal(gbv_comparison_read("/nowhere/c.json", &read, &error), GBV_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_read_and_written_again_it_is_the_same),
        cmocka_unit_test(broken_documents_are_refused_by_key),
        cmocka_unit_test(a_result_is_no_comparison),
    };
    return cmocka_run_group_tests(tests, make_paths, remove_folder);
}
