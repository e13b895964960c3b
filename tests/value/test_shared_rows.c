/* test_shared_rows.c - sources that hold the same rows are told, whatever the type of their numbers. */
#include "toy.h"

static const char *warning_with(const gbv_result *r, const char *text)
{
    for (size_t i = 0; i < r->warning_count; i++)
        if (strstr(r->warnings[i], text))
            return r->warnings[i];
    return NULL;
}

static void add_rows(gbv_sources *sources, const char *name, gbv_matrix features, const int32_t *labels)
{
    gbv_dataset *d;
    gbv_error error;
    assert_ok(gbv_dataset_create(name, features, labels, NULL, 0, &d, &error), error);
    assert_ok(gbv_sources_add_dataset(sources, name, d, &error), error);
}

static gbv_result *value_sources(const toy *t, gbv_sources *sources)
{
    gbv_dataset *reference = reference_of(t);
    gbv_value_options options = gbv_value_defaults();
    gbv_result *result;
    gbv_error error;
    options.replicates = 0;
    assert_ok(gbv_value(reference, sources, &options, &result, &error), error);
    gbv_dataset_free(reference);
    gbv_sources_free(sources);
    return result;
}

static void sources_of_their_own_are_not_warned_about(void **state)
{
    (void)state;
    toy *t = make_toy();
    gbv_sources *sources = gbv_sources_create();
    for (int s = 0; s < SOURCES; s++)
        add_source(sources, t, s, SAMPLE);
    gbv_result *r = value_sources(t, sources);
    assert_null(warning_with(r, "share"));
    gbv_result_free(r);
    free(t);
}

static void a_fifth_of_the_smaller_source_is_the_limit(void **state)
{
    (void)state;
    toy *t = make_toy();
    enum { SMALL = 100 };
    float mixed[SMALL][COLUMNS];
    int32_t labels[SMALL];
    for (int more = 0; more < 2; more++) {
        gbv_sources *sources = gbv_sources_create();
        add_source(sources, t, 0, SAMPLE);
        for (int i = 0; i < SMALL; i++) {
            int from = i < SMALL / 5 + more ? 0 : 1; /* 20 or 21 rows of the first source */
            memcpy(mixed[i], t->rows[from][i], sizeof mixed[i]);
            labels[i] = t->labels[from][i];
        }
        add_rows(sources, "mixed", gbv_matrix_f32(&mixed[0][0], SMALL, COLUMNS), labels);
        gbv_result *r = value_sources(t, sources);
        assert_int_equal(warning_with(r, "sources half and mixed share 21 of 100 rows") != NULL, more);
        gbv_result_free(r);
    }
    free(t);
}

static void the_type_of_numbers_does_not_hide_a_row_but_another_label_does(void **state)
{
    (void)state;
    toy *t = make_toy();
    double wide[SAMPLE][COLUMNS];
    int32_t other[SAMPLE];
    for (int i = 0; i < SAMPLE; i++) {
        t->rows[0][i][0] = 0;
        for (int j = 0; j < COLUMNS; j++)
            wide[i][j] = j ? t->rows[0][i][j] : -0.;
        other[i] = (t->labels[0][i] + 1) % CLASSES;
    }
    gbv_sources *sources = gbv_sources_create();
    add_source(sources, t, 0, SAMPLE);
    add_rows(sources, "wide", gbv_matrix_f64(&wide[0][0], SAMPLE, COLUMNS), t->labels[0]);
    add_rows(sources, "other", gbv_matrix_f64(&wide[0][0], SAMPLE, COLUMNS), other);
    gbv_result *r = value_sources(t, sources);
    assert_non_null(warning_with(r, "sources half and wide share 300 of 300 rows"));
    assert_null(warning_with(r, "other"));
    gbv_result_free(r);
    free(t);
}

/* In one sentence, and with equal weights. */
static void sources_that_are_all_the_same_are_told_together(void **state)
{
    (void)state;
    enum { MANY = 20 };
    toy *t = make_toy();
    gbv_sources *sources = gbv_sources_create();
    for (int s = 0; s < MANY; s++) {
        char name[16];
        snprintf(name, sizeof name, "copy-%d", s);
        add_rows(sources, name, gbv_matrix_f32(&t->rows[1][0][0], SAMPLE, COLUMNS), t->labels[1]);
    }
    gbv_result *r = value_sources(t, sources);
    assert_non_null(warning_with(r, "sources copy-0, copy-1, copy-2 and 17 more share up to 300 of 300 rows"));
    for (size_t s = 0; s < MANY; s++) {
        assert_true(r->sources[s].posterior == r->sources[0].posterior);
        assert_int_equal(r->sources[s].rank, 1);
    }
    gbv_result_free(r);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_of_their_own_are_not_warned_about),
        cmocka_unit_test(a_fifth_of_the_smaller_source_is_the_limit),
        cmocka_unit_test(the_type_of_numbers_does_not_hide_a_row_but_another_label_does),
        cmocka_unit_test(sources_that_are_all_the_same_are_told_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
