/* Networks against PyTorch: the same weights and pixels by formula give its logits and features, also after the model
 * was written to a file and read back. Numbers: tests/golden/make_networks.py. */
#include "nn_support.h"

#include "data/dataset.h"
#include "nn/kind.h"

enum { OUTPUTS = 5, IMAGES = 2, FEATURES_SHOWN = 4 };

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7FEB352Du;
    x = (x ^ x >> 15) * 0x846CA68Bu;
    return x ^ x >> 16;
}

static uint32_t name_hash(const char *name)
{
    uint32_t value = 2166136261u;
    for (; *name; name++)
        value = (value ^ (unsigned char)*name) * 16777619u;
    return value;
}

static void fill(gbv_model *model)
{
    for (const net_tensor *t = model->net->tensors; t < model->net->tensors + model->net->tensor_count; t++) {
        float *to = (t->statistic ? model->values.statistics : model->values.parameters) + t->offset;
        uint32_t seed = name_hash(t->name);
        double scale = t->axes > 1 ? sqrt(24 / ((double)t->count / (double)t->shape[0])) : 0.4;
        double centre = t->axes > 1 ? 0 : strstr(t->name, "running_var") ? 1 : strstr(t->name, ".weight") ? 0.6 : 0;
        for (size_t i = 0; i < t->count; i++)
            to[i] = (float)(centre + scale * ((double)mixed(seed + (uint32_t)i) / 0x1p32 - 0.5));
    }
}

typedef struct golden_case {
    const char *name, *kind, *normalise;
    gbv_image_shape shape;
    bool old_stride;
} golden_case;

static gbv_dataset *make_images(const golden_case *c, uint8_t **pixels)
{
    gbv_dataset *dataset;
    gbv_error error;
    size_t columns = c->shape.channels * c->shape.height * c->shape.width;
    *pixels = malloc(IMAGES * columns);
    for (size_t i = 0; i < IMAGES * columns; i++)
        (*pixels)[i] = (uint8_t)mixed(name_hash(c->name) + (uint32_t)i);
    assert_ok(gbv_dataset_create("images", gbv_matrix_u8(*pixels, IMAGES, columns), NULL, NULL, 0, &dataset, &error),
              error);
    dataset->shape = c->shape;
    return dataset;
}

static double golden(const char *name, const char *what, size_t image, size_t index)
{
    char key[100];
    double value = NAN;
    snprintf(key, sizeof key, "%s/%s/%zu/%zu", name, what, image, index);
    if (!golden_number("networks.tsv", key, &value))
        fail_msg("networks.tsv has no %s", key);
    return value;
}

/* Within 1e-4, and as much of the largest number, which float's digits are shared with. */
static void assert_golden(const golden_case *c, const gbv_model *model, const gbv_dataset *dataset)
{
    arena scratch = {0};
    gbv_error error;
    size_t width = model_feature_count(model);
    double logits[IMAGES * OUTPUTS], *features = malloc(IMAGES * width * sizeof *features);
    sample_part part = sample_part_of(dataset, NULL, IMAGES, NULL, NULL);
    sample both = sample_of(&part);
    assert_ok(model_read_out(model, &both, &(readout){.logits = logits, .features = features}, &scratch, &error),
              error);
    for (size_t i = 0; i < IMAGES; i++) {
        double largest = 1;
        for (size_t k = 0; k < OUTPUTS; k++)
            largest = fmax(largest, fabs(golden(c->name, "logit", i, k)));
        for (size_t k = 0; k < OUTPUTS; k++)
            assert_near(logits[i * OUTPUTS + k], golden(c->name, "logit", i, k), 1e-5 * largest);
        for (size_t k = 0; k < FEATURES_SHOWN; k++)
            assert_near(features[i * width + k], golden(c->name, "feature", i, k), 1e-5 * largest);
    }
    free(features);
    arena_free(&scratch);
}

static gbv_model *make_model(const golden_case *c)
{
    gbv_model *model;
    gbv_error error;
    net_options how = {.outputs = OUTPUTS, .stride_in_first = c->old_stride};
    assert_ok(model_create_network(model_kind_find(c->kind), how, c->shape, c->normalise, &model, &error), error);
    fill(model);
    return model;
}

static const golden_case cases[] = {
    {"resnet18", "resnet18", "imagenet", {32, 32, 3, false}, false},
    {"resnet18-gray", "resnet18", "half", {40, 24, 1, false}, false},
    {"resnet34", "resnet34", "imagenet", {32, 32, 3, false}, false},
    {"resnet50", "resnet50", "imagenet", {33, 47, 3, false}, false},
    {"resnet50-old", "resnet50", "imagenet", {33, 47, 3, false}, true},
    {"cnn", "cnn", "half", {32, 32, 3, false}, false},
    {"cnn-gray", "cnn", "imagenet", {28, 28, 1, false}, false},
};

static void networks_give_the_numbers_of_pytorch(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t *pixels;
        gbv_dataset *dataset = make_images(&cases[i], &pixels);
        gbv_model *model = make_model(&cases[i]);
        assert_golden(&cases[i], model, dataset);
        gbv_model_free(model);
        gbv_dataset_free(dataset);
        free(pixels);
    }
}

static void so_do_networks_from_files(void **state)
{
    static const char *const names[] = {"resnet18-gray", "cnn", "cnn-gray"};
    char path[600];
    snprintf(path, sizeof path, "%s/network.safetensors", (const char *)*state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const golden_case *c = &cases[i];
        if (strcmp(c->name, names[0]) != 0 && strcmp(c->name, names[1]) != 0 && strcmp(c->name, names[2]) != 0)
            continue;
        uint8_t *pixels;
        gbv_error error;
        gbv_dataset *dataset = make_images(c, &pixels);
        gbv_model *model = make_model(c), *back;
        model->class_names = calloc(OUTPUTS, sizeof *model->class_names);
        for (size_t k = 0; k < OUTPUTS; k++)
            assert_true(asprintf(&model->class_names[k], "class \"%zu\"", k) > 0);
        model->resize = 50;
        model->crop = 40;
        model->history = strdup("{\"epochs\":3}");
        assert_ok(gbv_model_write(model, path, &error), error);
        assert_ok(gbv_model_read(path, &back, &error), error);
        assert_golden(c, back, dataset);
        assert_string_equal(back->kind, c->kind);
        assert_string_equal(back->normalise->name, c->normalise);
        assert_string_equal(back->class_names[4], "class \"4\"");
        assert_string_equal(back->history, "{\"epochs\":3}");
        gbv_read_options read = {0};
        gbv_model_prepare_images(back, &read);
        assert_true(read.resize == 50 && read.crop == 40);
        assert_int_equal(read.color, c->shape.channels == 1 ? GBV_COLOR_GRAY : GBV_COLOR_RGB);
        assert_int_equal(gbv_model_inputs(back), gbv_model_inputs(model));
        gbv_model_free(back);
        gbv_model_free(model);
        gbv_dataset_free(dataset);
        free(pixels);
    }
}

/* The public face: any size of images, features as floats, channels that do not fit. */
static void images_of_other_sizes_are_taken(void **state)
{
    (void)state;
    gbv_error error;
    uint8_t *pixels;
    golden_case large = cases[5], gray = cases[6];
    gbv_model *model = make_model(&large);
    size_t width = gbv_model_feature_count(model);
    assert_int_equal(width, 64);
    large.shape.height = 50;
    large.shape.width = 21;
    gbv_dataset *dataset = make_images(&large, &pixels);
    float *features = calloc(IMAGES * width, sizeof *features);
    assert_ok(gbv_features(model, dataset, features, NULL, NULL, &error), error);
    assert_true(features[0] != 0 || features[1] != 0);
    gbv_progress stopped = {.stop = true};
    assert_int_equal(gbv_features(model, dataset, features, gbv_progress_note, &stopped, &error), GBV_INTERRUPTED);
    double probabilities[IMAGES * OUTPUTS];
    assert_int_equal(gbv_predict(model, dataset, probabilities, &error), GBV_USAGE); /* it has no names of classes */
    gbv_dataset_free(dataset);
    free(pixels);
    gbv_model_free(model);

    model = make_model(&gray);
    dataset = make_images(&large, &pixels);
    assert_int_equal(gbv_features(model, dataset, features, NULL, NULL, &error), GBV_BAD_INPUT);
    assert_string_equal(error.message,
                        "images: the images have 3 channels, those of the cnn model 1: for folders use --color gray");
    dataset->shape = (gbv_image_shape){0};
    assert_int_equal(gbv_features(model, dataset, features, NULL, NULL, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "takes images"));
    assert_int_equal(gbv_model_run_with(model, "abacus", 0, &error), GBV_USAGE);
    assert_ok(gbv_model_run_with(model, "reference", 1, &error), error);
    free(features);
    gbv_dataset_free(dataset);
    free(pixels);
    gbv_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_give_the_numbers_of_pytorch),
        cmocka_unit_test(so_do_networks_from_files),
        cmocka_unit_test(images_of_other_sizes_are_taken),
    };
    return cmocka_run_group_tests(tests, test_folder_open, test_folder_close);
}
