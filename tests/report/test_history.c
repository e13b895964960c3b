/* test_history.c - a ledger's history as table, JSON and CSV, on terminals of all kinds. */
#include <jansson.h>

#include "test_support.h"

enum { SOURCES = 4, BATCHES = 3 };

static const gbv_history_point nowhere = {.score = NAN,
                                          .deviation = NAN,
                                          .batch_posterior = NAN,
                                          .prior = NAN,
                                          .posterior = NAN,
                                          .posterior_interval = {NAN, NAN},
                                          .z = NAN,
                                          .cusum = NAN};

static gbv_history_point delivered(size_t rows, double score, double batch_posterior, double posterior)
{
    gbv_history_point p = nowhere;
    p.present = true;
    p.rows = rows;
    p.score = score;
    p.deviation = .025;
    p.batch_posterior = batch_posterior;
    p.prior = 1.0 / 3;
    p.posterior = posterior;
    p.posterior_interval[0] = posterior * .8;
    p.posterior_interval[1] = posterior * 1.2;
    return p;
}

static gbv_history_point absent(double posterior)
{
    gbv_history_point p = nowhere;
    p.prior = 1.0 / 3;
    p.posterior = posterior;
    return p;
}

/* anna is always there and then worse, ben misses a batch, cleo leaves, a newcomer with an odd name comes. */
typedef struct ledger {
    gbv_history history;
    gbv_history_batch batches[BATCHES];
    gbv_history_point points[SOURCES * BATCHES];
    double strategy[2][SOURCES * BATCHES];
    gbv_strategy strategies[2];
} ledger;

static char *names[] = {"anna", "ben", "cleo", "d\"ora, the 4th"}, *batch_names[] = {"2026-09", "2026-10", "2026-11"};
static char *changes[] = {"tau 0.5 -> 1"}, *warnings[] = {"one source has nearly all of the weight"};

static void fill(ledger *l)
{
    *l = (ledger){0};
    for (size_t t = 0; t < BATCHES; t++)
        l->batches[t] = (gbv_history_batch){.name = batch_names[t],
                                            .time = 1794000000 + 2592000 * (int64_t)t,
                                            .version = "0.1.0",
                                            .method = "gbv",
                                            .measure = "leep",
                                            .variant = "",
                                            .model = "linear",
                                            .tau = 1,
                                            .forgetting = t == 2 ? .8 : 1,
                                            .alarm_batches = 12,
                                            .alarm_threshold = 3.5,
                                            .seed = 1,
                                            .replicates = 200,
                                            .refits = 20,
                                            .reference_rows = 90,
                                            .reference_sha256 = "ab",
                                            .reference_batches = t + 1,
                                            .effective_sources = 2.5,
                                            .present = t == 1 ? 2 : 3,
                                            .newcomers = t == 1 ? 0 : 1,
                                            .leavers = t == 2,
                                            .hash = "cd"};
    l->batches[2].changes = changes;
    l->batches[2].warnings = warnings;
    l->batches[2].change_count = l->batches[2].warning_count = 1;
    const gbv_history_point points[SOURCES][BATCHES] = {
        {delivered(100, -.5, .5, .5), delivered(100, -.5, .6, .6), delivered(100, -1.25, .2, .25)},
        {delivered(80, -.75, .3, .3), absent(.3), delivered(90, -.5, .5, .5)},
        {delivered(60, -INFINITY, .2, .2), delivered(60, NAN, NAN, .1), nowhere},
        {nowhere, nowhere, delivered(70, -.75, .3, .25)},
    };
    memcpy(l->points, points, sizeof points);
    l->points[2].z = -4.25;
    l->points[2].cusum = -3.75;
    l->points[2].alarm = -1;
    l->history = (gbv_history){.path = "vendors.db",
                               .batch_count = BATCHES,
                               .batches = l->batches,
                               .source_count = SOURCES,
                               .names = names,
                               .points = l->points};
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < SOURCES * BATCHES; k++)
            l->strategy[i][k] = (double)(i + 1) / 16 + (double)k / 256;
        l->strategies[i] = (gbv_strategy){i ? "last" : "no-update", "a summary", l->strategy[i]};
    }
}

static char *table_of(const gbv_history *history, const gbv_terminal *terminal)
{
    char *text;
    size_t length;
    gbv_error error;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    assert_ok(gbv_history_table(history, stream, terminal, &error), error);
    fclose(stream);
    return text;
}

static void assert_table(const gbv_history *history, const gbv_terminal *terminal, const char *expected)
{
    char *text = table_of(history, terminal);
    assert_string_equal(text, expected);
    free(text);
}

static void the_table_shows_the_last_batch_beside_the_accumulated_weights(void **state)
{
    (void)state;
    ledger l;
    fill(&l);
    assert_table(
        &l.history, NULL,
        "batch 2026-11, number 3 of vendors.db, 2027-01-05 21:20 UTC\n"
        "leep of linear models on 90 reference rows; tau 1, forgetting 0.8 (a memory of 5 batches), seed 1\n"
        "\n"
        "source          rows    score ±        this batch  weight               at 90 %          change  past\n"
        "ben               90  -0.5000 ±0.0250      0.5000  0.5000 ██████████    0.400 to 0.600  +0.2000  ▅ ▇\n"
        "anna             100  -1.2500 ±0.0250      0.2000  0.2500 █████         0.200 to 0.300  -0.3500  ▇█▄   got "
        "worse\n"
        "d\"ora, the 4th    70  -0.7500 ±0.0250      0.3000  0.2500 █████         0.200 to 0.300             ▄   new\n"
        "cleo               -        -                   -       -                                        ▃▂    left\n"
        "\n"
        "the weights amount to 2.50 of 3 sources; 3 delivered\n"
        "this batch: the weight by its scores alone; weight: by all batches; ± is the standard error of the score;\n"
        "past: the weight over the last batches, blank where absent\n"
        "alarm: anna got worse: 4.2 standard errors below its past, less what all moved by; they sum up to 3.8, the "
        "limit is 3.5\n"
        "where nothing changed there is one alarm in 12 batches, over all sources\n"
        "changed: tau 0.5 -> 1\n"
        "warning: one source has nearly all of the weight\n");
}

static void a_terminal_of_few_columns_and_letters_gets_less(void **state)
{
    (void)state;
    ledger l;
    fill(&l);
    l.history.strategies = l.strategies;
    l.history.strategy_count = 2;
    const gbv_terminal narrow = {.ascii = true, .width = 48};
    assert_table(&l.history, &narrow,
                 "batch 2026-11, number 3 of vendors.db,\n"
                 "2027-01-05 21:20 UTC\n"
                 "leep of linear models on 90 reference rows; tau\n"
                 "1, forgetting 0.8 (a memory of 5 batches), seed\n"
                 "1\n"
                 "\n"
                 "source          weight   change  past\n"
                 "ben             0.5000  +0.2000  = *\n"
                 "anna            0.2500  -0.3500  *#-   got worse\n"
                 "d\"ora, the 4th  0.2500             -   new\n"
                 "cleo                 -           :.    left\n"
                 "\n"
                 "weights by other strategies over the same scores\n"
                 "source          no-update    last\n"
                 "ben                0.0977  0.1602\n"
                 "anna               0.0938  0.1562\n"
                 "d\"ora, the 4th     0.1055  0.1680\n"
                 "cleo               0.1016  0.1641\n"
                 "\n"
                 "the weights amount to 2.50 of 3 sources; 3\n"
                 "delivered\n"
                 "this batch: the weight by its scores alone;\n"
                 "weight: by all batches; +- is the standard error\n"
                 "of the score; past: the weight over the last\n"
                 "batches, blank where absent\n"
                 "alarm: anna got worse: 4.2 standard errors below\n"
                 "  its past, less what all moved by; they sum up\n"
                 "  to 3.8, the limit is 3.5\n"
                 "where nothing changed there is one alarm in 12\n"
                 "batches, over all sources\n"
                 "changed: tau 0.5 -> 1\n"
                 "warning: one source has nearly all of the weight\n");
}

static void one_source_has_a_line_for_each_batch(void **state)
{
    (void)state;
    ledger l;
    fill(&l);
    l.history.source_count = 1;
    assert_table(
        &l.history, NULL,
        "batch 2026-11, number 3 of vendors.db, 2027-01-05 21:20 UTC\n"
        "leep of linear models on 90 reference rows; tau 1, forgetting 0.8 (a memory of 5 batches), seed 1\n"
        "\n"
        "source anna\n"
        "batch    time        rows    score ±        this batch  weight               at 90 %          change      z  "
        "cusum\n"
        "2026-09  2026-11-06   100  -0.5000 ±0.0250      0.5000  0.5000 ██████████    0.400 to 0.600               -   "
        "   -\n"
        "2026-10  2026-12-06   100  -0.5000 ±0.0250      0.6000  0.6000 ████████████  0.480 to 0.720  +0.1000      -   "
        "   -\n"
        "2026-11  2027-01-05   100  -1.2500 ±0.0250      0.2000  0.2500 █████         0.200 to 0.300  -0.3500  -4.25  "
        "-3.75  got worse\n"
        "\n"
        "this batch: the weight by its scores alone; weight: by all batches; ± is the standard error of the score\n"
        "alarm: anna got worse: 4.2 standard errors below its past, less what all moved by; they sum up to 3.8, the "
        "limit is 3.5\n"
        "where nothing changed there is one alarm in 12 batches, over all sources\n"
        "changed: tau 0.5 -> 1, in batch 2026-11\n"
        "warning: one source has nearly all of the weight\n");
}

static void no_line_is_wider_than_its_terminal(void **state)
{
    (void)state;
    ledger l;
    fill(&l);
    for (size_t width = 30; width < 140; width++) {
        const gbv_terminal terminal = {.ascii = true, .width = width};
        for (size_t count = 1; count <= SOURCES; count += SOURCES - 1) {
            l.history.source_count = count;
            char *text = table_of(&l.history, &terminal);
            for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
                if (strlen(line) > width)
                    fail_msg("'%s' is wider than %zu", line, width);
            free(text);
        }
    }
}

/* Of many sources the table shows the best and the worst, of many batches the last ones. */
static void long_histories_are_cut_short(void **state)
{
    (void)state;
    enum { MANY = 100, LONG = 30 };
    static gbv_history_batch batches[LONG];
    static gbv_history_point points[MANY * LONG];
    static char *many_names[MANY], texts[MANY][16];
    ledger l;
    fill(&l);
    for (size_t t = 0; t < LONG; t++)
        batches[t] = l.batches[0];
    for (size_t s = 0; s < MANY; s++) {
        snprintf(texts[s], sizeof texts[s], "source-%zu", s);
        many_names[s] = texts[s];
        for (size_t t = 0; t < LONG; t++)
            points[s * LONG + t] = delivered(10, -1, .01, (double)(s + 1) / 5050);
    }
    points[50 * LONG + LONG - 1].alarm = 1;  /* in the middle, which is not shown */
    points[51 * LONG + LONG - 3].alarm = -1; /* not forgotten yet */
    points[52 * LONG + LONG - 4].alarm = -1;
    const gbv_history history = {.path = "vendors.db",
                                 .batch_count = LONG,
                                 .batches = batches,
                                 .source_count = MANY,
                                 .names = many_names,
                                 .points = points};
    char *text = table_of(&history, NULL);
    assert_non_null(strstr(text, "\nsource-99 "));
    assert_non_null(strstr(text, "\nsource-60 "));
    assert_null(strstr(text, "\nsource-59 "));
    assert_non_null(strstr(text, "...  50 more; --format csv lists all\nsource-9 "));
    assert_non_null(strstr(text, "\nsource-0 "));
    assert_non_null(strstr(text, " ████████████████████████\n"));
    assert_null(strstr(text, "█████████████████████████"));
    assert_non_null(strstr(text, "alarm: source-50 got better"));
    assert_non_null(strstr(text, "alarm: source-51 got worse"));
    assert_null(strstr(text, "alarm: source-52"));
    free(text);
}

static void json_holds_all_of_it(void **state)
{
    (void)state;
    ledger l;
    fill(&l);
    l.history.strategies = l.strategies;
    l.history.strategy_count = 2;
    l.history.first_batch = 7;
    char *text;
    gbv_error error;
    json_error_t why;
    assert_ok(gbv_history_text(&l.history, GBV_FORMAT_JSON, &text, &error), error);
    json_t *root = json_loads(text, 0, &why), *batches = json_object_get(root, "batches"),
           *sources = json_object_get(root, "sources");
    if (!root)
        fail_msg("%s, line %d", why.text, why.line);
    assert_string_equal(json_string_value(json_object_get(root, "command")), "history");
    assert_int_equal(json_integer_value(json_object_get(root, "first_batch")), 7);
    assert_int_equal(json_array_size(batches), BATCHES);
    assert_int_equal(json_array_size(sources), SOURCES);
    json_t *last = json_array_get(batches, 2);
    assert_string_equal(json_string_value(json_object_get(last, "time")), "2027-01-05T21:20:00Z");
    assert_near(json_number_value(json_object_get(last, "memory")), 5, 1e-12);
    assert_true(json_is_null(json_object_get(json_array_get(batches, 0), "memory")));
    assert_int_equal(json_array_size(json_object_get(last, "changes")), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(sources, 3), "name")), names[3]);
    json_t *points = json_object_get(json_array_get(sources, 2), "points");
    static const char *const status[] = {"minus_infinity", "undefined", "absent"};
    for (size_t t = 0; t < BATCHES; t++) {
        json_t *p = json_array_get(points, t);
        assert_true(json_is_null(json_object_get(p, "score")));
        assert_string_equal(json_string_value(json_object_get(p, "score_status")), status[t]);
    }
    assert_true(json_is_null(json_object_get(json_array_get(points, 2), "posterior")));
    json_t *anna = json_array_get(json_object_get(json_array_get(sources, 0), "points"), 2);
    assert_string_equal(json_string_value(json_object_get(anna, "alarm")), "worse");
    json_t *second = json_array_get(json_object_get(root, "strategies"), 1);
    assert_near(json_number_value(json_array_get(json_array_get(json_object_get(second, "posterior"), 2), 1)),
                l.strategy[1][2 * SOURCES + 1], 0);
    json_decref(root);
    gbv_text_free(text);
}

static void csv_has_a_line_for_each_source_in_each_batch(void **state)
{
    (void)state;
    ledger l;
    fill(&l);
    l.history.strategies = l.strategies;
    l.history.strategy_count = 1;
    char *text;
    gbv_error error;
    assert_ok(gbv_history_text(&l.history, GBV_FORMAT_CSV, &text, &error), error);
    const char *expected =
        "batch,time,source,rows,score,score_status,standard_error,batch_weight,prior,weight,weight_low,weight_high,z,"
        "cusum,alarm,flag,no-update\n"
        "2026-09,2026-11-06T21:20:00Z,anna,100,-0.5,ok,0.025,0.5,0.3333333333333333,0.5,0.4,0.6,,,none,,0.0625\n";
    if (strncmp(text, expected, strlen(expected)) != 0)
        fail_msg("%s", text);
    assert_non_null(strstr(text, "\n2026-10,2026-12-06T21:20:00Z,ben,0,,absent,,,0.3333333333333333,0.3,,,,,none,"));
    assert_non_null(strstr(text, ",\"d\"\"ora, the 4th\",70,-0.75,ok,"));
    assert_non_null(strstr(text, ",-4.25,-3.75,worse,"));
    gbv_text_free(text);
}

static void the_last_weights_are_what_training_reads(void **state)
{
    ledger l;
    fill(&l);
    char path[600], text[256] = "";
    gbv_error error;
    snprintf(path, sizeof path, "%s/weights.csv", (char *)*state);
    assert_ok(gbv_history_weights_write(&l.history, path, &error), error);
    FILE *stream = fopen(path, "r");
    assert_true(stream && fread(text, 1, sizeof text - 1, stream) > 0);
    fclose(stream);
    assert_string_equal(text, "source,weight\nanna,0.25\nben,0.5\n\"d\"\"ora, the 4th\",0.25\n");
}

static void a_ledger_without_batches_is_no_accident(void **state)
{
    (void)state;
    const gbv_history empty = {.path = "vendors.db"};
    assert_table(&empty, NULL, "vendors.db: no batch stands\n");
    for (int format = GBV_FORMAT_TABLE; format <= GBV_FORMAT_CSV; format++) {
        char *text;
        gbv_error error;
        assert_ok(gbv_history_text(&empty, (gbv_report_format)format, &text, &error), error);
        gbv_text_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_shows_the_last_batch_beside_the_accumulated_weights),
        cmocka_unit_test(a_terminal_of_few_columns_and_letters_gets_less),
        cmocka_unit_test(one_source_has_a_line_for_each_batch),
        cmocka_unit_test(no_line_is_wider_than_its_terminal),
        cmocka_unit_test(long_histories_are_cut_short),
        cmocka_unit_test(json_holds_all_of_it),
        cmocka_unit_test(csv_has_a_line_for_each_source_in_each_batch),
        cmocka_unit_test(the_last_weights_are_what_training_reads),
        cmocka_unit_test(a_ledger_without_batches_is_no_accident),
    };
    return cmocka_run_group_tests(tests, test_folder_open, test_folder_close);
}
