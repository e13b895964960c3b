/* test_fit.c - how sources and reference fit: the class table, and one sentence for each way they do not. */
#include "data/sources.h"

#include "data/data_support.h"

/* Everything that sources_fit said. */
typedef struct heard {
    size_t problems, warnings;
    size_t last_source;
    char last_problem[1024], last_warning[1024];
} heard;

static void hear(void *context, fit_finding finding, size_t source_index, const char *sentence)
{
    bool warning = finding != FIT_PROBLEM;
    heard *h = context;
    snprintf(warning ? h->last_warning : h->last_problem, 1024, "%s", sentence);
    h->warnings += warning;
    h->problems += !warning;
    h->last_source = source_index;
}

/* The fit of one source with the reference; the source is called s. */
static heard fit_one(const char *reference_labels, const char *source_labels)
{
    heard h = {0};
    gbv_error error = {0};
    class_table table;
    gbv_dataset *reference = labelled("ref.npz", 2, reference_labels);
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "s", 2, source_labels);
    size_t problems = sources_fit(reference, sources, &table, hear, &h, &error);
    assert_int_equal(problems, h.problems);
    if (problems) {
        assert_int_equal(error.status, GBV_BAD_INPUT);
        assert_null(table.names);
    } else {
        assert_int_equal(error.status, GBV_OK);
        assert_true(table.count >= table.reference_count);
    }
    class_table_free(&table);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    return h;
}

static void matching_names_give_the_reference_classes(void **state)
{
    (void)state;
    gbv_error error = {0};
    class_table table;
    heard h = {0};
    gbv_dataset *reference = labelled("ref.npz", 2, "dog|cat|bird");
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 2, "dog|bird|cat");
    add_labelled(sources, "b", 2, "cat|dog|bird|bird");
    assert_int_equal(sources_fit(reference, sources, &table, hear, &h, &error), 0);
    assert_int_equal(h.warnings, 0);
    assert_int_equal(table.count, 3);
    assert_int_equal(table.reference_count, 3);
    assert_string_equal(table.names[0], "bird");
    assert_string_equal(table.names[1], "cat");
    assert_string_equal(table.names[2], "dog");
    const int32_t expected[] = {1, 2, 0, 0};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(table.class_of_label[sources->items[1].labels[i]], expected[i]);
    class_table_free(&table);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

static void labels_of_sources_only_become_classes_behind_the_reference(void **state)
{
    (void)state;
    gbv_error error = {0};
    class_table table;
    heard h = {0};
    gbv_dataset *reference = labelled("ref.npz", 2, "#0|1");
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 2, "#9|0|1|1");
    add_labelled(sources, "b", 2, "#0|1|-5|9|9");
    assert_int_equal(sources_fit(reference, sources, &table, hear, &h, &error), 0);
    assert_int_equal(h.warnings, 2);
    assert_holds(h.last_warning, "source 'b'");
    assert_holds(h.last_warning, "'-5', '9'");
    assert_holds(h.last_warning, "3 of 5 rows");
    assert_int_equal(table.count, 4);
    assert_int_equal(table.reference_count, 2);
    assert_string_equal(table.names[2], "9"); /* met first */
    assert_string_equal(table.names[3], "-5");
    assert_int_equal(table.class_of_label[sources->items[1].labels[2]], 3);
    class_table_free(&table);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

static void a_misspelt_class_is_a_problem_with_the_nearest_names(void **state)
{
    (void)state;
    const char *const misspelt[] = {"Cat", "cat ", "c-at", "c_a t"};
    for (size_t i = 0; i < 4; i++) {
        char labels[64];
        snprintf(labels, sizeof labels, "dog|%s|bat", misspelt[i]);
        heard h = fit_one("bat|cat|dog", labels);
        assert_int_equal(h.problems, 1);
        assert_holds(h.last_problem, misspelt[i]);
        assert_holds(h.last_problem, "of source 's' is no class of the reference; nearest: 'cat', 'bat'");
        assert_holds(h.last_problem, "--class-map");
    }
    heard h = fit_one("sandal|sneaker|boots", "sandals|sneakr|boots");
    assert_int_equal(h.problems, 1); /* one sentence for both */
    assert_holds(h.last_problem, "'sandals' (nearest: 'sandal')");
    assert_holds(h.last_problem, "'sneakr' (nearest: 'sneaker')");
}

static void near_but_different_things_are_kept(void **state)
{
    (void)state;
    assert_int_equal(fit_one("item1|item2", "item1|item2|item3").problems, 0); /* digits tell things apart */
    assert_int_equal(fit_one("cat|dog", "cat|dog|bat").problems, 0);           /* short words are near each other */
    assert_int_equal(fit_one("cat|dog", "cat|dog|horse").warnings, 1);
}

static void integers_against_text_are_never_guessed(void **state)
{
    (void)state;
    heard h = fit_one("#0|1", "0|1|x");
    assert_int_equal(h.problems, 1);
    assert_holds(h.last_problem, "text ('0', '1', 'x')");
    assert_holds(h.last_problem, "gbv classes");
    h = fit_one("cat|dog", "#0|1");
    assert_int_equal(h.problems, 1);
    assert_holds(h.last_problem, "integers ('0', '1')");
}

static void a_source_of_strangers_is_a_problem(void **state)
{
    (void)state;
    heard h = fit_one("cat|dog", "Catt|house|bat");
    assert_int_equal(h.problems, 1);
    assert_holds(h.last_problem, "none of its labels is a class of the reference");
    assert_holds(h.last_problem, "'Catt' (nearest: 'cat')");
    h = fit_one("#0|1", "#7|8|7");
    assert_int_equal(h.problems, 1);
    assert_holds(h.last_problem, "'7', '8'");
}

static void odd_but_usable_data_are_warned_about(void **state)
{
    (void)state;
    heard h = fit_one("a|b|c|d|e|f|g|h", "a|b");
    assert_int_equal(h.problems, 0);
    assert_int_equal(h.warnings, 1);
    assert_holds(h.last_warning, "never uses 6 of the reference's 8 classes: 'c', 'd', 'e', 'f', 'g' and 1 more");
    h = fit_one("a|b", "a|a|a");
    assert_int_equal(h.warnings, 1);
    assert_holds(h.last_warning, "one class only ('a')");
    assert_int_equal(h.last_source, 0);
    h = fit_one("a|a", "a|b");
    assert_int_equal(h.warnings, 2);
    h = fit_one("a|b", "a|b|u|v|w|x|y|z");
    assert_holds(h.last_warning, "'u', 'v', 'w', 'x', 'y' and 1 more (6 of 8 rows)");
}

static void missing_labels_are_problems(void **state)
{
    (void)state;
    heard h = fit_one("a|b", "");
    assert_int_equal(h.problems, 1);
    assert_holds(h.last_problem, "has no labels");
    h = fit_one("", "a|b");
    assert_int_equal(h.problems, 1);
    assert_holds(h.last_problem, "the reference (ref.npz) has no labels");
    assert_true(h.last_source == SIZE_MAX);
}

static void every_problem_is_told_and_the_first_is_the_error(void **state)
{
    (void)state;
    heard h = {0};
    gbv_error error = {0};
    gbv_dataset *reference = labelled("ref.npz", 4, "cat|dog");
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "narrow", 3, "cat|dog");
    add_labelled(sources, "numbers", 4, "#1|2");
    add_labelled(sources, "both", 5, "Cat|dog");
    assert_int_equal(sources_fit(reference, sources, NULL, hear, &h, &error), 4);
    assert_int_equal(h.problems, 4);
    assert_holds(error.message, "source 'narrow' (narrow) has 3 features a row, the reference (ref.npz) has 4");
    assert_int_equal(sources_fit(reference, sources, NULL, NULL, NULL, NULL), 4);
    gbv_sources_free(sources);
    sources = gbv_sources_create();
    assert_int_equal(sources_fit(reference, sources, NULL, hear, &h, &error), 1);
    assert_holds(error.message, "no source");
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

/* The names of the table without a reference, joined by blanks. */
static const char *union_of(const char *first, const char *second)
{
    static char names[2048];
    gbv_error error = {0};
    class_table table;
    heard h = {0};
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 2, first);
    add_labelled(sources, "b", 2, second);
    names[0] = '\0';
    if (sources_fit(NULL, sources, &table, hear, &h, &error) > 0)
        snprintf(names, sizeof names, "%s", error.message);
    for (size_t i = 0; i < table.count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "", table.names[i]);
    for (size_t i = 0; i < sources->count && table.count; i++)
        for (size_t j = 0; j < sources->items[i].row_count; j++) {
            int32_t label = sources->items[i].labels[j];
            assert_string_equal(table.names[table.class_of_label[label]], sources->labels[label].text);
        }
    class_table_free(&table);
    gbv_sources_free(sources);
    return names;
}

static void without_a_reference_the_classes_are_the_sorted_union(void **state)
{
    (void)state;
    assert_string_equal(union_of("#10|9|-3", "#2|10|-20"), "-20 -3 2 9 10");
    assert_string_equal(union_of("pear|apple", "Zebra|10|9"), "10 9 Zebra apple pear");
    assert_holds(union_of("#1|2", "x|y"), "source 'b' (b) has labels that are text ('x', 'y'), those of source 'a'");
}

static void without_a_reference_widths_are_compared_with_the_first(void **state)
{
    (void)state;
    gbv_error error;
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 2, "x|y");
    add_labelled(sources, "b", 3, "x|y");
    assert_int_equal(sources_fit(NULL, sources, NULL, NULL, NULL, &error), 1);
    assert_holds(error.message, "source 'b' (b) has 3 features a row, source 'a' (a) has 2");
    gbv_sources_free(sources);
}

static void count_sentence(void *context, bool warning, const char *sentence)
{
    size_t *counts = context;
    assert_true(strlen(sentence) > 20);
    counts[warning]++;
}

static void check_tells_problems_and_warnings(void **state)
{
    (void)state;
    size_t counts[2] = {0};
    gbv_dataset *reference = labelled("ref.npz", 2, "cat|dog");
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "good", 2, "cat|dog");
    add_labelled(sources, "odd", 2, "cat|cat");
    add_labelled(sources, "wrong", 3, "Cat|dog");
    assert_int_equal(gbv_check(reference, sources, count_sentence, counts), 2);
    assert_int_equal(counts[0], 2);
    assert_int_equal(counts[1], 1);
    assert_int_equal(gbv_check(reference, sources, NULL, NULL), 2);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

/* The fit of a source with a reference of as many columns, with the sizes of images that each says it has. */
static heard fit_images(gbv_image_shape of_reference, gbv_image_shape of_source)
{
    heard h = {0};
    gbv_dataset *reference = labelled("ref", 12, "cat|dog"), *dataset = labelled("photos", 12, "cat|dog");
    gbv_sources *sources = gbv_sources_create();
    gbv_error error;
    reference->shape = of_reference;
    dataset->shape = of_source;
    assert_ok(gbv_sources_add_dataset(sources, "s", dataset, &error), error);
    size_t problems = sources_fit(reference, sources, NULL, hear, &h, &error);
    assert_int_equal(problems, h.problems);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    return h;
}

static void images_of_another_shape_are_a_problem_even_with_as_many_pixels(void **state)
{
    (void)state;
    gbv_image_shape wide = {.height = 2, .width = 6, .channels = 1}, colour = {.height = 2, .width = 2, .channels = 3},
                    last = {.height = 2, .width = 2, .channels = 3, .channels_last = true};
    heard h = fit_images(wide, colour);
    assert_int_equal(h.problems, 1);
    assert_holds(h.last_problem, "12 features a row (images of 2 x 2 pixels, 3 channels), the reference (ref) has 12 "
                                 "features a row (images of 6 x 2 pixels, 1 channel)");
    h = fit_images(colour, last);
    assert_int_equal(h.problems, 1);
    assert_holds(h.last_problem, "3 channels last");
    assert_int_equal(fit_images(last, last).problems, 0);
    assert_int_equal(fit_images((gbv_image_shape){0}, last).problems, 0); /* what is not known is not held against it */
}

static void raw_pixels_of_large_images_are_warned_of_once(void **state)
{
    (void)state;
    gbv_image_shape small = {.height = 64, .width = 64, .channels = 1},
                    large = {.height = 8, .width = 65, .channels = 3};
    assert_int_equal(fit_images(small, small).warnings, 0);
    heard h = fit_images(large, large);
    assert_int_equal(h.warnings, 1);
    assert_int_equal(h.last_source, SIZE_MAX);
    assert_holds(h.last_warning, "ref: its rows are the raw pixels of images of 65 x 8");
    assert_holds(h.last_warning, "embeddings of a pretrained model");
    h = fit_images((gbv_image_shape){0}, large);
    assert_holds(h.last_warning, "photos: its rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matching_names_give_the_reference_classes),
        cmocka_unit_test(labels_of_sources_only_become_classes_behind_the_reference),
        cmocka_unit_test(a_misspelt_class_is_a_problem_with_the_nearest_names),
        cmocka_unit_test(near_but_different_things_are_kept),
        cmocka_unit_test(integers_against_text_are_never_guessed),
        cmocka_unit_test(a_source_of_strangers_is_a_problem),
        cmocka_unit_test(odd_but_usable_data_are_warned_about),
        cmocka_unit_test(missing_labels_are_problems),
        cmocka_unit_test(every_problem_is_told_and_the_first_is_the_error),
        cmocka_unit_test(without_a_reference_the_classes_are_the_sorted_union),
        cmocka_unit_test(without_a_reference_widths_are_compared_with_the_first),
        cmocka_unit_test(check_tells_problems_and_warnings),
        cmocka_unit_test(images_of_another_shape_are_a_problem_even_with_as_many_pixels),
        cmocka_unit_test(raw_pixels_of_large_images_are_warned_of_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
