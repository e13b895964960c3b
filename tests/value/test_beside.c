/* test_beside.c - ranks that contradict each other are flagged, those that differ a little or by chance are not. */
#include "value/beside.h"

#include "test_support.h"
#include "value/flags.h"

enum { MOST = 12 };

/* The flagged sources by their numbers, as "2 9"; the detail of the last one flagged goes to `detail`. */
static const char *flagged(const ranked_scores *first, const ranked_scores *others, size_t other_count, size_t count,
                           char detail[1000])
{
    static char text[200];
    static char names[MOST][20];
    gbv_source_result sources[MOST] = {0};
    size_t used = 0;
    gbv_error error;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "w%zu", i);
        sources[i].name = names[i];
    }
    assert_ok(beside_flag(sources, count, first, others, other_count, &error), error);
    for (size_t i = 0; i < count; i++) {
        assert_true(sources[i].flag_count <= 1);
        if (sources[i].flag_count == 0)
            continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu", used ? " " : "", i);
        assert_string_equal(sources[i].flags[0].kind, FLAG_RANK_DISAGREEMENT);
        if (detail)
            snprintf(detail, 1000, "%s", sources[i].flags[0].detail);
        free(sources[i].flags[0].kind);
        free(sources[i].flags[0].detail);
        free(sources[i].flags);
    }
    return text;
}

static void assert_flagged(const double *first, const double *other, size_t count, const char *expected)
{
    ranked_scores gbv = {.method = "gbv", .scores = first}, by = {.method = "dawid-skene", .scores = other};
    assert_string_equal(flagged(&gbv, &by, 1, count, NULL), expected);
    assert_string_equal(flagged(&by, &gbv, 1, count, NULL), expected);
}

static void only_sources_that_moved_far_are_flagged(void **state)
{
    (void)state;
    static const double ten[10] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    assert_flagged(ten, ten, 10, "");
    /* one falls from the second place to the ninth; the others move up by one */
    assert_flagged(ten, (double[]){10, 1.5, 8, 7, 6, 5, 4, 3, 2, 1}, 10, "1");
    /* two places are within a quarter of ten, three are not */
    assert_flagged(ten, (double[]){7.5, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 10, "");
    assert_flagged(ten, (double[]){6.5, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 10, "0");
    /* two of eight are a quarter and no more */
    assert_flagged(ten, (double[]){7.5, 9, 8, 7, 6, 5, 4, 3}, 8, "");
    assert_flagged(ten, (double[]){7.5, 9, 8, 7, 6, 5, 4}, 7, "0");
}

static void a_swap_of_neighbours_counts_only_among_two(void **state)
{
    (void)state;
    assert_flagged((double[]){1, 2}, (double[]){2, 1}, 2, "0 1");
    assert_flagged((double[]){1, 2, 3}, (double[]){2, 1, 3}, 3, "");
    assert_flagged((double[]){1, 2, 3}, (double[]){3, 2, 1}, 3, "0 2");
    assert_flagged((double[]){5}, (double[]){1}, 1, "");
    assert_flagged(NULL, NULL, 0, "");
}

static void ties_leave_every_rank_open_that_they_share(void **state)
{
    (void)state;
    static const double five[5] = {5, 4, 3, 2, 1};
    assert_flagged(five, (double[]){1, 1, 1, 1, 1}, 5, "");
    /* the last shares the places up to the fourth, which is next to its own; the first is the last */
    assert_flagged(five, (double[]){1, 2, 2, 2, 2}, 5, "0");
    assert_flagged((double[]){5, 4, 3, -INFINITY, -INFINITY}, (double[]){1, 2, 3, 4, 5}, 5, "0 1 3 4");
}

static void sources_without_a_score_are_not_compared(void **state)
{
    (void)state;
    /* among those that both score the order is the same, though their places in the whole differ by six */
    static const double gbv[8] = {8, 7, 6, 5, 4, 3, 2, 1}, other[8] = {NAN, NAN, NAN, NAN, NAN, NAN, .9, .8};
    assert_flagged(gbv, other, 8, "");
    assert_flagged(gbv, (double[]){NAN, NAN, NAN, NAN, NAN, NAN, .8, .9}, 8, "6 7");
    assert_flagged(gbv, (double[]){NAN, NAN, NAN, NAN, NAN, NAN, NAN, .9}, 8, "");
}

static void intervals_that_overlap_prove_nothing(void **state)
{
    (void)state;
    static const double gbv[4] = {4, 3, 2, 1}, other[4] = {.5, .8, .7, .9}, narrow[4] = {.49, .79, .69, .89},
                        wide_low[4] = {.4, .6, .5, .7}, wide_high[4] = {.8, .9, .85, .95},
                        unknown[4] = {NAN, NAN, NAN, NAN};
    ranked_scores first = {.method = "gbv", .scores = gbv}, by = {.method = "gold-accuracy", .scores = other};
    assert_string_equal(flagged(&first, &by, 1, 4, NULL), "0 3");
    by.low = narrow, by.high = other;
    assert_string_equal(flagged(&first, &by, 1, 4, NULL), "0 3");
    by.low = wide_low, by.high = wide_high;
    assert_string_equal(flagged(&first, &by, 1, 4, NULL), "");
    by.low = by.high = unknown;
    assert_string_equal(flagged(&first, &by, 1, 4, NULL), "0 3");
    /* those of the first count as much */
    by.low = by.high = NULL;
    first.low = (double[]){0, 0, 0, 0}, first.high = (double[]){5, 5, 5, 5};
    assert_string_equal(flagged(&first, &by, 1, 4, NULL), "");
}

static void the_detail_names_the_ranks_by_every_method_that_disagrees(void **state)
{
    (void)state;
    enum { COUNT = 12 };
    double gbv[COUNT], alike[COUNT], other[COUNT], third[COUNT];
    char detail[1000];
    for (size_t i = 0; i < COUNT; i++)
        gbv[i] = alike[i] = other[i] = third[i] = (double)(COUNT - i);
    other[1] = 0;
    third[1] = 1.5;
    third[0] = NAN;
    ranked_scores first = {.method = "gbv", .scores = gbv}, others[] = {{.method = "peer-agreement", .scores = alike},
                                                                        {.method = "dawid-skene", .scores = other},
                                                                        {.method = "gold-accuracy", .scores = third}};
    assert_string_equal(flagged(&first, others, 3, COUNT, detail), "1");
    assert_string_equal(detail,
                        "source 'w1' is judged inconsistently: gbv ranks it 2nd, dawid-skene 12th of 12; gbv 1st, "
                        "gold-accuracy 10th of 11");
    other[1] = 9.5; /* third to fourth, eleventh and so on: endings */
    third[1] = 11;
    others[1].scores = (double[]){12, 1, 10, 9, 8, 7, 6, 5, 4, 3, 2, .5};
    assert_string_equal(flagged(&first, &others[1], 1, COUNT, detail), "1");
    assert_string_equal(detail, "source 'w1' is judged inconsistently: gbv ranks it 2nd, dawid-skene 11th of 12");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_sources_that_moved_far_are_flagged),
        cmocka_unit_test(a_swap_of_neighbours_counts_only_among_two),
        cmocka_unit_test(ties_leave_every_rank_open_that_they_share),
        cmocka_unit_test(sources_without_a_score_are_not_compared),
        cmocka_unit_test(intervals_that_overlap_prove_nothing),
        cmocka_unit_test(the_detail_names_the_ranks_by_every_method_that_disagrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
