/* Flags: who gets which, with the numbers that led to it, and who gets none. */
#include "value/toy.h"

static const gbv_flag *flag_of(const gbv_result *r, const char *source, const char *kind)
{
    const gbv_source_result *s = find(r, source);
    for (size_t i = 0; i < s->flag_count; i++)
        if (strcmp(s->flags[i].kind, kind) == 0)
            return &s->flags[i];
    return NULL;
}

/* The sources "clean" and one with the given labels and name. */
static gbv_result *value_with(const toy *t, const char *name, const int32_t *labels, const char *const *class_names,
                              gbv_value_options options)
{
    gbv_dataset *reference = reference_of(t), *d;
    gbv_sources *sources = gbv_sources_create();
    gbv_result *r;
    gbv_error error;
    add_source(sources, t, 1, SAMPLE);
    assert_ok(gbv_dataset_create(name, gbv_matrix_f32(&t->rows[1][0][0], SAMPLE, COLUMNS), labels, class_names,
                                 class_names ? 1 : 0, &d, &error),
              error);
    assert_ok(gbv_sources_add_dataset(sources, name, d, &error), error);
    assert_ok(gbv_value(reference, sources, &options, &r, &error), error);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    return r;
}

static void random_labels_are_inconsistent_with_the_reference(void **state)
{
    gbv_result *r = value(*state, (int[]){0, 1, 2, 3}, 4, NULL);
    const gbv_flag *flag = flag_of(r, "worst", "no_better_than_chance");
    assert_non_null(flag);
    assert_non_null(strstr(flag->detail, "inconsistent with the reference"));
    assert_non_null(strstr(flag->detail, "'worst'"));
    char number[32];
    snprintf(number, sizeof number, "on %.4f of 400", find(r, "worst")->agreement);
    assert_non_null(strstr(flag->detail, number));
    assert_int_equal(find(r, "clean")->flag_count, 0);
    assert_int_equal(find(r, "good")->flag_count, 0);
    assert_int_equal(find(r, "half")->flag_count, 0);
    gbv_result_free(r);
}

/* leep cannot see swapped names; agreement does. */
static void swapped_class_names_are_inconsistent_with_the_reference(void **state)
{
    const toy *t = *state;
    int32_t labels[SAMPLE];
    for (int i = 0; i < SAMPLE; i++)
        labels[i] = (t->labels[1][i] + 1) % CLASSES;
    gbv_result *r = value_with(t, "swapped", labels, NULL, gbv_value_defaults());
    assert_close(find(r, "swapped")->score, find(r, "clean")->score, 1e-6);
    assert_non_null(flag_of(r, "swapped", "no_better_than_chance"));
    gbv_result_free(r);
}

static void one_class_is_a_flag_and_no_better_than_chance(void **state)
{
    int32_t labels[SAMPLE] = {0};
    gbv_result *r = value_with(*state, "flat", labels, NULL, gbv_value_defaults());
    assert_non_null(flag_of(r, "flat", "one_class"));
    assert_non_null(flag_of(r, "flat", "no_better_than_chance"));
    assert_int_equal(find(r, "flat")->warning_count, 0); /* said once */
    gbv_result_free(r);
}

static void a_reference_of_one_class_proves_nothing_about_agreement(void **state)
{
    const toy *t = *state;
    int32_t same[REFERENCE] = {0};
    gbv_dataset *reference;
    gbv_sources *sources = gbv_sources_create();
    gbv_result *r;
    gbv_error error;
    assert_ok(
        gbv_dataset_create("flat", gbv_matrix_f32(&t->reference[0][0], 4, COLUMNS), same, NULL, 0, &reference, &error),
        error);
    int32_t labels[SAMPLE] = {0};
    gbv_dataset *d;
    assert_ok(gbv_dataset_create("d", gbv_matrix_f32(&t->rows[1][0][0], SAMPLE, COLUMNS), labels, NULL, 0, &d, &error),
              error);
    assert_ok(gbv_sources_add_dataset(sources, "zeros", d, &error), error);
    assert_ok(gbv_value(reference, sources, NULL, &r, &error), error);
    assert_true(r->sources[0].agreement == 1);
    assert_null(flag_of(r, "zeros", "no_better_than_chance"));
    gbv_result_free(r);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

/* The unbiased mmd leaves out the pairs of a row with itself: a source of one row has no other. */
static void an_undefined_score_is_a_flag_with_its_reason(void **state)
{
    const toy *t = *state;
    gbv_dataset *reference = reference_of(t);
    gbv_sources *sources = gbv_sources_create();
    gbv_value_options options = gbv_value_defaults();
    gbv_result *r;
    gbv_error error;
    add_source(sources, t, 1, SAMPLE);
    add_source(sources, t, 3, 1);
    options.measure = "mmd";
    options.variant = "unbiased";
    assert_int_equal(gbv_value(reference, sources, &options, &r, &error), GBV_UNDEFINED);
    options.undefined_as_zero = true;
    assert_ok(gbv_value(reference, sources, &options, &r, &error), error);
    const gbv_flag *flag = flag_of(r, "good", "undefined");
    assert_non_null(flag);
    assert_non_null(strstr(flag->detail, "'good'"));
    assert_non_null(strstr(flag->detail, "mmd"));
    assert_true(find(r, "good")->posterior == 0 && find(r, "clean")->posterior == 1);
    assert_null(flag_of(r, "clean", "undefined"));
    gbv_result_free(r);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

static void every_kind_of_flag_is_listed(void **state)
{
    (void)state;
    static const char *const kinds[] = {"no_better_than_chance", "one_class", "rank_disagreement", "undefined"};
    const char *name, *summary;
    for (size_t i = 0; i < 4; i++) {
        assert_true(gbv_list("flags", i, &name, &summary));
        assert_string_equal(name, kinds[i]);
        assert_true(*summary);
    }
    assert_false(gbv_list("flags", 4, &name, &summary));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_labels_are_inconsistent_with_the_reference),
        cmocka_unit_test(swapped_class_names_are_inconsistent_with_the_reference),
        cmocka_unit_test(one_class_is_a_flag_and_no_better_than_chance),
        cmocka_unit_test(a_reference_of_one_class_proves_nothing_about_agreement),
        cmocka_unit_test(an_undefined_score_is_a_flag_with_its_reason),
        cmocka_unit_test(every_kind_of_flag_is_listed),
    };
    return cmocka_run_group_tests(tests, make_data, free_data);
}
