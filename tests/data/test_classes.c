/* test_classes.c - class maps: read, applied, refused, written. */
#include "data/sources.h"

#include "data/data_support.h"

static char *folder;

/* The labels of a source after a map was applied, joined by '|'. */
static const char *labels_of(const gbv_sources *sources, size_t index)
{
    static char text[512];
    const source *s = &sources->items[index];
    text[0] = '\0';
    for (size_t i = 0; i < s->row_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "|" : "",
                 sources->labels[s->labels[i]].text);
    return text;
}

static gbv_sources *two_sources(void)
{
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 1, "Cat|dog|Catt|junk");
    add_labelled(sources, "b", 1, "Catt|junk|dog|horse");
    return sources;
}

static void apply(gbv_sources *sources, const char *map)
{
    gbv_error error;
    assert_ok(gbv_sources_map_classes(sources, write_text_file(folder, "map.csv", map), &error), error);
}

static void assert_map_fails(const char *map, const char *part)
{
    gbv_error error = {0};
    gbv_sources *sources = two_sources();
    int status = gbv_sources_map_classes(sources, write_text_file(folder, "map.csv", map), &error);
    assert_int_equal(status, GBV_BAD_INPUT);
    assert_holds(error.message, "map.csv");
    assert_holds(error.message, part);
    assert_string_equal(labels_of(sources, 0), "Cat|dog|Catt|junk");
    assert_string_equal(labels_of(sources, 1), "Catt|junk|dog|horse");
    assert_null(sources->class_map);
    gbv_sources_free(sources);
}

static void a_map_renames_and_leaves_out(void **state)
{
    (void)state;
    gbv_sources *sources = two_sources();
    apply(sources, "label,class\nCat,cat\nCatt,cat\njunk,-\nnowhere,x\n");
    assert_string_equal(labels_of(sources, 0), "cat|dog|cat");
    assert_string_equal(labels_of(sources, 1), "cat|dog|horse");
    const size_t rows[] = {0, 2, 3};
    assert_memory_equal(sources->items[1].rows, rows, sizeof rows);
    assert_int_equal(gbv_sources_rows(sources, 0), 3);
    assert_holds(sources->class_map, "map.csv");
    gbv_sources_free(sources);
}

static void a_line_for_one_source_wins_over_the_general_one(void **state)
{
    (void)state;
    const char *const maps[] = {"source,label,class\n,Catt,cat\nb,Catt,tiger\nstranger,dog,cow\nb,dog,-\n",
                                "class,source,label,rows\ntiger,b,Catt,1\n-,b,dog,1\ncat,,Catt,2\n"};
    for (size_t i = 0; i < 2; i++) {
        gbv_sources *sources = two_sources();
        apply(sources, maps[i]);
        assert_string_equal(labels_of(sources, 0), "Cat|dog|cat|junk");
        assert_string_equal(labels_of(sources, 1), "tiger|junk|horse");
        gbv_sources_free(sources);
    }
}

static void quotes_and_marks_are_understood(void **state)
{
    (void)state;
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 1, "one, two| blank |say \"hi\"");
    apply(sources, "\xEF\xBB\xBFlabel,class,note\r\n\"one, two\",both,\"a\nb\"\r\n\" blank \",\" kept \",\r\n\"say "
                   "\"\"hi\"\"\",hi,\r\n");
    assert_string_equal(labels_of(sources, 0), "both| kept |hi");
    gbv_sources_free(sources);
}

static void maps_that_do_not_serve_say_why(void **state)
{
    (void)state;
    assert_map_fails("label,class\nCat,cat\nCatt,\n",
                     "line 3: label 'Catt' has no class: fill in the class, repeat the label to keep it");
    assert_map_fails("label,class\nCat,cat\nCatt\n", "line 3");
    assert_map_fails("label,class\nCat,cat\nCat,tiger\n", "line 3 gives label 'Cat' the class 'tiger', line 2");
    assert_map_fails("label,classes\nCat,cat\n", "no column 'class'");
    assert_map_fails("name,class\nCat,cat\n", "no column 'label'");
    assert_map_fails("label,class\nnowhere,x\nneither,y\n", "none of its 2 labels occurs");
    assert_map_fails("label,class\n", "none of its 0 labels");
    assert_map_fails("", "empty");
    assert_map_fails("label,class\n\"Cat,cat\n", "quote");
    assert_map_fails("label,class\nC\xFF,cat\n", "UTF-8");
    gbv_error error;
    gbv_sources *sources = two_sources();
    int status = gbv_sources_map_classes(sources, "/nonexistent/map.csv", &error);
    assert_int_equal(status, GBV_BAD_INPUT);
    gbv_sources_free(sources);
}

static void repeating_a_line_is_no_contradiction(void **state)
{
    (void)state;
    gbv_sources *sources = two_sources();
    apply(sources, "label,class\nCat,cat\nCat,cat\n");
    assert_string_equal(labels_of(sources, 0), "cat|dog|Catt|junk");
    gbv_sources_free(sources);
}

static size_t problems_with(const char *reference_labels, const gbv_sources *sources, gbv_error *error)
{
    class_table table;
    gbv_dataset *reference = labelled("ref.npz", 1, reference_labels);
    size_t problems = sources_fit(reference, sources, &table, NULL, NULL, error);
    class_table_free(&table);
    gbv_dataset_free(reference);
    return problems;
}

static void a_mapped_label_is_meant_as_it_stands(void **state)
{
    (void)state;
    gbv_error error;
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 1, "sneaker|sneakers|boots");
    assert_int_equal(problems_with("sneaker|boots", sources, &error), 1);
    apply(sources, "label,class\nsneakers,sneakers\n");
    assert_int_equal(problems_with("sneaker|boots", sources, &error), 0);
    gbv_sources_free(sources);
}

static void a_map_joins_text_and_integers(void **state)
{
    (void)state;
    gbv_error error;
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 1, "cat|dog");
    add_labelled(sources, "b", 1, "#1|2");
    assert_int_equal(problems_with("#1|2", sources, &error), 1);
    apply(sources, "label,class\ncat,1\ndog,2\n");
    assert_int_equal(problems_with("#1|2", sources, &error), 0);
    /* The other way round: integers to text, one of which looks like an integer. */
    apply(sources, "label,class\n1,cat\n2,3\n");
    assert_string_equal(labels_of(sources, 1), "cat|3");
    assert_int_equal(problems_with("cat|3|x", sources, &error), 0);
    gbv_sources_free(sources);
}

static void a_source_without_rows_left_is_a_problem(void **state)
{
    (void)state;
    gbv_error error;
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 1, "cat|dog");
    add_labelled(sources, "b", 1, "junk");
    apply(sources, "label,class\njunk,-\n");
    assert_int_equal(problems_with("cat|dog", sources, &error), 1);
    assert_holds(error.message, "source 'b' (b) has no rows left after the class map");
    gbv_sources_free(sources);
}

static char *written_map(const gbv_dataset *reference, const gbv_sources *sources)
{
    gbv_error error;
    char path[600], *text = calloc(1, 4096);
    snprintf(path, sizeof path, "%s/written.csv", folder);
    assert_ok(gbv_classes_write(reference, sources, path, &error), error);
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    assert_true(fread(text, 1, 4095, stream) > 0);
    fclose(stream);
    return text;
}

static void a_written_map_leaves_guesses_open(void **state)
{
    (void)state;
    gbv_dataset *reference = labelled("ref.npz", 1, "cat|sneaker|sandal|one, two");
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 1, "cat|Cat|sneakr|horse|one, two");
    add_labelled(sources, "b", 1, "cat|cat|horse");
    char *text = written_map(reference, sources);
    assert_string_equal(text,
                        "label,class,rows,sources,note\n"
                        "Cat,cat,1,1,differs in case or blanks (or - and _)\n"
                        "cat,cat,3,2,\n"
                        "horse,,2,2,\"not a class of the reference: repeat the label to keep it, write - to drop it\"\n"
                        "\"one, two\",\"one, two\",1,1,\n"
                        "sneakr,,1,1,nearest: 'sneaker'\n");
    free(text);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

static void a_written_map_sorts_integers_and_asks_about_kinds(void **state)
{
    (void)state;
    gbv_dataset *reference = labelled("ref.npz", 1, "cat|dog");
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 1, "#10|9|-1");
    char *text = written_map(reference, sources);
    const char *lines[] = {"\n-1,,1,1,", "\n9,,1,1,", "\n10,,1,1,"}, *at = text;
    for (size_t i = 0; i < 3; i++) {
        at = strstr(at, lines[i]);
        assert_non_null(at);
    }
    assert_holds(text, "the label is an integer and the reference's classes are text");
    free(text);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

/* What `gbv classes` writes, filled in, is what --class-map reads. */
static void a_written_map_can_be_applied(void **state)
{
    (void)state;
    gbv_error error;
    gbv_dataset *reference = labelled("ref.npz", 1, "cat|one, two");
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 1, "CAT|One, Two");
    char *text = written_map(reference, sources);
    apply(sources, text);
    assert_string_equal(labels_of(sources, 0), "cat|one, two");
    assert_int_equal(sources_fit(reference, sources, NULL, NULL, NULL, &error), 0);
    free(text);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

static void no_labels_no_map(void **state)
{
    (void)state;
    gbv_error error;
    char path[600];
    snprintf(path, sizeof path, "%s/none.csv", folder);
    gbv_dataset *reference = labelled("ref.npz", 1, "cat");
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 1, "");
    assert_int_equal(gbv_classes_write(reference, sources, path, &error), GBV_BAD_INPUT);
    assert_null(fopen(path, "r"));
    add_labelled(sources, "b", 1, "cat");
    assert_int_equal(gbv_classes_write(reference, sources, "/nonexistent/x.csv", &error), GBV_FAILED);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
}

static int set_up(void **state)
{
    (void)state;
    folder = test_folder_create();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_folder_remove(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_renames_and_leaves_out),
        cmocka_unit_test(a_line_for_one_source_wins_over_the_general_one),
        cmocka_unit_test(quotes_and_marks_are_understood),
        cmocka_unit_test(maps_that_do_not_serve_say_why),
        cmocka_unit_test(repeating_a_line_is_no_contradiction),
        cmocka_unit_test(a_mapped_label_is_meant_as_it_stands),
        cmocka_unit_test(a_map_joins_text_and_integers),
        cmocka_unit_test(a_source_without_rows_left_is_a_problem),
        cmocka_unit_test(a_written_map_leaves_guesses_open),
        cmocka_unit_test(a_written_map_sorts_integers_and_asks_about_kinds),
        cmocka_unit_test(a_written_map_can_be_applied),
        cmocka_unit_test(no_labels_no_map),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
