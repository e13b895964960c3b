/* CSV and TSV: RFC 4180, the columns and what they are for, and every way a row can be wrong. */
#include "file_support.h"

#include "data/dataset.h"

static gbv_dataset *read_csv(const char *text, const gbv_read_options *options)
{
    return read_dataset(write_text("t.csv", text), options);
}

/* Fails unless reading the text fails with a sentence that holds both parts. */
static void assert_csv_refused(const char *text, const gbv_read_options *options, const char *part, const char *other)
{
    assert_refused(write_text("t.csv", text), options, "t.csv", part, other, NULL);
}

static double feature(const gbv_dataset *dataset, size_t row, size_t column)
{
    return gbv_matrix_get(gbv_dataset_features(dataset), row, column);
}

static void a_plain_table_is_read(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a,b,label\n1,2.5,x\n-3,4e2,y\n",
        "a,b,label\r\n1,2.5,x\r\n-3,4e2,y\r\n",
        "a,b,label\n1,2.5,x\n-3,4e2,y",
        "a\tb\tlabel\n1\t2.5\tx\n-3\t4e2\ty\n",
        "a;b;label\n1;2.5;x\n-3;4e2;y\n\n\n",
        "\xEF\xBB\xBF"
        "a,b,label\n1,2.5,x\n-3,4e2,y\n",
        "label,a,b\nx,1,2.5\ny,-3,4e2",
        "a, b, label\n1, 2.5, x\n -3 ,4e2 ,y\n",
        "\"a\",\"b\",\"label\"\n\"1\",2.5,\"x\"\n-3,\"4e2\",y\r\n",
        "b,label,a\n1,x,2.5\n-3,y,4e2\r\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gbv_dataset *dataset = read_csv(texts[i], NULL);
        assert_int_equal(gbv_dataset_rows(dataset), 2);
        assert_int_equal(gbv_dataset_columns(dataset), 2);
        assert_true(feature(dataset, 0, 0) == 1 && feature(dataset, 0, 1) == 2.5);
        assert_true(feature(dataset, 1, 0) == -3 && feature(dataset, 1, 1) == 400);
        assert_int_equal(dataset->kind, LABELS_TEXT);
        assert_string_equal(gbv_dataset_class_name(dataset, 0), "x");
        assert_memory_equal(gbv_dataset_labels(dataset), ((int32_t[]){0, 1}), 8);
        gbv_dataset_free(dataset);
    }
}

static void quotes_hold_separators_quotes_and_line_ends(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_csv("a,label\n1,\"x,\"\"y\"\"\nz\"\n2,\" b \"\n3,\"\"\"\"\n", NULL);
    assert_int_equal(gbv_dataset_class_count(dataset), 3);
    assert_string_equal(gbv_dataset_class_name(dataset, 0), " b ");
    assert_string_equal(gbv_dataset_class_name(dataset, 1), "\"");
    assert_string_equal(gbv_dataset_class_name(dataset, 2), "x,\"y\"\nz");
    gbv_dataset_free(dataset);
    /* Lines are counted through a quoted line end. */
    assert_csv_refused("a,label\n1,\"x\ny\"\nq,z\n", NULL, "line 4", "\"a\"");
}

static void labels_are_integers_when_every_one_is(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_csv("a,y\n1,10\n2,-3\n3,+10\n4,010\n", NULL);
    assert_int_equal(dataset->kind, LABELS_INTEGER);
    assert_int_equal(gbv_dataset_class_count(dataset), 2);
    assert_string_equal(gbv_dataset_class_name(dataset, 0), "-3");
    assert_string_equal(gbv_dataset_class_name(dataset, 1), "10");
    assert_memory_equal(gbv_dataset_labels(dataset), ((int32_t[]){1, 0, 1, 1}), 16);
    gbv_dataset_free(dataset);
    dataset = read_csv("a,y\n1,10\n2,9\n3,1.5\n", NULL);
    assert_int_equal(dataset->kind, LABELS_TEXT);
    assert_string_equal(gbv_dataset_class_name(dataset, 0), "1.5");
    assert_string_equal(gbv_dataset_class_name(dataset, 1), "10");
    gbv_dataset_free(dataset);
    dataset = read_csv("a,y\n1,10\n2,99999999999999999999\n", NULL);
    assert_int_equal(dataset->kind, LABELS_TEXT);
    gbv_dataset_free(dataset);
}

static void the_label_column_is_found_by_its_usual_names(void **state)
{
    (void)state;
    static const char *const names[] = {"label", "Labels", "Y", "target", "TARGETS", "Class"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[100];
        snprintf(text, sizeof text, "a,%s\n1,2\n", names[i]);
        gbv_dataset *dataset = read_csv(text, NULL);
        assert_int_equal(gbv_dataset_columns(dataset), 1);
        assert_int_equal(gbv_dataset_class_count(dataset), 1);
        gbv_dataset_free(dataset);
    }
    assert_csv_refused("a,label,y\n1,2,3\n", NULL, "\"label\" and \"y\"", "--label-column");
    assert_csv_refused("a,b\n1,2\n", NULL, "has no labels", "--label-column");
    assert_csv_refused("a,animal\n1,cat\n", NULL, "no column is called label",
                       "column \"animal\" holds the text \"cat\"");
    assert_csv_refused("a;label\n0,5;cat\n", NULL, "holds \"0,5\"", "decimal point");
}

static void named_columns_are_taken(void **state)
{
    (void)state;
    gbv_read_options options = {.label_column = "kind", .source_column = "who"};
    gbv_dataset *dataset = read_csv("who,a,kind,label\np,1,2,3\nq,4,5,6\np,7,2,9\n", &options);
    assert_int_equal(gbv_dataset_columns(dataset), 2);
    assert_true(feature(dataset, 1, 1) == 6);
    assert_int_equal(dataset->source_count, 2);
    assert_memory_equal(dataset->row_source, ((int32_t[]){0, 1, 0}), 12);
    assert_memory_equal(gbv_dataset_labels(dataset), ((int32_t[]){0, 1, 0}), 12);
    gbv_dataset_free(dataset);
    options = (gbv_read_options){.label_column = "knid"};
    assert_csv_refused("a,kind\n1,2\n", &options, "did you mean \"kind\"?", "a, kind");
    options = (gbv_read_options){.source_column = "annotator"};
    assert_csv_refused("a,label\n1,2\n", &options, "no column \"annotator\"", "a, label");
}

static void a_file_of_labels_may_have_one_column_of_any_name(void **state)
{
    (void)state;
    char features[700];
    snprintf(features, sizeof features, "%s", write_text("f.csv", "a,b\n1,2\n3,4\n"));
    gbv_dataset *dataset = read_dataset(both(features, write_text("l.csv", "animal\ncat\ndog\n")), NULL);
    assert_string_equal(gbv_dataset_class_name(dataset, 1), "dog");
    assert_int_equal(dataset->inputs[0].rows, 2);
    assert_int_equal(dataset->inputs[1].rows, 0);
    gbv_dataset_free(dataset);
    gbv_read_options options = {.source_column = "who"};
    dataset = read_dataset(both(features, write_text("l.csv", "who,animal\np,cat\nq,dog\n")), &options);
    assert_int_equal(dataset->source_count, 2);
    gbv_dataset_free(dataset);
    options.source_column = "nobody";
    assert_refused(both(features, write_text("l.csv", "animal\ncat\ndog\n")), &options, "\"nobody\"", NULL);
    assert_refused(both(features, write_text("l.csv", "id,animal\n1,cat\n2,dog\n")), NULL, "--label-column",
                   "id, animal", NULL);
    assert_refused(both(features, write_text("l.csv", "animal\ncat\n")), NULL, "1 labels for the 2 rows", NULL);
    assert_refused(both(features, write_text("l.csv", "animal\ncat\n\ndog\n")), NULL, "line 3 has no label", NULL);
}

static void the_header_must_name_every_column_once(void **state)
{
    (void)state;
    assert_csv_refused("1,2,3\n4,5,6\n", NULL, "only numbers", "header");
    assert_csv_refused("1,1,1\n4,5,6\n", NULL, "only numbers", "header");
    assert_csv_refused("a,b,a\n1,2,3\n", NULL, "columns 1 and 3", "\"a\"");
    assert_csv_refused(",a,label\n0,1,2\n", NULL, "column 1 has no name", "index=False");
    assert_csv_refused("a,b,\n0,1,2\n", NULL, "column 3 has no name", "name it");
    assert_csv_refused("\n\r\n\n", NULL, "no text but line ends", "header");
    assert_csv_refused("a,\"b\"c,label\n1,2,3\n", NULL, "line 1, column 2", "closing quote");
    assert_csv_refused("a,\xff,label\n1,2,3\n", NULL, "column 2", "UTF-8");
    assert_csv_refused("a,label\n", NULL, "no rows", "at least one");
}

static const struct {
    const char *row, *part, *other;
} bad_rows[] = {
    {"1,2", "line 3 has 2 cells", "names 3 columns"},
    {"1,2,x,4,5", "line 3 has 5 cells", "names 3 columns"},
    {"1,,x", "line 3, column \"b\" is empty", "numbers"},
    {"", "line 3 has 1 cell;", "names 3 columns"},
    {"1,Paris,x", "line 3, column \"b\" holds \"Paris\"", "--label-column"},
    {"1,nan,x", "line 3, column \"b\" holds nan", "finite"},
    {"-inf,2,x", "line 3, column \"a\" holds -inf", "finite"},
    {"1e999,2,x", "line 3, column \"a\" holds 1e999", "finite"},
    {"1,2,", "line 3 has no label", "\"label\""},
    {"1,2,\"\"", "line 3 has no label", "\"label\""},
    {"1,2,\xc3(", "line 3 has text that is not valid UTF-8 (save the file so) as label", "\"label\""},
    {"1,\"2\"3,x", "line 3, column \"b\"", "closing quote"},
    {"0x10,2,x", "line 3, column \"a\" holds \"0x10\"", "numbers"},
    {"1 2,2,x", "line 3, column \"a\" holds \"1 2\"", "numbers"},
    {"1.2.3,2,x", "line 3, column \"a\" holds \"1.2.3\"", "numbers"},
    {"1e,2,x", "line 3, column \"a\" holds \"1e\"", "numbers"},
};

static void every_bad_row_is_refused_with_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_rows / sizeof *bad_rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "a,b,label\n1,2,x\n%s\n3,4,y\n", bad_rows[i].row);
        assert_csv_refused(text, NULL, bad_rows[i].part, bad_rows[i].other);
        assert_csv_refused(text, NULL, "mend the row or use --skip-bad-rows", "");
    }
}

static void bad_rows_are_left_out_and_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_rows / sizeof *bad_rows; i++) {
        char text[200];
        heard h = {0};
        gbv_read_options options = {.skip_bad_rows = true, .on_bad_row = hear, .context = &h};
        snprintf(text, sizeof text, "a,b,label\n1,2,x\n%s\n3,4,y\n", bad_rows[i].row);
        gbv_dataset *dataset = read_csv(text, &options);
        assert_int_equal(h.count, 1);
        assert_non_null(strstr(h.text, bad_rows[i].part));
        assert_int_equal(gbv_dataset_rows(dataset), 2);
        assert_int_equal(gbv_dataset_features(dataset)->rows, 3);
        assert_int_equal(dataset->inputs[0].rows, 3);
        assert_memory_equal(dataset->row_index, ((size_t[]){0, 2}), 2 * sizeof(size_t));
        assert_memory_equal(gbv_dataset_labels(dataset), ((int32_t[]){0, 1}), 8);
        assert_true(feature(dataset, 2, 1) == 4);
        gbv_dataset_free(dataset);
    }
}

static void labels_of_bad_rows_make_no_class(void **state)
{
    (void)state;
    gbv_read_options options = {.skip_bad_rows = true};
    gbv_dataset *dataset = read_csv("label,a\n5,1\nword,bad\n6,3\n", &options);
    assert_int_equal(dataset->kind, LABELS_INTEGER);
    assert_int_equal(gbv_dataset_class_count(dataset), 2);
    gbv_dataset_free(dataset);
}

static void a_file_of_bad_rows_is_refused(void **state)
{
    (void)state;
    gbv_read_options options = {.skip_bad_rows = true};
    assert_csv_refused("a,label\nx,1\ny,2\n", &options, "none of its 2 rows", "line 2, column \"a\"");
}

static void short_lines_under_a_long_header_take_no_memory(void **state)
{
    (void)state;
    enum { COLUMNS = 20000, LINES = 20000 }; /* 3.2 GB, were every line a row */
    char *text = malloc(COLUMNS * 8 + LINES * 2), *at = text;
    for (int i = 0; i < COLUMNS; i++)
        at += sprintf(at, "c%d,", i);
    at += sprintf(at, "label\n");
    for (int i = 0; i < LINES; i++)
        at += sprintf(at, "1\n");
    gbv_read_options options = {.skip_bad_rows = true};
    assert_csv_refused(text, &options, "fewer cells than the 20001 columns", "separator");
    free(text);
}

static void a_quote_that_is_never_closed_is_refused(void **state)
{
    (void)state;
    gbv_read_options options = {.skip_bad_rows = true};
    assert_csv_refused("a,label\n1,x\n2,\"y\n3,z\n", &options, "line 3 opens a quote", "never closed");
}

static void labels_are_optional_where_only_features_are_wanted(void **state)
{
    (void)state;
    gbv_read_options options = {.features_only = true};
    gbv_dataset *dataset = read_csv("a,b\n1,2\n", &options);
    assert_int_equal(dataset->kind, LABELS_NONE);
    assert_null(gbv_dataset_labels(dataset));
    gbv_dataset_free(dataset);
    dataset = read_csv("a,label\n1,x\n2,\n", &options); /* partly labelled: as good as not at all */
    assert_int_equal(gbv_dataset_rows(dataset), 2);
    assert_null(gbv_dataset_labels(dataset));
    gbv_dataset_free(dataset);
    dataset = read_csv("a,label\n1,x\n", &options);
    assert_non_null(gbv_dataset_labels(dataset));
    gbv_dataset_free(dataset);
}

static void many_rows_keep_their_numbers(void **state)
{
    (void)state;
    enum { ROWS = 3000 };
    char *text = malloc(ROWS * 64), *at = text;
    at += sprintf(at, "a,b,label\n");
    for (int i = 0; i < ROWS; i++)
        at += sprintf(at, "%d,%.17g,%d\n", i, sin(i), i % 7);
    gbv_dataset *dataset = read_csv(text, NULL);
    free(text);
    assert_int_equal(gbv_dataset_rows(dataset), ROWS);
    for (int i = 0; i < ROWS; i++)
        assert_true(feature(dataset, (size_t)i, 0) == i && feature(dataset, (size_t)i, 1) == sin(i) &&
                    gbv_dataset_labels(dataset)[i] == i % 7);
    gbv_dataset_free(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_table_is_read),
        cmocka_unit_test(quotes_hold_separators_quotes_and_line_ends),
        cmocka_unit_test(labels_are_integers_when_every_one_is),
        cmocka_unit_test(the_label_column_is_found_by_its_usual_names),
        cmocka_unit_test(named_columns_are_taken),
        cmocka_unit_test(a_file_of_labels_may_have_one_column_of_any_name),
        cmocka_unit_test(the_header_must_name_every_column_once),
        cmocka_unit_test(every_bad_row_is_refused_with_its_line),
        cmocka_unit_test(bad_rows_are_left_out_and_reported),
        cmocka_unit_test(labels_of_bad_rows_make_no_class),
        cmocka_unit_test(a_file_of_bad_rows_is_refused),
        cmocka_unit_test(short_lines_under_a_long_header_take_no_memory),
        cmocka_unit_test(a_quote_that_is_never_closed_is_refused),
        cmocka_unit_test(labels_are_optional_where_only_features_are_wanted),
        cmocka_unit_test(many_rows_keep_their_numbers),
    };
    return RUN_WITH_FOLDER(tests);
}
