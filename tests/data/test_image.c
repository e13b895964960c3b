/* test_image.c - pictures in every form that is read, against what Pillow makes of them (golden/make_images.py). */
#include <zlib.h>

#include "data/format/image.h"
#include "file_support.h"

static void *golden(const char *name, size_t *size)
{
    char path[600];
    snprintf(path, sizeof path, "%s/image_%s", GOLDEN, name);
    return slurp(path, size);
}

static gbv_dataset *expected(const char *name)
{
    char path[600], stem[100];
    snprintf(stem, sizeof stem, "%s", name);
    *strchr(stem, '.') = '\0';
    snprintf(path, sizeof path, "%s/image_%s.npy", GOLDEN, stem);
    return read_features(path);
}

static image decode(const char *name)
{
    size_t size;
    gbv_error error = {0};
    image picture;
    unsigned char *bytes = golden(name, &size);
    assert_ok(image_decode(bytes, size, IMAGE_PIXELS, &picture, &error), error);
    image header;
    assert_ok(image_decode(bytes, size, IMAGE_HEADER, &header, &error), error);
    assert_null(header.pixels);
    assert_true(header.height == picture.height && header.width == picture.width &&
                header.channels == picture.channels);
    free(bytes);
    return picture;
}

static void assert_pixels(const char *name, const image *picture)
{
    gbv_dataset *dataset = expected(name);
    size_t count = picture->height * picture->width * picture->channels;
    unsigned char *planes = malloc(count);
    image_store_planes(picture, planes);
    assert_int_equal(gbv_dataset_columns(dataset), count);
    for (size_t i = 0; i < count; i++) {
        int wanted = (int)gbv_matrix_get(gbv_dataset_features(dataset), 0, i);
        if (planes[i] != wanted)
            fail_msg("%s: byte %zu is %d, expected %d", name, i, planes[i], wanted);
    }
    free(planes);
    gbv_dataset_free(dataset);
}

static void every_form_is_decoded_as_pillow_does(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t channels;
    } cases[] = {{"rgb.png", 3},         {"gray.png", 1},       {"bits.png", 1},
                 {"palette.png", 3},     {"alpha.png", 3},      {"palette_transparent.png", 3},
                 {"gray_alpha.png", 1},  {"interlaced.png", 3}, {"rgb16.png", 3},
                 {"gray16.png", 1},      {"colour.jpg", 3},     {"halved.jpg", 3},
                 {"progressive.jpg", 3}, {"luminance.jpg", 1},  {"cmyk.jpg", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        image picture = decode(cases[i].name);
        assert_int_equal(picture.channels, cases[i].channels);
        assert_pixels(cases[i].name, &picture);
        image_free(&picture);
    }
}

static void resizing_and_cutting_out_are_pillows_and_torchvisions_to_the_bit(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t side, crop;
    } cases[] = {{"shrunk.png", 16, 0}, {"grown.png", 12, 0},   {"narrow.png", 8, 8}, {"even.png", 12, 0},
                 {"odd.png", 20, 17},   {"tall.png", 24, 18},   {"wide.png", 9, 7},   {"pixel.png", 5, 4},
                 {"line.png", 3, 8},    {"padded.png", 12, 21}, {"small.png", 11, 8}, {"one.png", 1, 0},
                 {"photo.jpg", 64, 56}};
    gbv_error error = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        image picture = decode(cases[i].name);
        size_t crop = cases[i].crop ? cases[i].crop : cases[i].side;
        assert_ok(image_resize(&picture, cases[i].side, cases[i].crop, &error), error);
        assert_true(picture.height == crop && picture.width == crop);
        assert_pixels(cases[i].name, &picture);
        image_free(&picture);
    }
}

static void the_usual_preparation_for_imagenet_is_torchvisions_to_the_bit(void **state)
{
    (void)state;
    gbv_error error = {0};
    image picture = decode("224.png"), wanted = decode("224_expected.png");
    assert_ok(image_resize(&picture, 256, 224, &error), error);
    assert_true(picture.height == 224 && picture.width == 224);
    assert_memory_equal(picture.pixels, wanted.pixels, 224 * 224 * 3);
    image_free(&wanted);
    wanted = decode("224_twice.png"); /* as the authors' program prepares images to test on */
    assert_ok(image_resize(&picture, 256, 224, &error), error);
    assert_memory_equal(picture.pixels, wanted.pixels, 224 * 224 * 3);
    image_free(&picture);
    image_free(&wanted);
}

/* round(x / 2) of Python goes to the even number; what is too small gets zeros, the odd one behind. */
static void the_middle_is_torchvisions(void **state)
{
    (void)state;
    static const struct {
        size_t length, crop, skipped, padding;
    } cases[] = {{5, 4, 0, 0}, {7, 4, 2, 0}, {9, 4, 2, 0}, {11, 4, 4, 0}, {8, 4, 2, 0}, {4, 4, 0, 0}, {4, 7, 0, 1}};
    gbv_error error = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        image picture;
        assert_ok(image_make(&picture, cases[i].length, cases[i].length, 1, IMAGE_PIXELS, &error), error);
        for (size_t p = 0; p < cases[i].length * cases[i].length; p++)
            picture.pixels[p] = (unsigned char)(p + 1);
        assert_ok(image_resize(&picture, 0, cases[i].crop, &error), error);
        assert_true(picture.height == cases[i].crop && picture.width == cases[i].crop);
        for (size_t y = 0; y < cases[i].crop; y++)
            for (size_t x = 0; x < cases[i].crop; x++) {
                size_t fy = y - cases[i].padding, fx = x - cases[i].padding;
                bool outside = fy >= cases[i].length || fx >= cases[i].length;
                size_t wanted = outside ? 0 : (fy + cases[i].skipped) * cases[i].length + fx + cases[i].skipped + 1;
                assert_int_equal(picture.pixels[y * cases[i].crop + x], wanted);
            }
        image_free(&picture);
    }
}

static void a_constant_stays_constant_at_any_size(void **state)
{
    (void)state;
    static const size_t sizes[][3] = {{1, 1, 5}, {1, 3000, 4}, {2000, 1, 3}, {37, 19, 1}, {3, 5, 64}};
    gbv_error error = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        image picture;
        assert_ok(image_make(&picture, sizes[i][0], sizes[i][1], 3, IMAGE_PIXELS, &error), error);
        memset(picture.pixels, 201, sizes[i][0] * sizes[i][1] * 3);
        assert_ok(image_resize(&picture, sizes[i][2], 0, &error), error);
        for (size_t p = 0; p < sizes[i][2] * sizes[i][2] * 3; p++)
            assert_int_equal(picture.pixels[p], 201);
        image_free(&picture);
    }
}

static void colours_become_gray_and_back(void **state)
{
    (void)state;
    gbv_error error = {0};
    image picture = decode("rgb.png");
    assert_ok(image_convert(&picture, 1, &error), error);
    assert_pixels("gray.png", &picture);
    assert_ok(image_convert(&picture, 3, &error), error);
    assert_int_equal(picture.pixels[0], picture.pixels[2]);
    image_free(&picture);
}

static void assert_broken(const unsigned char *bytes, size_t size, const char *part)
{
    gbv_error error = {0};
    image picture;
    unsigned char *exact = malloc(size ? size : 1); /* so that a sanitizer sees a read beyond */
    memcpy(exact, bytes, size);
    assert_int_equal(image_decode(exact, size, IMAGE_PIXELS, &picture, &error), GBV_BAD_INPUT);
    assert_null(picture.pixels);
    if (!strstr(error.message, part))
        fail_msg("'%s' does not hold '%s'", error.message, part);
    free(exact);
}

static void truncated_images_are_broken_wherever_they_end(void **state)
{
    (void)state;
    static const char *const names[] = {"rgb.png", "interlaced.png", "colour.jpg", "progressive.jpg", "cmyk.jpg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size;
        unsigned char *bytes = golden(names[i], &size);
        for (size_t length = 8; length < size; length += length < size - 12 ? 11 : 1)
            assert_broken(bytes, length, "broken");
        free(bytes);
    }
}

static void damage_that_decoders_only_warn_of_is_an_error(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = golden("colour.jpg", &size);
    memset(bytes + size - 40, 0xFF, 20); /* in the entropy-coded data */
    assert_broken(bytes, size, "broken JPEG");
    free(bytes);
    bytes = golden("rgb.png", &size);
    bytes[size - 30] ^= 1; /* the checksum no longer fits */
    assert_broken(bytes, size, "broken PNG");
    free(bytes);
}

static void what_is_no_image_is_said(void **state)
{
    (void)state;
    assert_broken((const unsigned char *)"", 0, "is empty");
    assert_broken((const unsigned char *)"GIF89a", 6, "neither a JPEG nor a PNG");
}

static void giants_are_refused_before_memory_is_asked_for(void **state)
{
    (void)state;
    gbv_error error = {0};
    image picture;
    assert_int_equal(image_make(&picture, 1 << 20, 1 << 20, 3, IMAGE_PIXELS, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "1048576 x 1048576"));
    size_t size;
    unsigned char *bytes = golden("rgb.png", &size);
    memcpy(bytes + 16, "\0\0\x3f\xff\0\0\x3f\xff", 8); /* 16383 x 16383 */
    uint32_t crc = __builtin_bswap32((uint32_t)crc32_z(0, bytes + 12, 17));
    memcpy(bytes + 29, &crc, sizeof crc);
    assert_broken(bytes, size, "too short for its size in pixels");
    memcpy(bytes + 16, "\x3f\xff\xff\xff\x3f\xff\xff\xff", 8);
    crc = __builtin_bswap32((uint32_t)crc32_z(0, bytes + 12, 17));
    memcpy(bytes + 29, &crc, sizeof crc);
    assert_broken(bytes, size, "1073741823 x 1073741823");
    free(bytes);
    bytes = golden("colour.jpg", &size);
    unsigned char *frame = memmem(bytes, size, "\xff\xc0", 2);
    memcpy(frame + 5, "\x3f\xff\x3f\xff", 4);
    assert_broken(bytes, size, "cannot be in");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_decoded_as_pillow_does),
        cmocka_unit_test(resizing_and_cutting_out_are_pillows_and_torchvisions_to_the_bit),
        cmocka_unit_test(the_usual_preparation_for_imagenet_is_torchvisions_to_the_bit),
        cmocka_unit_test(the_middle_is_torchvisions),
        cmocka_unit_test(a_constant_stays_constant_at_any_size),
        cmocka_unit_test(colours_become_gray_and_back),
        cmocka_unit_test(truncated_images_are_broken_wherever_they_end),
        cmocka_unit_test(damage_that_decoders_only_warn_of_is_an_error),
        cmocka_unit_test(what_is_no_image_is_said),
        cmocka_unit_test(giants_are_refused_before_memory_is_asked_for),
    };
    return RUN_WITH_FOLDER(tests);
}
