/* Checkpoints: a training that is stopped anywhere and goes on ends with the same numbers; files that are not its own
 * are refused; a full disk leaves the checkpoint before. */
#include "checkpoint_folder.h"

#include <signal.h>
#include <sys/resource.h>

enum { IMAGES = 75 };

/* Stops the training when it is asked for the countdown-th time; 0: never. */
static bool count_down(void *context, const char *stage, size_t done, size_t total)
{
    (void)stage, (void)done, (void)total;
    size_t *countdown = context;
    return *countdown > 0 && --*countdown == 0;
}

static gbv_status train(const sample *data, const gbv_model_options *options, gbv_model **model, gbv_error *error)
{
    arena scratch = {0};
    plan p = plan_begin(1);
    gbv_status status = model_fit(data, 10, options, "final", &scratch, model, error);
    plan_end(p);
    arena_free(&scratch);
    return status;
}

static gbv_model_options training(const char *optimizer)
{
    gbv_model_options options = cnn_options(4);
    options.optimizer = optimizer;
    options.schedule = "linear";
    options.weight_decay = 1e-3;
    options.dropout = 0.1;
    options.held_out = 0.2;
    return options;
}

static void a_training_that_is_stopped_anywhere_ends_the_same(void **state)
{
    (void)state;
    images s = some_images(IMAGES);
    static const char *const optimizers[] = {"sgd", "adam"};
    for (size_t o = 0; o < 2; o++) {
        gbv_error error;
        gbv_model *whole, *pieces = NULL;
        gbv_model_options options = training(optimizers[o]);
        assert_ok(train(images_sample(&s), &options, &whole, &error), error);
        options.checkpoint = path;
        options.resume = true;
        options.progress = count_down;
        size_t countdown, tries = 0;
        options.context = &countdown;
        gbv_status status;
        do {
            countdown = 2 + tries % 5; /* in the middle of epochs, at their ends, while judging */
            assert_true(tries++ < 100);
            status = train(images_sample(&s), &options, &pieces, &error);
            assert_true(status == GBV_OK || status == GBV_INTERRUPTED);
        } while (status != GBV_OK);
        assert_true(tries > 4);
        assert_same_values(whole, pieces);
        assert_int_equal(whole->curve_count, pieces->curve_count);
        assert_int_equal(whole->best_epoch, pieces->best_epoch);
        assert_memory_equal(whole->curve, pieces->curve, whole->curve_count * sizeof *whole->curve);
        gbv_model_free(pieces);
        countdown = 1; /* it is done: there is nothing left to be asked about */
        assert_ok(train(images_sample(&s), &options, &pieces, &error), error);
        assert_same_values(whole, pieces);
        gbv_model_free(whole), gbv_model_free(pieces);
        remove(path);
    }
    images_free(&s);
}

static void stop_after(const sample *data, gbv_model_options options, size_t countdown)
{
    gbv_model *model;
    gbv_error error;
    options.checkpoint = path;
    options.progress = count_down;
    options.context = &countdown;
    assert_int_equal(train(data, &options, &model, &error), GBV_INTERRUPTED);
    assert_non_null(strstr(error.message, "--resume"));
}

static void refused(const sample *data, gbv_model_options options, gbv_status expected, const char *words)
{
    gbv_model *model;
    gbv_error error;
    options.checkpoint = path;
    assert_int_equal(train(data, &options, &model, &error), expected);
    assert_non_null(strstr(error.message, path));
    if (!strstr(error.message, words))
        fail_msg("expected \"%s\" in: %s", words, error.message);
}

static void a_checkpoint_of_another_training_is_refused(void **state)
{
    (void)state;
    images s = some_images(IMAGES);
    gbv_model_options options = training("adam");
    stop_after(images_sample(&s), options, 7);
    refused(images_sample(&s), options, GBV_USAGE, "go on from it with --resume, or remove it");
    options.resume = true;
    gbv_model_options other = options;
    other.learning_rate = 0.5;
    refused(images_sample(&s), other, GBV_BAD_INPUT, "belongs to another training");
    other = options;
    other.seed++;
    refused(images_sample(&s), other, GBV_BAD_INPUT, "belongs to another training");
    s.labels[3] = (s.labels[3] + 1) % 3;
    refused(images_sample(&s), options, GBV_BAD_INPUT, "belongs to another training");
    s.labels[3] = (s.labels[3] + 2) % 3;
    s.rows[5] = s.rows[6];
    refused(images_sample(&s), options, GBV_BAD_INPUT, "belongs to another training");
    images_free(&s);
    remove(path);
}

static void a_file_that_is_no_checkpoint_is_refused(void **state)
{
    (void)state;
    images s = some_images(IMAGES);
    gbv_model_options options = training("adam");
    options.resume = true;
    write_text_file(folder, "run.checkpoint", "");
    refused(images_sample(&s), options, GBV_BAD_INPUT, "");
    write_text_file(folder, "run.checkpoint", "epoch 3 of 10");
    refused(images_sample(&s), options, GBV_BAD_INPUT, "");
    remove(path);
    stop_after(images_sample(&s), training("adam"), 7);
    /* Cut anywhere, it is not taken for a whole one. */
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    for (int i = 1; i < 5; i++) {
        assert_int_equal(truncate(path, size - size * i / 5), 0);
        refused(images_sample(&s), options, GBV_BAD_INPUT, "");
    }
    images_free(&s);
    remove(path);
}

static void a_folder_that_is_not_there_is_found_out_at_once(void **state)
{
    (void)state;
    images s = some_images(IMAGES);
    gbv_model_options options = training("adam");
    size_t countdown = 1;
    char nowhere[700];
    snprintf(nowhere, sizeof nowhere, "%s/nowhere/run.checkpoint", folder);
    options.checkpoint = nowhere;
    options.progress = count_down;
    options.context = &countdown;
    gbv_model *model;
    gbv_error error;
    assert_int_equal(train(images_sample(&s), &options, &model, &error), GBV_FAILED);
    assert_int_equal(countdown, 1);
    images_free(&s);
}

/* A file may grow no further than a limit, which is what a full disk does. */
static void a_full_disk_leaves_the_checkpoint_before(void **state)
{
    (void)state;
    images s = some_images(IMAGES);
    gbv_model_options options = training("adam");
    gbv_model *whole, *model;
    gbv_error error;
    assert_ok(train(images_sample(&s), &options, &whole, &error), error);
    stop_after(images_sample(&s), options, 7);
    options.checkpoint = path;
    options.resume = true;
    struct rlimit before, full;
    getrlimit(RLIMIT_FSIZE, &before);
    full = before;
    full.rlim_cur = 100000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &full);
    gbv_status status = train(images_sample(&s), &options, &model, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, GBV_FAILED);
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, "the one before is kept"));
    char command[700];
    snprintf(command, sizeof command, "test $(ls '%s' | wc -l) = 1", folder); /* no half of a file is left */
    assert_int_equal(system(command), 0);
    assert_ok(train(images_sample(&s), &options, &model, &error), error);
    assert_same_values(whole, model);
    gbv_model_free(whole), gbv_model_free(model);
    images_free(&s);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_training_that_is_stopped_anywhere_ends_the_same),
        cmocka_unit_test(a_checkpoint_of_another_training_is_refused),
        cmocka_unit_test(a_file_that_is_no_checkpoint_is_refused),
        cmocka_unit_test(a_folder_that_is_not_there_is_found_out_at_once),
        cmocka_unit_test(a_full_disk_leaves_the_checkpoint_before),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
