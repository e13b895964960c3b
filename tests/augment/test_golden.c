/* test_golden.c - every operator at the magnitudes of the authors' program against what Pillow and torchvision make of
 * them there (golden/aug), and the noise it adds to normalised pixels. */
#include "augment/gaussian_noise.h"
#include "augment_support.h"

#define AUG GOLDEN "/aug"

static void every_golden_image_is_made_again(void **state)
{
    (void)state;
    FILE *list = fopen(AUG "/operators.tsv", "r");
    char in_name[64], op[64], out_name[64];
    double magnitude;
    size_t count = 0;
    assert_non_null(list);
    while (fscanf(list, "%63s %63s %lf %63s", in_name, op, &magnitude, out_name) == 4) {
        planes in = planes_read(AUG, in_name), wanted = planes_read(AUG, out_name),
               made = planes_apply(&in, op, magnitude, 0);
        size_t differ = 0, allowed = strcmp(op, "gaussian_blur") == 0 ? 3 : 0;
        assert_int_equal(planes_size(&made), planes_size(&wanted));
        for (size_t i = 0; i < planes_size(&made); i++) {
            int difference = abs(made.bytes[i] - wanted.bytes[i]);
            differ += difference > 0;
            if (difference > 1 || differ > allowed)
                fail_msg("%s at %g: %s has %d at %zu, here it is %d", op, magnitude, out_name, wanted.bytes[i], i,
                         made.bytes[i]);
        }
        free(in.bytes);
        free(wanted.bytes);
        free(made.bytes);
        count++;
    }
    fclose(list);
    assert_int_equal(count, 262);
}

/* Float32 numbers of an NPY file whose header has 128 bytes. */
static float *numbers(const char *name, size_t count)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", AUG, name);
    FILE *stream = fopen(path, "rb");
    float *values = malloc(count * sizeof *values);
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 128, SEEK_SET), 0);
    assert_int_equal(fread(values, sizeof *values, count, stream), count);
    fclose(stream);
    return values;
}

static const float mean[] = {0.485f, 0.456f, 0.406f}, deviation[] = {0.229f, 0.224f, 0.225f};

static void noise_on_normalised_pixels_is_the_authors(void **state)
{
    (void)state;
    enum { PLANE = 32 * 32, ALL = 3 * PLANE, GRID = GBV_GRID_MAGNITUDES };
    planes in = planes_read(AUG, "N_in.png");
    float *normals = numbers("noise_z.npy", ALL), *wanted = numbers("noise_out.npy", GRID * ALL), pixels[ALL];
    gbv_augmentor *grid;
    size_t count, first = 0;
    gbv_error error = {0};
    assert_ok(gbv_grid_create(GBV_GRID_CODE, 224, 224, &grid, &count, &error), error);
    while (strcmp(grid[first].op->name, "gaussian_noise") != 0)
        first++;
    assert_int_equal(planes_size(&in), ALL);
    for (size_t g = 0; g < GRID; g++)
        for (size_t c = 0; c < 3; c++) {
            for (size_t i = 0; i < PLANE; i++)
                pixels[i] = (float)in.bytes[c * PLANE + i] / 255;
            gaussian_noise_add(pixels, normals + c * PLANE, PLANE, (float)grid[first + g].magnitude, mean[c],
                               deviation[c]);
            for (size_t i = 0; i < PLANE; i++) /* normalised, as a network sees them */
                assert_near((pixels[i] - mean[c]) / deviation[c], wanted[(g * 3 + c) * PLANE + i], 1e-6);
        }
    free(grid);
    free(normals);
    free(wanted);
    free(in.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_golden_image_is_made_again),
        cmocka_unit_test(noise_on_normalised_pixels_is_the_authors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
