/* The features of a pretrained network as the space in which data are compared: they are those that gbv features gives,
 * whatever the number of threads, with a reference, without one, and for the union of the sources. */
#include "value/pictures.h"

#include "value/backbone.h"

/* The sources and the reference as the network sees them, through the public face. */
typedef struct seen {
    float *features[PICTURE_SOURCES + 1];
    size_t columns;
    gbv_dataset *reference;
    gbv_sources *sources;
} seen;

static seen see(const pictures *p, const char *path)
{
    seen made = {.sources = gbv_sources_create()};
    gbv_model *model;
    gbv_error error;
    assert_ok(gbv_model_read_pretrained(path, "cnn", &model, &error), error);
    assert_ok(gbv_model_run_with(model, NULL, 1, &error), error);
    made.columns = model_feature_count(model);
    for (size_t s = 0; s <= PICTURE_SOURCES; s++) {
        const source *from = s < PICTURE_SOURCES ? &p->sources->items[s] : NULL;
        const gbv_dataset *dataset = from ? from->dataset : p->reference;
        gbv_dataset *copy;
        made.features[s] = calloc(p->count * made.columns, sizeof(float));
        assert_ok(gbv_features(model, dataset, made.features[s], NULL, NULL, &error), error);
        assert_ok(gbv_dataset_create(from ? from->name : "reference",
                                     gbv_matrix_f32(made.features[s], p->count, made.columns), dataset->labels, NULL, 0,
                                     &copy, &error),
                  error);
        if (from)
            assert_ok(gbv_sources_add_dataset(made.sources, from->name, copy, &error), error);
        else
            made.reference = copy;
    }
    gbv_model_free(model);
    return made;
}

static void seen_free(seen *s)
{
    gbv_sources_free(s->sources);
    gbv_dataset_free(s->reference);
    for (size_t i = 0; i <= PICTURE_SOURCES; i++)
        free(s->features[i]);
}

static gbv_result *value_of(const gbv_dataset *reference, const gbv_sources *sources, const gbv_value_options *options)
{
    gbv_result *result;
    gbv_error error;
    assert_ok(gbv_value(reference, sources, options, &result, &error), error);
    return result;
}

static void methods_compare_what_the_network_sees(void **state)
{
    (void)state;
    pictures *p = pictures_create(40);
    char *path = pictures_write_network(p, 1);
    seen s = see(p, path);
    static const char *const methods[] = {"lava", "knn-shapley"};
    for (size_t m = 0; m < 2; m++) {
        gbv_value_options options = pictures_options(), rows_only = options;
        options.model.epochs = 1;
        options.model.pretrained = path;
        options.method = rows_only.method = methods[m];
        rows_only.model = gbv_model_defaults();
        gbv_result *images_result = value_of(p->reference, p->sources, &options),
                   *rows_result = value_of(s.reference, s.sources, &rows_only);
        assert_string_equal(images_result->feature_space, BACKBONE_SPACE);
        for (size_t i = 0; i < PICTURE_SOURCES; i++)
            assert_close(images_result->sources[i].score, rows_result->sources[i].score, 1e-6);
        gbv_result_free(images_result), gbv_result_free(rows_result);
        options.model.pretrained = NULL; /* pixels give something else */
        gbv_result *pixels = value_of(p->reference, p->sources, &options);
        assert_true(fabs(pixels->sources[0].score - pixels->sources[1].score) > 0);
        assert_string_not_equal(pixels->feature_space, BACKBONE_SPACE);
        gbv_result_free(pixels);
    }
    seen_free(&s);
    free(path);
    pictures_free(p);
}

/* mmd has a reference form over arrays. */
static void mmd_compares_what_the_network_sees(void **state)
{
    (void)state;
    pictures *p = pictures_create(40);
    char *path = pictures_write_network(p, 1);
    seen s = see(p, path);
    gbv_value_options options = pictures_options();
    options.model.epochs = 1;
    options.model.pretrained = path;
    options.measure = "mmd";
    gbv_result *result = value_of(p->reference, p->sources, &options);
    assert_string_equal(result->feature_space, BACKBONE_SPACE);
    for (size_t i = 0; i < PICTURE_SOURCES; i++) {
        gbv_measure_input input = {.rows = p->count,
                                   .features = gbv_matrix_f32(s.features[PICTURE_SOURCES], p->count, s.columns),
                                   .source_features = gbv_matrix_f32(s.features[i], p->count, s.columns),
                                   .threads = 1};
        double expected;
        gbv_error error;
        assert_ok(gbv_measure("mmd", NULL, &input, &expected, NULL, &error), error);
        assert_close(result->sources[i].score, expected, 1e-9);
    }
    gbv_result_free(result);
    seen_free(&s);
    free(path);
    pictures_free(p);
}

/* With a reference, without its labels, without it, and on the union of all sources. */
static void no_number_of_threads_changes_a_byte(void **state)
{
    (void)state;
    pictures *p = pictures_create(40);
    char *path = pictures_write_network(p, 1);
    for (int way = 0; way < 4; way++) {
        gbv_value_options options = pictures_options();
        options.model.epochs = 1;
        options.model.pretrained = path;
        options.measure = way == 0 ? "cmmd,mmd" : "mmd";
        options.unlabelled = way == 1;
        options.variant = way == 3 ? "paper" : NULL;
        const gbv_dataset *reference = way < 2 ? p->reference : NULL;
        char *first = NULL;
        for (size_t threads = 1; threads <= 8; threads = threads == 1 ? 2 : 4 * threads) {
            options.model.threads = threads;
            char *text = pictures_value(reference, p, &options, NULL, NULL);
            assert_non_null(strstr(text, BACKBONE_SPACE));
            if (first)
                assert_string_equal(text, first);
            free(first);
            first = text;
        }
        free(first);
    }
    free(path);
    pictures_free(p);
}

static void without_a_reference_sources_are_compared_with_each_other(void **state)
{
    (void)state;
    pictures *p = pictures_create(40);
    char *path = pictures_write_network(p, 1);
    gbv_value_options options = pictures_options();
    options.model.epochs = 1;
    options.model.pretrained = path;
    options.measure = "mmd";
    gbv_result *result = value_of(NULL, p->sources, &options);
    assert_int_equal(result->sources[2].rank, 3); /* inverted images are far from the others */
    gbv_result_free(result);
    options.variant = "paper";
    result = value_of(NULL, p->sources, &options);
    assert_int_equal(result->sources[2].rank, 3);
    gbv_result_free(result);
    free(path);
    pictures_free(p);
}

static void assert_refused(const pictures *p, const gbv_value_options *options, gbv_status expected, const char *why)
{
    gbv_result *result;
    gbv_error error;
    assert_int_equal(gbv_value(p->reference, p->sources, options, &result, &error), expected);
    if (!strstr(error.message, why))
        fail_msg("'%s' does not hold '%s'", error.message, why);
    assert_null(strstr(error.message, "source '")); /* it is not a source's fault */
}

static void a_file_of_weights_that_does_not_serve_is_refused_first(void **state)
{
    (void)state;
    pictures *p = pictures_create(40);
    char *path = pictures_write_network(p, 1);
    gbv_value_options options = pictures_options();
    options.model.pretrained = "/no/such/file";
    assert_refused(p, &options, GBV_BAD_INPUT, "/no/such/file: cannot be opened");
    options.model.pretrained = path;
    options.model.model = "resnet18";
    assert_refused(p, &options, GBV_BAD_INPUT, "holds a cnn, not a resnet18: use --model cnn or give other weights");
    free(path);
    pictures_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_compare_what_the_network_sees),
        cmocka_unit_test(mmd_compares_what_the_network_sees),
        cmocka_unit_test(no_number_of_threads_changes_a_byte),
        cmocka_unit_test(without_a_reference_sources_are_compared_with_each_other),
        cmocka_unit_test(a_file_of_weights_that_does_not_serve_is_refused_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
