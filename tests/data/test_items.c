/* test_items.c - the name of the item that each row shows, from a column or an array. */
#include "data/dataset.h"
#include "data/format/format.h"
#include "file_support.h"

#define TABLE "id,x,label\n7,1,a\nseven,2,b\n"

static void a_column_named_id_is_a_feature_unless_items_are_wanted(void **state)
{
    (void)state;
    const char *path = write_text("numbers.csv", "id,x,label\n7,1,a\n8,2,b\n");
    gbv_dataset *dataset = read_dataset(path, NULL);
    assert_int_equal(gbv_dataset_columns(dataset), 2);
    assert_null(gbv_dataset_item(dataset, 0));
    gbv_dataset_free(dataset);
    dataset = read_dataset(path, &(gbv_read_options){.wants_items = true});
    assert_int_equal(gbv_dataset_columns(dataset), 1);
    assert_string_equal(gbv_dataset_item(dataset, 0), "7");
    assert_string_equal(gbv_dataset_item(dataset, 1), "8");
    assert_null(gbv_dataset_item(dataset, 2));
    assert_false(dataset->items_are_files);
    gbv_dataset_free(dataset);
}

static void a_named_column_holds_the_items(void **state)
{
    (void)state;
    const char *path = write_text("named.csv", "x,what,label\n1,\" a b\",p\n2,c,q\n");
    gbv_dataset *dataset = read_dataset(path, &(gbv_read_options){.item_column = "what"});
    assert_int_equal(gbv_dataset_columns(dataset), 1);
    assert_string_equal(gbv_dataset_item(dataset, 0), " a b");
    assert_string_equal(dataset->item_column, "what");
    gbv_dataset_free(dataset);
    assert_refused(path, &(gbv_read_options){.item_column = "wat"}, "no column \"wat\"", "\"what\"", NULL);
}

static void every_usual_name_is_found_in_any_case(void **state)
{
    (void)state;
    for (size_t i = 0; usual_item_names[i]; i++) {
        char text[100];
        snprintf(text, sizeof text, "%c%s,x,label\nn1,1,a\nn2,2,b\n", usual_item_names[i][0] - 32,
                 usual_item_names[i] + 1);
        gbv_dataset *dataset = read_dataset(write_text("u.csv", text), &(gbv_read_options){.wants_items = true});
        assert_string_equal(gbv_dataset_item(dataset, 1), "n2");
        assert_int_equal(dataset->items_are_files, strstr("file filename path image", usual_item_names[i]) != NULL);
        gbv_dataset_free(dataset);
    }
}

static void two_columns_that_may_be_the_item_must_be_told_apart(void **state)
{
    (void)state;
    const char *path = write_text("two.csv", "id,file,x,label\n7,a.png,1,p\n8,b.png,2,q\n");
    assert_refused(path, &(gbv_read_options){.wants_items = true}, "both \"id\" and \"file\" may be the item",
                   "--item-column", NULL);
    gbv_dataset *dataset = read_dataset(path, &(gbv_read_options){.wants_items = true, .item_column = "file"});
    assert_string_equal(gbv_dataset_item(dataset, 0), "a.png");
    assert_true(dataset->items_are_files);
    assert_int_equal(gbv_dataset_columns(dataset), 1);
    gbv_dataset_free(dataset);
}

static void a_set_without_items_is_read_all_the_same(void **state)
{
    (void)state;
    const char *path = write_text("none.csv", "x,label\n1,a\n2,b\n");
    gbv_dataset *dataset = read_dataset(path, &(gbv_read_options){.wants_items = true});
    assert_null(dataset->item_names);
    assert_null(gbv_dataset_item(dataset, 0));
    gbv_dataset_free(dataset);
    assert_refused(FILES "f8_c_little.npy", &(gbv_read_options){.item_column = "id", .features_only = true},
                   "no column or array \"id\"", "item", NULL);
}

static void items_may_be_beside_the_labels(void **state)
{
    (void)state;
    const char *features = write_text("f.csv", "x\n1\n2\n"), *labels = write_text("l.csv", "task_id,a\nt1,3\nt2,4\n");
    gbv_dataset *dataset = read_dataset(both(features, labels), &(gbv_read_options){.wants_items = true});
    assert_string_equal(gbv_dataset_item(dataset, 1), "t2");
    assert_string_equal(gbv_dataset_class_name(dataset, 1), "4");
    gbv_dataset_free(dataset);
}

static void a_row_without_an_item_is_bad(void **state)
{
    (void)state;
    const char *path = write_text("gap.csv", "id,x,label\n7,1,a\n,2,b\n9,3,b\n");
    assert_refused(path, &(gbv_read_options){.wants_items = true}, "line 3 has no item in column \"id\"", NULL);
    gbv_dataset *dataset = read_dataset(path, &(gbv_read_options){.wants_items = true, .skip_bad_rows = true});
    assert_int_equal(gbv_dataset_rows(dataset), 2);
    assert_string_equal(gbv_dataset_item(dataset, 0), "7");
    assert_null(gbv_dataset_item(dataset, 1));
    assert_string_equal(gbv_dataset_item(dataset, 2), "9");
    gbv_dataset_free(dataset);
}

static void one_column_serves_one_purpose(void **state)
{
    (void)state;
    gbv_error error;
    gbv_dataset *dataset;
    const char *path = write_text("once.csv", TABLE);
    assert_int_equal(
        gbv_dataset_read(path, &(gbv_read_options){.item_column = "label", .label_column = "label"}, &dataset, &error),
        GBV_USAGE);
    assert_non_null(strstr(error.message, "both the label and the item"));
}

static void an_archive_names_items_by_text_or_number(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_dataset(FILES "sources.npz", &(gbv_read_options){.item_column = "who"});
    assert_string_equal(gbv_dataset_item(dataset, 1), "q");
    gbv_dataset_free(dataset);
    dataset = read_dataset(FILES "stored.npz", &(gbv_read_options){.item_column = "y"});
    assert_string_equal(gbv_dataset_item(dataset, 1), "0");
    assert_string_equal(gbv_dataset_item(dataset, 3), "2");
    gbv_dataset_free(dataset);
    assert_refused(FILES "stored.npz", &(gbv_read_options){.item_column = "z"}, "no array \"z\" for the items", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_named_id_is_a_feature_unless_items_are_wanted),
        cmocka_unit_test(a_named_column_holds_the_items),
        cmocka_unit_test(every_usual_name_is_found_in_any_case),
        cmocka_unit_test(two_columns_that_may_be_the_item_must_be_told_apart),
        cmocka_unit_test(a_set_without_items_is_read_all_the_same),
        cmocka_unit_test(items_may_be_beside_the_labels),
        cmocka_unit_test(a_row_without_an_item_is_bad),
        cmocka_unit_test(one_column_serves_one_purpose),
        cmocka_unit_test(an_archive_names_items_by_text_or_number),
    };
    return RUN_WITH_FOLDER(tests);
}
