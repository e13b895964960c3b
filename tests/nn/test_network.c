/* Networks of images as models: what they learn of real images, that threads do not matter, that rows that score are
 * never looked at, and what is said of rows that are no images. */
#include "image_support.h"

static gbv_dataset *fashion;

static int close_images(void **state)
{
    (void)state;
    gbv_dataset_free(fashion);
    return 0;
}

static gbv_dataset *all_images(void)
{
    if (!fashion)
        fashion = fashion_read();
    return fashion;
}

static gbv_model *fit_images(images *s, const gbv_model_options *options, const char *subject)
{
    gbv_model *model;
    gbv_error error;
    arena scratch = {0};
    plan p = plan_begin(options->threads);
    assert_ok(model_fit(images_sample(s), 10, options, subject, &scratch, &model, &error), error);
    plan_end(p);
    arena_free(&scratch);
    return model;
}

static void a_small_network_learns_real_images(void **state)
{
    (void)state;
    images train = images_of(all_images(), 0, 240, 3), test = images_of(all_images(), 240, 200, 3);
    gbv_model_options options = cnn_options(4);
    gbv_model *model = fit_images(&train, &options, "anna");
    assert_true(accuracy_on(model, &test) > 0.85);
    assert_int_equal(model->outputs, 3);
    assert_int_equal(model_feature_count(model), model->net->feature_count);
    assert_int_equal(model->curve_count, 4);
    assert_true(model->curve[3].loss < model->curve[0].loss);
    assert_true(model->curve[model->best_epoch - 1].held_out_loss <= model->curve[0].held_out_loss);
    gbv_model_free(model);
    images_free(&train), images_free(&test);
}

static void a_readout_is_the_same_whole_or_in_pieces(void **state)
{
    (void)state;
    images s = images_of(all_images(), 0, 150, 3);
    gbv_model_options options = cnn_options(1);
    gbv_model *model = fit_images(&s, &options, "anna");
    size_t features = model_feature_count(model);
    double *logits = calloc(150 * 3, sizeof *logits), *p = calloc(150 * 3, sizeof *p),
           *f = calloc(150 * features, sizeof *f), part[3];
    gbv_error error;
    arena scratch = {0};
    assert_ok(model_read_out(model, images_sample(&s), &(readout){.logits = logits, .probabilities = p, .features = f},
                             &scratch, &error),
              error);
    for (size_t i = 0; i < 150; i += 37) {
        images one = s;
        one.rows += i;
        one.count = 1;
        assert_ok(model_read_out(model, images_sample(&one), &(readout){.logits = part}, &scratch, &error), error);
        for (size_t k = 0; k < 3; k++)
            assert_near(part[k], logits[3 * i + k], 1e-4);
        double sum = p[3 * i] + p[3 * i + 1] + p[3 * i + 2];
        assert_near(sum, 1, 1e-12);
        /* The last layer makes the logits of the features. */
        const net_tensor *weight = &model->net->tensors[model->net->tensor_count - 2],
                         *bias = &model->net->tensors[model->net->tensor_count - 1];
        for (size_t k = 0; k < 3; k++) {
            double by_hand = (double)model->values.parameters[bias->offset + k];
            for (size_t j = 0; j < features; j++)
                by_hand += f[i * features + j] * (double)model->values.parameters[weight->offset + k * features + j];
            assert_near(by_hand, logits[3 * i + k], 1e-4);
        }
    }
    free(logits), free(p), free(f);
    arena_free(&scratch);
    gbv_model_free(model);
    images_free(&s);
}

static void seed_subject_and_draw_decide_and_threads_do_not(void **state)
{
    (void)state;
    images s = images_of(all_images(), 0, 60, 3);
    gbv_model_options options = cnn_options(2);
    options.held_out = 0.2;
    options.dropout = 0.1;
    gbv_model *first = fit_images(&s, &options, "anna"), *other = fit_images(&s, &options, "ben"), *inside = NULL;
    options.threads = 2;
    gbv_model *threads = fit_images(&s, &options, "anna");
#pragma omp parallel num_threads(2)
#pragma omp single
    inside = fit_images(&s, &options, "anna");
    assert_same_values(first, threads);
    assert_same_values(first, inside);
    size_t bytes = first->net->parameter_count * sizeof(float);
    assert_memory_not_equal(first->values.parameters, other->values.parameters, bytes);
    gbv_model_free(first), gbv_model_free(other), gbv_model_free(threads), gbv_model_free(inside);
    images_free(&s);
}

/* A source's rows whose features are its pixels, once as bytes and once repeated as a colour image. */
static void gray_images_serve_networks_of_colours(void **state)
{
    (void)state;
    unsigned char pixels[24 * 20 * 20];
    int32_t labels[24];
    random_stream stream = random_stream_open(1, "pixels", RANDOM_SPLIT);
    for (size_t i = 0; i < 24; i++) {
        labels[i] = (int32_t)(i % 2);
        for (size_t j = 0; j < 400; j++)
            pixels[400 * i + j] = (unsigned char)(random_below(&stream, 128) + (i % 2 ? 127 : 0));
    }
    gbv_model_options options = cnn_options(1);
    options.model = "resnet18";
    options.batch = 8;
    gbv_error error;
    arena scratch = {0};
    gbv_model *model;
    sample_part part = {
        .features = {.data = pixels, .type = GBV_U8, .rows = 24, .columns = 400, .row_stride = 400, .column_stride = 1},
        .shape = {.height = 20, .width = 20, .channels = 1},
        .labels = labels,
        .count = 24,
        .row_weight = 1};
    sample shown = sample_of(&part);
    assert_ok(model_fit(&shown, 2, &options, "s", &scratch, &model, &error), error);
    assert_int_equal(model->input.channels, 3);
    assert_int_equal(model->inputs, 400);
    double p[48];
    assert_ok(model_read_out(model, &shown, &(readout){.probabilities = p}, &scratch, &error), error);
    gbv_model_free(model);

    /* One image alone, whose last maps are single numbers: nothing varies there, and still no number is lost. */
    part.count = shown.rows = 1;
    assert_ok(model_fit(&shown, 2, &options, "s", &scratch, &model, &error), error);
    assert_ok(model_read_out(model, &shown, &(readout){.probabilities = p}, &scratch, &error), error);
    assert_true(p[0] == 1);
    gbv_model_free(model);
    part.count = shown.rows = 3;
    options.batch = options.epochs = 1;
    assert_ok(model_fit(&shown, 2, &options, "s", &scratch, &model, &error), error);
    gbv_model_free(model);
    part.count = shown.rows = 24;

    part.shape.channels = 2, part.shape.height = 10;
    assert_int_equal(model_fit(&shown, 2, &options, "s", &scratch, &model, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "2"));
    part.shape = (gbv_image_shape){0};
    assert_int_equal(model_fit(&shown, 2, &options, "s", &scratch, &model, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "takes images"));
    arena_free(&scratch);
}

static void images_of_other_channels_are_refused(void **state)
{
    (void)state;
    images s = images_of(all_images(), 0, 40, 2);
    gbv_model_options options = cnn_options(1);
    gbv_model *model = fit_images(&s, &options, "anna");
    sample shown = *images_sample(&s);
    s.part.shape.height = 14, s.part.shape.channels = 2;
    gbv_error error;
    arena scratch = {0};
    double p[80];
    assert_int_equal(model_read_out(model, &shown, &(readout){.probabilities = p}, &scratch, &error), GBV_BAD_INPUT);
    assert_non_null(strstr(error.message, "the images have 2 channels, those of the cnn model 1"));
    arena_free(&scratch);
    gbv_model_free(model);
    images_free(&s);
}

static void a_network_that_diverges_says_so(void **state)
{
    (void)state;
    images s = images_of(all_images(), 0, 40, 2);
    gbv_model_options options = cnn_options(20);
    options.optimizer = "sgd";
    options.learning_rate = 1000;
    gbv_error error;
    arena scratch = {0};
    gbv_model *model;
    assert_int_equal(model_fit(images_sample(&s), 10, &options, "anna", &scratch, &model, &error), GBV_FAILED);
    assert_non_null(strstr(error.message, "diverged in epoch"));
    assert_non_null(strstr(error.message, "lower --learning-rate"));
    arena_free(&scratch);
    images_free(&s);
}

/* What a run of gbv_value trained: what its models make of some images at their last epoch. */
typedef struct traced {
    double predictions[3][20 * 3];
    const gbv_dataset *on;
    size_t epochs;
} traced;

static void trace(void *context, const gbv_epoch *epoch)
{
    traced *t = context;
    gbv_error error;
    arena scratch = {0};
    sample_part part = sample_part_of(t->on, t->on->row_index, t->on->row_count, NULL, NULL);
    sample shown = sample_of(&part);
    readout out = {.probabilities = t->predictions[epoch->subject[0] - 'a']};
    t->epochs++;
    assert_ok(model_read_out(epoch->model, &shown, &out, &scratch, &error), error);
    arena_free(&scratch);
}

/* The JSON of a valuation of three sources of 40 images each. */
static char *value_images(const char *folder, const gbv_dataset *reference, size_t threads, traced *t)
{
    gbv_error error;
    gbv_sources *sources = gbv_sources_create();
    static const char *const names[] = {"a", "b", "c"};
    for (size_t s = 0; s < 3; s++) {
        images own = images_of(all_images(), 40 * s, 40, 3);
        assert_ok(gbv_sources_add_file(sources, names[s], images_write(&own, folder, names[s], false), NULL, &error),
                  error);
        images_free(&own);
    }
    gbv_value_options options = gbv_value_defaults();
    options.model = cnn_options(2);
    options.model.held_out = 0.2;
    options.model.threads = threads;
    options.model.on_epoch = t ? trace : NULL;
    options.model.context = t;
    options.replicates = 0;
    gbv_result *result;
    char *text;
    assert_ok(gbv_value(reference, sources, &options, &result, &error), error);
    assert_ok(gbv_result_text(result, GBV_FORMAT_JSON, &text, &error), error);
    gbv_result_free(result);
    gbv_sources_free(sources);
    return text;
}

static gbv_dataset *read_images(const char *folder, size_t skipped, size_t count, const char *name, bool poisoned)
{
    images s = images_of(all_images(), skipped, count, 3);
    gbv_dataset *dataset;
    gbv_error error;
    assert_ok(gbv_dataset_read(images_write(&s, folder, name, poisoned), NULL, &dataset, &error), error);
    images_free(&s);
    return dataset;
}

static void rows_that_score_are_not_looked_at_by_the_training(void **state)
{
    (void)state;
    all_images();
    char *folder = test_folder_create();
    gbv_dataset *few = read_images(folder, 300, 20, "few", false);
    traced clean = {.on = few}, poisoned = {.on = few};
    for (int bad = 0; bad < 2; bad++) {
        gbv_dataset *reference = read_images(folder, 200, 30, bad ? "bad" : "good", bad);
        char *text = value_images(folder, reference, 1, bad ? &poisoned : &clean);
        gbv_text_free(text);
        gbv_dataset_free(reference);
    }
    assert_int_equal(clean.epochs, 6);
    assert_memory_equal(clean.predictions, poisoned.predictions, sizeof clean.predictions);
    gbv_dataset_free(few);
    test_folder_remove(folder);
}

static void a_valuation_by_networks_is_the_same_for_any_number_of_workers(void **state)
{
    (void)state;
    all_images();
    char *folder = test_folder_create(), *first = NULL;
    gbv_dataset *reference = read_images(folder, 200, 30, "reference", false);
    for (size_t threads = 1; threads <= 8; threads = threads == 1 ? 2 : threads * 4) {
        char *text = value_images(folder, reference, threads, NULL);
        char *recorded = strstr(text, "\"threads\"");
        if (recorded) /* the number of workers is part of the record */
            memset(recorded, ' ', strcspn(recorded, ",}\n"));
        if (first)
            assert_string_equal(first, text);
        gbv_text_free(first);
        first = text;
    }
    gbv_text_free(first);
    gbv_dataset_free(reference);
    test_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_network_learns_real_images),
        cmocka_unit_test(a_readout_is_the_same_whole_or_in_pieces),
        cmocka_unit_test(seed_subject_and_draw_decide_and_threads_do_not),
        cmocka_unit_test(gray_images_serve_networks_of_colours),
        cmocka_unit_test(images_of_other_channels_are_refused),
        cmocka_unit_test(a_network_that_diverges_says_so),
        cmocka_unit_test(rows_that_score_are_not_looked_at_by_the_training),
        cmocka_unit_test(a_valuation_by_networks_is_the_same_for_any_number_of_workers),
    };
    return cmocka_run_group_tests(tests, NULL, close_images);
}
