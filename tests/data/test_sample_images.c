/* test_sample_images.c - rows as images for networks, and images that the cache has no room for. */
#include <unistd.h>

#include "data/array_writer.h"
#include "data/image_store.h"
#include "data/sample.h"
#include "data/sources.h"
#include "folder_support.h"
#include "nn/model.h"

enum { SIDE = 9, WIDE = 13, COLUMNS = 3 * SIDE * WIDE, IMAGES = 6 };

static const char *const pictures[IMAGES] = {"rgb.png",    "interlaced.png",  "palette.png",
                                             "colour.jpg", "progressive.jpg", "alpha.png"};

/* A folder of six images of one size, three a class. */
static const char *make_images(const char *name)
{
    char path[100];
    const char *folder = make_folder(name);
    for (size_t i = 0; i < IMAGES; i++) {
        snprintf(path, sizeof path, "%s/%c", name, (char)('a' + i / 3));
        if (i % 3 == 0)
            make_folder(path);
        snprintf(path, sizeof path, "%s/%c/%zu", name, (char)('a' + i / 3), i);
        put_image(pictures[i], path);
    }
    return folder;
}

static gbv_dataset *read_bounded(const char *path, size_t bytes)
{
    return read_dataset(path, &(gbv_read_options){.image_cache = bytes, .threads = 2});
}

static sample_part whole_part(const gbv_dataset *d)
{
    return sample_part_of(d, d->row_index, d->row_count, d->labels, NULL);
}

/* Every way of reading rows gives the same of both. */
static void assert_same_rows(const sample *a, const sample *b)
{
    static double left[IMAGES * COLUMNS], right[IMAGES * COLUMNS];
    static float narrow[IMAGES * COLUMNS];
    static unsigned char one[IMAGES * COLUMNS], other[IMAGES * COLUMNS];
    size_t order[IMAGES] = {4, 0, 5, 5, 2, 1};
    gbv_error error = {0};
    assert_int_equal(a->rows, b->rows);
    const double *x = sample_block_f64(a, 0, a->rows, left), *y = sample_block_f64(b, 0, b->rows, right);
    assert_memory_equal(x, y, a->rows * COLUMNS * sizeof *x);
    sample_block_f32(a, 0, a->rows, narrow);
    for (size_t i = 0; i < a->rows * COLUMNS; i++)
        assert_true((double)narrow[i] == y[i]);
    for (size_t threads = 0; threads < 4; threads++) {
        assert_ok(sample_images(a, order, IMAGES, threads, one, NULL, &error), error);
        assert_ok(sample_images(b, order, IMAGES, 1, other, NULL, &error), error);
        assert_memory_equal(one, other, sizeof one);
    }
    for (size_t i = 0; i < COLUMNS; i++)
        assert_true(one[i] == y[order[0] * COLUMNS + i]);
    assert_ok(sample_check(a, &error), error);
}

static void what_does_not_fit_the_cache_is_decoded_again(void **state)
{
    (void)state;
    const char *path = make_images("bounded");
    gbv_dataset *whole = read_bounded(path, 0);
    sample_part all = whole_part(whole);
    sample expected = sample_of(&all);
    assert_true(image_store_is_whole(whole->images) && gbv_dataset_features(whole)->data);
    gbv_image_shape shape = sample_shape(&expected);
    assert_true(shape.height == SIDE && shape.width == WIDE && shape.channels == 3 && sample_is_bytes(&expected));
    for (size_t kept = 0; kept <= IMAGES; kept++) {
        gbv_dataset *dataset = read_bounded(path, whole->images->taken + kept * COLUMNS + 1);
        assert_int_equal(dataset->images->kept, kept);
        assert_true((gbv_dataset_features(dataset)->data == NULL) == (kept < IMAGES));
        assert_int_equal(gbv_dataset_features(dataset)->rows, IMAGES);
        sample_part part = whole_part(dataset);
        sample s = sample_of(&part);
        assert_same_rows(&s, &expected);
        gbv_dataset_free(dataset);
    }
    gbv_dataset_free(whole);
}

static void all_datasets_share_the_cache(void **state)
{
    (void)state;
    const char *path = make_images("shared");
    size_t budget = 4 * COLUMNS;
    gbv_dataset *first = read_bounded(path, budget), *second = read_bounded(path, budget);
    assert_int_equal(first->images->kept, 4);
    assert_int_equal(second->images->kept, 0);
    gbv_dataset_free(first);
    first = read_bounded(path, budget);
    assert_int_equal(first->images->kept, 4);
    gbv_dataset_free(first);
    gbv_dataset_free(second);
}

static void parts_share_what_they_keep(void **state)
{
    (void)state;
    make_images("part1"), make_images("part2");
    char pattern[700];
    snprintf(pattern, sizeof pattern, "%s/part[12]", test_folder);
    gbv_dataset *whole = read_bounded(pattern, 0);
    assert_true(image_store_is_whole(whole->images));
    assert_int_equal(whole->images->taken, 2 * IMAGES * COLUMNS);
    for (size_t kept = 3; kept < 12; kept += 5) {
        gbv_dataset *dataset = read_bounded(pattern, (2 * IMAGES + kept) * COLUMNS);
        assert_int_equal(dataset->images->kept, kept);
        static unsigned char one[2 * IMAGES * COLUMNS], other[2 * IMAGES * COLUMNS];
        size_t rows[2 * IMAGES];
        gbv_error error = {0};
        for (size_t i = 0; i < 2 * IMAGES; i++)
            rows[i] = 2 * IMAGES - 1 - i;
        sample_part some = whole_part(dataset), all = whole_part(whole);
        sample a = sample_of(&some), b = sample_of(&all);
        assert_ok(sample_images(&a, rows, 2 * IMAGES, 2, one, NULL, &error), error);
        assert_ok(sample_images(&b, rows, 2 * IMAGES, 2, other, NULL, &error), error);
        assert_memory_equal(one, other, sizeof one);
        gbv_dataset_free(dataset);
    }
    gbv_dataset_free(whole);
    whole = read_bounded(pattern, COLUMNS); /* nothing was left counted */
    assert_int_equal(whole->images->kept, 1);
    gbv_dataset_free(whole);
}

static void an_array_beside_images_needs_all_of_them_in_memory(void **state)
{
    (void)state;
    make_images("mixed1");
    static const uint8_t pixels[COLUMNS];
    const char *const label[] = {"a"}, *const item[] = {"x.png"};
    char pattern[700], path[700];
    npz_writer npz;
    gbv_error error = {0};
    snprintf(path, sizeof path, "%s/mixed2", test_folder);
    assert_ok(npz_open(path, &npz, &error), error);
    assert_ok(npz_add(&npz, "x", array_matrix(gbv_matrix_u8(pixels, 1, COLUMNS)), &error), error);
    assert_ok(npz_add(&npz, "y", array_text(label, NULL, 1), &error), error);
    assert_ok(npz_add(&npz, "file", array_text(item, NULL, 1), &error), error);
    assert_ok(npz_close(&npz, GBV_OK, &error), error);
    snprintf(pattern, sizeof pattern, "%s/mixed[12]", test_folder);
    gbv_dataset *dataset = read_dataset(pattern, &(gbv_read_options){.wants_items = true});
    assert_int_equal(gbv_dataset_rows(dataset), IMAGES + 1);
    gbv_dataset_free(dataset);
    assert_refused(pattern, &(gbv_read_options){.wants_items = true, .image_cache = 1},
                   "mixed1: its images are more than the image cache has room for", "--image-cache", NULL);
}

static void a_file_that_changes_is_an_error_that_names_it(void **state)
{
    (void)state;
    const char *path = make_images("changed");
    gbv_dataset *dataset = read_bounded(path, COLUMNS);
    sample_part part = whole_part(dataset);
    sample s = sample_of(&part);
    static unsigned char bytes[2 * COLUMNS];
    static double numbers[IMAGES * COLUMNS];
    gbv_error error = {0};
    put_image("interlaced.png", "changed/b/4");
    char file[700];
    snprintf(file, sizeof file, "%s/changed/b/5", test_folder);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(sample_images(&s, (size_t[]){5, 4}, 2, 2, bytes, NULL, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "changed/b/5: cannot be opened")); /* the first asked for */
    assert_int_equal(sample_images(&s, (size_t[]){1, 4}, 2, 2, bytes, NULL, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "changed/b/4: was changed"));
    assert_ok(sample_images(&s, (size_t[]){3, 0}, 2, 2, bytes, NULL, &error), error);
    assert_ok(sample_check(&s, &error), error);
    sample_block_f64(&s, 0, IMAGES, numbers);
    assert_int_equal(sample_check(&s, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "changed/b/4: was changed")); /* the lowest row */
    arena scratch = {0};
    gbv_model *model = NULL;
    gbv_model_options options = gbv_model_defaults();
    assert_int_equal(model_fit(&s, 2, &options, "x", &scratch, &model, &error), GBV_BAD_INPUT);
    assert_null(model);
    arena_free(&scratch);
    gbv_dataset_free(dataset);
}

/* Two pixels a row, one column: channels last, channels first, in another type, with gaps between rows. */
static void planes_are_made_of_any_array(void **state)
{
    (void)state;
    static const uint8_t last[2][6] = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}};
    static const uint8_t first[2][7] = {{21, 22, 23, 24, 25, 26, 99}, {31, 32, 33, 34, 35, 36, 99}};
    static const double doubles[1][6] = {{.41, .42, .43, .44, .45, .46}};
    gbv_matrix apart = gbv_matrix_u8(first[0], 2, 6);
    apart.row_stride = 7;
    const gbv_image_shape planes = {.height = 2, .width = 1, .channels = 3},
                          turned = {.height = 2, .width = 1, .channels = 3, .channels_last = true};
    size_t swapped[] = {1, 0};
    sample_part parts[] = {{.features = gbv_matrix_u8(last[0], 2, 6), .shape = turned, .count = 2},
                           {.features = apart, .shape = planes, .rows = swapped, .count = 2},
                           {.features = gbv_matrix_f64(doubles[0], 1, 6), .shape = turned, .count = 1}};
    sample s = {.parts = parts, .part_count = 2, .rows = 4, .columns = 6};
    const size_t rows[] = {3, 0, 2, 1, 0};
    static const unsigned char expected[5][6] = {{21, 22, 23, 24, 25, 26},
                                                 {1, 4, 2, 5, 3, 6},
                                                 {31, 32, 33, 34, 35, 36},
                                                 {7, 10, 8, 11, 9, 12},
                                                 {1, 4, 2, 5, 3, 6}};
    unsigned char bytes[5][6];
    float floats[3][6];
    gbv_error error = {0};
    arena scratch = {0};
    assert_true(sample_is_bytes(&s) && sample_shape(&s).channels == 3 && !sample_shape(&s).channels_last);
    for (int indexed = 0; indexed < 2; indexed++) {
        if (indexed)
            assert_true(sample_index(&s, &scratch));
        assert_ok(sample_images(&s, rows, 5, 1, bytes[0], NULL, &error), error);
        assert_memory_equal(bytes, expected, sizeof expected);
    }
    s = (sample){.parts = parts, .part_count = 3, .rows = 5, .columns = 6};
    assert_false(sample_is_bytes(&s));
    assert_ok(sample_images(&s, (size_t[]){4, 1, 3}, 3, 1, NULL, floats[0], &error), error);
    float wanted[3][6] = {{.41f, .44f, .42f, .45f, .43f, .46f}, {7, 10, 8, 11, 9, 12}, {21, 22, 23, 24, 25, 26}};
    for (size_t i = 6; i < 18; i++)
        (&wanted[0][0])[i] /= 255; /* bytes beside floats */
    assert_memory_equal(floats, wanted, sizeof wanted);
    parts[1].shape.height = 1;
    parts[1].shape.width = 2;
    assert_int_equal(sample_shape(&s).channels, 0); /* they differ */
    arena_free(&scratch);
}

/* Images that are decoded as floats because other parts hold floats. */
static void decoded_images_go_with_floats(void **state)
{
    (void)state;
    const char *path = make_images("floats");
    gbv_dataset *dataset = read_bounded(path, COLUMNS);
    static float other[COLUMNS], floats[2 * COLUMNS];
    static unsigned char bytes[COLUMNS];
    other[7] = -2.5f;
    sample_part parts[] = {
        whole_part(dataset),
        {.features = gbv_matrix_f32(other, 1, COLUMNS), .shape = gbv_dataset_image_shape(dataset), .count = 1}};
    sample images = sample_of(&parts[0]),
           both_kinds = {.parts = parts, .part_count = 2, .rows = IMAGES + 1, .columns = COLUMNS};
    gbv_error error = {0};
    assert_ok(sample_images(&images, (size_t[]){3}, 1, 1, bytes, NULL, &error), error);
    assert_ok(sample_images(&both_kinds, (size_t[]){3, IMAGES}, 2, 2, NULL, floats, &error), error);
    for (size_t i = 0; i < COLUMNS; i++)
        assert_true(floats[i] == (float)bytes[i] / 255 && floats[COLUMNS + i] == other[i]);
    gbv_dataset_free(dataset);
}

static void arrays_of_the_caller_may_be_images(void **state)
{
    (void)state;
    unsigned char pixels[2][12] = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {0}}, planes[12];
    const gbv_image_shape last = {.height = 2, .width = 2, .channels = 3, .channels_last = true};
    gbv_matrix matrix = {
        .data = pixels, .rows = 2, .columns = 12, .row_stride = 12, .column_stride = 1, .type = GBV_U8};
    gbv_dataset *dataset;
    gbv_error error = {0};
    assert_ok(gbv_dataset_create("m", matrix, NULL, NULL, 0, &dataset, &error), error);
    assert_int_equal(gbv_dataset_image_shape(dataset).channels, 0);
    const struct {
        gbv_image_shape shape;
        const char *words;
    } wrong[] = {
        {{.height = 3, .width = 4, .channels = 3},
         "m: its rows have 12 numbers, which are no images of 4 x 3 pixels and 3"},
        {{.height = 3, .width = 2, .channels = 2}, "images of 2 channels are not known"},
        {{0}, "images of 0 channels"},
        {{.height = SIZE_MAX / 2 + 7, .width = 2, .channels = 1}, "no images of 2 x"},
        {{.height = 0, .width = 12, .channels = 1}, "no images"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(gbv_dataset_set_images(dataset, wrong[i].shape, &error), GBV_BAD_INPUT);
        assert_non_null(strstr(error.message, wrong[i].words));
        assert_int_equal(gbv_dataset_image_shape(dataset).channels, 0);
    }
    assert_ok(gbv_dataset_set_images(dataset, last, &error), error);
    assert_true(gbv_dataset_image_shape(dataset).channels_last);
    sample_part part = whole_part(dataset);
    sample images = sample_of(&part);
    assert_ok(sample_images(&images, (size_t[]){0}, 1, 1, planes, NULL, &error), error);
    assert_memory_equal(planes, ((unsigned char[]){1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12}), 12);
    gbv_dataset_free(dataset);
    dataset = read_bounded(make_images("files"), 0);
    assert_int_equal(gbv_dataset_set_images(dataset, gbv_dataset_image_shape(dataset), &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "its images are files"));
    gbv_dataset_free(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_the_cache_is_decoded_again),
        cmocka_unit_test(all_datasets_share_the_cache),
        cmocka_unit_test(parts_share_what_they_keep),
        cmocka_unit_test(an_array_beside_images_needs_all_of_them_in_memory),
        cmocka_unit_test(a_file_that_changes_is_an_error_that_names_it),
        cmocka_unit_test(planes_are_made_of_any_array),
        cmocka_unit_test(decoded_images_go_with_floats),
        cmocka_unit_test(arrays_of_the_caller_may_be_images),
    };
    return RUN_WITH_FOLDER(tests);
}
