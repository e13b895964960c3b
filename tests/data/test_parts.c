/* test_parts.c - datasets split over several files: patterns and folders, and parts that do not belong together. */
#include "data/dataset.h"
#include "folder_support.h"

/* A path in the test's folder. */
static const char *in_folder(const char *name)
{
    static char paths[8][700];
    static size_t turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
    return path;
}

static void a_pattern_names_parts_in_byte_order(void **state)
{
    (void)state;
    write_text("p_2.csv", "x,z,label\n3,4,dog\n");
    write_text("p_10.csv", "x,z,label\n1,2,cat\n");
    write_text("p_B.csv", "x,z,label\n5,6,cat\n7,8,owl\n");
    gbv_dataset *dataset = read_dataset(in_folder("p_*.csv"), NULL);
    assert_int_equal(gbv_dataset_rows(dataset), 4);
    const double expected[] = {1, 3, 5, 7};
    for (size_t i = 0; i < 4; i++)
        assert_true(gbv_matrix_get(gbv_dataset_features(dataset), i, 0) == expected[i]);
    assert_int_equal(gbv_dataset_class_count(dataset), 3);
    assert_int_equal(gbv_dataset_labels(dataset)[3], 2);
    assert_int_equal(dataset->input_count, 3);
    assert_non_null(strstr(dataset->inputs[0].path, "p_10.csv"));
    assert_int_equal(dataset->inputs[2].rows, 2);
    assert_int_equal(strlen(dataset->inputs[1].sha256), 64);
    gbv_dataset_free(dataset);
    assert_refused(in_folder("q_*.csv"), NULL, "no file matches", NULL);
}

static void a_folder_of_files_is_one_dataset(void **state)
{
    (void)state;
    const char *path = make_folder("parts");
    write_text("parts/a.csv", "x,label\n1,0\n");
    write_text("parts/b.csv", "x,label\n2,1\n");
    write_text("parts/.c.csv", "nonsense");
    gbv_dataset *dataset = read_dataset(path, NULL);
    assert_int_equal(gbv_dataset_rows(dataset), 2);
    assert_int_equal(dataset->kind, LABELS_INTEGER);
    assert_int_equal(dataset->input_count, 2);
    gbv_dataset_free(dataset);
}

static void a_part_without_a_usable_label_does_not_make_the_others_text(void **state)
{
    (void)state;
    write_text("u_1.csv", "x,label\n1,\n");
    write_text("u_2.csv", "x,label\n2,10\n3,9\n");
    gbv_dataset *dataset = read_dataset(in_folder("u_*.csv"), &(gbv_read_options){.skip_bad_rows = true});
    assert_int_equal(dataset->kind, LABELS_INTEGER);
    assert_string_equal(gbv_dataset_class_name(dataset, 0), "9");
    gbv_dataset_free(dataset);
    write_text("u_3.csv", "x,label\n4,cat\n");
    assert_refused(in_folder("u_*.csv"), &(gbv_read_options){.skip_bad_rows = true}, "u_3.csv: its labels are text",
                   "u_2.csv are whole numbers", NULL);
}

static void features_and_labels_are_paired_in_order(void **state)
{
    (void)state;
    write_text("f1.csv", "x\n1\n2\n");
    write_text("f2.csv", "x\n3\n");
    write_text("l1.csv", "label\na\nb\n");
    write_text("l2.csv", "label\nc\n");
    char argument[1500];
    snprintf(argument, sizeof argument, "%s/f?.csv,%s/l[12].csv", test_folder, test_folder);
    gbv_dataset *dataset = read_dataset(argument, NULL);
    assert_int_equal(gbv_dataset_rows(dataset), 3);
    assert_string_equal(gbv_dataset_class_name(dataset, (size_t)gbv_dataset_labels(dataset)[2]), "c");
    assert_int_equal(dataset->input_count, 4);
    assert_non_null(strstr(dataset->inputs[1].path, "l1.csv"));
    assert_int_equal(dataset->inputs[1].rows, 0);
    gbv_dataset_free(dataset);
    snprintf(argument, sizeof argument, "%s/f?.csv,%s/l1.csv", test_folder, test_folder);
    assert_refused(argument, NULL, "2 files of features and 1 of labels", NULL);
    snprintf(argument, sizeof argument, "%s/f?.csv,%s/none*.csv", test_folder, test_folder);
    assert_refused(argument, NULL, "no file", "none*.csv", NULL);
}

static void one_match_is_used_in_place(void **state)
{
    (void)state;
    unsigned char idx[] = {0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 1, 5, 6};
    write_file("one.idx", idx, sizeof idx);
    gbv_dataset *dataset = read_features(in_folder("one*.idx"));
    assert_non_null(dataset->file.mapping);
    gbv_dataset_free(dataset);
    write_file("one2.idx", idx, sizeof idx);
    dataset = read_features(in_folder("one*.idx"));
    assert_null(dataset->file.mapping);
    assert_int_equal(dataset->features.type, GBV_U8); /* parts of one type keep it */
    assert_int_equal((int)gbv_matrix_get(&dataset->features, 3, 0), 6);
    gbv_dataset_free(dataset);
    unsigned char wide[] = {0, 0, 0x0B, 2, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2};
    write_file("one3.idx", wide, sizeof wide);
    dataset = read_features(in_folder("one*.idx"));
    assert_int_equal(dataset->features.type, GBV_F64);
    assert_true(gbv_matrix_get(&dataset->features, 4, 0) == 258);
    gbv_dataset_free(dataset);
}

static void strided_and_swapped_parts_keep_their_numbers(void **state)
{
    (void)state;
    char argument[1500];
    snprintf(argument, sizeof argument, "%sf4_[cf]*.npy", FILES); /* native C order, then big-endian Fortran order */
    gbv_dataset *dataset = read_features(argument), *one = read_features(FILES "f4_c_little.npy");
    size_t rows = one->features.rows, columns = one->features.columns;
    assert_int_equal(dataset->features.rows, 2 * rows);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double value = gbv_matrix_get(&one->features, i, j);
            assert_true(gbv_matrix_get(&dataset->features, i, j) == value);
            assert_true(gbv_matrix_get(&dataset->features, rows + i, j) == value);
        }
    gbv_dataset_free(dataset);
    gbv_dataset_free(one);
}

static void parts_that_differ_are_named(void **state)
{
    (void)state;
    write_text("w1.csv", "x,z,label\n1,2,a\n");
    write_text("w2.csv", "x,label\n1,a\n");
    assert_refused(in_folder("w?.csv"), NULL, "w2.csv: has 1 features a row", "w1.csv has 2", NULL);
    write_text("w2.csv", "z,x,label\n1,2,a\n");
    assert_refused(in_folder("w?.csv"), NULL, "w2.csv: its feature 1 is the column \"z\"", "it is \"x\"", NULL);
    write_text("w2.csv", "x,z,label\n1,2,3\n");
    assert_refused(in_folder("w?.csv"), NULL, "w2.csv: its labels are whole numbers", "w1.csv are text", NULL);
    write_text("w2.csv", "id,x,z,label\n1,1,2,a\n");
    assert_refused(in_folder("w?.csv"), &(gbv_read_options){.wants_items = true}, "w2.csv: names each row's item",
                   "w1.csv does not", NULL);
    unsigned char tall[] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 5, 6},
                  flat[] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 5, 6};
    write_file("s1", tall, sizeof tall);
    write_file("s2", flat, sizeof flat);
    assert_refused(in_folder("s?"), &(gbv_read_options){.features_only = true}, "s2: its images have 2 x 1 pixels",
                   "1 x 2 pixels, 1 channel", NULL);
}

static void bad_rows_are_counted_within_their_part(void **state)
{
    (void)state;
    write_text("b1.csv", "x,label\n1,a\n2,b\n");
    write_text("b2.csv", "x,label\n3,a\nnan,b\n5,b\n");
    assert_refused(in_folder("b?.csv"), NULL, "b2.csv: line 3", NULL);
    gbv_dataset *dataset = read_dataset(in_folder("b?.csv"), &(gbv_read_options){.skip_bad_rows = true});
    assert_int_equal(gbv_dataset_rows(dataset), 4);
    assert_int_equal(dataset->features.rows, 5);
    assert_int_equal(dataset->row_index[3], 4);
    gbv_dataset_free(dataset);
    write_text("b3.csv", "x,label\n");
    assert_refused(in_folder("b?.csv"), &(gbv_read_options){.skip_bad_rows = true}, "b3.csv: holds no rows", NULL);
}

static void sources_and_items_go_on_over_the_parts(void **state)
{
    (void)state;
    write_text("o1.csv", "who,id,x,label\nann,1,1,a\nben,2,2,b\n");
    write_text("o2.csv", "who,id,x,label\nben,1,3,a\n");
    gbv_dataset *dataset =
        read_dataset(in_folder("o?.csv"), &(gbv_read_options){.source_column = "who", .wants_items = true});
    assert_int_equal(dataset->source_count, 2);
    assert_int_equal(dataset->row_source[2], 1);
    assert_string_equal(gbv_dataset_item(dataset, 2), "1");
    gbv_dataset_free(dataset);
}

static void a_name_that_looks_like_a_pattern_is_itself_first(void **state)
{
    (void)state;
    const char *path = write_text("odd[1].csv", "x,label\n1,a\n");
    write_text("odd1.csv", "x,label\n1,b\n");
    gbv_dataset *dataset = read_dataset(path, NULL);
    assert_string_equal(gbv_dataset_class_name(dataset, 0), "a");
    assert_int_equal(gbv_dataset_rows(dataset), 1);
    gbv_dataset_free(dataset);
}

static void a_folder_of_sources_may_hold_folders(void **state)
{
    (void)state;
    const char *path = make_folder("vendors");
    make_folder("vendors/anna.v2"), make_folder("vendors/anna.v2/0"), make_folder("vendors/ben");
    put_image("gray.png", "vendors/anna.v2/0/a.png");
    write_text("vendors/ben/1.csv", "x,label\n1,0\n");
    write_text("vendors/ben/2.csv", "x,label\n1,1\n");
    write_text("vendors/carl.csv", "x,label\n1,0\n");
    gbv_sources *sources = gbv_sources_create();
    gbv_error error;
    assert_ok(gbv_sources_add_folder(sources, path, NULL, &error), error);
    assert_int_equal(gbv_sources_count(sources), 3);
    assert_string_equal(gbv_sources_name(sources, 0), "anna.v2");
    assert_string_equal(gbv_sources_name(sources, 2), "carl");
    assert_int_equal(gbv_sources_rows(sources, 1), 2);
    gbv_sources_free(sources);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_names_parts_in_byte_order),
        cmocka_unit_test(a_folder_of_files_is_one_dataset),
        cmocka_unit_test(a_part_without_a_usable_label_does_not_make_the_others_text),
        cmocka_unit_test(features_and_labels_are_paired_in_order),
        cmocka_unit_test(one_match_is_used_in_place),
        cmocka_unit_test(strided_and_swapped_parts_keep_their_numbers),
        cmocka_unit_test(parts_that_differ_are_named),
        cmocka_unit_test(bad_rows_are_counted_within_their_part),
        cmocka_unit_test(sources_and_items_go_on_over_the_parts),
        cmocka_unit_test(a_name_that_looks_like_a_pattern_is_itself_first),
        cmocka_unit_test(a_folder_of_sources_may_hold_folders),
    };
    return RUN_WITH_FOLDER(tests);
}
