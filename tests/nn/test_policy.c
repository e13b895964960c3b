/* Training with a policy: equal bytes for any number of threads and after an interruption; held-out rows stay as they
 * are; a policy that does nothing changes nothing. */
#include "checkpoint_folder.h"

#include <math.h>

#include "nn/held_out.h"

enum { IMAGES = 40 };

static const char *policy_file(const char *name, const char *augmentors)
{
    static char file[700];
    snprintf(file, sizeof file, "%s/%s.json", folder, name);
    FILE *stream = fopen(file, "w");
    assert_non_null(stream);
    fprintf(stream, "{\"kind\": \"policy\", \"schema\": 1, \"augmentors\": [%s]}\n", augmentors);
    assert_int_equal(fclose(stream), 0);
    return file;
}

static gbv_model_options training(const char *policy)
{
    gbv_model_options options = cnn_options(2);
    options.dropout = 0.1;
    options.held_out = 0.2;
    options.threads_per_model = 1;
    options.policy = policy;
    return options;
}

static gbv_status train(const sample *data, const gbv_model_options *options, gbv_model **model, gbv_error *error)
{
    arena scratch = {0};
    plan p = plan_begin(options->threads);
    gbv_status status = model_fit(data, 10, options, "final", &scratch, model, error);
    plan_end(p);
    arena_free(&scratch);
    return status;
}

static gbv_model *trained(images *s, const gbv_model_options *options)
{
    gbv_error error;
    gbv_model *model;
    assert_ok(train(images_sample(s), options, &model, &error), error);
    return model;
}

static void assert_differ(const gbv_model *a, const gbv_model *b)
{
    assert_memory_not_equal(a->values.parameters, b->values.parameters, a->net->parameter_count * sizeof(float));
}

static const char *const names[] = {"trivialaugment", "randaugment", "autoaugment", "entaugment", "sra"};

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    (void)state;
    images s = some_images(IMAGES);
    gbv_model_options options = training(NULL);
    gbv_model *plain = trained(&s, &options);
    for (size_t n = 0; n < 5; n++) {
        options = training(names[n]);
        options.held_out = 0;
        options.epochs = 1 + (n > 2); /* some go by the visit before */
        gbv_model *one = trained(&s, &options);
        assert_differ(one, plain);
        for (size_t threads = 2; threads <= 8; threads *= 4) {
            options.threads = threads;
            gbv_model *more = trained(&s, &options);
            assert_same_values(one, more);
            gbv_model_free(more);
        }
        options.seed++;
        gbv_model *other = trained(&s, &options);
        assert_differ(one, other);
        gbv_model_free(other);
        gbv_model_free(one);
    }
    gbv_model_free(plain);
    images_free(&s);
}

/* Stops the training when it is asked for the countdown-th time; 0: never. */
static bool count_down(void *context, const char *stage, size_t done, size_t total)
{
    (void)stage, (void)done, (void)total;
    size_t *countdown = context;
    return *countdown > 0 && --*countdown == 0;
}

static void a_training_that_is_stopped_goes_on_with_the_same_draws(void **state)
{
    (void)state;
    images s = some_images(IMAGES);
    const char *const policies[] = {
        "entaugment", "sra",
        policy_file("half", "{\"op\": \"rotate\", \"magnitude\": 90, \"probability\": 0.5},"
                            "{\"op\": \"gaussian_noise\", \"magnitude\": 0.5, \"probability\": 0.5}")};
    for (size_t n = 0; n < 3; n++) {
        gbv_error error;
        gbv_model_options options = training(policies[n]);
        options.batch = 8;
        gbv_model *whole = trained(&s, &options), *pieces = NULL;
        size_t countdown, tries = 0;
        options.checkpoint = path;
        options.resume = true;
        options.progress = count_down;
        options.context = &countdown;
        gbv_status status;
        do {
            countdown = 2 + tries % 2; /* between any two steps, also of one pair of halves */
            status = train(images_sample(&s), &options, &pieces, &error);
            assert_true(status == GBV_OK || status == GBV_INTERRUPTED);
        } while (status != GBV_OK && ++tries < 100);
        print_message("%s: stopped %zu times\n", policies[n], tries);
        assert_true(tries > 3 && status == GBV_OK);
        assert_same_values(whole, pieces);
        gbv_model_free(pieces);
        options.policy = n == 0 ? "trivialaugment" : "entaugment"; /* another one's checkpoint */
        options.progress = NULL;
        assert_int_equal(train(images_sample(&s), &options, &pieces, &error), GBV_BAD_INPUT);
        assert_non_null(strstr(error.message, "belongs to another training: the options, the policy"));
        gbv_model_free(whole);
        assert_int_equal(unlink(path), 0);
    }
    images_free(&s);
}

/* Puts another score of a row into the checkpoint. */
static void write_score(size_t row, float score)
{
    FILE *file = fopen(path, "r+b");
    uint64_t size;
    size_t begin;
    assert_non_null(file);
    assert_int_equal(fread(&size, sizeof size, 1, file), 1);
    char *header = calloc(size + 1, 1), *scores;
    assert_int_equal(fread(header, 1, size, file), size);
    assert_non_null(scores = strstr(header, "\"policy_scores\""));
    assert_int_equal(sscanf(strstr(scores, "data_offsets"), "data_offsets\": [%zu,", &begin), 1);
    assert_int_equal(fseek(file, (long)(sizeof size + size + begin + row * sizeof score), SEEK_SET), 0);
    assert_int_equal(fwrite(&score, sizeof score, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    free(header);
}

/* Of a policy that looks: what it thinks of the rows is in the file, where anyone may have edited it. */
static void a_checkpoint_whose_scores_are_none_is_refused(void **state)
{
    (void)state;
    images s = some_images(IMAGES);
    gbv_error error;
    gbv_model *model;
    gbv_model_options options = training("entaugment");
    options.epochs = 1;
    options.checkpoint = path;
    assert_ok(train(images_sample(&s), &options, &model, &error), error);
    gbv_model_free(model);
    static const float wrong[] = {-0.5f, 1.001f, 1e30f};
    options.resume = true;
    for (size_t i = 0; i < 3; i++) {
        write_score(7, wrong[i]);
        assert_int_equal(train(images_sample(&s), &options, &model, &error), GBV_BAD_INPUT);
        assert_non_null(strstr(error.message, "its policy's score of row 8 is"));
    }
    assert_int_equal(unlink(path), 0);
    images_free(&s);
}

/* Fewer rows than a batch are halved, too: else there would be no second half. */
static void sra_halves_what_there_is(void **state)
{
    (void)state;
    images s = some_images(IMAGES);
    gbv_model_options options = training("sra");
    options.held_out = 0;
    options.batch = 40;
    gbv_model *whole = trained(&s, &options);
    options.batch = 200;
    gbv_model *more = trained(&s, &options);
    assert_same_values(whole, more);
    gbv_model_free(whole);
    gbv_model_free(more);
    images_free(&s);
}

static void a_file_counts_by_what_it_holds(void **state)
{
    (void)state;
    images s = some_images(IMAGES);
    gbv_error error;
    gbv_model *model;
    static const char rotation[] = "{\"op\": \"rotate\", \"magnitude\": 90, \"probability\": 1}",
                      inversion[] = "{\"op\": \"invert\", \"magnitude\": 0, \"probability\": 1}";
    gbv_model_options options = training(policy_file("one", rotation));
    options.epochs = 1;
    options.checkpoint = path;
    assert_ok(train(images_sample(&s), &options, &model, &error), error);
    assert_int_equal(strlen(model->policy_sha256), 64);
    gbv_model_free(model);
    options.resume = true;
    options.policy = policy_file("renamed", rotation);
    assert_ok(train(images_sample(&s), &options, &model, &error), error);
    gbv_model_free(model);
    options.policy = policy_file("renamed", inversion);
    assert_int_equal(train(images_sample(&s), &options, &model, &error), GBV_BAD_INPUT);
    assert_int_equal(unlink(path), 0);
    images_free(&s);
}

static void a_policy_that_does_nothing_changes_nothing(void **state)
{
    (void)state;
    images s = some_images(IMAGES);
    gbv_model_options options = training(NULL);
    gbv_model *plain = trained(&s, &options);
    static const char *const nothing[] = {"{\"op\": \"rotate\", \"magnitude\": 0, \"probability\": 1}",
                                          "{\"op\": \"posterize\", \"magnitude\": 8, \"probability\": 0.25},"
                                          "{\"op\": \"translate_y\", \"magnitude\": 0, \"probability\": 0.75}"};
    for (size_t n = 0; n < 3; n++) {
        options.policy = n < 2 ? policy_file("nothing", nothing[n]) : "none";
        gbv_model *same = trained(&s, &options);
        assert_same_values(plain, same);
        gbv_model_free(same);
    }
    gbv_model_free(plain);
    images_free(&s);
}

/* What the curve says of the held-out rows is the loss of the model on these images as they are. */
static void held_out_rows_are_judged_as_they_are(void **state)
{
    (void)state;
    images s = some_images(IMAGES);
    arena scratch = {0};
    size_t order[40], count;
    gbv_model_options options =
        training(policy_file("inverted", "{\"op\": \"invert\", \"magnitude\": 0, \"probability\": 1}"));
    options.epochs = 1;
    random_stream stream = random_stream_open_draw(options.seed, "final", RANDOM_HELD_OUT, 0);
    assert_true(held_out_split(s.labels, s.count, 3, options.held_out, stream, &scratch, order, &count));
    assert_int_equal(count, 32);
    gbv_model *model = trained(&s, &options);
    double *seen = model_probabilities(model, images_sample(&s)), loss = 0;
    for (size_t k = count; k < s.count; k++)
        loss -= log(seen[order[k] * model->outputs + (size_t)s.labels[order[k]]]) / (double)(s.count - count);
    print_message("held-out loss %.7f, of the images as they are %.7f\n", model->curve[0].held_out_loss, loss);
    assert_true(fabs(model->curve[0].held_out_loss - loss) < 1e-5 * loss);
    gbv_model_free(model);
    free(seen);
    arena_free(&scratch);
    images_free(&s);
}

static void invert_all(const void *context, size_t row, uint64_t visit, augment_draw *draw)
{
    (void)context;
    (void)row, (void)visit;
    *draw = (augment_draw){.count = 1, .steps = {{.op = gbv_operator_find("invert")}}};
}

static void readouts_change_images_too(void **state)
{
    (void)state;
    images s = some_images(IMAGES);
    gbv_error error;
    arena scratch = {0};
    gbv_model_options options = training(NULL);
    gbv_model *model = trained(&s, &options);
    size_t outputs = model->outputs;
    double *direct = calloc(s.count * outputs, sizeof *direct), *fed = calloc(s.count * outputs, sizeof *fed);
    assert_true(direct && fed);
    const char *argument = images_write(&s, folder, "negatives", true);
    gbv_dataset *negatives;
    assert_ok(gbv_dataset_read(argument, NULL, &negatives, &error), error);
    sample_part part = sample_part_of(negatives, NULL, negatives->row_count, NULL, NULL);
    sample all = sample_of(&part);
    assert_ok(model_read_out(model, &all, &(readout){.logits = direct}, &scratch, &error), error);
    readout inverting = {.logits = fed, .choose = invert_all, .noise = GBV_NOISE_CODE, .threads = 2};
    assert_ok(model_read_out(model, images_sample(&s), &inverting, &scratch, &error), error);
    assert_memory_equal(direct, fed, s.count * outputs * sizeof *fed);
    gbv_dataset_free(negatives);
    gbv_model_free(model);
    free(direct);
    free(fed);
    arena_free(&scratch);
    images_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(a_training_that_is_stopped_goes_on_with_the_same_draws),
        cmocka_unit_test(a_checkpoint_whose_scores_are_none_is_refused),
        cmocka_unit_test(sra_halves_what_there_is),
        cmocka_unit_test(a_file_counts_by_what_it_holds),
        cmocka_unit_test(a_policy_that_does_nothing_changes_nothing),
        cmocka_unit_test(held_out_rows_are_judged_as_they_are),
        cmocka_unit_test(readouts_change_images_too),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
