/* test_image_write.c - images written as PNG and JPEG, read again; planes and back. */
#include "data/format/image.h"
#include "file_support.h"

static image made_image(size_t channels)
{
    image picture;
    gbv_error error = {0};
    assert_ok(image_make(&picture, 21, 34, channels, IMAGE_PIXELS, &error), error);
    for (size_t y = 0, i = 0; y < picture.height; y++)
        for (size_t x = 0; x < picture.width; x++)
            for (size_t c = 0; c < channels; c++)
                picture.pixels[i++] = (unsigned char)(4 * x + 3 * y + 20 * c);
    return picture;
}

static image written_and_read(const image *picture, const char *name)
{
    char path[700];
    gbv_error error = {0};
    image read;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", test_folder, name);
    assert_ok(image_write(picture, path, &error), error);
    unsigned char *bytes = slurp(path, &size);
    assert_ok(image_decode(bytes, size, IMAGE_PIXELS, &read, &error), error);
    assert_true(read.height == picture->height && read.width == picture->width && read.channels == picture->channels);
    free(bytes);
    return read;
}

static void a_png_file_keeps_every_pixel(void **state)
{
    (void)state;
    for (size_t channels = 1; channels <= 3; channels += 2) {
        image picture = made_image(channels), read = written_and_read(&picture, "a.PNG");
        assert_memory_equal(read.pixels, picture.pixels, 21 * 34 * channels);
        image_free(&picture);
        image_free(&read);
    }
}

static void a_jpeg_file_is_near(void **state)
{
    (void)state;
    for (size_t channels = 1; channels <= 3; channels += 2) {
        image picture = made_image(channels), read = written_and_read(&picture, channels == 1 ? "a.jpg" : "a.jpeg");
        for (size_t i = 0; i < 21 * 34 * channels; i++)
            assert_near(read.pixels[i], picture.pixels[i], 16);
        image_free(&picture);
        image_free(&read);
    }
}

static void planes_become_the_image_they_were(void **state)
{
    (void)state;
    for (size_t channels = 1; channels <= 3; channels += 2) {
        image picture = made_image(channels), back = made_image(channels);
        unsigned char planes[21 * 34 * 3];
        image_store_planes(&picture, planes);
        memset(back.pixels, 0, 21 * 34 * channels);
        image_take_planes(&back, planes);
        assert_memory_equal(back.pixels, picture.pixels, 21 * 34 * channels);
        image_free(&picture);
        image_free(&back);
    }
}

static void a_file_that_cannot_be_written_is_not_there(void **state)
{
    (void)state;
    gbv_error error = {0};
    image picture = made_image(3), wide;
    char path[700];
    snprintf(path, sizeof path, "%s/a.gif", test_folder);
    assert_int_equal(image_write(&picture, path, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, ".png or .jpg"));
    assert_ok(image_make(&wide, 1, 70000, 1, IMAGE_PIXELS, &error), error);
    memset(wide.pixels, 0, 70000);
    snprintf(path, sizeof path, "%s/wide.jpg", test_folder);
    assert_int_equal(image_write(&wide, path, &error), GBV_FAILED);
    assert_non_null(strstr(error.message, "70000 x 1"));
    assert_null(fopen(path, "rb"));
    image_free(&picture);
    image_free(&wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_png_file_keeps_every_pixel),
        cmocka_unit_test(a_jpeg_file_is_near),
        cmocka_unit_test(planes_become_the_image_they_were),
        cmocka_unit_test(a_file_that_cannot_be_written_is_not_there),
    };
    return cmocka_run_group_tests(tests, open_test_folder, close_test_folder);
}
