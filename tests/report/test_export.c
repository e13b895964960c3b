/* What other libraries read: every operator is said, every name is escaped, weights that are none are refused. */
#include <gbv/export.h>

#include <jansson.h>

#include "augment/augment.h"
#include "report/folder.h"

static char path[600];

static int make_paths(void **state)
{
    make_folder(state);
    snprintf(path, sizeof path, "%s/exported", folder);
    return 0;
}

static char *read_text(void)
{
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    static char text[100000];
    size_t length = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    text[length] = '\0';
    return text;
}

/* A policy with one entry, changed by the tests. */
static gbv_policy_entry entry;
static gbv_policy one_entry(const char *op, double magnitude, bool coin)
{
    entry = (gbv_policy_entry){.augmentor = {gbv_operator_find(op), magnitude, coin}, .probability = 1};
    return (gbv_policy){.count = 1, .entries = &entry, .noise = GBV_NOISE_PAPER};
}

static json_t *export_albumentations(const gbv_policy *policy)
{
    gbv_error error;
    json_error_t problem;
    if (gbv_policy_export(policy, "albumentations", path, &error) != GBV_OK)
        fail_msg("%s", error.message);
    json_t *root = json_load_file(path, 0, &problem);
    assert_non_null(root);
    return root;
}

static const json_t *transforms(const json_t *root)
{
    const json_t *pipeline = json_object_get(json_object_get(root, "transform"), "transforms");
    return json_object_get(json_array_get(pipeline, 0), "transforms");
}

static void every_operator_of_every_grid_has_a_transform(void **state)
{
    (void)state;
    for (gbv_grid grid = GBV_GRID_PAPER; grid <= GBV_GRID_CODE; grid++) {
        gbv_augmentor *augmentors;
        size_t count;
        gbv_error error;
        assert_int_equal(gbv_grid_create(grid, 224, 224, &augmentors, &count, &error), GBV_OK);
        for (size_t i = 0; i < count; i++) {
            gbv_policy policy = one_entry(augmentors[i].op->name, augmentors[i].magnitude, augmentors[i].coin);
            policy.noise = grid == GBV_GRID_CODE ? GBV_NOISE_CODE : GBV_NOISE_PAPER;
            const char *note = gbv_policy_export_note(&policy, "albumentations", 0);
            assert_true(!note || !strstr(note, "left out"));
            json_t *root = export_albumentations(&policy);
            size_t said = json_array_size(transforms(root));
            assert_int_equal(said, augmentors[i].coin && augmentors[i].magnitude != 0 ? 2 : 1);
            double sum = 0;
            for (size_t t = 0; t < said; t++)
                sum += json_number_value(json_object_get(json_array_get(transforms(root), t), "p"));
            assert_true(sum == 1);
            json_decref(root);
        }
        free(augmentors);
    }
}

static void torchvision_knows_every_operator(void **state)
{
    (void)state;
    gbv_policy policy = one_entry("invert", 0, false);
    gbv_error error;
    assert_int_equal(gbv_policy_export(&policy, "torchvision", path, &error), GBV_OK);
    const char *program = read_text();
    for (size_t i = 0; gbv_operator_at(i); i++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\"", gbv_operator_at(i)->name);
        assert_non_null(strstr(program, quoted));
    }
    assert_null(strstr(program, "@policy@"));
    assert_null(gbv_policy_export_note(&policy, "torchvision", 0));
}

static void a_density_is_cut_into_bins_that_hold_its_probability(void **state)
{
    (void)state;
    double magnitudes[] = {-90, 0, 90}, scores[] = {-1, -0.2, -1.5}, none[] = {0}, invert[] = {-1};
    gbv_density densities[] = {{gbv_operator_find("rotate"), false, 3, magnitudes, scores, 0.5, 0.75},
                               {gbv_operator_find("invert"), false, 1, none, invert, 0.5, 0.25}};
    gbv_policy policy = one_entry("color", 1, false);
    policy.density_count = 2;
    policy.densities = densities;
    policy.inverse_tau = 5;
    json_t *root = export_albumentations(&policy);
    const json_t *all = transforms(root);
    double sum = 0, before = 0;
    for (size_t i = 0; i + 1 < json_array_size(all); i++) {
        double p = json_number_value(json_object_get(json_array_get(all, i), "p"));
        double below = gbv_density_below(&densities[0], 5, -90 + 180.0 * (double)(i + 1) / 32);
        assert_true(fabs(p - 0.75 * (below - before)) < 1e-12);
        before = below;
        sum += p;
    }
    assert_int_equal(json_array_size(all), 33);
    assert_true(fabs(sum - 0.75) < 1e-12);
    assert_non_null(strstr(gbv_policy_export_note(&policy, "albumentations", 1), "32 bins"));
    json_decref(root);
}

enum { COUNT = 2 };
static char awkward[] = "a\": [\n\\# \xC3\xA9\xF0\x9F\x98\x80\xFF", plain[] = "b";
static gbv_source_result sources[COUNT];

static gbv_result two_sources(void)
{
    sources[0] = (gbv_source_result){.name = awkward, .rows = 3, .posterior = 0.25};
    sources[1] = (gbv_source_result){.name = plain, .rows = 8, .posterior = 0.75};
    return (gbv_result){.sources = sources, .source_count = COUNT, .seed = 5};
}

static void names_cannot_leave_their_quotes(void **state)
{
    (void)state;
    gbv_result result = two_sources();
    gbv_error error;
    assert_int_equal(gbv_result_export(&result, "mosaic", path, &error), GBV_OK);
    const char *streams = strstr(read_text(), "streams:\n");
    assert_string_equal(streams, "streams:\n"
                                 "  \"a\\\": [\\u000a\\\\# \\u00e9\\U0001f600\\ufffd\":\n"
                                 "    local: streams/1-a_______________\n"
                                 "    proportion: 0.25\n"
                                 "  \"b\":\n"
                                 "    local: streams/2-b\n"
                                 "    proportion: 0.75\n");
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(gbv_result_export(&result, i ? "hf" : "torch", path, &error), GBV_OK);
        json_error_t problem;
        json_t *root = json_load_file(path, 0, &problem);
        assert_string_equal(json_string_value(json_array_get(json_object_get(root, "names"), 0)),
                            "a\": [\n\\# \xC3\xA9\xF0\x9F\x98\x80\xEF\xBF\xBD");
        const json_t *numbers = json_object_get(root, i ? "probabilities" : "row_weight");
        assert_true(json_number_value(json_array_get(numbers, 0)) == (i ? 0.25 : 0.25 / 3));
        json_decref(root);
    }
}

static void weights_that_are_none_are_refused(void **state)
{
    (void)state;
    gbv_error error;
    gbv_result result = two_sources();
    sources[0].posterior = sources[1].posterior = 0; /* as null reads */
    assert_int_equal(gbv_result_export(&result, "hf", path, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "add up to 0"));
    sources[0].posterior = NAN;
    assert_int_equal(gbv_result_export(&result, "mosaic", path, &error), GBV_BAD_INPUT);
    result = two_sources();
    sources[1].rows = 0;
    assert_int_equal(gbv_result_export(&result, "torch", path, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "'b'"));
    assert_int_equal(gbv_result_export(&result, "hf", path, &error), GBV_OK);
    gbv_policy policy = one_entry("invert", 0, false);
    entry.probability = 0;
    assert_int_equal(gbv_policy_export(&policy, "torchvision", path, &error), GBV_BAD_INPUT);
}

static void a_wrong_name_names_the_nearest_and_a_wrong_kind_the_others(void **state)
{
    (void)state;
    gbv_error error;
    gbv_policy policy = one_entry("invert", 0, false);
    gbv_result result = two_sources();
    const gbv_export *found;
    assert_int_equal(gbv_export_find("albumentation", &found, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "the nearest is albumentations"));
    assert_null(found);
    assert_int_equal(gbv_policy_export(&policy, "hf", path, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "torchvision, albumentations"));
    assert_int_equal(gbv_result_export(&result, "torchvision", path, &error), GBV_USAGE);
    assert_non_null(strstr(error.message, "hf, mosaic, torch"));
    assert_null(gbv_policy_export_note(&policy, "nothing", 0));
    assert_int_equal(gbv_policy_export(&policy, "torchvision", "/nowhere/x.py", &error), GBV_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_of_every_grid_has_a_transform),
        cmocka_unit_test(torchvision_knows_every_operator),
        cmocka_unit_test(a_density_is_cut_into_bins_that_hold_its_probability),
        cmocka_unit_test(names_cannot_leave_their_quotes),
        cmocka_unit_test(weights_that_are_none_are_refused),
        cmocka_unit_test(a_wrong_name_names_the_nearest_and_a_wrong_kind_the_others),
    };
    return cmocka_run_group_tests(tests, make_paths, remove_folder);
}
