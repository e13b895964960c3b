/* Contact sheets of tiny, gray, big and oddly shaped images, and of policies that fit no grid. */
#include "augment/canvas.h"
#include "base/file.h"
#include "data/format/image.h"
#include "test_support.h"

static char *folder;

static gbv_dataset *dataset_of(const unsigned char *pixels, size_t count, gbv_image_shape shape)
{
    gbv_dataset *dataset = NULL;
    gbv_error error;
    size_t size = shape.channels * shape.height * shape.width;
    gbv_matrix matrix = {.data = pixels,
                         .type = GBV_U8,
                         .rows = count,
                         .columns = size,
                         .row_stride = (ptrdiff_t)size,
                         .column_stride = 1};
    assert_ok(gbv_dataset_create("images", matrix, NULL, NULL, 0, &dataset, &error), error);
    assert_ok(gbv_dataset_set_images(dataset, shape, &error), error);
    return dataset;
}

static gbv_dataset *images_of(size_t count, size_t channels, size_t height, size_t width)
{
    static unsigned char pixels[1 << 19];
    assert_true(count * channels * height * width <= sizeof pixels);
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (unsigned char)(i * 7 + i / width * 3);
    return dataset_of(pixels, count, (gbv_image_shape){height, width, channels, false});
}

static gbv_policy *policy_of(gbv_grid grid, size_t side)
{
    gbv_augmentor *augmentors;
    size_t count;
    gbv_error error;
    assert_ok(gbv_grid_create(grid, side, side, &augmentors, &count, &error), error);
    gbv_policy *policy = calloc(1, sizeof *policy);
    policy->entries = calloc(count, sizeof *policy->entries);
    policy->count = count;
    policy->noise = grid == GBV_GRID_CODE ? GBV_NOISE_CODE : GBV_NOISE_PAPER;
    policy->effective_augmentors = (double)count;
    for (size_t i = 0; i < count; i++)
        policy->entries[i] = (gbv_policy_entry){
            .augmentor = augmentors[i], .prior = 1 / (double)count, .probability = i % 7 ? 1 / (double)count : 0};
    free(augmentors);
    return policy;
}

static image read_sheet(const char *path)
{
    mapped_file file;
    image sheet = {0};
    gbv_error error;
    assert_ok(mapped_file_open(path, &file, &error), error);
    assert_ok(image_decode(file.bytes, file.size, IMAGE_PIXELS, &sheet, &error), error);
    mapped_file_close(&file);
    return sheet;
}

static void any_images_and_both_grids_have_a_sheet(void **state)
{
    (void)state;
    static const struct {
        size_t count, channels, height, width, shown;
    } kinds[] = {{1, 3, 1, 1, 1}, {5, 1, 28, 28, 3}, {2, 3, 40, 300, 8}, {9, 3, 130, 97, 8}};
    char path[600];
    gbv_error error;
    snprintf(path, sizeof path, "%s/sheet.png", folder);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int grid = GBV_GRID_PAPER; grid <= GBV_GRID_CODE; grid++) {
            gbv_dataset *images = images_of(kinds[k].count, kinds[k].channels, kinds[k].height, kinds[k].width);
            gbv_policy *policy = policy_of((gbv_grid)grid, 28);
            assert_ok(gbv_contact_sheet_write(policy, images, kinds[k].shown, path, &error), error);
            image sheet = read_sheet(path);
            assert_true(sheet.width > 500 && sheet.width < 4000 && sheet.height > 1000 && sheet.height < 4000);
            image_free(&sheet);
            gbv_policy_free(policy);
            gbv_dataset_free(images);
        }
}

/* The cell of an operator shows what gbv_augment_apply makes of the image, enlarged. */
static void a_cell_shows_the_augmented_image(void **state)
{
    (void)state;
    enum { SIDE = 12, SHOWN = 144 };
    char path[600];
    unsigned char in[SIDE * SIDE], out[SIDE * SIDE];
    gbv_error error;
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i * 5 % 251);
    gbv_dataset *images = dataset_of(in, 1, (gbv_image_shape){SIDE, SIDE, 1, false});
    gbv_policy_entry entry = {.augmentor = {.op = gbv_operator_find("invert")}, .prior = 1, .probability = 1};
    gbv_policy policy = {.count = 1, .entries = &entry, .effective_augmentors = 1};
    snprintf(path, sizeof path, "%s/cell.png", folder);
    assert_ok(gbv_contact_sheet_write(&policy, images, 1, path, &error), error);
    assert_ok(gbv_augment_apply("invert", 0, 0, 1, SIDE, SIDE, in, out, &error), error);
    image sheet = read_sheet(path);
    bool found = false; /* somewhere there is a square with every pixel as large as twelve */
    for (size_t top = 0; !found && top + SHOWN <= sheet.height; top++)
        for (size_t left = 0; !found && left + SHOWN <= sheet.width; left++) {
            found = true;
            for (size_t i = 0; found && i < sizeof out; i++) {
                size_t y = top + i / SIDE * 12 + 5, x = left + i % SIDE * 12 + 5;
                found = sheet.pixels[(y * sheet.width + x) * 3] == out[i];
            }
        }
    assert_true(found);
    image_free(&sheet);
    gbv_dataset_free(images);
}

static void what_cannot_be_shown_is_refused(void **state)
{
    (void)state;
    double row[4] = {0};
    gbv_error error;
    gbv_dataset *images = images_of(2, 3, 8, 8), *rows;
    gbv_matrix matrix = {
        .data = row, .type = GBV_F64, .rows = 1, .columns = 4, .row_stride = sizeof row, .column_stride = sizeof *row};
    assert_ok(gbv_dataset_create("rows", matrix, NULL, NULL, 0, &rows, &error), error);
    gbv_policy *policy = policy_of(GBV_GRID_PAPER, 8), none = {0};
    assert_int_equal(gbv_contact_sheet_write(policy, images, 0, "sheet.png", &error), GBV_USAGE);
    assert_int_equal(gbv_contact_sheet_write(policy, images, 9, "sheet.png", &error), GBV_USAGE);
    assert_int_equal(gbv_contact_sheet_write(&none, images, 1, "sheet.png", &error), GBV_BAD_INPUT);
    assert_int_equal(gbv_contact_sheet_write(policy, rows, 1, "sheet.png", &error), GBV_BAD_INPUT);
    assert_int_not_equal(gbv_contact_sheet_write(policy, images, 1, "/nowhere/at/all/sheet.png", &error), GBV_OK);
    gbv_policy_free(policy);
    gbv_dataset_free(images);
    gbv_dataset_free(rows);
}

static void letters_stay_within_the_canvas(void **state)
{
    (void)state;
    canvas c;
    gbv_error error;
    assert_ok(canvas_create(10, 20, 0xffffff, &c, &error), error);
    canvas_text(&c, 0, 0, 2, 0x000000, "\x01\xff\x7f~ A very long line, cut off");
    canvas_fill(&c, (canvas_box){18, 8, 50, 50}, 0x102030);
    assert_int_equal(c.picture.pixels[(9 * 20 + 19) * 3 + 1], 0x20);
    canvas_free(&c);
    assert_int_equal(canvas_text_width(2, "11"), canvas_text_width(2, "88"));
    assert_int_equal(canvas_text_width(2, ""), 0);
    assert_int_equal(canvas_mix(0x000000, 0xffffff, 0.5), 0x808080);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_images_and_both_grids_have_a_sheet),
        cmocka_unit_test(a_cell_shows_the_augmented_image),
        cmocka_unit_test(what_cannot_be_shown_is_refused),
        cmocka_unit_test(letters_stay_within_the_canvas),
    };
    folder = test_folder_create();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_folder_remove(folder);
    return failed;
}
