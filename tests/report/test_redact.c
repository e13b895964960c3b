/* A page for one vendor says nothing of the others: neither names nor files nor hashes, in no form. */
#include "report/redact.h"

#include "value/flags.h"
#include "value/result.h"
#include "report/folder.h"
#include "value/toy.h"

static char path[600];

static int make_paths(void **state)
{
    make_folder(state);
    snprintf(path, sizeof path, "%s/page.html", folder);
    return 0;
}

enum { COUNT = 4 };
static const char *const vendors[COUNT] = {"Zebra Labels", "quokka&sons", "mine", "ibex"};
static const char *const files[COUNT] = {"/data/zebra.npz", "/srv/q.csv", "/data/mine.npz", "/data/i.npz"};
static const char *const keep[] = {"mine"};
static const gbv_page_options for_mine = {
    .command = "gbv value --source secret=/data/zebra.npz", .redact = true, .keep = keep, .keep_count = 1};

static void fill_hash(char hash[65], size_t i)
{
    memset(hash, "7bc9"[i], 64);
    hash[64] = '\0';
}

static gbv_result *make_result(void)
{
    toy *t = make_toy();
    gbv_value_options options = gbv_value_defaults();
    options.method = "gbv,uniform";
    options.tau_curve = true;
    options.replicates = 20;
    options.refits = 2;
    gbv_result *r = value(t, (int[]){0, 1, 2, 3}, COUNT, &options);
    free(t);
    for (size_t i = 0; i < COUNT; i++) {
        gbv_source_result *s = &r->sources[i];
        free(s->name);
        s->name = strdup(vendors[i]);
        assert_true(flag_add(s, FLAG_ONE_CLASS, "source '%s' has one class", vendors[i]));
        char warning[100];
        snprintf(warning, sizeof warning, "source '%s' is odd beside %s", vendors[i], vendors[(i + 1) % COUNT]);
        assert_true(text_list_add(&s->warnings, &s->warning_count, warning));
        gbv_input_record *input = &r->inputs[s->input];
        free(input->path);
        input->path = strdup(files[i]);
        free(input->dataset);
        input->dataset = strdup(files[i]);
        fill_hash(input->sha256, i);
    }
    assert_true(result_warn(r, "sources Zebra Lab... and ibex share rows"));
    assert_true(text_list_add(&r->notes, &r->note_count, "ibex was joined"));
    assert_true(result_add_option(r, "class_map", "/data/zebra-map.csv"));
    r->measures[1].scores[0].reason = strdup("source 'Zebra Labels' has no rows");
    return r;
}

static char *read_page(void)
{
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    enum { ROOM = 1 << 20 };
    char *text = calloc(1, ROOM);
    assert_true(fread(text, 1, ROOM - 1, stream) > 0);
    fclose(stream);
    return text;
}

/* Text in base 64 without the characters at its ends, which depend on what stands beside it. */
static void encode(const char *text, size_t offset, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = strlen(text), used = 0;
    for (size_t i = (3 - offset) % 3; i + 3 <= length; i += 3) {
        unsigned block = (unsigned)(unsigned char)text[i] << 16 | (unsigned)(unsigned char)text[i + 1] << 8 |
                         (unsigned char)text[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6)
            out[used++] = digits[block >> shift & 63];
    }
    out[used] = '\0';
}

static void expect_silence(const char *page)
{
    static const char *const secrets[] = {"Zebra",   "zebra", "ebra Lab", "quokka",     "ibex",   "/srv",
                                          "/data/i", "q.csv", "--source", "share rows", "joined", "is odd beside"};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        char coded[3][100];
        for (size_t offset = 0; offset < 3; offset++) {
            encode(secrets[i], offset, coded[offset]);
            if (strlen(coded[offset]) > 4 && strstr(page, coded[offset]))
                fail_msg("the page holds %s in base 64", secrets[i]);
        }
        if (strcasestr(page, secrets[i]))
            fail_msg("the page holds %s: ...%.60s", secrets[i], strcasestr(page, secrets[i]));
    }
    for (size_t i = 0; i < COUNT; i++) {
        char hash[65];
        fill_hash(hash, i);
        hash[20] = '\0';
        if (i != 2 && strstr(page, hash))
            fail_msg("the page holds the hash of %s", vendors[i]);
    }
    assert_non_null(strstr(page, "mine"));
    assert_non_null(strstr(page, "other 1"));
    assert_non_null(strstr(page, "other 3"));
    assert_null(strstr(page, "other 4"));
}

static void a_result_for_one_vendor_names_nobody_else(void **state)
{
    (void)state;
    gbv_result *r = make_result();
    gbv_error error;
    assert_ok(gbv_result_page(r, &for_mine, path, &error), error);
    char *page = read_page();
    expect_silence(page);
    char own[65];
    fill_hash(own, 2);
    assert_non_null(strstr(page, own)); /* what is one's own is shown */
    assert_non_null(strstr(page, "/data/mine.npz"));
    free(page);
    /* Without redaction all of it is there: the test can fail. */
    assert_ok(gbv_result_page(r, NULL, path, &error), error);
    page = read_page();
    assert_true(strstr(page, "Zebra Labels") && strstr(page, "quokka&amp;sons") && strstr(page, "/srv/q.csv"));
    free(page);
    gbv_result_free(r);
}

static void numbers_stay_with_their_sources(void **state)
{
    (void)state;
    gbv_result *r = make_result(), *copy;
    gbv_error error;
    size_t found[COUNT] = {0};
    assert_ok(redact_result(r, &for_mine, &copy, &error), error);
    assert_string_equal(copy->sources[0].name, "mine");
    for (size_t k = 0; k < COUNT; k++)
        for (size_t i = 0; i < COUNT; i++)
            if (copy->sources[k].score == r->sources[i].score) {
                found[k] = i;
                assert_true(copy->sources[k].posterior == r->sources[i].posterior);
                assert_true(copy->measures[0].scores[k].score == r->sources[i].score);
                assert_true(copy->tau_curve[3].posterior[k] == r->tau_curve[3].posterior[i]);
                assert_memory_equal(copy->sources[k].confusion, r->sources[i].confusion, 20 * sizeof(size_t));
            }
    assert_int_equal(found[0], 2);
    assert_int_equal(found[1] + found[2] + found[3], 4);
    assert_int_equal(copy->certainty.pair_count, r->certainty.pair_count);
    for (size_t p = 0; p < copy->certainty.pair_count; p++) {
        const gbv_pair *pair = &copy->certainty.pairs[p];
        bool same = false;
        for (size_t q = 0; q < r->certainty.pair_count; q++)
            same |= r->certainty.pairs[q].difference == pair->difference &&
                    r->certainty.pairs[q].first == found[pair->first] &&
                    r->certainty.pairs[q].second == found[pair->second];
        assert_true(same);
    }
    /* The same again, and not the order given for every result. */
    gbv_result *again;
    assert_ok(redact_result(r, &for_mine, &again, &error), error);
    for (size_t k = 0; k < COUNT; k++)
        assert_true(again->sources[k].score == copy->sources[k].score);
    bool moved = found[1] != 0 || found[2] != 1;
    for (unsigned trial = 0; trial < 8 && !moved; trial++) {
        gbv_result_free(again);
        r->seed = trial + 100;
        assert_ok(redact_result(r, &for_mine, &again, &error), error);
        moved = again->sources[1].score != r->sources[0].score;
    }
    assert_true(moved);
    gbv_result_free(again);
    gbv_result_free(copy);
    gbv_result_free(r);
}

static void nobody_may_be_named_at_all(void **state)
{
    (void)state;
    gbv_result *r = make_result(), *copy;
    gbv_error error;
    gbv_page_options nobody = {.redact = true};
    assert_ok(redact_result(r, &nobody, &copy, &error), error);
    for (size_t k = 0; k < COUNT; k++)
        assert_int_equal(strncmp(copy->sources[k].name, "other ", 6), 0);
    gbv_result_free(copy);
    gbv_page_options wrong = {.redact = true, .keep = (const char *const[]){"nobody"}, .keep_count = 1};
    assert_int_equal(gbv_result_page(r, &wrong, path, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "'nobody'"));
    gbv_result_free(r);
}

/* A vendor who is called as others are numbered keeps the name to himself. */
static void a_name_is_given_once(void **state)
{
    (void)state;
    gbv_result *r = make_result(), *copy;
    gbv_error error;
    free(r->sources[0].name);
    r->sources[0].name = strdup("other 2");
    gbv_page_options options = {.redact = true, .keep = (const char *const[]){"other 2"}, .keep_count = 1};
    assert_ok(redact_result(r, &options, &copy, &error), error);
    assert_string_equal(copy->sources[0].name, "other 2");
    assert_string_equal(copy->sources[1].name, "other 1");
    assert_string_equal(copy->sources[2].name, "other 3");
    assert_string_equal(copy->sources[3].name, "other 4");
    gbv_result_free(copy);
    gbv_result_free(r);
}

/* Sentences cut names after some 60 bytes, and what is left of one still tells. */
static void a_name_that_was_cut_is_one(void **state)
{
    (void)state;
    char name[101], detail[200];
    memset(name, 'x', 100);
    name[100] = '\0';
    memcpy(name, "Zebra Labels", 12);
    snprintf(detail, sizeof detail, "shares rows with '%.60s...'", name);
    const char *both[] = {name, "ann"};
    redaction r;
    gbv_error error;
    gbv_page_options nobody = {.redact = true};
    assert_ok(redaction_open(&r, both, 2, "secret", &nobody, &error), error);
    assert_true(redaction_betrays(&r, detail));
    assert_true(redaction_betrays(&r, "/data/Ann_2.npz"));
    assert_false(redaction_betrays(&r, "/data/annual.npz"));
    redaction_close(&r);
}

static void a_comparison_for_one_vendor_names_nobody_else(void **state)
{
    (void)state;
    gbv_error error;
    gbv_comparison c = {.result = make_result(), .method_count = 2, .seeds = 2, .test_rows = 50};
    double accuracies[4] = {.5, .6, .7, .8}, seeds[2] = {.4, .5};
    gbv_method_comparison methods[2] = {
        {.label = (char *)"gbv leep", .trained = {seeds, .45, .05}, .pearson = .1, .spearman = .2, .kendall = .3},
        {.label = (char *)"uniform", .trained = {seeds, .45, .05}, .pearson = NAN, .spearman = NAN, .kendall = NAN}};
    gbv_baseline baselines[1] = {{.name = (char *)"best-source-only",
                                  .summary = (char *)"the source that the first method ranks first",
                                  .detail = (char *)vendors[0],
                                  .trained = {seeds, .45, .05}}};
    c.methods = methods;
    c.source_accuracy = accuracies;
    c.baselines = baselines;
    c.baseline_count = 1;
    c.verdict = GBV_VERDICT_NO;
    c.best = 0;
    c.gain = c.gain_error = .01;
    c.sentence = (char *)"No valuation beats training on all rows alike.";
    assert_ok(gbv_comparison_page(&c, &for_mine, path, &error), error);
    char *page = read_page();
    expect_silence(page);
    free(page);
    gbv_comparison *copy;
    assert_ok(redact_comparison(&c, &for_mine, &copy, &error), error);
    assert_true(copy->source_accuracy[0] == .7);
    for (size_t k = 0; k < COUNT; k++)
        if (copy->source_accuracy[k] == .5) /* of the best one */
            assert_string_equal(copy->baselines[0].detail, copy->result->sources[k].name);
    gbv_comparison_free(copy);
    gbv_result_free(c.result);
}

static void a_ledger_for_one_vendor_names_nobody_else(void **state)
{
    (void)state;
    gbv_error error;
    char *changes[] = {(char *)"the reference changed", (char *)"ibex was allowed"},
         *warnings[] = {(char *)"Zebra Lab..."};
    gbv_history_batch batches[2] = {{.name = (char *)"ibex_2026-10"}, {.name = (char *)"2026-11"}};
    gbv_history_point points[COUNT * 2];
    double weights[2 * COUNT];
    for (size_t t = 0; t < 2; t++) {
        gbv_history_batch *b = &batches[t];
        b->version = b->method = b->measure = b->variant = b->model = (char *)"word";
        b->tau = b->forgetting = 1;
        b->present = COUNT;
        b->changes = changes;
        b->change_count = 2;
        b->warnings = warnings;
        b->warning_count = 1;
        for (size_t s = 0; s < COUNT; s++) {
            weights[t * COUNT + s] = .1 * (double)(s + 1);
            points[s * 2 + t] = (gbv_history_point){.present = true,
                                                    .rows = s,
                                                    .score = -.1 * (double)s,
                                                    .prior = .25,
                                                    .posterior = .1 * (double)(s + 1),
                                                    .batch_posterior = .25,
                                                    .posterior_interval = {.1, .2}};
            fill_hash(points[s * 2 + t].sha256, s);
        }
    }
    gbv_strategy strategy = {.name = "last", .summary = "the last batch", .posterior = weights};
    gbv_history h = {.path = (char *)"/data/zebra.db",
                     .batch_count = 2,
                     .batches = batches,
                     .source_count = COUNT,
                     .names = (char **)vendors,
                     .points = points,
                     .strategies = &strategy,
                     .strategy_count = 1};
    gbv_result *last = make_result();
    assert_ok(gbv_history_page(&h, last, &for_mine, path, &error), error);
    char *page = read_page();
    expect_silence(page);
    free(page);
    gbv_history *copy;
    gbv_result *last_copy;
    assert_ok(redact_history(&h, last, &for_mine, &copy, &last_copy, &error), error);
    for (size_t k = 0; k < COUNT; k++)
        for (size_t i = 0; i < COUNT; i++)
            if (copy->points[k * 2].rows == i) { /* the same name for the same source everywhere */
                assert_true(copy->strategies[0].posterior[COUNT + k] == weights[COUNT + i]);
                for (size_t n = 0; n < COUNT; n++)
                    if (strcmp(last_copy->sources[n].name, copy->names[k]) == 0)
                        assert_true(last_copy->sources[n].score == last->sources[i].score);
            }
    gbv_history_free(copy);
    gbv_result_free(last_copy);
    gbv_result_free(last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_for_one_vendor_names_nobody_else),
        cmocka_unit_test(numbers_stay_with_their_sources),
        cmocka_unit_test(nobody_may_be_named_at_all),
        cmocka_unit_test(a_name_is_given_once),
        cmocka_unit_test(a_name_that_was_cut_is_one),
        cmocka_unit_test(a_comparison_for_one_vendor_names_nobody_else),
        cmocka_unit_test(a_ledger_for_one_vendor_names_nobody_else),
    };
    return cmocka_run_group_tests(tests, make_paths, remove_folder);
}
