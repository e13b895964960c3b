/* test_operators.c - the table of operators, their ranges and grids, what leaves an image as it is, and the images of a
 * batch. */
#include "augment/gaussian_noise.h"
#include "augment_support.h"
#include "base/hash.h"
#include "base/random.h"

static void every_operator_is_found_by_its_name(void **state)
{
    (void)state;
    const gbv_operator *op;
    size_t count = 0, with_magnitude = 0, is_signed = 0;
    for (; (op = gbv_operator_at(count)); count++) {
        assert_ptr_equal(gbv_operator_find(op->name), op);
        assert_ptr_equal(&augment_operator_of(op)->info, op);
        assert_true(*op->summary && op->least <= op->most);
        with_magnitude += op->has_magnitude;
        is_signed += op->is_signed;
    }
    assert_int_equal(count, 16);
    assert_int_equal(with_magnitude, 13);
    assert_int_equal(is_signed, 9);
    assert_null(gbv_operator_find("Rotate"));
    assert_null(gbv_operator_find(NULL));
}

static void assert_grid(gbv_grid grid, const char *op, const double wanted[GBV_GRID_MAGNITUDES], bool coin)
{
    gbv_augmentor *all;
    size_t count, found = 0;
    gbv_error error = {0};
    assert_ok(gbv_grid_create(grid, 112, 224, &all, &count, &error), error);
    assert_int_equal(count, 68);
    for (size_t i = 0; i < count; i++) {
        assert_ok(augment_check(all[i].op, all[i].magnitude, 112, 224, &error), error);
        if (strcmp(all[i].op->name, op) == 0) {
            assert_near(all[i].magnitude, wanted[found++], 0);
            assert_int_equal(all[i].coin, coin);
        }
    }
    assert_int_equal(found, GBV_GRID_MAGNITUDES);
    free(all);
}

static void the_grids_are_those_of_the_paper_and_of_the_authors_program(void **state)
{
    (void)state;
    assert_grid(GBV_GRID_PAPER, "rotate", (double[]){-90, -45, 0, 45, 90}, false);
    assert_grid(GBV_GRID_PAPER, "translate_x", (double[]){0, 8, 16, 24, 32}, false);
    assert_grid(GBV_GRID_PAPER, "posterize", (double[]){8, 6, 5, 3, 2}, false);
    assert_grid(GBV_GRID_PAPER, "solarize", (double[]){256, 192, 128, 64, 0}, false);
    assert_grid(GBV_GRID_PAPER, "brightness", (double[]){0, 1.25, 2.5, 3.75, 5}, false);
    assert_grid(GBV_GRID_PAPER, "shear_y",
                (double[]){0, 0.07500000298023224, 0.15000000596046448, 0.22500000894069672, 0.30000001192092896},
                false);
    assert_grid(GBV_GRID_CODE, "shear_x",
                (double[]){0, 0.07500000298023224, 0.15000000596046448, 0.22500000894069672, 0.30000001192092896},
                true);
    assert_grid(GBV_GRID_CODE, "translate_x",
                (double[]){0, 25.377643585205078, 50.755287170410156, 76.1329345703125, 101.51057434082031}, true);
    assert_grid(GBV_GRID_CODE, "translate_y",
                (double[]){0, 12.688821792602539, 25.377643585205078, 38.06646728515625, 50.755287170410156}, true);
    assert_grid(GBV_GRID_CODE, "rotate", (double[]){0, 22.5, 45, 67.5, 90}, true);
    assert_grid(GBV_GRID_CODE, "contrast",
                (double[]){0, 0.22499999403953552, 0.44999998807907104, 0.6749999523162842, 0.8999999761581421}, true);
    assert_grid(GBV_GRID_CODE, "posterize", (double[]){8, 7, 6, 5, 4}, false);
    assert_grid(GBV_GRID_CODE, "solarize", (double[]){255, 191.25, 127.5, 63.75, 0}, false);
    assert_grid(GBV_GRID_CODE, "gaussian_blur",
                (double[]){0.10000000149011612, 1.3250000476837158, 2.549999952316284, 3.7750000953674316, 5}, false);
    assert_grid(GBV_GRID_CODE, "gaussian_noise",
                (double[]){0.10000000149011612, 0.8250000476837158, 1.5499999523162842, 2.2750000953674316, 3}, false);
}

static void translations_of_a_small_image_stay_within_it(void **state)
{
    (void)state;
    gbv_augmentor *all;
    size_t count;
    gbv_error error = {0};
    for (int grid = GBV_GRID_PAPER; grid <= GBV_GRID_CODE; grid++) {
        assert_ok(gbv_grid_create((gbv_grid)grid, 1, 28, &all, &count, &error), error);
        assert_int_equal(count, 68);
        for (size_t i = 0; i < count; i++)
            assert_ok(augment_check(all[i].op, all[i].magnitude, 1, 28, &error), error);
        free(all);
    }
}

static void refused(const char *op, double magnitude, size_t channels, size_t height, gbv_status wanted, ...)
{
    unsigned char in[3 * 64] = {0}, out[3 * 64];
    gbv_error error = {0};
    va_list parts;
    assert_int_equal(gbv_augment_apply(op, magnitude, 0, channels, height, 8, in, out, &error), wanted);
    va_start(parts, wanted);
    assert_holds_parts(error.message, parts);
    va_end(parts);
}

static void what_cannot_be_applied_is_refused_with_a_sentence(void **state)
{
    (void)state;
    refused("rotate", 180.5, 3, 4, GBV_USAGE, "rotate", "180.5", "-180 to 180", NULL);
    refused("rotate", NAN, 3, 4, GBV_USAGE, "rotate", "nan", NULL);
    refused("brightness", INFINITY, 3, 4, GBV_USAGE, "brightness", "inf", NULL);
    refused("translate_x", 8.5, 3, 4, GBV_USAGE, "translate_x", "-8 to 8 pixels", NULL);
    refused("translate_y", -4.5, 3, 4, GBV_USAGE, "translate_y", "-4 to 4 pixels", NULL);
    refused("posterize", 0.5, 3, 4, GBV_USAGE, "posterize", "1 to 8", NULL);
    refused("invert", 1, 3, 4, GBV_USAGE, "invert has no magnitude", NULL);
    refused("invert", NAN, 3, 4, GBV_USAGE, "invert has no magnitude", NULL);
    refused("gaussianblur", 1, 3, 4, GBV_USAGE, "gaussianblur", "the nearest is gaussian_blur", NULL);
    refused(NULL, 1, 3, 4, GBV_USAGE, "no operator", NULL);
    refused("invert", 0, 2, 4, GBV_BAD_INPUT, "2 channels", NULL);
    refused("invert", 0, 3, 0, GBV_BAD_INPUT, "0 x 8", NULL);
    assert_int_equal(gbv_augment_apply("rotate", 900, 0, 1, 1, 1, (unsigned char[]){0}, (unsigned char[]){0}, NULL),
                     GBV_USAGE);
}

static void magnitudes_that_say_so_leave_every_image_as_it_is(void **state)
{
    (void)state;
    size_t identities = 0;
    for (size_t o = 0; gbv_operator_at(o); o++) {
        const augment_operator *op = augment_operator_at(o);
        for (int i = 0; i <= 100 && op->is_identity; i++) {
            double magnitude = op->info.least + (op->info.most - op->info.least) * i / 100;
            for (size_t channels = 1; channels <= 3; channels += 2) {
                planes in = planes_make(channels, 31, 45, o), made = planes_apply(&in, op->info.name, magnitude, 1);
                if (op->is_identity(magnitude))
                    assert_memory_equal(in.bytes, made.bytes, planes_size(&in));
                identities += op->is_identity(magnitude);
                free(in.bytes);
                free(made.bytes);
            }
        }
    }
    assert_true(identities >= 2 * 12);
}

/* An edge of full height, which a blur changes first. */
static void the_widest_blur_that_says_so_leaves_an_edge_as_it_is(void **state)
{
    (void)state;
    planes in = planes_create(1, 24, 24);
    for (size_t i = 0; i < planes_size(&in); i++)
        in.bytes[i] = i % 24 % 2 == i / 24 % 2 ? 255 : 0;
    double widest = 0.1;
    while (augment_operator_of(gbv_operator_find("gaussian_blur"))->is_identity(widest + 0.001))
        widest += 0.001;
    planes made = planes_apply(&in, "gaussian_blur", widest, 0), more = planes_apply(&in, "gaussian_blur", 0.4, 0);
    assert_memory_equal(in.bytes, made.bytes, planes_size(&in));
    assert_memory_not_equal(in.bytes, more.bytes, planes_size(&in));
    free(in.bytes);
    free(made.bytes);
    free(more.bytes);
}

static void noise_is_normal_and_follows_its_key(void **state)
{
    (void)state;
    enum { RUNS = 100, COUNT = RUNS * NOISE_RUN };
    float *normals = malloc(COUNT * sizeof *normals);
    double sums[5] = {0}, beyond = 0, beside = 0;
    for (size_t r = 0; r < RUNS; r++)
        gaussian_noise_draw(12, r, normals + r * NOISE_RUN);
    for (size_t i = 0; i < COUNT; i++) {
        double z = normals[i], power = 1;
        assert_true(fabs(z) < 6);
        for (int k = 1; k <= 4; k++)
            sums[k] += (power *= z) / COUNT;
        beyond += fabs(z) > 1.959964;
        beside += i ? z * normals[i - 1] / COUNT : 0;
    }
    /* Five deviations of each mean. */
    double error = 5 / sqrt(COUNT);
    assert_near(sums[1], 0, error);
    assert_near(sums[2], 1, error * sqrt(2));
    assert_near(sums[3], 0, error * sqrt(15));
    assert_near(sums[4], 3, error * sqrt(96));
    assert_near(beyond / COUNT, 0.05, error * sqrt(0.05));
    assert_near(beside, 0, error);
    float other[NOISE_RUN], again[NOISE_RUN];
    gaussian_noise_draw(13, 0, other);
    gaussian_noise_draw(12, 0, again);
    assert_memory_equal(again, normals, sizeof again);
    assert_memory_not_equal(other, normals, sizeof other);
    free(normals);
}

/* The vectors against the plain formula with the C library's functions. */
static void noise_is_made_of_the_numbers_of_its_place(void **state)
{
    (void)state;
    enum { BLOCKS = NOISE_RUN / RANDOM_BLOCK };
    float normals[NOISE_RUN];
    uint64_t key = UINT64_C(0x123456789ABCDEF0);
    gaussian_noise_draw(key, 3, normals);
    for (size_t i = 0; i < BLOCKS; i++) {
        uint32_t block[RANDOM_BLOCK];
        random_block(key, 3 * BLOCKS + i, RANDOM_PIXEL_NOISE, block);
        for (size_t pair = 0; pair < 2; pair++) {
            double u = ((double)(block[2 * pair] >> 8) + 0.5) * 0x1p-24, radius = sqrt(-2 * log(u)),
                   turn = 2 * M_PI * (double)(int32_t)block[2 * pair + 1] * 0x1p-32;
            assert_near(normals[2 * pair * BLOCKS + i], radius * cos(turn), 3e-6);
            assert_near(normals[(2 * pair + 1) * BLOCKS + i], radius * sin(turn), 3e-6);
        }
    }
}

/* One number for all builds: with sanitizers there are no vectors, and else those of the processor at hand. */
static void noise_has_the_same_bits_with_any_instruction_set(void **state)
{
    (void)state;
    enum { RUNS = 50 };
    static float normals[RUNS][NOISE_RUN];
    for (size_t r = 0; r < RUNS; r++)
        gaussian_noise_draw(12345, r, normals[r]);
    assert_int_equal(hash_bytes(normals, sizeof normals), UINT64_C(0xD092BB587F554003));
    for (size_t r = 1; r < RUNS; r++)
        gaussian_noise_add(normals[r], normals[0], NOISE_RUN, 0.7f, 0.485f, 0.229f);
    assert_int_equal(hash_bytes(normals, sizeof normals), UINT64_C(0xB8146A76AB29E1F6));
}

static void noise_of_the_paper_keeps_to_bytes(void **state)
{
    (void)state;
    planes in = planes_make(3, 40, 30, 2), made = planes_apply(&in, "gaussian_noise", 0.1, 5),
           none = planes_apply(&in, "gaussian_noise", 0, 5);
    float normals[NOISE_RUN];
    assert_memory_equal(none.bytes, in.bytes, planes_size(&in));
    for (size_t i = 0; i < planes_size(&in); i++) {
        if (i % NOISE_RUN == 0)
            gaussian_noise_draw(5, i / NOISE_RUN, normals);
        double noisy = in.bytes[i] / 255.0 + (double)0.1f * normals[i % NOISE_RUN];
        assert_near(made.bytes[i], 255 * fmin(fmax(noisy, 0), 1), 0.501);
    }
    free(in.bytes);
    free(made.bytes);
    free(none.bytes);
}

enum { COUNT = 37, HEIGHT = 20, WIDTH = 26, CHANNELS = 3, SIZE = HEIGHT * WIDTH * CHANNELS };

static augment_draw draw_of(size_t i)
{
    augment_draw draw = {.count = i % 3, .key = 77 + i};
    for (size_t s = 0; s < draw.count; s++) {
        const gbv_operator *op = gbv_operator_at((i + 5 * s) % 16);
        double most = op->of_side ? 20 * op->most : op->most;
        draw.steps[s] = (gbv_augmentor){.op = op, .magnitude = op->has_magnitude ? 0.7 * most : 0};
    }
    return draw;
}

static const float mean[] = {0.485f, 0.456f, 0.406f}, deviation[] = {0.229f, 0.224f, 0.225f};

static bool run_batch(gbv_noise noise, size_t threads, unsigned char *bytes, float *floats)
{
    augment_draw draws[COUNT];
    planes in = planes_make(CHANNELS, HEIGHT * COUNT, WIDTH, 9);
    memcpy(bytes, in.bytes, (size_t)SIZE * COUNT);
    for (size_t i = 0; i < COUNT; i++)
        draws[i] = draw_of(i);
    unsigned char *spare = malloc(threads * SIZE);
    void *scratch = malloc(threads * augment_scratch_bytes(HEIGHT, WIDTH, CHANNELS));
    augment_batch batch = {.height = HEIGHT,
                           .width = WIDTH,
                           .channels = CHANNELS,
                           .count = COUNT,
                           .draws = draws,
                           .noise = noise,
                           .mean = mean,
                           .deviation = deviation,
                           .threads = threads,
                           .bytes = bytes,
                           .spare = spare,
                           .floats = floats,
                           .scratch = scratch};
    bool in_floats = augment_images(&batch);
    free(in.bytes);
    free(spare);
    free(scratch);
    return in_floats;
}

static void a_batch_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    unsigned char *bytes[3];
    float *floats[3];
    static const size_t threads[] = {1, 2, 8};
    for (int noise = GBV_NOISE_PAPER; noise <= GBV_NOISE_CODE; noise++) {
        for (int t = 0; t < 3; t++) {
            bytes[t] = malloc((size_t)SIZE * COUNT);
            floats[t] = calloc((size_t)SIZE * COUNT, sizeof *floats[t]);
            assert_int_equal(run_batch((gbv_noise)noise, threads[t], bytes[t], floats[t]), noise == GBV_NOISE_CODE);
            assert_memory_equal(bytes[t], bytes[0], (size_t)SIZE * COUNT);
            assert_memory_equal(floats[t], floats[0], SIZE * COUNT * sizeof *floats[0]);
        }
        for (int t = 0; t < 3; t++) {
            free(bytes[t]);
            free(floats[t]);
        }
    }
}

static void a_batch_holds_what_its_steps_make_one_by_one(void **state)
{
    (void)state;
    unsigned char *bytes = malloc((size_t)SIZE * COUNT);
    planes before = planes_make(CHANNELS, HEIGHT * COUNT, WIDTH, 9);
    assert_false(run_batch(GBV_NOISE_PAPER, 2, bytes, NULL));
    for (size_t i = 0; i < COUNT; i++) {
        augment_draw draw = draw_of(i);
        planes one = planes_create(CHANNELS, HEIGHT, WIDTH);
        memcpy(one.bytes, before.bytes + i * SIZE, SIZE);
        for (size_t s = 0; s < draw.count; s++) {
            uint64_t key = draw.key ^ s * UINT64_C(0x9E3779B97F4A7C15);
            planes next = planes_apply(&one, draw.steps[s].op->name, draw.steps[s].magnitude, key);
            free(one.bytes);
            one = next;
        }
        assert_memory_equal(one.bytes, bytes + i * SIZE, SIZE);
        free(one.bytes);
    }
    free(bytes);
    free(before.bytes);
}

static void noise_of_the_code_comes_after_normalisation(void **state)
{
    (void)state;
    unsigned char *bytes = malloc((size_t)SIZE * COUNT);
    float *floats = malloc(SIZE * COUNT * sizeof *floats);
    assert_true(run_batch(GBV_NOISE_CODE, 2, bytes, floats));
    for (size_t i = 0; i < COUNT; i++) {
        augment_draw draw = draw_of(i);
        bool noisy = false;
        for (size_t s = 0; s < draw.count; s++)
            noisy |= strcmp(draw.steps[s].op->name, "gaussian_noise") == 0;
        for (size_t j = 0; j < SIZE; j++) {
            size_t c = j / (HEIGHT * WIDTH);
            double normalised = ((double)floats[i * SIZE + j] - mean[c]) / deviation[c];
            if (noisy)
                assert_true(normalised >= -1e-6 && normalised <= 1 + 1e-6);
            else
                assert_near(floats[i * SIZE + j], bytes[i * SIZE + j] / 255.0, 1e-7);
        }
    }
    free(bytes);
    free(floats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_is_found_by_its_name),
        cmocka_unit_test(the_grids_are_those_of_the_paper_and_of_the_authors_program),
        cmocka_unit_test(translations_of_a_small_image_stay_within_it),
        cmocka_unit_test(what_cannot_be_applied_is_refused_with_a_sentence),
        cmocka_unit_test(magnitudes_that_say_so_leave_every_image_as_it_is),
        cmocka_unit_test(the_widest_blur_that_says_so_leaves_an_edge_as_it_is),
        cmocka_unit_test(noise_is_normal_and_follows_its_key),
        cmocka_unit_test(noise_is_made_of_the_numbers_of_its_place),
        cmocka_unit_test(noise_has_the_same_bits_with_any_instruction_set),
        cmocka_unit_test(noise_of_the_paper_keeps_to_bytes),
        cmocka_unit_test(a_batch_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(a_batch_holds_what_its_steps_make_one_by_one),
        cmocka_unit_test(noise_of_the_code_comes_after_normalisation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
