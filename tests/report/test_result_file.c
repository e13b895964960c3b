/* A result written as JSON and read back: every double the same bits, and edited or broken documents refused by key. */
#include "report/folder.h"

#include "value/flags.h"
#include "value/result.h"

static gbv_result *example(void)
{
    gbv_result *r = result_create(3);
    assert_non_null(r);
    char **texts[] = {&r->version, &r->method, &r->problem,       &r->measure,
                      &r->variant, &r->model,  &r->feature_space, &r->instruction_set};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = strdup(i == 4 ? "" : "word");
    r->tau_mode = GBV_TAU_FIXED;
    r->tau = 0.1;
    r->tau_inverse = 1 / 0.1;
    r->seed = 9223372036854775807u;
    r->entropy = 0x1.921fb54442d18p-7;
    r->effective_sources = 1 + 0x1p-52;
    r->effective_rows = 1e300;
    r->reference_rows = 1000;
    assert_true(result_warn(r, "odd \"text\" with \\ and a\nnewline and \x01 and é"));
    assert_true(result_add_option(r, "tau", "%s", "0.1"));
    static const char *const names[] = {"plain", "<script>alert('é')</script>", "a \"quoted\", name"};
    for (size_t i = 0; i < 3; i++) {
        r->sources[i] = (gbv_source_result){.name = strdup(names[i]),
                                            .rows = 10 * i + 1,
                                            .score = -1.0 / (3.0 + (double)i),
                                            .standard_error = 5e-324,
                                            .agreement = 1. / 3,
                                            .prior = 1. / 3,
                                            .posterior = .1 * (double)i,
                                            .row_weight = .1 / 7,
                                            .rank = i + 1};
    }
    r->sources[1].score = -INFINITY;
    r->sources[1].score_status = GBV_SCORE_MINUS_INFINITY;
    r->sources[2].score = r->sources[2].standard_error = NAN;
    r->sources[2].score_status = GBV_SCORE_UNDEFINED;
    assert_true(text_list_add(&r->sources[0].warnings, &r->sources[0].warning_count, "one class only"));
    assert_true(flag_add(&r->sources[0], "one_class", "all %s", "\"x\""));
    assert_true(flag_add(&r->sources[0], "undefined", "why"));
    r->ambiguous = true;
    assert_true(text_list_add(&r->classes, &r->class_count, "cat") &&
                text_list_add(&r->classes, &r->class_count, "\"dog\""));
    r->sources[1].confusion = calloc(6, sizeof(size_t));
    for (size_t i = 0; i < 6; i++)
        r->sources[1].confusion[i] = i;
    assert_true(result_make_measures(r, 2));
    for (size_t m = 0; m < 2; m++) {
        gbv_measure_result *by = &r->measures[m];
        by->method = strdup("gbv");
        by->measure = strdup(m ? "other" : "word");
        by->tau_mode = GBV_TAU_FIXED;
        by->tau = m ? INFINITY : 1. / 3;
        by->variant = strdup("");
        by->feature_space = strdup("space");
        by->effective_sources = m ? NAN : 2.5;
        by->rank_agreement = m ? NAN : 1;
        for (size_t i = 0; i < 3; i++)
            by->scores[i] = (gbv_score){.score = m ? NAN : r->sources[i].score,
                                        .score_status = m ? GBV_SCORE_UNDEFINED : r->sources[i].score_status,
                                        .standard_error = 1. / 7,
                                        .posterior = m ? NAN : .1 * (double)i,
                                        .rank = m ? 0 : i + 1,
                                        .reason = m ? strdup("no \"reason\"") : NULL};
    }
    r->inputs = calloc(1, sizeof *r->inputs);
    r->input_count = 1;
    r->inputs[0] = (gbv_input_record){.path = strdup("a,b.csv"),
                                      .rows = 7,
                                      .source_column = strdup("who"),
                                      .dataset = strdup("*,b.csv"),
                                      .item_column = strdup("id"),
                                      .wants_items = true,
                                      .resize = 32,
                                      .role = strdup("items"),
                                      .color = GBV_COLOR_GRAY};
    memset(r->inputs[0].sha256, 'a', 64);
    r->tau_curve = calloc(1, sizeof *r->tau_curve);
    r->tau_count = 1;
    r->tau_curve[0] = (gbv_tau_point){.tau = INFINITY, .effective_sources = 3, .posterior = calloc(3, sizeof(double))};
    r->tau_curve[0].posterior[1] = 0x1.fffffffffffffp-2;
    return r;
}

static char *read_file(const char *path)
{
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    char *text = calloc(1, 1 << 16);
    assert_true(fread(text, 1, (1 << 16) - 1, stream) > 0);
    fclose(stream);
    return text;
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void every_double_survives_the_round_trip(void **state)
{
    (void)state;
    gbv_result *before = example(), *after;
    gbv_error error;
    char path[600], again[600];
    snprintf(path, sizeof path, "%s/r.json", folder);
    snprintf(again, sizeof again, "%s/again.json", folder);
    assert_ok(gbv_result_write(before, GBV_FORMAT_JSON, path, &error), error);
    assert_ok(gbv_result_read(path, &after, &error), error);
    assert_true(same(after->entropy, before->entropy) && same(after->effective_sources, before->effective_sources));
    assert_true(same(after->tau, before->tau) && same(after->effective_rows, before->effective_rows));
    assert_true(after->seed == before->seed);
    assert_string_equal(after->warnings[0], before->warnings[0]);
    assert_int_equal(after->class_count, 2);
    assert_string_equal(after->classes[1], "\"dog\"");
    assert_null(after->sources[0].confusion);
    assert_memory_equal(after->sources[1].confusion, before->sources[1].confusion, 6 * sizeof(size_t));
    assert_string_equal(after->inputs[0].source_column, "who");
    assert_string_equal(after->inputs[0].dataset, "*,b.csv");
    assert_string_equal(after->inputs[0].item_column, "id");
    assert_true(after->inputs[0].wants_items && after->inputs[0].resize == 32);
    assert_int_equal(after->inputs[0].color, GBV_COLOR_GRAY);
    assert_string_equal(after->inputs[0].role, "items");
    for (size_t i = 0; i < 3; i++) {
        const gbv_source_result *a = &before->sources[i], *b = &after->sources[i];
        assert_string_equal(a->name, b->name);
        assert_true(same(a->score, b->score) && a->score_status == b->score_status && a->rank == b->rank);
        assert_true(same(a->standard_error, b->standard_error) && same(a->agreement, b->agreement));
        assert_true(same(a->posterior, b->posterior) && same(a->row_weight, b->row_weight) && same(a->prior, b->prior));
        assert_true(same(before->tau_curve[0].posterior[i], after->tau_curve[0].posterior[i]));
    }
    assert_true(after->tau_curve[0].tau == INFINITY);
    assert_true(after->ambiguous);
    assert_int_equal(after->sources[0].flag_count, 2);
    assert_string_equal(after->sources[0].flags[0].detail, "all \"x\"");
    assert_int_equal(after->measure_count, 2);
    assert_string_equal(after->measures[1].scores[2].reason, "no \"reason\"");
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < 3; i++) {
            const gbv_score *a = &before->measures[m].scores[i], *b = &after->measures[m].scores[i];
            assert_true(same(a->score, b->score) && same(a->posterior, b->posterior) && a->rank == b->rank);
            assert_true(same(a->standard_error, b->standard_error) && a->score_status == b->score_status);
        }
    assert_ok(gbv_result_write(after, GBV_FORMAT_JSON, again, &error), error);
    char *first = read_file(path), *second = read_file(again);
    assert_string_equal(first, second);
    free(first);
    free(second);
    gbv_result_free(before);
    gbv_result_free(after);
}

/* Replaces the first `old` in a good document and expects a refusal that names `place`. */
static void expect_refusal(const char *old, const char *new_text, const char *place)
{
    gbv_result *good = example(), *read;
    gbv_error error;
    char path[600];
    snprintf(path, sizeof path, "%s/broken.json", folder);
    assert_ok(gbv_result_write(good, GBV_FORMAT_JSON, path, &error), error);
    char *text = read_file(path), *at = strstr(text, old);
    assert_non_null(at);
    FILE *stream = fopen(path, "w");
    fprintf(stream, "%.*s%s%s", (int)(at - text), text, new_text, at + strlen(old));
    fclose(stream);
    assert_int_equal(gbv_result_read(path, &read, &error), GBV_BAD_INPUT);
    if (!strstr(error.message, place) || !strstr(error.message, "broken.json"))
        fail_msg("'%s' does not name %s", error.message, place);
    assert_null(read);
    free(text);
    gbv_result_free(good);
}

static void broken_documents_are_refused_by_key(void **state)
{
    (void)state;
    expect_refusal("\"seed\": 9223372036854775807", "\"seed\": \"x\"", "seed");
    expect_refusal("\"seed\": 9223372036854775807", "\"seed\": -1", "seed");
    expect_refusal("\"schema\": 1", "\"schema\": 99", "form this version");
    expect_refusal("\"mode\": \"fixed\"", "\"mode\": \"warm\"", "mode");
    expect_refusal("\"rows\": 11", "\"rows\": 0", "sources[1]");
    expect_refusal("\"posterior\": 0.1", "\"posterior\": 7", "posterior");
    expect_refusal("\"input\": 0", "\"input\": 3", "input");
    expect_refusal("\"sources\": [", "\"sauces\": [", "sources");
    expect_refusal("\"agreement\"", "\"agreement\": 1, \"agreement\"", "JSON");
    expect_refusal("{", "", "JSON");
    expect_refusal("\"posterior\": [", "\"posterior\": [1, ", "posterior");
    expect_refusal("\"warnings\": [", "\"warnings\": [3, ", "warnings");
    expect_refusal("\"ambiguous\": true", "\"ambiguous\": 1", "ambiguous");
    expect_refusal("\"flags\": [", "\"flags\": 3, \"flegs\": [", "flags");
    expect_refusal("\"kind\": \"one_class\"", "\"kind\": 3", "kind");
    expect_refusal("\"detail\"", "\"detale\"", "detail");
    expect_refusal("\"measures\": [", "\"measures\": [], \"mesures\": [", "measures");
    expect_refusal("\"measures\": [", "\"measures\": {}, \"mesures\": [", "measures");
    expect_refusal("\"effective_sources\": 2.5", "\"effective_sources\": \"x\"", "measures[0]");
    expect_refusal("\"rank_agreement\": 1", "\"rank_agreement\": true", "rank_agreement");
    expect_refusal("\"rank\": 0", "\"rank\": -1", "measures[1]");
    expect_refusal("\"classes\": [", "\"classes\": [7, ", "classes");
    expect_refusal("\"classes\": [", "\"classes\": [\"owl\", ", "confusion");
    expect_refusal("\"classes\": [", "\"clashes\": [", "sources[1]");
    expect_refusal("[3, 4, 5]", "[3, 4]", "confusion");
    expect_refusal("[3, 4, 5]", "[3, 4, -5]", "confusion");
    expect_refusal("[3, 4, 5]", "[3, 4, 5.5]", "confusion");
    expect_refusal("\"reason\": \"no", "\"reason\": 7, \"raison\": \"no", "reason");
}

/* In the list of measures everything is checked as it is among the sources. */
static void broken_measures_are_refused_by_key(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new_text, *place;
    } cases[] = {
        {"\"measure\": \"other\"", "\"measure\": null", "measure"},
        {"\"name\": \"plain\"", "\"name\": \"plane\"", "name"},
        {"\"score_status\": \"ok\"", "\"score_status\": \"good\"", "score_status"},
        {"\"score\": -", "\"score\": \"low\", \"sc\": -", "score"},
        {"\"posterior\": 0,", "\"posterior\": 1.5,", "posterior"},
        {"\"sources\": [", "\"sources\": [{}, ", "one entry per source"},
        {"\"standard_error\": 0.14285714285714285", "\"standard_error\": []", "standard_error"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gbv_result *good = example(), *read;
        gbv_error error;
        char path[600];
        snprintf(path, sizeof path, "%s/broken.json", folder);
        assert_ok(gbv_result_write(good, GBV_FORMAT_JSON, path, &error), error);
        char *text = read_file(path), *at = strstr(strstr(text, "\"measures\""), cases[i].old);
        assert_non_null(at);
        FILE *stream = fopen(path, "w");
        fprintf(stream, "%.*s%s%s", (int)(at - text), text, cases[i].new_text, at + strlen(cases[i].old));
        fclose(stream);
        assert_int_equal(gbv_result_read(path, &read, &error), GBV_BAD_INPUT);
        if (!strstr(error.message, cases[i].place) || !strstr(error.message, "measures["))
            fail_msg("'%s' does not name %s", error.message, cases[i].place);
        free(text);
        gbv_result_free(good);
    }
}

/* What version 0.1.0 wrote first has neither flags, nor ambiguous, nor measures. */
static void results_without_the_newer_keys_are_read(void **state)
{
    (void)state;
    gbv_result *good = example(), *read;
    gbv_error error;
    char path[600];
    result_forget_measures(good);
    snprintf(path, sizeof path, "%s/old.json", folder);
    assert_ok(gbv_result_write(good, GBV_FORMAT_JSON, path, &error), error);
    char *text = read_file(path), *at;
    while ((at = strstr(text, "\"flags\"")) || (at = strstr(text, "\"ambiguous\"")))
        at[1] = '_';
    FILE *stream = fopen(path, "w");
    fputs(text, stream);
    fclose(stream);
    assert_ok(gbv_result_read(path, &read, &error), error);
    assert_true(!read->ambiguous && read->sources[0].flag_count == 0 && !read->measures);
    gbv_result_free(read);
    gbv_result_free(good);
    free(text);
}

/* No rows, no weight per row, and no effective rows: the source was given as probabilities. */
static void a_source_without_rows_survives_the_round_trip(void **state)
{
    (void)state;
    gbv_result *good = example(), *read;
    gbv_error error;
    char path[600];
    good->sources[1].rows = 0;
    good->sources[1].row_weight = good->sources[1].agreement = good->effective_rows = NAN;
    snprintf(path, sizeof path, "%s/rowless.json", folder);
    assert_ok(gbv_result_write(good, GBV_FORMAT_JSON, path, &error), error);
    assert_ok(gbv_result_read(path, &read, &error), error);
    assert_true(read->sources[1].rows == 0 && isnan(read->sources[1].row_weight) && isnan(read->effective_rows));
    assert_ok(gbv_result_write(read, GBV_FORMAT_TABLE, path, &error), error);
    char *text = read_file(path);
    assert_null(strstr(text, "nan"));
    free(text);
    gbv_result_free(read);
    gbv_result_free(good);
}

static void a_missing_or_empty_file_is_bad_input(void **state)
{
    (void)state;
    gbv_result *read;
    gbv_error error;
    assert_int_equal(gbv_result_read("/nowhere/result.json", &read, &error), GBV_BAD_INPUT);
    assert_int_equal(gbv_result_read(write_text_file(folder, "empty.json", ""), &read, &error), GBV_BAD_INPUT);
    assert_int_equal(gbv_result_read(folder, &read, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "folder"));
}

static void a_full_disk_leaves_no_file(void **state)
{
    (void)state;
    gbv_result *r = example();
    gbv_error error;
    assert_int_equal(gbv_result_write(r, GBV_FORMAT_JSON, "/dev/full", &error), GBV_FAILED);
    assert_non_null(strstr(error.message, "/dev/full"));
    assert_int_equal(gbv_result_write(r, GBV_FORMAT_JSON, "/nowhere/at/all.json", &error), GBV_FAILED);
    gbv_result_free(r);
}

static void table_and_csv_name_every_source(void **state)
{
    (void)state;
    gbv_result *r = example();
    gbv_error error;
    char path[600];
    for (int format = GBV_FORMAT_TABLE; format <= GBV_FORMAT_CSV; format++) {
        snprintf(path, sizeof path, "%s/out", folder);
        assert_ok(gbv_result_write(r, (gbv_report_format)format, path, &error), error);
        char *text = read_file(path);
        assert_non_null(strstr(text, "plain"));
        assert_non_null(strstr(text, "<script>"));
        if (format == GBV_FORMAT_CSV)
            assert_non_null(strstr(text, "\"a \"\"quoted\"\", name\""));
        free(text);
    }
    gbv_result_free(r);
}

static void a_text_is_what_the_file_would_hold(void **state)
{
    (void)state;
    gbv_result *r = example();
    gbv_error error;
    char path[600], *text;
    snprintf(path, sizeof path, "%s/text", folder);
    for (int format = GBV_FORMAT_TABLE; format <= GBV_FORMAT_CSV; format++) {
        assert_ok(gbv_result_write(r, (gbv_report_format)format, path, &error), error);
        assert_ok(gbv_result_text(r, (gbv_report_format)format, &text, &error), error);
        char *file = read_file(path);
        assert_string_equal(text, file);
        free(file);
        gbv_text_free(text);
    }
    gbv_text_free(NULL);
    gbv_result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_double_survives_the_round_trip),
        cmocka_unit_test(broken_documents_are_refused_by_key),
        cmocka_unit_test(a_missing_or_empty_file_is_bad_input),
        cmocka_unit_test(a_full_disk_leaves_no_file),
        cmocka_unit_test(table_and_csv_name_every_source),
        cmocka_unit_test(broken_measures_are_refused_by_key),
        cmocka_unit_test(results_without_the_newer_keys_are_read),
        cmocka_unit_test(a_source_without_rows_survives_the_round_trip),
        cmocka_unit_test(a_text_is_what_the_file_would_hold),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
