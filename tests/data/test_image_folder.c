/* test_image_folder.c - folders CLASS/IMAGE: which rows, classes and names they give, and what is refused. */
#include <unistd.h>

#include "base/hash.h"
#include "data/dataset.h"
#include "folder_support.h"

static void classes_are_folders_and_rows_are_in_byte_order(void **state)
{
    (void)state;
    const char *path = make_folder("order");
    make_folder("order/dog"), make_folder("order/Cat"), make_folder("order/empty");
    put_image("rgb.png", "order/dog/b.png");
    put_image("interlaced.png", "order/dog/B.jpg"); /* its content decides, not its ending */
    put_image("gray.png", "order/Cat/2.png");
    write_text("order/dog/.hidden", "no image");
    write_text("order/dog/Thumbs.db", "no image");
    write_text("order/desktop.ini", "no image");
    gbv_dataset *dataset = read_dataset(path, NULL);
    assert_int_equal(gbv_dataset_rows(dataset), 3);
    assert_string_equal(gbv_dataset_item(dataset, 0), "Cat/2.png");
    assert_string_equal(gbv_dataset_item(dataset, 1), "dog/B.jpg");
    assert_string_equal(gbv_dataset_item(dataset, 2), "dog/b.png");
    assert_true(dataset->items_are_files);
    assert_int_equal(gbv_dataset_class_count(dataset), 2); /* an empty folder is no class */
    assert_string_equal(gbv_dataset_class_name(dataset, 0), "Cat");
    assert_int_equal(gbv_dataset_labels(dataset)[2], 1);
    gbv_image_shape shape = gbv_dataset_image_shape(dataset);
    assert_true(shape.height == 9 && shape.width == 13 && shape.channels == 3 && !shape.channels_last);
    gbv_dataset *expected = read_features(GOLDEN "/image_rgb.npy"), *gray = read_features(GOLDEN "/image_gray.npy");
    const gbv_matrix *m = gbv_dataset_features(dataset);
    for (size_t i = 0; i < 9 * 13 * 3; i++) {
        double value = gbv_matrix_get(gbv_dataset_features(expected), 0, i);
        assert_true(gbv_matrix_get(m, 1, i) == value && gbv_matrix_get(m, 2, i) == value);
        assert_true(gbv_matrix_get(m, 0, i) == gbv_matrix_get(gbv_dataset_features(gray), 0, i % (9 * 13)));
    }
    gbv_dataset_free(expected);
    gbv_dataset_free(gray);
    gbv_dataset_free(dataset);
}

static void gray_folders_are_gray_unless_colour_is_asked_for(void **state)
{
    (void)state;
    const char *path = make_folder("gray");
    make_folder("gray/0"), make_folder("gray/10"), make_folder("gray/9");
    put_image("gray.png", "gray/0/a");
    put_image("luminance.jpg", "gray/9/a");
    put_image("gray_alpha.png", "gray/10/a");
    gbv_dataset *dataset = read_dataset(path, NULL);
    assert_int_equal(gbv_dataset_columns(dataset), 9 * 13);
    assert_int_equal(dataset->kind, LABELS_INTEGER); /* so that folders 0 to 9 are the labels of a CIFAR batch */
    assert_string_equal(gbv_dataset_class_name(dataset, 2), "10");
    gbv_dataset_free(dataset);
    dataset = read_dataset(path, &(gbv_read_options){.color = GBV_COLOR_RGB});
    assert_int_equal(gbv_dataset_columns(dataset), 3 * 9 * 13);
    gbv_dataset_free(dataset);
    put_image("rgb.png", "gray/9/b");
    dataset = read_dataset(path, &(gbv_read_options){.color = GBV_COLOR_GRAY});
    assert_int_equal(gbv_dataset_columns(dataset), 9 * 13);
    gbv_dataset_free(dataset);
}

static void mixed_sizes_need_a_size(void **state)
{
    (void)state;
    const char *path = make_folder("mixed");
    make_folder("mixed/a"), make_folder("mixed/b");
    put_image("rgb.png", "mixed/a/1");
    put_image("shrunk.png", "mixed/b/2");
    assert_refused(path, NULL, "mixed", "a/1 is 13 x 9", "b/2 40 x 27", "--resize", NULL);
    gbv_dataset *dataset = read_dataset(path, &(gbv_read_options){.resize = 16});
    gbv_dataset *expected = read_features(GOLDEN "/image_shrunk.npy");
    assert_int_equal(gbv_dataset_columns(dataset), 3 * 16 * 16);
    for (size_t i = 0; i < 3 * 16 * 16; i++)
        assert_true(gbv_matrix_get(gbv_dataset_features(dataset), 1, i) ==
                    gbv_matrix_get(gbv_dataset_features(expected), 0, i));
    gbv_dataset_free(expected);
    gbv_dataset_free(dataset);
    gbv_error error;
    assert_int_equal(gbv_dataset_read(path, &(gbv_read_options){.resize = 1 << 20}, &dataset, &error), GBV_USAGE);
}

static void a_broken_image_is_a_bad_row(void **state)
{
    (void)state;
    const char *path = make_folder("broken");
    make_folder("broken/a"), make_folder("broken/b");
    put_image("rgb.png", "broken/a/1.png");
    size_t size;
    char *bytes = slurp(GOLDEN "/image_colour.jpg", &size);
    write_file("broken/a/2.jpg", bytes, size - 60); /* its header is whole */
    free(bytes);
    write_text("broken/a/3.txt", "notes");
    put_image("rgb.png", "broken/b/1.png");
    assert_refused(path, NULL, "broken/a/2.jpg: is a broken JPEG image", "--skip-bad-rows", NULL);
    heard h = {0};
    gbv_dataset *dataset =
        read_dataset(path, &(gbv_read_options){.skip_bad_rows = true, .on_bad_row = hear, .context = &h});
    assert_int_equal(h.count, 2);
    assert_non_null(strstr(h.text, "broken/a/3.txt: is neither a JPEG nor a PNG image"));
    assert_true(strstr(h.text, "2.jpg") < strstr(h.text, "3.txt"));
    assert_int_equal(gbv_dataset_rows(dataset), 2);
    assert_int_equal(dataset->features.rows, 4);
    assert_string_equal(gbv_dataset_item(dataset, 3), "b/1.png");
    assert_null(gbv_dataset_item(dataset, 1));
    gbv_dataset_free(dataset);
}

static void a_folder_without_a_good_image_says_so(void **state)
{
    (void)state;
    const char *path = make_folder("none");
    make_folder("none/a");
    assert_refused(path, NULL, "none of its class folders holds an image", NULL);
    write_text("none/a/x", "text");
    assert_refused(path, NULL, "none/a/x: is neither", NULL);
    assert_refused(path, &(gbv_read_options){.skip_bad_rows = true}, "none of its 1 rows can be used", NULL);
    /* parts of a dataset, and a folder among them */
    write_text("none/1.csv", "x,label\n1,a\n");
    assert_refused(path, NULL, "none/1.csv: is neither", "beside folders", NULL);
}

static void images_outside_class_folders_have_no_label(void **state)
{
    (void)state;
    const char *path = make_folder("flat");
    put_image("rgb.png", "flat/1.png");
    put_image("interlaced.png", "flat/2.png");
    assert_refused(path, NULL, "flat: the image 1.png lies in no class folder", "CLASS/IMAGE", NULL);
    gbv_dataset *dataset = read_features(path);
    assert_int_equal(gbv_dataset_rows(dataset), 2);
    assert_null(gbv_dataset_labels(dataset));
    assert_string_equal(gbv_dataset_item(dataset, 1), "2.png");
    gbv_dataset_free(dataset);
    make_folder("flat/a");
    put_image("rgb.png", "flat/a/1.png");
    assert_refused(path, &(gbv_read_options){.features_only = true}, "no class folder", NULL);
}

static void folders_are_not_followed_deeper(void **state)
{
    (void)state;
    const char *path = make_folder("deep");
    make_folder("deep/train");
    char loop[700];
    snprintf(loop, sizeof loop, "%s/train/again", path);
    assert_int_equal(symlink("..", loop), 0);
    assert_refused(path, NULL, "deep/train/again: is a folder inside the class folder train", "deep/train?", NULL);
}

static void the_hash_is_that_of_the_list_of_hashes(void **state)
{
    (void)state;
    const char *path = make_folder("hash");
    make_folder("hash/a"), make_folder("hash/b");
    put_image("rgb.png", "hash/a/1.png");
    put_image("gray.png", "hash/b/2.png");
    char lines[300] = "", one[65], all[65];
    const char *const names[] = {"a/1.png", "b/2.png"}, *const images[] = {"rgb.png", "gray.png"};
    for (size_t i = 0; i < 2; i++) {
        char file[700];
        size_t size;
        snprintf(file, sizeof file, "%s/image_%s", GOLDEN, images[i]);
        void *bytes = slurp(file, &size);
        assert_true(hash_sha256(bytes, size, one));
        sprintf(lines + strlen(lines), "%s  %s\n", one, names[i]);
        free(bytes);
    }
    assert_true(hash_sha256(lines, strlen(lines), all));
    gbv_dataset *dataset = read_dataset(path, &(gbv_read_options){.resize = 4});
    assert_int_equal(dataset->input_count, 1);
    assert_string_equal(dataset->inputs[0].sha256, all);
    assert_string_equal(dataset->inputs[0].path, path);
    assert_int_equal(dataset->inputs[0].rows, 2);
    gbv_dataset_free(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_folders_and_rows_are_in_byte_order),
        cmocka_unit_test(gray_folders_are_gray_unless_colour_is_asked_for),
        cmocka_unit_test(mixed_sizes_need_a_size),
        cmocka_unit_test(a_broken_image_is_a_bad_row),
        cmocka_unit_test(a_folder_without_a_good_image_says_so),
        cmocka_unit_test(images_outside_class_folders_have_no_label),
        cmocka_unit_test(folders_are_not_followed_deeper),
        cmocka_unit_test(the_hash_is_that_of_the_list_of_hashes),
    };
    return RUN_WITH_FOLDER(tests);
}
