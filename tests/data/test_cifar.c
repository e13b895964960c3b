/* test_cifar.c - binary batches of CIFAR-10 and CIFAR-100, built byte by byte. */
#include "data/dataset.h"
#include "data/format/format.h"
#include "file_support.h"

enum { PIXELS = 3072, TEN = PIXELS + 1, HUNDRED = PIXELS + 2, MOST = 16 };

/* Pixel p of record i is 7 i + p, modulo 256. */
static unsigned char *make_batch(size_t records, size_t record_size, const unsigned char *labels)
{
    static unsigned char bytes[MOST * HUNDRED + 1];
    size_t label_count = record_size - PIXELS;
    for (size_t i = 0; i < records; i++) {
        unsigned char *record = bytes + i * record_size;
        memcpy(record, labels + i * label_count, label_count);
        for (size_t p = 0; p < PIXELS; p++)
            record[label_count + p] = (unsigned char)(7 * i + p);
    }
    return bytes;
}

static void a_batch_of_cifar_10_is_used_in_place(void **state)
{
    (void)state;
    const unsigned char labels[] = {9, 0, 9};
    gbv_dataset *dataset = read_dataset(write_file("b.bin", make_batch(3, TEN, labels), 3 * TEN), NULL);
    const gbv_matrix *m = gbv_dataset_features(dataset);
    assert_int_equal(m->rows, 3);
    assert_int_equal(m->columns, PIXELS);
    assert_int_equal(m->type, GBV_U8);
    assert_int_equal(m->row_stride, TEN);
    assert_int_equal((int)gbv_matrix_get(m, 2, 3071), (14 + 3071) % 256);
    assert_int_equal(gbv_dataset_class_count(dataset), 2);
    assert_string_equal(gbv_dataset_class_name(dataset, 1), "9");
    assert_int_equal(gbv_dataset_labels(dataset)[0], 1);
    assert_int_equal(gbv_dataset_labels(dataset)[1], 0);
    gbv_image_shape shape = gbv_dataset_image_shape(dataset);
    assert_true(shape.height == 32 && shape.width == 32 && shape.channels == 3 && !shape.channels_last);
    gbv_dataset_free(dataset);
}

static void cifar_100_has_fine_labels_unless_coarse_ones_are_asked_for(void **state)
{
    (void)state;
    const unsigned char labels[] = {19, 99, 3, 42};
    const char *path = write_file("h.bin", make_batch(2, HUNDRED, labels), 2 * HUNDRED);
    gbv_dataset *dataset = read_dataset(path, NULL);
    assert_string_equal(gbv_dataset_class_name(dataset, 0), "42");
    assert_string_equal(gbv_dataset_class_name(dataset, 1), "99");
    assert_int_equal((int)gbv_matrix_get(gbv_dataset_features(dataset), 1, 0), 7);
    gbv_dataset_free(dataset);
    dataset = read_dataset(path, &(gbv_read_options){.label_column = "coarse"});
    assert_string_equal(gbv_dataset_class_name(dataset, 0), "3");
    assert_string_equal(gbv_dataset_class_name(dataset, 1), "19");
    gbv_dataset_free(dataset);
    assert_refused(path, &(gbv_read_options){.label_column = "medium"}, "\"medium\"", "fine or coarse", NULL);
}

static void a_truncated_batch_names_the_offset(void **state)
{
    (void)state;
    const unsigned char labels[2 * MOST] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_refused(write_file("cut.bin", make_batch(4, TEN, labels), 4 * TEN - 5), NULL, "truncated", "record 4",
                   "CIFAR-10 batch", "offset 9219", "3068 of 3073", NULL);
    assert_refused(write_file("cut.bin", make_batch(4, HUNDRED, labels), 3 * HUNDRED + 1), NULL, "truncated",
                   "CIFAR-100", "offset 9222", "1 of 3074", NULL);
}

static void a_label_out_of_range_is_no_batch(void **state)
{
    (void)state;
    const unsigned char ten[] = {1, 10, 3, 4}, hundred[] = {19, 99, 20, 0};
    assert_refused(write_file("r.bin", make_batch(4, TEN, ten), 4 * TEN), NULL, "no known format", NULL);
    assert_refused(write_file("r.bin", make_batch(2, HUNDRED, hundred), 2 * HUNDRED), NULL, "no known format", NULL);
}

static void other_files_of_the_size_of_a_batch_are_left_alone(void **state)
{
    (void)state;
    const format *cifar = NULL;
    for (size_t i = 0; format_at(i); i++)
        if (strcmp(format_at(i)->name, "cifar") == 0)
            cifar = format_at(i);
    assert_non_null(cifar);
    unsigned char text[TEN];
    memset(text, '1', sizeof text);
    text[0] = '\t'; /* would be label 9 */
    assert_false(cifar->recognise(text, sizeof text));
    memset(text, 0xFF, sizeof text);
    assert_false(cifar->recognise(text, sizeof text));
    text[0] = 9;
    assert_true(cifar->recognise(text, sizeof text));
    assert_false(cifar->recognise(text, sizeof text - 1));
    assert_false(cifar->recognise(text, 0));
}

static void a_batch_may_give_labels_for_other_features(void **state)
{
    (void)state;
    const unsigned char labels[] = {5, 6};
    const char *batch = write_file("l.bin", make_batch(2, TEN, labels), 2 * TEN),
               *features = write_text("f.csv", "x\n1\n2\n");
    gbv_dataset *dataset = read_dataset(both(features, batch), NULL);
    assert_int_equal(gbv_dataset_columns(dataset), 1);
    assert_string_equal(gbv_dataset_class_name(dataset, 1), "6");
    gbv_dataset_free(dataset);
}

static void arrays_of_bytes_with_axes_of_images_have_a_shape(void **state)
{
    (void)state;
    unsigned char idx[] = {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};
    gbv_dataset *dataset = read_features(write_file("i.idx", idx, sizeof idx));
    gbv_image_shape shape = gbv_dataset_image_shape(dataset);
    assert_true(shape.height == 2 && shape.width == 3 && shape.channels == 1);
    gbv_dataset_free(dataset);
    static const struct {
        const char *type, *axes;
        size_t data, height, width, channels;
        bool last;
    } cases[] = {{"|u1", "(2, 2, 3)", 12, 2, 3, 1, false},    {"|u1", "(1, 2, 2, 3)", 12, 2, 2, 3, true},
                 {"|u1", "(3, 2, 2, 1)", 12, 2, 2, 1, false}, {"|u1", "(1, 3, 2, 2)", 12, 2, 2, 3, false},
                 {"|u1", "(3, 1, 2, 2)", 12, 2, 2, 1, false}, {"|u1", "(1, 2, 3, 2)", 12, 0, 0, 0, false},
                 {"|u1", "(2, 6)", 12, 0, 0, 0, false},       {"<f4", "(2, 2, 3)", 48, 0, 0, 0, false},
                 {"<f4", "(1, 2, 2, 3)", 48, 0, 0, 0, false}, {"|u1", "(1, 1, 2, 2, 3)", 12, 0, 0, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char npy[200] = "\x93NUMPY\1\0\x66\0";
        memset(npy + 10, ' ', 102);
        int length = sprintf((char *)npy + 10, "{'descr': '%s', 'fortran_order': False, 'shape': %s}", cases[i].type,
                             cases[i].axes);
        npy[10 + length] = ' ';
        npy[111] = '\n';
        dataset = read_features(write_file("a.npy", npy, 112 + cases[i].data));
        shape = gbv_dataset_image_shape(dataset);
        assert_int_equal(shape.height, cases[i].height);
        assert_int_equal(shape.width, cases[i].width);
        assert_int_equal(shape.channels, cases[i].channels);
        assert_int_equal(shape.channels_last, cases[i].last);
        gbv_dataset_free(dataset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_of_cifar_10_is_used_in_place),
        cmocka_unit_test(cifar_100_has_fine_labels_unless_coarse_ones_are_asked_for),
        cmocka_unit_test(a_truncated_batch_names_the_offset),
        cmocka_unit_test(a_label_out_of_range_is_no_batch),
        cmocka_unit_test(other_files_of_the_size_of_a_batch_are_left_alone),
        cmocka_unit_test(a_batch_may_give_labels_for_other_features),
        cmocka_unit_test(arrays_of_bytes_with_axes_of_images_have_a_shape),
    };
    return RUN_WITH_FOLDER(tests);
}
