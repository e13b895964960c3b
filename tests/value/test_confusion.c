/* test_confusion.c - what the model of a source takes for what adds up to its agreement and to the reference's classes.
 */
#include "value/confusion.h"

#include "toy.h"

static void check_confusion(const gbv_result *r, const toy *t)
{
    assert_int_equal(r->class_count, CLASSES);
    for (size_t s = 0; s < r->source_count; s++) {
        const size_t *confusion = r->sources[s].confusion;
        size_t right = 0, width = r->class_count + 1;
        assert_non_null(confusion);
        for (size_t c = 0; c < r->class_count; c++) {
            size_t rows = 0, meant = 0;
            right += confusion[c * width + c];
            for (size_t k = 0; k < width; k++)
                rows += confusion[c * width + k];
            for (size_t i = 0; i < REFERENCE; i++)
                meant += (size_t)t->reference_labels[i] == c;
            assert_int_equal(rows, meant);
            assert_int_equal(confusion[c * width + width - 1], 0);
        }
        assert_true((double)right / REFERENCE == r->sources[s].agreement);
    }
}

static void confusion_adds_up_by_every_method(void **state)
{
    (void)state;
    static const char *const methods[] = {"gbv", "uniform", "cmmd", "knn-shapley,gbv"};
    toy *t = make_toy();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        gbv_value_options options = gbv_value_defaults();
        options.method = methods[i];
        options.replicates = 0;
        gbv_result *r = value(t, (int[]){0, 1, 2}, 3, &options);
        check_confusion(r, t);
        assert_string_equal(r->classes[3], "3");
        gbv_result_free(r);
    }
    free(t);
}

static void without_labels_there_is_no_confusion(void **state)
{
    (void)state;
    toy *t = make_toy();
    gbv_value_options options = gbv_value_defaults();
    options.unlabelled = true;
    options.replicates = 0;
    gbv_result *r = value(t, (int[]){0, 1}, 2, &options);
    assert_null(r->sources[0].confusion);
    assert_int_equal(r->class_count, CLASSES);
    gbv_result_free(r);
    free(t);
}

/* Three rows of two classes; the third column is a class that the reference does not have. */
static const double said[3][3] = {{.5, .3, .2}, {.1, .2, .7}, {.1, .8, .1}};
static const int32_t labels[3] = {0, 0, 1};

static gbv_measure_input three_rows(const int32_t *column_class)
{
    return (gbv_measure_input){.rows = 3,
                               .labels = labels,
                               .class_count = 2,
                               .probabilities = gbv_matrix_f64(&said[0][0], 3, 3),
                               .column_class = column_class};
}

static void forget(gbv_source_result *s)
{
    for (size_t i = 0; i < s->flag_count; i++) {
        free(s->flags[i].kind);
        free(s->flags[i].detail);
    }
    free(s->flags);
    free(s->confusion);
}

static void classes_of_its_own_are_the_last_column(void **state)
{
    (void)state;
    gbv_source_result s = {.name = (char *)"a", .agreement = NAN};
    gbv_measure_input input = three_rows((int32_t[]){0, 1, -1});
    gbv_error error;
    assert_ok(confusion_judge(&s, &input, 1, &error), error);
    assert_memory_equal(s.confusion, ((size_t[]){1, 0, 1, 0, 1, 0}), 6 * sizeof(size_t));
    forget(&s);
}

static void a_model_without_a_class_of_the_reference_has_none(void **state)
{
    (void)state;
    gbv_source_result s = {.name = (char *)"a", .agreement = NAN};
    gbv_measure_input input = three_rows((int32_t[]){-1, -1, -1});
    gbv_error error;
    assert_ok(confusion_judge(&s, &input, 1, &error), error);
    assert_true(!s.confusion && isnan(s.agreement));
    forget(&s);
}

/* A million numbers are kept, one source more is not: 2 x 3 each. */
static void more_than_a_million_numbers_are_not_kept(void **state)
{
    (void)state;
    for (size_t sources = MOST_CONFUSION / 6; sources <= MOST_CONFUSION / 6 + 1; sources++) {
        gbv_source_result s = {.name = (char *)"a"};
        gbv_measure_input input = three_rows((int32_t[]){0, 1, -1});
        gbv_error error;
        assert_ok(confusion_judge(&s, &input, sources, &error), error);
        assert_int_equal(s.confusion != NULL, sources == MOST_CONFUSION / 6);
        assert_true(s.agreement > .6);
        forget(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(confusion_adds_up_by_every_method),
        cmocka_unit_test(without_labels_there_is_no_confusion),
        cmocka_unit_test(classes_of_its_own_are_the_last_column),
        cmocka_unit_test(a_model_without_a_class_of_the_reference_has_none),
        cmocka_unit_test(more_than_a_million_numbers_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
