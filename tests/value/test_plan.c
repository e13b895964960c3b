/* test_plan.c - what a run is expected to take, against the run itself; time is not looked at. */
#include "toy.h"

#include <gbv/plan.h>
#include <gbv/report.h>

enum { WIDE = 300, LONG = 400, MANY = 6 };

static void fill(float *rows, int32_t *labels, size_t count, const char *name)
{
    random_stream stream = random_stream_open(9, name, RANDOM_SPLIT);
    for (size_t i = 0; i < count; i++) {
        labels[i] = (int32_t)(i % CLASSES);
        for (size_t j = 0; j < WIDE; j++)
            rows[i * WIDE + j] = (float)random_normal(&stream) + (j % CLASSES == i % CLASSES ? .3f : 0);
    }
}

typedef struct wide_problem {
    float reference[LONG * WIDE], rows[MANY][LONG * WIDE];
    int32_t reference_labels[LONG], labels[MANY][LONG];
    gbv_dataset *dataset;
    gbv_sources *sources;
} wide_problem;

static wide_problem *make_problem(void)
{
    wide_problem *p = calloc(1, sizeof *p);
    gbv_error error;
    fill(p->reference, p->reference_labels, LONG, "reference");
    assert_ok(gbv_dataset_create("reference", gbv_matrix_f32(p->reference, LONG, WIDE), p->reference_labels, NULL, 0,
                                 &p->dataset, &error),
              error);
    p->sources = gbv_sources_create();
    for (int s = 0; s < MANY; s++) {
        char name[16];
        gbv_dataset *d;
        snprintf(name, sizeof name, "s%d", s);
        fill(p->rows[s], p->labels[s], LONG, name);
        assert_ok(gbv_dataset_create(name, gbv_matrix_f32(p->rows[s], LONG, WIDE), p->labels[s], NULL, 0, &d, &error),
                  error);
        assert_ok(gbv_sources_add_dataset(p->sources, name, d, &error), error);
    }
    return p;
}

static void free_problem(wide_problem *p)
{
    gbv_sources_free(p->sources);
    gbv_dataset_free(p->dataset);
    free(p);
}

static void memory_is_expected_within_a_factor_of_two(void **state)
{
    (void)state;
    wide_problem *p = make_problem();
    gbv_value_options options = gbv_value_defaults();
    gbv_plan *plan;
    gbv_result *result;
    gbv_error error;
    options.refits = 4;
    options.replicates = 50;
    options.model.threads = 2;
    assert_ok(gbv_value_plan(p->dataset, p->sources, &options, &plan, &error), error);
    assert_ok(gbv_value(p->dataset, p->sources, &options, &result, &error), error);
    double peak = gbv_memory_peak();
    print_message("expected %.0f, taken %.0f bytes\n", plan->peak_bytes, peak);
    assert_true(plan->peak_bytes > peak / 2 && plan->peak_bytes < 2 * peak);
    assert_int_equal(plan->sources, MANY);
    assert_int_equal(plan->rows, MANY * LONG);
    assert_int_equal(plan->fits, MANY * 5);
    assert_int_equal(plan->workers, 2);
    assert_true(plan->seconds > 0 && plan->pass_seconds > 0);
    gbv_plan_free(plan);
    gbv_result_free(result);
    free_problem(p);
}

/* The pilot must leave nothing in the sources or in the library that a run would notice. */
static void a_plan_changes_nothing(void **state)
{
    (void)state;
    wide_problem *p = make_problem();
    gbv_value_options options = gbv_value_defaults();
    gbv_plan *plan;
    char *before, *after;
    gbv_error error;
    options.refits = 2;
    options.replicates = 10;
    for (int i = 0; i < 2; i++) {
        gbv_result *result;
        assert_ok(gbv_value(p->dataset, p->sources, &options, &result, &error), error);
        assert_ok(gbv_result_text(result, GBV_FORMAT_JSON, i ? &after : &before, &error), error);
        gbv_result_free(result);
        assert_ok(gbv_value_plan(p->dataset, p->sources, &options, &plan, &error), error);
        gbv_plan_free(plan);
    }
    assert_string_equal(before, after);
    gbv_text_free(before);
    gbv_text_free(after);
    free_problem(p);
}

static bool stop_at_once(void *context, const char *stage, size_t done, size_t total)
{
    (void)context, (void)stage, (void)done, (void)total;
    return true;
}

static void a_plan_can_be_interrupted(void **state)
{
    (void)state;
    wide_problem *p = make_problem();
    gbv_value_options options = gbv_value_defaults();
    gbv_plan *plan;
    gbv_error error;
    options.model.progress = stop_at_once;
    assert_int_equal(gbv_value_plan(p->dataset, p->sources, &options, &plan, &error), GBV_INTERRUPTED);
    assert_null(plan);
    free_problem(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_expected_within_a_factor_of_two),
        cmocka_unit_test(a_plan_changes_nothing),
        cmocka_unit_test(a_plan_can_be_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
