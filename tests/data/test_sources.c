/* test_sources.c - the collection of sources: files, folders, tables, and what is refused. */
#include "data/sources.h"

#include <sys/stat.h>

#include "base/sentence.h"
#include "data/data_support.h"

static char *folder;

static const char *path_of(const char *name)
{
    static char paths[4][600];
    static int next;
    next = (next + 1) % 4;
    snprintf(paths[next], sizeof *paths, "%s/%s", folder, name);
    return paths[next];
}

static const char *label_of(const gbv_sources *sources, size_t index, size_t row)
{
    return sources->labels[sources->items[index].labels[row]].text;
}

static void files_become_sources_in_the_order_given(void **state)
{
    (void)state;
    gbv_error error;
    gbv_sources *sources = gbv_sources_create();
    write_text_file(folder, "one.csv", "a,b,label\n1,2,cat\n3,4,dog\n");
    write_text_file(folder, "two.csv", "a,b,label\n5,6,dog\n");
    assert_ok(gbv_sources_add_file(sources, "second", path_of("two.csv"), NULL, &error), error);
    assert_ok(gbv_sources_add_file(sources, "first", path_of("one.csv"), NULL, &error), error);
    assert_int_equal(gbv_sources_count(sources), 2);
    assert_string_equal(gbv_sources_name(sources, 0), "second");
    assert_string_equal(gbv_sources_name(sources, 1), "first");
    assert_null(gbv_sources_name(sources, 2));
    assert_int_equal(gbv_sources_rows(sources, 1), 2);
    assert_string_equal(label_of(sources, 1, 0), "cat");
    assert_string_equal(label_of(sources, 1, 1), "dog");
    /* 'dog' of both files is one label */
    assert_int_equal(sources->items[0].labels[0], sources->items[1].labels[1]);
    assert_int_equal(sources->label_count, 2);
    assert_false(sources->from_table);
    gbv_sources_free(sources);
}

static void names_are_checked_and_a_failure_changes_nothing(void **state)
{
    (void)state;
    gbv_error error;
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "anna", 2, "cat|dog");
    const char *const wrong[][2] = {{"", "empty"}, {"\xC3\x28", "UTF-8"}, {"a\tb", "control"}, {"anna", "two sources"}};
    for (size_t i = 0; i < 4; i++) {
        int status = gbv_sources_add_dataset(sources, wrong[i][0], labelled("other.npz", 2, "new|label"), &error);
        assert_int_equal(status, GBV_BAD_INPUT);
        assert_int_equal(error.status, GBV_BAD_INPUT);
        assert_holds(error.message, wrong[i][1]);
        assert_holds(error.message, "other.npz");
        assert_int_equal(gbv_sources_count(sources), 1);
        assert_int_equal(sources->label_count, 2);
        assert_int_equal(sources->dataset_count, 1);
    }
    assert_holds(error.message, "one from anna and one from other.npz");
    add_labelled(sources, "\xC3\xA4nn\xC3\xA4", 2, "cat|new");
    assert_int_equal(sources->label_count, 3);
    gbv_sources_free(sources);
}

static void integers_and_texts_are_different_labels(void **state)
{
    (void)state;
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "a", 1, "#3|4");
    add_labelled(sources, "b", 1, "3|x");
    assert_int_equal(sources->label_count, 4);
    assert_int_not_equal(sources->items[0].labels[0], sources->items[1].labels[0]);
    gbv_sources_free(sources);
}

static void a_folder_gives_its_files_in_the_order_of_bytes(void **state)
{
    (void)state;
    gbv_error error;
    gbv_sources *sources = gbv_sources_create();
    mkdir(path_of("many"), 0700);
    write_text_file(folder, "many/b.csv", "x,label\n1,p\n");
    write_text_file(folder, "many/B.v2.csv", "x,label\n1,p\n");
    write_text_file(folder, "many/a.TSV", "x\tlabel\n1\tp\n");
    write_text_file(folder, "many/.hidden", "nonsense");
    assert_ok(gbv_sources_add_folder(sources, path_of("many"), NULL, &error), error);
    assert_int_equal(gbv_sources_count(sources), 3);
    assert_string_equal(gbv_sources_name(sources, 0), "B.v2");
    assert_string_equal(gbv_sources_name(sources, 1), "a");
    assert_string_equal(gbv_sources_name(sources, 2), "b");
    gbv_sources_free(sources);
}

static void assert_folder_fails(const char *name, const char *part)
{
    gbv_error error = {0};
    gbv_sources *sources = gbv_sources_create();
    add_labelled(sources, "before", 1, "p");
    int status = gbv_sources_add_folder(sources, path_of(name), NULL, &error);
    assert_int_equal(status, GBV_BAD_INPUT);
    assert_holds(error.message, part);
    assert_int_equal(gbv_sources_count(sources), 1);
    assert_int_equal(sources->label_count, 1);
    add_labelled(sources, "a", 1, "p"); /* a name that the folder took before it failed is free again */
    assert_string_equal(gbv_sources_name(sources, 1), "a");
    gbv_sources_free(sources);
}

static void folders_that_do_not_serve_say_why(void **state)
{
    (void)state;
    mkdir(path_of("empty"), 0700);
    assert_folder_fails("empty", "holds no file");
    assert_folder_fails("missing", "missing");
    mkdir(path_of("deep"), 0700);
    mkdir(path_of("deep/inner"), 0700);
    write_text_file(folder, "deep/a.csv", "x,label\n1,q\n");
    assert_folder_fails("deep", "deep/inner: the folder is empty");
    mkdir(path_of("twice"), 0700);
    write_text_file(folder, "twice/a.csv", "x,label\n1,q\n");
    write_text_file(folder, "twice/a.tsv", "x\tlabel\n1\tq\n");
    assert_folder_fails("twice", "twice/a.csv and one from");
    mkdir(path_of("broken"), 0700);
    write_text_file(folder, "broken/a.csv", "x,label\n1,q\n");
    write_text_file(folder, "broken/b.csv", "x,label\nnan,q\n");
    assert_folder_fails("broken", "broken/b.csv");
}

static void a_table_is_dealt_out_by_its_source_column(void **state)
{
    (void)state;
    gbv_error error;
    gbv_sources *sources = gbv_sources_create();
    write_text_file(folder, "table.csv",
                    "x,who,label\n0,ben,cat\n1,anna,dog\n2,ben,dog\n3,,cat\n4,anna,cat\n5,ben,bird\n");
    gbv_read_options options = {.source_column = "who", .label_column = "label", .skip_bad_rows = true};
    assert_ok(gbv_sources_add_table(sources, path_of("table.csv"), &options, &error), error);
    assert_int_equal(gbv_sources_count(sources), 2);
    assert_string_equal(gbv_sources_name(sources, 0), "ben");
    assert_string_equal(gbv_sources_name(sources, 1), "anna");
    assert_true(sources->from_table);
    assert_int_equal(gbv_sources_rows(sources, 0), 3);
    assert_int_equal(gbv_sources_rows(sources, 1), 2);
    const double ben[] = {0, 2, 5}, anna[] = {1, 4};
    for (size_t i = 0; i < 3; i++)
        assert_true(gbv_matrix_get(&sources->items[0].dataset->features, sources->items[0].rows[i], 0) == ben[i]);
    for (size_t i = 0; i < 2; i++)
        assert_true(gbv_matrix_get(&sources->items[1].dataset->features, sources->items[1].rows[i], 0) == anna[i]);
    assert_string_equal(label_of(sources, 0, 2), "bird");
    assert_string_equal(label_of(sources, 1, 0), "dog");
    /* The same names again: refused, and the collection is as before. */
    int status = gbv_sources_add_table(sources, path_of("table.csv"), &options, &error);
    assert_int_equal(status, GBV_BAD_INPUT);
    assert_int_equal(gbv_sources_count(sources), 2);
    assert_int_equal(sources->dataset_count, 1);
    gbv_sources_free(sources);
}

static void a_table_needs_a_source_column(void **state)
{
    (void)state;
    gbv_error error;
    gbv_sources *sources = gbv_sources_create();
    write_text_file(folder, "plain.csv", "x,label\n0,cat\n");
    int status = gbv_sources_add_table(sources, path_of("plain.csv"), NULL, &error);
    assert_int_equal(status, GBV_USAGE);
    assert_holds(error.message, "--source-column");
    gbv_read_options options = {.source_column = "who"};
    status = gbv_sources_add_table(sources, path_of("plain.csv"), &options, &error);
    assert_int_equal(status, GBV_BAD_INPUT);
    assert_int_equal(gbv_sources_count(sources), 0);
    gbv_sources_free(sources);
}

static void skipped_rows_are_no_rows_of_a_source(void **state)
{
    (void)state;
    gbv_error error;
    gbv_sources *sources = gbv_sources_create();
    write_text_file(folder, "holes.csv", "x,label\n0,cat\nnan,dog\n2,dog\n");
    gbv_read_options options = {.skip_bad_rows = true};
    assert_ok(gbv_sources_add_file(sources, "s", path_of("holes.csv"), &options, &error), error);
    const source *s = &sources->items[0];
    assert_int_equal(s->row_count, 2);
    assert_true(gbv_matrix_get(&s->dataset->features, s->rows[1], 0) == 2);
    assert_string_equal(label_of(sources, 0, 1), "dog");
    gbv_sources_free(sources);
}

static void many_sources_keep_their_names_and_labels(void **state)
{
    (void)state;
    gbv_error error;
    gbv_sources *sources = gbv_sources_create();
    char name[32], label[32];
    enum { MANY = 3000 };
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "source %d", i);
        snprintf(label, sizeof label, "label %d|common", i % 700);
        add_labelled(sources, name, 1, label);
    }
    assert_int_equal(sources->label_count, 701);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "source %d", i);
        snprintf(label, sizeof label, "label %d", i % 700);
        assert_string_equal(gbv_sources_name(sources, (size_t)i), name);
        assert_string_equal(label_of(sources, (size_t)i, 0), label);
        assert_string_equal(label_of(sources, (size_t)i, 1), "common");
    }
    int status = gbv_sources_add_dataset(sources, "source 1234", labelled("x", 1, "a"), &error);
    assert_int_equal(status, GBV_BAD_INPUT);
    gbv_sources_free(sources);
    gbv_sources_free(NULL);
}

static void long_texts_are_cut_between_characters(void **state)
{
    (void)state;
    sentence s = {0};
    char text[101];
    for (int i = 0; i < 50; i++)
        memcpy(text + 2 * i, "\xC3\xA4", 3);
    text[0] = 'x'; /* now the 60th byte is the first half of a character */
    text[1] = '\n';
    sentence_quote(&s, text + 1);
    assert_int_equal(s.text[1], '?');
    assert_holds(s.text, "\xC3\xA4...'");
    for (int i = 0; i < 100; i++)
        sentence_add(&s, "%s", "twelve bytes");
    assert_int_equal(s.length, sizeof s.text - 1);
    assert_int_equal(strlen(s.text), s.length);
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

static void rows_in_memory_are_dealt_out_by_number(void **state)
{
    (void)state;
    gbv_error error;
    gbv_sources *sources = gbv_sources_create();
    const char *names[] = {"anna", "nobody", "ben"};
    int32_t numbers[] = {2, 0, 2, 2}, wrong[] = {0, 1, 3, 0}, negative[] = {0, -1, 0, 0};
    assert_int_equal(gbv_sources_add_grouped(sources, labelled("table", 2, "a|b|a|b"), wrong, names, 3, &error),
                     GBV_USAGE);
    assert_holds(error.message, "table: row 3 has the source number 3");
    assert_int_equal(gbv_sources_add_grouped(sources, labelled("table", 2, "a|b|a|b"), negative, names, 3, &error),
                     GBV_USAGE);
    assert_int_equal(gbv_sources_count(sources), 0);
    assert_ok(gbv_sources_add_grouped(sources, labelled("table", 2, "a|b|a|b"), numbers, names, 3, &error), error);
    assert_int_equal(gbv_sources_count(sources), 2);
    assert_string_equal(gbv_sources_name(sources, 0), "ben");
    assert_string_equal(gbv_sources_name(sources, 1), "anna");
    assert_int_equal(gbv_sources_rows(sources, 0), 3);
    assert_int_equal(gbv_sources_row_index(sources, 0)[1], 2);
    assert_int_equal(gbv_sources_row_index(sources, 1)[0], 1);
    assert_ptr_equal(gbv_sources_dataset(sources, 0), gbv_sources_dataset(sources, 1));
    assert_string_equal(label_of(sources, 1, 0), "b");
    assert_true(sources->from_table);
    /* The same names again: refused, and the collection stays as it was. */
    assert_int_equal(gbv_sources_add_grouped(sources, labelled("again", 2, "a|b|a|b"), numbers, names, 3, &error),
                     GBV_BAD_INPUT);
    assert_int_equal(gbv_sources_count(sources), 2);
    add_labelled(sources, "whole", 2, "a|b");
    assert_null(gbv_sources_row_index(sources, 2));
    assert_null(gbv_sources_dataset(sources, 3));
    gbv_sources_free(sources);
}

/* What is wrong with a source beside a reference, both as CSV; "" when nothing is. */
static const char *problem_beside(const char *reference_text, const char *source_text)
{
    static gbv_error problem;
    gbv_error error;
    gbv_dataset *reference = NULL;
    gbv_sources *sources = gbv_sources_create();
    write_text_file(folder, "reference.csv", reference_text);
    write_text_file(folder, "source.csv", source_text);
    assert_ok(gbv_dataset_read(path_of("reference.csv"), NULL, &reference, &error), error);
    assert_ok(gbv_sources_add_file(sources, "s", path_of("source.csv"), NULL, &error), error);
    problem = (gbv_error){0};
    sources_fit(reference, sources, NULL, NULL, NULL, &problem);
    gbv_sources_free(sources);
    gbv_dataset_free(reference);
    return problem.message;
}

static void columns_of_one_name_must_stand_in_one_place(void **state)
{
    (void)state;
    const char *reference = "a,b,c,label\n1,2,3,x\n2,3,4,y\n";
    const char *problem = problem_beside(reference, "q,label,c,b\n1,x,2,3\n2,y,3,4\n");
    assert_non_null(strstr(problem, "has the column 'q' as feature 1, the reference"));
    assert_non_null(strstr(problem, "bring the columns into the same order"));
    assert_string_equal(problem_beside(reference, "label,a,b,c\nx,1,2,3\ny,1,2,4\n"), "");
    assert_string_equal(problem_beside(reference, "u,v,w,label\n1,2,3,x\n1,2,4,y\n"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_one_name_must_stand_in_one_place),
        cmocka_unit_test(files_become_sources_in_the_order_given),
        cmocka_unit_test(names_are_checked_and_a_failure_changes_nothing),
        cmocka_unit_test(integers_and_texts_are_different_labels),
        cmocka_unit_test(a_folder_gives_its_files_in_the_order_of_bytes),
        cmocka_unit_test(folders_that_do_not_serve_say_why),
        cmocka_unit_test(a_table_is_dealt_out_by_its_source_column),
        cmocka_unit_test(a_table_needs_a_source_column),
        cmocka_unit_test(skipped_rows_are_no_rows_of_a_source),
        cmocka_unit_test(many_sources_keep_their_names_and_labels),
        cmocka_unit_test(rows_in_memory_are_dealt_out_by_number),
        cmocka_unit_test(long_texts_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
