/* Datasets: the argument, what is recognised, rows that cannot be used, datasets made in memory. */
#include "file_support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "data/array_writer.h"
#include "data/dataset.h"
#include "data/format/format.h"

static const char *write_array(const char *name, array a)
{
    gbv_error error;
    const char *path = write_file(name, "", 0);
    assert_ok(npy_write_file(path, a, &error), error);
    return path;
}

static void a_name_with_a_comma_is_one_file(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_dataset(write_text("a,b.csv", "x,label\n1,2\n"), NULL);
    assert_int_equal(dataset->input_count, 1);
    gbv_dataset_free(dataset);
    const char *features = write_text("f,1.csv", "x\n1\n"), *labels = write_text("l,2.csv", "x\n1\n");
    dataset = read_dataset(both(features, labels), NULL);
    assert_int_equal(dataset->input_count, 2);
    assert_string_equal(dataset->inputs[0].path, features);
    assert_string_equal(dataset->inputs[1].path, labels);
    gbv_dataset_free(dataset);
}

static void missing_files_are_named(void **state)
{
    (void)state;
    const char *there = write_text("there.csv", "x\n1\n");
    assert_refused("/none/x.npy", NULL, "/none/x.npy", "cannot be opened", "No such file", NULL);
    assert_refused("/none/x.npy,/none/y.npy", NULL, "no file /none/x.npy", NULL);
    assert_refused(both(there, "/none/y.npy"), NULL, "no file /none/y.npy", NULL);
    assert_refused(both("/none/a,b", there), NULL, "no comma", "FEATURES,LABELS", NULL);
    assert_refused("/dev/null", NULL, "not a regular file", NULL);
    if (geteuid() != 0) {
        chmod(there, 0);
        assert_refused(there, NULL, "cannot be opened", "Permission denied", NULL);
    }
}

static void content_that_is_not_read_is_named_with_a_remedy(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *name, *remedy;
    } cases[] = {
        {"", 0, "is empty", "write it again"},
        {"PAR1\0\0\0\0", 8, "a Parquet file", "other').to_csv('"},
        {"ARROW1\0\0", 8, "an Arrow file", "read_feather('"},
        {"FEA1\0\0\0\0", 8, "a Feather file", "read_feather('"},
        {"\x89HDF\r\n\x1a\n", 8, "an HDF5 file", "numpy.savez"},
        {"\x80\x04\x95\0\0", 5, "a Python pickle", "numpy.savez"},
        {"\x80\x02}q\1(U\x0b"
         "batch_labelq\2U",
         20, "a Python pickle", "y=d[b'labels'])\""},
        {"\x80\x02}q\1(U\x0b"
         "fine_labelsq\2U",
         20, "a Python pickle", "y=d[b'fine_labels'])\""},
        {"\x80\x04\x95\0\0cpandas.core.frame", 23, "a Python pickle", "pandas.read_pickle('"},
        {"(dp0\nS'data'\np1\n.", 17, "a Python pickle", "if you trust"},
        {"}q\0X\1\0\0\0a.", 10, "a Python pickle", "if you trust"},
        {"\x89PNG\r\n\x1a\n", 8, "a PNG image", "CLASS/IMAGE"},
        {"\xff\xd8\xff\xe0", 4, "a JPEG image", "CLASS/IMAGE"},
        {"{\"a\": 1}\n{\"a\": 2}\n", 18, "JSON Lines", "other', lines=True).to_csv('"},
        {"{\"a\": 1}\r\n\r\n {\"a\": 2}", 20, "JSON Lines", "lines=True"},
        {"{\n\"a\": {}\n}\n", 13, "be JSON,", "read_json('"},
        {"{\"a\": 1}\n", 9, "be JSON,", "read_json('"},
        {" [ 1, 2]", 8, "JSON", "read_json"},
        {"BZh91AY&SY\x01", 11, "bzip2", "bunzip2"},
        {"\xff\xfe"
         "a\0",
         4, "UTF-16", "iconv"},
        {"version https://git-lfs.github.com/spec/v1\n", 43, "Git LFS pointer", "git lfs pull"},
        {"\1\2\3\4", 4, "bytes 01 02 03 04", "NPY, NPZ, CSV"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(write_file("other", cases[i].bytes, cases[i].size), NULL, "other", cases[i].name,
                       cases[i].remedy, NULL);
}

static void a_remedy_can_be_pasted_whatever_the_name(void **state)
{
    (void)state;
    assert_refused(write_file("it's $5.parquet", "PAR1\0\0\0\0", 8), NULL, "read_parquet('",
                   "/it\\x27s \\x245.parquet')", "/it\\x27s \\x245.csv', index=False)\"", NULL);
    assert_refused(write_file("odd.csv", "PAR1\0\0\0\0", 8), NULL, "odd.csv.csv'", NULL);
    assert_refused(write_file("data_batch_1",
                              "\x80\x02}q\1(U\x0b"
                              "batch_labelq\2U",
                              20),
                   NULL, "data_batch_1', 'rb'), encoding='bytes')", "data_batch_1.npz'", "x=d[b'data']", NULL);
}

static void a_column_named_like_a_magic_is_a_table(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_dataset(write_text("t.csv", "PAR1,PAR2,label\n1,2,x\n"), NULL);
    assert_int_equal(gbv_dataset_columns(dataset), 2);
    assert_null(dataset->file.mapping); /* nothing of the text is needed any more */
    gbv_dataset_free(dataset);
}

static void every_format_has_a_name_and_a_summary(void **state)
{
    (void)state;
    size_t count = 0;
    for (; format_at(count); count++)
        assert_true(*format_at(count)->name && *format_at(count)->summary);
    assert_int_equal(count, 6);
}

static void inputs_are_recorded_with_their_fingerprint(void **state)
{
    (void)state;
    const char *path = write_text("t.csv", "x,label\n1,2\n");
    gbv_dataset *dataset = read_dataset(path, NULL);
    char expected[65];
    assert_true(hash_sha256("x,label\n1,2\n", 12, expected));
    assert_string_equal(dataset->inputs[0].sha256, expected);
    assert_string_equal(dataset->inputs[0].path, path);
    assert_string_equal(dataset->name, path);
    gbv_dataset_free(dataset);
}

static void numbers_that_are_not_finite_are_refused_by_row_and_column(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    static const char *const shown[] = {"holds nan", "holds inf", "holds -inf"};
    int32_t labels[4] = {0, 1, 0, 1};
    for (size_t i = 0; i < 3; i++) {
        double x[4][2] = {{1, 2}, {3, 4}, {5, bad[i]}, {7, 8}};
        const char *path = write_array("x.npy", array_matrix(gbv_matrix_f64(&x[0][0], 4, 2)));
        const char *argument = both(path, write_array("y.npy", array_i32(labels, 4)));
        assert_refused(argument, NULL, "x.npy: row 3, column 2", shown[i], "--skip-bad-rows", NULL);
        heard h = {0};
        gbv_read_options options = {.skip_bad_rows = true, .on_bad_row = hear, .context = &h};
        gbv_dataset *dataset = read_dataset(argument, &options);
        assert_int_equal(h.count, 1);
        assert_non_null(strstr(h.text, "row 3, column 2"));
        assert_null(strstr(h.text, "--skip-bad-rows"));
        assert_int_equal(gbv_dataset_rows(dataset), 3);
        assert_memory_equal(dataset->row_index, ((size_t[]){0, 1, 3}), 3 * sizeof(size_t));
        assert_memory_equal(gbv_dataset_labels(dataset), ((int32_t[]){0, 1, 1}), 12);
        gbv_dataset_free(dataset);
    }
}

static void labels_must_be_whole_numbers(void **state)
{
    (void)state;
    double x[3] = {1, 2, 3}, labels[3] = {1, 2.5, NAN};
    const char *argument = both(write_array("x.npy", array_f64(x, 3)), write_array("y.npy", array_f64(labels, 3)));
    assert_refused(argument, NULL, "y.npy: row 2 has the label 2.5", "whole number", NULL);
    gbv_read_options options = {.skip_bad_rows = true};
    gbv_dataset *dataset = read_dataset(argument, &options);
    assert_int_equal(gbv_dataset_rows(dataset), 1);
    gbv_dataset_free(dataset);
    labels[0] = 0.5;
    argument = both(write_array("x.npy", array_f64(x, 3)), write_array("y.npy", array_f64(labels, 3)));
    assert_refused(argument, &options, "none of its 3 rows", "row 1 has the label 0.5", NULL);
}

static void labels_and_rows_must_be_as_many(void **state)
{
    (void)state;
    double x[3] = {1, 2, 3};
    const char *argument = both(write_array("x.npy", array_f64(x, 3)), write_array("y.npy", array_f64(x, 2)));
    assert_refused(argument, NULL, "2 labels for the 3 rows", NULL);
}

static void a_dataset_from_memory_has_sorted_classes(void **state)
{
    (void)state;
    float x[3][2] = {{1, 2}, {3, 4}, {5, 6}};
    const char *names[] = {"dog", "unused", "cat"};
    gbv_dataset *dataset;
    gbv_error error;
    assert_ok(gbv_dataset_create("m", gbv_matrix_f32(&x[0][0], 3, 2), (int32_t[]){0, 2, 0}, names, 3, &dataset, &error),
              error);
    assert_int_equal(dataset->kind, LABELS_TEXT);
    assert_int_equal(gbv_dataset_class_count(dataset), 2);
    assert_string_equal(gbv_dataset_class_name(dataset, 0), "cat");
    assert_memory_equal(gbv_dataset_labels(dataset), ((int32_t[]){1, 0, 1}), 12);
    assert_ptr_equal(gbv_dataset_features(dataset)->data, x);
    gbv_dataset_free(dataset);
    assert_ok(gbv_dataset_create("m", gbv_matrix_f32(&x[0][0], 3, 2), (int32_t[]){9, -1, 9}, NULL, 0, &dataset, &error),
              error);
    assert_int_equal(dataset->kind, LABELS_INTEGER);
    assert_string_equal(gbv_dataset_class_name(dataset, 0), "-1");
    gbv_dataset_free(dataset);
    assert_ok(gbv_dataset_create("m", gbv_matrix_f32(&x[0][0], 3, 2), NULL, NULL, 0, &dataset, &error), error);
    assert_null(gbv_dataset_labels(dataset));
    gbv_dataset_free(dataset);
    gbv_dataset_free(NULL);
}

static void wrong_datasets_from_memory_are_refused(void **state)
{
    (void)state;
    float x[2] = {1, NAN};
    const char *names[] = {"a", "a"};
    gbv_dataset *dataset;
    gbv_error error;
    gbv_matrix one = gbv_matrix_f32(x, 1, 1);
    assert_int_equal(gbv_dataset_create("m", gbv_matrix_f32(x, 2, 1), NULL, NULL, 0, &dataset, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "row 2, column 1"));
    assert_int_equal(gbv_dataset_create("m", gbv_matrix_f32(x, 0, 1), NULL, NULL, 0, &dataset, &error), GBV_BAD_INPUT);
    assert_int_equal(gbv_dataset_create("m", one, (int32_t[]){0}, names, 2, &dataset, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "given twice"));
    assert_int_equal(gbv_dataset_create("m", one, (int32_t[]){1}, names, 1, &dataset, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "row 1 has the label 1"));
    assert_null(dataset);
}

static void arrays_are_written_little_endian_and_dense(void **state)
{
    (void)state;
    gbv_dataset *big = read_features(FILES "u4_fortran_big.npy");
    const char *path = write_array("dense.npy", array_matrix(*gbv_dataset_features(big)));
    size_t sizes[2];
    void *ours = slurp(path, &sizes[0]), *numpys = slurp(FILES "u4_c_little.npy", &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(ours, numpys, sizes[0]);
    free(ours);
    free(numpys);
    gbv_dataset_free(big);
}

static void writing_where_there_is_no_room_fails_and_leaves_nothing(void **state)
{
    (void)state;
    double x[3] = {1, 2, 3};
    gbv_error error;
    assert_int_equal(npy_write_file("/dev/full", array_f64(x, 3), &error), GBV_FAILED);
    assert_non_null(strstr(error.message, "/dev/full"));
    assert_int_equal(npy_write_file("/none/x.npy", array_f64(x, 3), &error), GBV_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_with_a_comma_is_one_file),
        cmocka_unit_test(missing_files_are_named),
        cmocka_unit_test(content_that_is_not_read_is_named_with_a_remedy),
        cmocka_unit_test(a_remedy_can_be_pasted_whatever_the_name),
        cmocka_unit_test(a_column_named_like_a_magic_is_a_table),
        cmocka_unit_test(every_format_has_a_name_and_a_summary),
        cmocka_unit_test(inputs_are_recorded_with_their_fingerprint),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused_by_row_and_column),
        cmocka_unit_test(labels_must_be_whole_numbers),
        cmocka_unit_test(labels_and_rows_must_be_as_many),
        cmocka_unit_test(a_dataset_from_memory_has_sorted_classes),
        cmocka_unit_test(wrong_datasets_from_memory_are_refused),
        cmocka_unit_test(arrays_are_written_little_endian_and_dense),
        cmocka_unit_test(writing_where_there_is_no_room_fails_and_leaves_nothing),
    };
    return RUN_WITH_FOLDER(tests);
}
