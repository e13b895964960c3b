/* The valuation of augmentors by a tiny network of its own: the scores are what one would compute by hand, whatever the
 * threads, the memory and how often the run was stopped; a subset says how sure it is. */
#include "test_support.h"

#include <sys/stat.h>

#include "augment/augment.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/random.h"
#include "data/dataset.h"
#include "data/format/image.h"
#include "value/augmentation.h"
#include "value/top_k_golden.h"

enum { SIDE = 16, CLASSES = 3, EACH = 50, IMAGES = CLASSES * EACH, PIXELS = 3 * SIDE * SIDE };

static char *folder, images_path[600], weights[600];

/* Stripes of a class's colour and direction under noise, so that a network learns them, but not too well. */
static void write_image(size_t class_index, size_t number)
{
    unsigned char pixels[PIXELS];
    image picture = {.height = SIDE, .width = SIDE, .channels = 3, .pixels = pixels};
    random_stream stream = random_stream_open_draw(5, "images", RANDOM_SPLIT, (uint32_t)(class_index * EACH + number));
    char path[700];
    gbv_error error;
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++)
            for (size_t c = 0; c < 3; c++) {
                size_t along = class_index == 0 ? x : class_index == 1 ? y : x + y;
                double level = (along / 3 % 2 ? 150 : 90) + (c == class_index ? 25 : 0) + 60 * random_normal(&stream);
                pixels[(y * SIDE + x) * 3 + c] = (unsigned char)fmin(fmax(level, 0), 255);
            }
    snprintf(path, sizeof path, "%s/class-%zu/%02zu.png", images_path, class_index, number);
    assert_ok(image_write(&picture, path, &error), error);
}

static gbv_dataset *read_images(size_t cache)
{
    gbv_dataset *images;
    gbv_error error;
    assert_ok(gbv_dataset_read(images_path, &(gbv_read_options){.image_cache = cache}, &images, &error), error);
    return images;
}

static int make_inputs(void **state)
{
    gbv_error error;
    gbv_model *model;
    char path[700];
    (void)state;
    folder = test_folder_create();
    snprintf(images_path, sizeof images_path, "%s/images", folder);
    snprintf(weights, sizeof weights, "%s/universal.safetensors", folder);
    mkdir(images_path, 0777);
    for (size_t c = 0; c < CLASSES; c++) {
        snprintf(path, sizeof path, "%s/class-%zu", images_path, c);
        mkdir(path, 0777);
        for (size_t i = 0; i < EACH; i++)
            write_image(c, i);
    }
    gbv_sources *sources = gbv_sources_create();
    gbv_model_options options = gbv_model_defaults();
    options.model = "cnn";
    options.epochs = 2;
    options.batch = 16;
    options.threads = 1;
    assert_ok(gbv_sources_add_file(sources, "all", images_path, NULL, &error), error);
    assert_ok(gbv_train(sources, NULL, &options, &model, &error), error);
    assert_ok(gbv_model_write(model, weights, &error), error);
    gbv_model_free(model);
    gbv_sources_free(sources);
    return 0;
}

static int remove_inputs(void **state)
{
    (void)state;
    test_folder_remove(folder);
    return 0;
}

static gbv_augment_options usual_options(void)
{
    gbv_augment_options options = gbv_augment_defaults();
    options.pretrained = weights;
    options.threads = 1;
    return options;
}

static gbv_policy *augment(size_t cache, const gbv_augment_options *options)
{
    gbv_dataset *images = read_images(cache);
    gbv_policy *policy;
    gbv_error error;
    assert_ok(gbv_augment(images, options, &policy, &error), error);
    gbv_dataset_free(images);
    return policy;
}

/* T of an augmentor from the images as gbv_augment_apply changes them. */
static double score_by_hand(const gbv_dataset *images, const gbv_model *model, const gbv_augmentor *augmentor,
                            uint64_t seed)
{
    unsigned char *in = malloc(PIXELS), *all = malloc(IMAGES * PIXELS);
    double *probabilities = malloc(IMAGES * CLASSES * sizeof *probabilities), score;
    gbv_dataset *changed;
    gbv_error error;
    for (size_t i = 0; i < IMAGES; i++) {
        uint32_t block[RANDOM_BLOCK];
        random_block(seed, i, RANDOM_AUGMENT, block);
        double magnitude = augmentor->coin && block[0] & 1 ? -augmentor->magnitude : augmentor->magnitude;
        for (size_t j = 0; j < PIXELS; j++)
            in[j] = (unsigned char)gbv_matrix_get(&images->features, i, j);
        assert_ok(gbv_augment_apply(augmentor->op->name, magnitude, (uint64_t)block[1] << 32 | block[2], 3, SIDE, SIDE,
                                    in, all + i * PIXELS, &error),
                  error);
    }
    gbv_matrix bytes = {
        .data = all, .rows = IMAGES, .columns = PIXELS, .row_stride = PIXELS, .column_stride = 1, .type = GBV_U8};
    assert_ok(gbv_dataset_create("changed", bytes, images->labels, NULL, 0, &changed, &error), error);
    assert_ok(gbv_dataset_set_images(changed, (gbv_image_shape){SIDE, SIDE, 3, false}, &error), error);
    assert_ok(gbv_predict(model, changed, probabilities, &error), error);
    gbv_measure_input input = {.rows = IMAGES,
                               .labels = images->labels,
                               .class_count = CLASSES,
                               .probabilities = gbv_matrix_f64(probabilities, IMAGES, CLASSES)};
    assert_ok(gbv_measure("leep", NULL, &input, &score, NULL, &error), error);
    gbv_dataset_free(changed);
    free(in);
    free(all);
    free(probabilities);
    return score;
}

static void a_score_is_the_measure_of_images_changed_by_hand(void **state)
{
    gbv_augment_options options = usual_options();
    gbv_model *model;
    gbv_error error;
    (void)state;
    options.grid = GBV_GRID_CODE; /* with coins */
    options.noise = GBV_NOISE_PAPER;
    options.seed = 7;
    gbv_policy *policy = augment(0, &options);
    gbv_dataset *images = read_images(0);
    assert_ok(gbv_model_read_pretrained(weights, NULL, &model, &error), error);
    assert_int_equal(policy->count, 68);
    assert_int_equal(policy->evaluations, 62); /* seven augmentors leave images as they are */
    for (size_t i = 0; i < policy->count; i += 3)
        assert_near(policy->entries[i].score, score_by_hand(images, model, &policy->entries[i].augmentor, 7), 1e-9);
    gbv_model_free(model);
    gbv_dataset_free(images);
    gbv_policy_free(policy);
}

static void assert_same_file(const gbv_policy *policy, const char *path)
{
    char other[700];
    mapped_file a, b;
    gbv_error error;
    snprintf(other, sizeof other, "%s/other.json", folder);
    assert_ok(gbv_policy_write(policy, other, &error), error);
    assert_ok(mapped_file_open(path, &a, &error), error);
    assert_ok(mapped_file_open(other, &b, &error), error);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.bytes, b.bytes, a.size);
    mapped_file_close(&a);
    mapped_file_close(&b);
}

static void the_policy_is_the_same_for_any_threads_and_any_memory(void **state)
{
    static const struct {
        size_t threads, image_cache, memory;
    } runs[] = {{2, 0, 0}, {8, 0, 0}, {1, 1, 0}, {2, 1, 1}, {8, PIXELS * 50, 200000}};
    gbv_augment_options options = usual_options();
    char path[700];
    gbv_error error;
    (void)state;
    options.subset = 140; /* two blocks where images are decoded anew */
    options.replicates = 20;
    snprintf(path, sizeof path, "%s/one.json", folder);
    gbv_policy *policy = augment(0, &options);
    assert_ok(gbv_policy_write(policy, path, &error), error);
    gbv_policy_free(policy);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        options.threads = runs[i].threads;
        options.memory = runs[i].memory;
        policy = augment(runs[i].image_cache, &options);
        assert_same_file(policy, path);
        gbv_policy_free(policy);
    }
}

static bool stop_later(void *context, const char *stage, size_t done, size_t total)
{
    (void)stage;
    assert_true(done <= total);
    return ++*(size_t *)context > 40;
}

/* Overwrites the middle of the first file of the folder. */
static void damage_one(const char *cache)
{
    folder_entries entries;
    assert_true(folder_read(cache, &entries));
    assert_true(entries.count > 0);
    char *path = folder_path(cache, entries.names[0]);
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    fseek(file, -30, SEEK_END);
    int other = fgetc(file) == '9' ? '8' : '9';
    fseek(file, -30, SEEK_END);
    fputc(other, file);
    fclose(file);
    free(path);
    folder_free(&entries);
}

static void a_run_that_was_stopped_goes_on(void **state)
{
    gbv_augment_options options = usual_options();
    gbv_dataset *images = read_images(0);
    gbv_policy *policy;
    gbv_error error;
    char path[700], cache[700];
    size_t calls = 0, stops = 0;
    (void)state;
    gbv_policy *whole = augment(0, &options);
    snprintf(path, sizeof path, "%s/whole.json", folder);
    assert_ok(gbv_policy_write(whole, path, &error), error);
    snprintf(cache, sizeof cache, "%s/cache/below", folder);
    options.cache = cache;
    options.progress = stop_later;
    options.context = &calls;
    while (gbv_augment(images, &options, &policy, &error) == GBV_INTERRUPTED) {
        calls = 0;
        stops++;
        assert_null(policy);
    }
    assert_non_null(policy);
    assert_true(stops >= 2);
    assert_true(policy->evaluations_found > 0 && policy->evaluations_found < policy->evaluations);
    assert_same_file(policy, path);
    gbv_policy_free(policy);
    calls = 0;
    policy = augment(0, &options);
    assert_int_equal(policy->evaluations_found, policy->evaluations);
    assert_same_file(policy, path);
    gbv_policy_free(policy);
    damage_one(cache);
    calls = 0;
    policy = augment(0, &options);
    assert_int_equal(policy->evaluations_found, policy->evaluations - 1);
    assert_same_file(policy, path);
    gbv_policy_free(policy);
    gbv_policy_free(whole);
    gbv_dataset_free(images);
}

static void a_subset_covers_the_score_of_all_images(void **state)
{
    enum { SEEDS = 8 };
    gbv_augment_options options = usual_options();
    size_t covered = 0, judged = 0;
    (void)state;
    gbv_policy *whole = augment(0, &options);
    for (size_t i = 0; i < whole->count; i++)
        assert_true(isnan(whole->entries[i].score_low) && isnan(whole->entries[i].probability_low));
    options.subset = IMAGES / 2;
    for (options.seed = 1; options.seed <= SEEDS; options.seed++) {
        gbv_policy *part = augment(0, &options);
        assert_int_equal(part->images_scored, IMAGES / 2);
        assert_true(part->warning_count > 0);
        for (size_t i = 0; i < part->count; i++) {
            const gbv_policy_entry *e = &part->entries[i];
            if (strcmp(e->augmentor.op->name, "gaussian_noise") == 0) /* the seed's noise is another */
                continue;
            judged++;
            covered += e->score_low <= whole->entries[i].score && whole->entries[i].score <= e->score_high;
            assert_true(e->probability_low <= e->probability_high && e->score_low < e->score_high);
        }
        gbv_policy_free(part);
    }
    if ((double)covered < 0.8 * (double)judged)
        fail_msg("%zu of %zu scores are covered", covered, judged);
    gbv_policy_free(whole);
}

static void a_subset_has_its_classes_in_proportion(void **state)
{
    augmentation a = {.options = &(gbv_augment_options){.subset = 10, .seed = 3}, .images = read_images(0)};
    gbv_error error;
    (void)state;
    assert_ok(augmentation_choose_rows(&a, &error), error);
    assert_int_equal(a.count, 10);
    assert_int_equal(a.classes_scored, CLASSES);
    for (size_t c = 0; c < CLASSES; c++)
        assert_in_range(a.class_sizes[c], 3, 4);
    for (size_t i = 1; i < a.count; i++)
        assert_true(a.rows[i] > a.rows[i - 1]);
    free(a.rows);
    free(a.numbers);
    free(a.labels);
    free(a.class_sizes);
    gbv_dataset_free((gbv_dataset *)a.images);
}

static void the_filter_and_the_weights_are_those_of_the_authors(void **state)
{
    enum { COUNT = sizeof golden_scores / sizeof *golden_scores, KEPT = sizeof golden_kept / sizeof *golden_kept };
    gbv_policy_entry entries[COUNT];
    gbv_error error;
    (void)state;
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        augmentation_weighing how = {.top_k = 2,
                                     .posterior = {.tau_mode = adaptive ? GBV_TAU_CODE : GBV_TAU_FIXED, .tau = 0.05}};
        double inverse;
        size_t weighed = 0;
        for (size_t i = 0; i < COUNT; i++) {
            entries[i] = (gbv_policy_entry){.score = golden_scores[i].score};
            entries[i].augmentor =
                (gbv_augmentor){gbv_operator_find(golden_scores[i].op), golden_scores[i].magnitude, false};
            assert_non_null(entries[i].augmentor.op);
        }
        assert_ok(augmentation_weigh(&how, entries, COUNT, &inverse, &error), error);
        for (size_t i = 0; i < COUNT; i++)
            weighed += entries[i].probability > 0;
        assert_int_equal(weighed, KEPT);
        assert_close(inverse, adaptive ? 1 / log2(29) : 20, 1e-12);
        for (size_t k = 0; k < KEPT; k++)
            for (size_t i = 0; i < COUNT; i++)
                if (strcmp(golden_kept[k].op, golden_scores[i].op) == 0 &&
                    golden_kept[k].magnitude == golden_scores[i].magnitude)
                    assert_close(entries[i].probability, adaptive ? golden_kept[k].adaptive : golden_kept[k].fixed,
                                 1e-10);
    }
}

static void of_equal_scores_the_filter_keeps_the_earlier(void **state)
{
    const gbv_operator *rotate = gbv_operator_find("rotate");
    gbv_policy_entry entries[4] = {{.augmentor = {rotate, 0, false}, .score = -1},
                                   {.augmentor = {rotate, 45, false}, .score = -1},
                                   {.augmentor = {rotate, 90, false}, .score = -1},
                                   {.augmentor = {gbv_operator_find("invert"), 0, false}, .score = NAN}};
    augmentation_weighing how = {.top_k = 1, .posterior = {.tau_mode = GBV_TAU_QUICK}};
    gbv_error error;
    (void)state;
    assert_ok(augmentation_weigh(&how, entries, 4, NULL, &error), error);
    assert_true(entries[0].probability == 1 && entries[1].probability == 0 && entries[2].probability == 0);
    assert_true(entries[0].prior == 0.5 && entries[3].prior == 0.5 && entries[3].probability == 0);
}

static void a_prior_by_operator_gives_each_one_share(void **state)
{
    gbv_augment_options options = usual_options();
    double sums[16] = {0}, total = 0;
    (void)state;
    options.prior = GBV_PRIOR_EACH_OPERATOR;
    gbv_policy *policy = augment(0, &options);
    for (size_t i = 0; i < policy->count; i++)
        for (size_t k = 0; gbv_operator_at(k); k++)
            if (gbv_operator_at(k) == policy->entries[i].augmentor.op)
                sums[k] += policy->entries[i].prior;
    for (size_t k = 0; k < 16; k++)
        assert_close(sums[k], 1. / 16, 1e-12);
    for (size_t i = 0; i < policy->count; i++)
        total += policy->entries[i].probability;
    assert_close(total, 1, 1e-12);
    assert_close(policy->inverse_tau, log2(68), 1e-12);
    gbv_policy_free(policy);
}

static void a_density_is_made_and_checked_with_new_evaluations(void **state)
{
    gbv_augment_options options = usual_options();
    (void)state;
    options.subset = 30;
    options.replicates = 0;
    gbv_policy *plain = augment(0, &options);
    options.check_density = true;
    gbv_policy *policy = augment(0, &options);
    assert_int_equal(policy->density_count, 16);
    assert_true(policy->denser.done && policy->chain.done && policy->variational.done);
    /* Half a bit or a quarter of a pixel more does the same to an image, which takes no pass. */
    assert_int_equal(policy->denser.evaluations, policy->evaluations - plain->evaluations);
    print_message("the density is off by %.4f nats; the chain differs by %.2f errors, the Beta forms by %.4f\n",
                  policy->denser.divergence, policy->chain.worst, policy->variational.worst);
    assert_in_range(policy->denser.evaluations, 50, 68); /* no more than the grid has */
    assert_true(policy->denser.divergence >= 0 && policy->denser.divergence < 0.1);
    assert_true(policy->chain.worst <= 3);
    assert_true(policy->variational.divergence >= 0 && policy->variational.worst < 0.05);
    gbv_policy_free(plain);
    gbv_policy_free(policy);
}

/* Few images and many columns: what scores best may be what scatters the model's predictions most. */
static void scores_that_images_owe_to_themselves_are_warned_of(void **state)
{
    enum { COUNT = 30 };
    evaluation known[COUNT];
    gbv_policy_entry entries[2] = {{.augmentor = {gbv_operator_find("invert"), 0, false}, .score = -1},
                                   {.augmentor = {gbv_operator_find("equalize"), 0, false}, .score = -2}};
    gbv_model model = {.outputs = 1000};
    augmentation a = {.count = 24, .classes_scored = 4, .model = &model, .known = known, .known_count = COUNT};
    gbv_error error;
    (void)state;
    for (size_t order = 0; order < 3; order++) { /* the same, the opposite, and nothing known of it */
        gbv_policy policy = {.count = 2, .entries = entries};
        for (size_t i = 0; i < COUNT; i++) {
            known[i] = (evaluation){.augmentor = {gbv_operator_find("rotate"), (double)i, false},
                                    .score = -(double)i / COUNT,
                                    .left_out = order == 2 ? NAN : -1 - (double)(order ? COUNT - i : i) / COUNT};
            for (size_t g = 0; g < EVALUATION_GROUPS; g++)
                known[i].means[g] = NAN;
        }
        assert_ok(augmentation_warn(&a, &policy, &error), error);
        assert_int_equal(policy.warning_count, order == 1);
        if (order == 1) {
            assert_non_null(strstr(policy.warnings[0], "24 images are few for a model that tells 1000 classes"));
            assert_non_null(strstr(policy.warnings[0], "of the 10 best augmentors 10 would be others"));
            free(policy.warnings[0]);
        }
        free(policy.warnings);
    }
}

/* $GBV_DATA: pretrained weights and the prepared copy of CUB. */
static void real_weights_on_real_birds(void **state)
{
    const char *data = getenv("GBV_DATA");
    char command[3000], path[700], birds[700], last[700];
    gbv_error error;
    gbv_dataset *images;
    (void)state;
    snprintf(path, sizeof path, "%s/resnet18-imagenet-restored.safetensors", data ? data : "");
    snprintf(birds, sizeof birds, "%s/cub200-224-train-0.tar", data ? data : "");
    struct stat about;
    if (!data || stat(path, &about) != 0 || stat(birds, &about) != 0) {
        print_message("skipped: $GBV_DATA has no weights or no birds\n");
        skip();
    }
    snprintf(command, sizeof command,
             "cd '%s' && tar tf '%s' | grep jpg | awk -F/ '++n[$(NF-1)] <= 3 {print} NR > 200 {exit}' >list && "
             "tar xf '%s' -T list",
             folder, birds, birds);
    assert_int_equal(system(command), 0);
    snprintf(birds, sizeof birds, "%s/cub200_224/train", folder);
    assert_ok(gbv_dataset_read(birds, &(gbv_read_options){.resize = 64, .crop = 64}, &images, &error), error);
    gbv_augment_options options = gbv_augment_defaults();
    options.pretrained = path;
    for (options.threads = 1; options.threads <= 2; options.threads++) {
        gbv_policy *policy;
        assert_ok(gbv_augment(images, &options, &policy, &error), error);
        snprintf(last, sizeof last, "%s/birds.json", folder);
        if (options.threads == 1)
            assert_ok(gbv_policy_write(policy, last, &error), error);
        assert_same_file(policy, last);
        assert_non_null(strstr(policy->warnings[0], "are few for a model that tells 1000 classes apart"));
        for (size_t i = 0; i < policy->count; i++) /* black images tell nothing about classes: T is -H(y) */
            if (strcmp(policy->entries[i].augmentor.op->name, "brightness") == 0 &&
                policy->entries[i].augmentor.magnitude == 0)
                assert_near(policy->entries[i].score, -log((double)gbv_dataset_class_count(images)), 1e-3);
        gbv_policy_free(policy);
    }
    gbv_dataset_free(images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_score_is_the_measure_of_images_changed_by_hand),
        cmocka_unit_test(the_policy_is_the_same_for_any_threads_and_any_memory),
        cmocka_unit_test(a_run_that_was_stopped_goes_on),
        cmocka_unit_test(a_subset_covers_the_score_of_all_images),
        cmocka_unit_test(a_subset_has_its_classes_in_proportion),
        cmocka_unit_test(the_filter_and_the_weights_are_those_of_the_authors),
        cmocka_unit_test(of_equal_scores_the_filter_keeps_the_earlier),
        cmocka_unit_test(a_prior_by_operator_gives_each_one_share),
        cmocka_unit_test(a_density_is_made_and_checked_with_new_evaluations),
        cmocka_unit_test(scores_that_images_owe_to_themselves_are_warned_of),
        cmocka_unit_test(real_weights_on_real_birds),
    };
    return cmocka_run_group_tests(tests, make_inputs, remove_inputs);
}
