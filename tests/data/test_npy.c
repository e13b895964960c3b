/* NPY: every type, order and version that NumPy writes, and what is refused. */
#include "file_support.h"

#include "data/array_writer.h"
#include "data/dataset.h"

static const char *const type_names[] = {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"};

static void assert_counts_up(const char *path)
{
    gbv_dataset *dataset = read_features(path);
    const gbv_matrix *features = gbv_dataset_features(dataset);
    assert_int_equal(features->rows, 4);
    assert_int_equal(features->columns, 3);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 3; j++)
            if (gbv_matrix_get(features, i, j) != (double)(3 * i + j))
                fail_msg("%s: element %zu,%zu is %g", path, i, j, gbv_matrix_get(features, i, j));
    gbv_dataset_free(dataset);
}

static void every_type_and_order_of_numpy_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
        char path[600];
        snprintf(path, sizeof path, FILES "%s_c_little.npy", type_names[i]);
        assert_counts_up(path);
        snprintf(path, sizeof path, FILES "%s_fortran_big.npy", type_names[i]);
        assert_counts_up(path);
    }
}

static void every_version_of_the_format_is_read(void **state)
{
    (void)state;
    assert_counts_up(FILES "version_1.npy");
    assert_counts_up(FILES "version_2.npy");
    assert_counts_up(FILES "version_3.npy");
}

static void booleans_are_zero_and_one(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_features(FILES "bool.npy");
    for (size_t i = 0; i < 12; i++)
        assert_true(gbv_matrix_get(gbv_dataset_features(dataset), i / 3, i % 3) == (double)(i % 2));
    gbv_dataset_free(dataset);
}

static void more_dimensions_are_flattened_row_by_row(void **state)
{
    (void)state;
    const char *const paths[] = {FILES "three_dimensions_c.npy", FILES "three_dimensions_fortran.npy"};
    for (size_t p = 0; p < 2; p++) {
        gbv_dataset *dataset = read_features(paths[p]);
        assert_int_equal(gbv_dataset_rows(dataset), 4);
        assert_int_equal(gbv_dataset_columns(dataset), 6);
        for (size_t i = 0; i < 24; i++)
            assert_true(gbv_matrix_get(gbv_dataset_features(dataset), i / 6, i % 6) == (double)i);
        gbv_dataset_free(dataset);
    }
}

static void a_vector_is_one_column(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_features(FILES "vector.npy");
    assert_int_equal(gbv_dataset_rows(dataset), 4);
    assert_int_equal(gbv_dataset_columns(dataset), 1);
    assert_true(gbv_matrix_get(gbv_dataset_features(dataset), 3, 0) == 3);
    gbv_dataset_free(dataset);
}

static void features_are_used_in_place(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_features(FILES "f4_c_little.npy");
    const unsigned char *data = dataset->features.data;
    assert_true(data == dataset->file.bytes + dataset->file.size - 12 * 4);
    assert_null(dataset->blocks[0]);
    gbv_dataset_free(dataset);
}

static void integer_labels_are_sorted_by_value(void **state)
{
    (void)state;
    const char *const paths[] = {FILES "labels_integer.npy", FILES "labels_integral_float.npy",
                                 FILES "labels_column.npy"};
    for (size_t p = 0; p < 3; p++) {
        gbv_dataset *dataset = read_dataset(both(FILES "f4_c_little.npy", paths[p]), NULL);
        assert_int_equal(dataset->kind, LABELS_INTEGER);
        assert_int_equal(gbv_dataset_class_count(dataset), 3);
        assert_string_equal(gbv_dataset_class_name(dataset, 0), "-2");
        assert_string_equal(gbv_dataset_class_name(dataset, 1), "7");
        assert_string_equal(gbv_dataset_class_name(dataset, 2), "10");
        assert_null(gbv_dataset_class_name(dataset, 3));
        assert_memory_equal(gbv_dataset_labels(dataset), ((int32_t[]){1, 0, 1, 2}), 16);
        gbv_dataset_free(dataset);
    }
}

static void unicode_labels_are_read_in_both_byte_orders(void **state)
{
    (void)state;
    const char *const paths[] = {FILES "labels_unicode.npy", FILES "labels_unicode_big.npy"};
    for (size_t p = 0; p < 2; p++) {
        gbv_dataset *dataset = read_dataset(both(FILES "f4_c_little.npy", paths[p]), NULL);
        assert_int_equal(dataset->kind, LABELS_TEXT);
        assert_int_equal(gbv_dataset_class_count(dataset), 3);
        assert_string_equal(gbv_dataset_class_name(dataset, 0), "dog");
        assert_string_equal(gbv_dataset_class_name(dataset, 1), "né");
        assert_string_equal(gbv_dataset_class_name(dataset, 2), "猫");
        assert_memory_equal(gbv_dataset_labels(dataset), ((int32_t[]){1, 0, 1, 2}), 16);
        gbv_dataset_free(dataset);
    }
}

static void byte_strings_are_labels_too(void **state)
{
    (void)state;
    gbv_dataset *dataset = read_dataset(both(FILES "f4_c_little.npy", FILES "labels_bytes.npy"), NULL);
    assert_string_equal(gbv_dataset_class_name(dataset, 2), "emu");
    gbv_dataset_free(dataset);
}

static void text_digits_in_a_typed_file_stay_text(void **state)
{
    (void)state;
    const char *texts[] = {"1", "0", "1", "2"};
    const char *path = write_file("digits.npy", "", 0);
    gbv_error error;
    assert_ok(npy_write_file(path, array_text(texts, NULL, 4), &error), error);
    gbv_dataset *dataset = read_dataset(both(FILES "f4_c_little.npy", path), NULL);
    assert_int_equal(dataset->kind, LABELS_TEXT);
    gbv_dataset_free(dataset);
}

static void other_kinds_of_elements_are_refused_with_a_remedy(void **state)
{
    (void)state;
    assert_refused(FILES "object.npy", NULL, "object.npy", "Python objects", "numpy.save(path, a.astype(", NULL);
    assert_refused(FILES "structured.npy", NULL, "records", "structured_to_unstructured", NULL);
    assert_refused(FILES "complex.npy", NULL, "complex numbers", "a.real", NULL);
    assert_refused(FILES "datetime.npy", NULL, "dates or times", "astype('int64')", NULL);
    assert_refused(FILES "long_double.npy", NULL, "<f16", "astype('float64')", NULL);
    assert_refused(FILES "scalar.npy", NULL, "single number", NULL);
    assert_refused(FILES "no_rows.npy", NULL, "no rows", NULL);
    assert_refused(FILES "no_columns.npy", NULL, "0 columns", NULL);
    assert_refused(FILES "labels_unicode.npy", NULL, "holds text, features must be numbers", NULL);
    assert_refused(both(FILES "f4_c_little.npy", FILES "labels_one_hot.npy"), NULL, "shape (4, 4)", "argmax", NULL);
}

/* A version 1 file with the given dictionary and bytes of data. */
static const char *write_npy(const char *dictionary, size_t data_size)
{
    unsigned char bytes[2000] = "\x93NUMPY\x01";
    size_t length = strlen(dictionary);
    assert_true(10 + length + data_size <= sizeof bytes);
    bytes[8] = (unsigned char)length;
    bytes[9] = (unsigned char)(length >> 8);
    memcpy(bytes + 10, dictionary, length);
    return write_file("made.npy", bytes, 10 + length + data_size);
}

#define DICTIONARY(shape) "{'descr': '<f8', 'fortran_order': False, 'shape': " shape ", }"

static void the_wrong_number_of_bytes_is_refused(void **state)
{
    (void)state;
    assert_refused(write_npy(DICTIONARY("(4, 3)"), 95), NULL, "truncated", "96 bytes", "95 are there", NULL);
    assert_refused(write_npy(DICTIONARY("(4, 3)"), 97), NULL, "1 bytes after its data", NULL);
    gbv_dataset *dataset = read_features(write_npy(DICTIONARY("(4L, 3L)"), 96)); /* as Python 2 wrote it */
    assert_int_equal(gbv_dataset_rows(dataset), 4);
    gbv_dataset_free(dataset);
}

static void absurd_shapes_are_refused_without_memory(void **state)
{
    (void)state;
    assert_refused(write_npy(DICTIONARY("(4611686018427387904, 8)"), 8), NULL, "more than any memory holds", NULL);
    assert_refused(write_npy(DICTIONARY("(2147483648, 2147483648, 2)"), 8), NULL, "more than any memory holds", NULL);
    assert_refused(write_npy(DICTIONARY("(1000000000000, 100)"), 8), NULL, "truncated", NULL);
    assert_refused(write_npy(DICTIONARY("(99999999999999999999999,)"), 8), NULL, "dimension of 64 bits", NULL);
    assert_refused(write_npy(DICTIONARY("(1000000000000000000, 0)"), 0), NULL, "0 columns", NULL);
}

static void malformed_headers_are_refused_with_an_offset(void **state)
{
    (void)state;
    static const char *const dictionaries[] = {
        "",
        "{",
        "{}",
        "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } x",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, }",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': 'f8', 'fortran_order': False, 'shape': (1,), }",
        "{'other': 1}",
        "{'descr': __import__('os'), 'fortran_order': False, 'shape': (1,), }",
    };
    for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; i++)
        assert_refused(write_npy(dictionaries[i], 8), NULL, "made.npy: offset ", "numpy.save", NULL);
    assert_refused(write_npy("{'descr': '<U0', 'fortran_order': False, 'shape': (9,), }", 0), NULL, "<U0", NULL);
}

static void damaged_beginnings_are_refused(void **state)
{
    (void)state;
    assert_refused(write_file("a.npy", "\x93NUMPY\1", 7), NULL, "first 10 bytes", NULL);
    assert_refused(write_file("a.npy", "\x93NUMPY\7\0\0\0\0\0", 12), NULL, "offset 6", "version 7.0", NULL);
    assert_refused(write_file("a.npy", "\x93NUMPY\2\0\0\0", 10), NULL, "first 12 bytes", NULL);
    assert_refused(write_file("a.npy", "\x93NUMPY\2\0\xff\xff\xff\x7f", 12), NULL, "offset 8", "2147483647 bytes",
                   NULL);
    assert_refused(write_file("a.npy", "\x93NUMPY\1\0\x76\0{", 11), NULL, "truncated", "offset 128", "11 bytes", NULL);
}

static void text_that_is_not_unicode_is_refused_by_row(void **state)
{
    (void)state;
    unsigned char bytes[200] = "\x93NUMPY\1\0\x76";
    memset(bytes + 10, ' ', 118);
    const char dictionary[] = "{'descr': '|S2', 'fortran_order': False, 'shape': (4,), }";
    memcpy(bytes + 10, dictionary, sizeof dictionary - 1);
    memcpy(bytes + 128, "abcd\xff\xff\0\0", 8);
    const char *argument = both(FILES "f4_c_little.npy", write_file("s.npy", bytes, 136));
    assert_refused(argument, NULL, "s.npy: row 3", "UTF-8", NULL);
    heard h = {0};
    gbv_dataset *dataset =
        read_dataset(argument, &(gbv_read_options){.skip_bad_rows = true, .on_bad_row = hear, .context = &h});
    assert_int_equal(h.count, 2); /* row 4 has an empty label */
    assert_int_equal(gbv_dataset_rows(dataset), 2);
    gbv_dataset_free(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_order_of_numpy_is_read),
        cmocka_unit_test(every_version_of_the_format_is_read),
        cmocka_unit_test(booleans_are_zero_and_one),
        cmocka_unit_test(more_dimensions_are_flattened_row_by_row),
        cmocka_unit_test(a_vector_is_one_column),
        cmocka_unit_test(features_are_used_in_place),
        cmocka_unit_test(integer_labels_are_sorted_by_value),
        cmocka_unit_test(unicode_labels_are_read_in_both_byte_orders),
        cmocka_unit_test(byte_strings_are_labels_too),
        cmocka_unit_test(text_digits_in_a_typed_file_stay_text),
        cmocka_unit_test(other_kinds_of_elements_are_refused_with_a_remedy),
        cmocka_unit_test(the_wrong_number_of_bytes_is_refused),
        cmocka_unit_test(absurd_shapes_are_refused_without_memory),
        cmocka_unit_test(malformed_headers_are_refused_with_an_offset),
        cmocka_unit_test(damaged_beginnings_are_refused),
        cmocka_unit_test(text_that_is_not_unicode_is_refused_by_row),
    };
    return RUN_WITH_FOLDER(tests);
}
