/* test_simulate.c - simulated annotators: who gets which rows, how many labels go wrong and where to, and that a seed
 * fixes every byte. Column 0 of each row is its number, so that a row can be found again. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unistd.h>

#include "data/data_support.h"
#include "data/dataset.h"

enum { CLASSES = 4, PER_CLASS = 500, ROWS = CLASSES * PER_CLASS, TEST_ROWS = CLASSES * 30 };

static char *folder;
static float train_features[ROWS][2];
static uint8_t test_features[TEST_ROWS][2];
static int32_t train_labels[ROWS], test_labels[TEST_ROWS];
static const char *const names[CLASSES] = {"ant", "bee", "cat", "dog"};
static gbv_dataset *train, *test;

static gbv_dataset *read_back(const char *where, const char *name)
{
    char path[700];
    gbv_error error;
    gbv_dataset *dataset;
    snprintf(path, sizeof path, "%s/%s/%s", folder, where, name);
    assert_ok(gbv_dataset_read(path, NULL, &dataset, &error), error);
    return dataset;
}

static void simulate(const gbv_simulation *plan, const char *where)
{
    char path[700];
    gbv_error error;
    snprintf(path, sizeof path, "%s/%s", folder, where);
    char command[900];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
    assert_ok(gbv_simulate(train, test, plan, path, &error), error);
}

static size_t row_number(const gbv_dataset *dataset, size_t row)
{
    return (size_t)gbv_matrix_get(&dataset->features, row, 0);
}

static bool file_exists(const char *where, const char *name)
{
    char path[700];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s/%s", folder, where, name);
    return stat(path, &info) == 0;
}

static void annotators_are_balanced_and_share_no_row(void **state)
{
    (void)state;
    const double noise[] = {0, 0.5, 1};
    bool taken[ROWS] = {false};
    for (int each = 0; each < 2; each++) {
        gbv_simulation plan = {.annotators = 3, .noise = noise, .per_class = each ? 40 : 0, .seed = 7};
        size_t expected = each ? 40 : PER_CLASS / 3;
        memset(taken, 0, sizeof taken);
        simulate(&plan, "balanced");
        for (int a = 0; a < 3; a++) {
            char name[40];
            snprintf(name, sizeof name, "annotators/annotator-%d.npz", a);
            gbv_dataset *d = read_back("balanced", name);
            size_t counts[CLASSES] = {0}, in_order = 0;
            assert_int_equal(d->row_count, CLASSES * expected);
            assert_int_equal(d->features.type, GBV_F32);
            assert_int_equal(d->features.columns, 2);
            for (size_t i = 0; i < d->row_count; i++) {
                size_t row = row_number(d, i);
                assert_false(taken[row]);
                taken[row] = true;
                counts[train_labels[row]]++;
                in_order += i > 0 && train_labels[row] == train_labels[row_number(d, i - 1)];
                assert_true(gbv_matrix_get(&d->features, i, 1) == train_features[row][1]);
                bool right = strcmp(d->class_names[d->labels[i]], names[train_labels[row]]) == 0;
                if (a != 1)
                    assert_true(right == (a == 0));
            }
            for (size_t c = 0; c < CLASSES; c++)
                assert_int_equal(counts[c], expected);
            assert_true(in_order < d->row_count / 2); /* not one class after the other */
            gbv_dataset_free(d);
        }
    }
    assert_false(file_exists("balanced", "reference.npz"));
}

/* How often each true class is called each class, over all annotators of a run. */
static size_t confusion_of(const char *where, size_t annotators, size_t confusion[CLASSES][CLASSES])
{
    size_t rows = 0;
    memset(confusion, 0, sizeof(size_t[CLASSES][CLASSES]));
    for (size_t a = 0; a < annotators; a++) {
        char name[40];
        snprintf(name, sizeof name, "annotators/annotator-%zu.npz", a);
        gbv_dataset *d = read_back(where, name);
        for (size_t i = 0; i < d->row_count; i++) {
            size_t given = 0;
            while (strcmp(names[given], d->class_names[d->labels[i]]) != 0)
                given++;
            confusion[train_labels[row_number(d, i)]][given]++;
        }
        rows += d->row_count;
        gbv_dataset_free(d);
    }
    return rows;
}

static void assert_share(size_t found, size_t of, double expected)
{
    double error = sqrt(expected * (1 - expected) / (double)of);
    assert_near((double)found / (double)of, expected, 4 * error);
}

static void labels_go_wrong_at_the_rate_and_evenly(void **state)
{
    (void)state;
    const double rates[] = {0.1, 0.35, 0.8};
    for (size_t r = 0; r < 3; r++) {
        const double noise[] = {rates[r], rates[r]};
        gbv_simulation plan = {.annotators = 2, .noise = noise, .seed = 11 + r};
        size_t confusion[CLASSES][CLASSES], wrong = 0;
        simulate(&plan, "rate");
        size_t rows = confusion_of("rate", 2, confusion);
        for (size_t c = 0; c < CLASSES; c++)
            for (size_t g = 0; g < CLASSES; g++)
                if (g != c) {
                    wrong += confusion[c][g];
                    assert_share(confusion[c][g], PER_CLASS, rates[r] / (CLASSES - 1));
                }
        assert_share(wrong, rows, rates[r]);
    }
}

static void an_exact_count_is_exact(void **state)
{
    (void)state;
    const double noise[] = {0.29, 0, 1};
    gbv_simulation plan = {.annotators = 3, .noise = noise, .per_class = 25, .exact_count = true, .seed = 5};
    simulate(&plan, "exact");
    const size_t expected[] = {29, 0, 100};
    for (size_t a = 0; a < 3; a++) {
        char name[40];
        size_t wrong = 0;
        snprintf(name, sizeof name, "annotators/annotator-%zu.npz", a);
        gbv_dataset *d = read_back("exact", name);
        for (size_t i = 0; i < d->row_count; i++)
            wrong += strcmp(d->class_names[d->labels[i]], names[train_labels[row_number(d, i)]]) != 0;
        assert_int_equal(wrong, expected[a]);
        gbv_dataset_free(d);
    }
}

static void the_next_class_is_the_only_mistake(void **state)
{
    (void)state;
    const double noise[] = {0.5};
    gbv_simulation plan = {.annotators = 1, .noise = noise, .confusion = "next", .seed = 3};
    size_t confusion[CLASSES][CLASSES];
    simulate(&plan, "next");
    confusion_of("next", 1, confusion);
    for (size_t c = 0; c < CLASSES; c++) {
        assert_share(confusion[c][(c + 1) % CLASSES], PER_CLASS, 0.5);
        assert_int_equal(confusion[c][c] + confusion[c][(c + 1) % CLASSES], PER_CLASS);
    }
}

static void mistakes_follow_the_shares_of_a_file(void **state)
{
    (void)state;
    const double noise[] = {0.6};
    char path[700];
    snprintf(path, sizeof path, "%s", write_text_file(folder, "shares.csv", "9,1,3,0\n0,0,0,2\n1,1,5,2\n1,0,0,0\n"));
    gbv_simulation plan = {.annotators = 1, .noise = noise, .confusion = path, .seed = 4};
    size_t confusion[CLASSES][CLASSES];
    simulate(&plan, "shares");
    confusion_of("shares", 1, confusion);
    const double expected[CLASSES][CLASSES] = {
        {0.4, 0.15, 0.45, 0}, {0, 0.4, 0, 0.6}, {0.15, 0.15, 0.4, 0.3}, {0.6, 0, 0, 0.4}};
    for (size_t c = 0; c < CLASSES; c++)
        for (size_t g = 0; g < CLASSES; g++)
            assert_share(confusion[c][g], PER_CLASS, expected[c][g]);
}

static void reference_and_test_are_disjoint_and_complete(void **state)
{
    (void)state;
    const double noise[] = {0};
    gbv_simulation plan = {.annotators = 1, .noise = noise, .per_class = 1, .reference_per_class = 10, .seed = 2};
    bool taken[TEST_ROWS] = {false};
    simulate(&plan, "reference");
    const char *const files[] = {"reference.npz", "test.npz"};
    for (size_t f = 0; f < 2; f++) {
        gbv_dataset *d = read_back("reference", files[f]);
        size_t counts[CLASSES] = {0};
        assert_int_equal(d->features.type, GBV_U8);
        for (size_t i = 0; i < d->row_count; i++) {
            size_t row = row_number(d, i);
            assert_false(taken[row]);
            taken[row] = true;
            counts[test_labels[row]]++;
            assert_string_equal(d->class_names[d->labels[i]], names[test_labels[row]]);
            if (f == 1 && i > 0)
                assert_true(row > row_number(d, i - 1));
        }
        for (size_t c = 0; c < CLASSES; c++)
            assert_int_equal(counts[c], f == 0 ? 10 : 20);
        gbv_dataset_free(d);
    }
}

/* 0 when every file of the two folders has the same bytes. */
static int compare_folders(const char *a, const char *b)
{
    char command[1500];
    snprintf(command, sizeof command, "diff -rq '%s/%s' '%s/%s' >/dev/null", folder, a, folder, b);
    return system(command);
}

static void a_seed_fixes_every_byte(void **state)
{
    (void)state;
    const double noise[] = {0.2, 0.5};
    gbv_simulation plan = {.annotators = 2, .noise = noise, .reference_per_class = 5, .seed = 99};
    simulate(&plan, "seed-a");
    simulate(&plan, "seed-b");
    assert_int_equal(compare_folders("seed-a", "seed-b"), 0);
    assert_true(file_exists("seed-a", "simulation.json"));
    plan.seed++;
    simulate(&plan, "seed-c");
    assert_int_not_equal(compare_folders("seed-a", "seed-c"), 0);
}

static void annotators_do_not_depend_on_each_other(void **state)
{
    (void)state;
    const double two[] = {0.2, 0.5}, three[] = {0.7, 0.5, 0.1};
    gbv_simulation plan = {.annotators = 2, .noise = two, .per_class = 50, .seed = 1};
    simulate(&plan, "two");
    plan.annotators = 3;
    plan.noise = three;
    simulate(&plan, "three");
    char command[1500];
    snprintf(command, sizeof command,
             "cmp -s '%s/two/annotators/annotator-1.npz' '%s/three/annotators/annotator-1.npz'", folder, folder);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command,
             "cmp -s '%s/two/annotators/annotator-0.npz' '%s/three/annotators/annotator-0.npz'", folder, folder);
    assert_int_not_equal(system(command), 0);
}

static void integer_labels_stay_integers(void **state)
{
    (void)state;
    gbv_error error;
    char path[700];
    gbv_dataset *integers;
    int32_t labels[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        labels[i] = train_labels[i] * 100 - 50;
    assert_ok(gbv_dataset_create("integers", gbv_matrix_f32(&train_features[0][0], ROWS, 2), labels, NULL, 0, &integers,
                                 &error),
              error);
    const double noise[] = {0};
    gbv_simulation plan = {.annotators = 1, .noise = noise, .per_class = 5, .seed = 1};
    snprintf(path, sizeof path, "%s/integers", folder);
    assert_ok(gbv_simulate(integers, NULL, &plan, path, &error), error);
    gbv_dataset *d = read_back("integers", "annotators/annotator-0.npz");
    assert_int_equal(d->kind, LABELS_INTEGER);
    assert_int_equal(d->class_count, CLASSES);
    assert_string_equal(d->class_names[0], "-50");
    for (size_t i = 0; i < d->row_count; i++)
        assert_int_equal(atoi(d->class_names[d->labels[i]]), labels[row_number(d, i)]);
    gbv_dataset_free(d);
    gbv_dataset_free(integers);
}

static void images_keep_their_axes(void **state)
{
    (void)state;
    static const struct {
        gbv_image_shape shape;
        bool kept;
    } cases[] = {{{.height = 2, .width = 9, .channels = 1}, true},
                 {{.height = 3, .width = 2, .channels = 3}, true},
                 {{.height = 3, .width = 2, .channels = 3, .channels_last = true}, true},
                 {{.height = 2, .width = 3, .channels = 3}, false}, /* would be read with its columns as channels */
                 {{.height = 2, .width = 3, .channels = 3, .channels_last = true}, true}};
    uint8_t pixels[4][18];
    const int32_t labels[] = {0, 0, 1, 1};
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i / 18][i % 18] = (uint8_t)i;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char where[40], path[700];
        gbv_dataset *images;
        gbv_error error;
        const double noise[] = {0};
        gbv_simulation plan = {.annotators = 1, .noise = noise, .seed = 1};
        assert_ok(gbv_dataset_create("images", gbv_matrix_u8(&pixels[0][0], 4, 18), labels, NULL, 0, &images, &error),
                  error);
        images->shape = cases[i].shape;
        snprintf(where, sizeof where, "images-%zu", i);
        snprintf(path, sizeof path, "%s/%s", folder, where);
        assert_ok(gbv_simulate(images, NULL, &plan, path, &error), error);
        gbv_dataset *d = read_back(where, "annotators/annotator-0.npz");
        gbv_image_shape none = {0}, found = gbv_dataset_image_shape(d), expected = cases[i].kept ? images->shape : none;
        assert_int_equal(found.height, expected.height);
        assert_int_equal(found.width, expected.width);
        assert_int_equal(found.channels, expected.channels);
        assert_int_equal(found.channels_last, expected.channels_last);
        assert_int_equal(d->features.columns, 18);
        for (size_t row = 0; row < 4; row++)
            for (size_t j = 0; j < 18; j++) /* the first pixel says which row it was */
                assert_int_equal(gbv_matrix_get(&d->features, row, j), row_number(d, row) + j);
        gbv_dataset_free(d);
        gbv_dataset_free(images);
    }
}

static void assert_refused(gbv_simulation plan, const gbv_dataset *with_test, gbv_status expected, const char *part)
{
    char path[700];
    gbv_error error = {0};
    snprintf(path, sizeof path, "%s/refused", folder);
    int status = gbv_simulate(train, with_test, &plan, path, &error);
    assert_int_equal(status, expected);
    assert_holds(error.message, part);
    assert_false(file_exists("refused", "."));
}

static void plans_that_cannot_be_carried_out_say_why(void **state)
{
    (void)state;
    const double fine[] = {0.5, 0.5}, too_much[] = {0, 1.5}, nothing[] = {NAN};
    assert_refused((gbv_simulation){.annotators = 2, .noise = too_much}, NULL, GBV_USAGE, "1.5");
    assert_refused((gbv_simulation){.annotators = 1, .noise = nothing}, NULL, GBV_USAGE, "nan");
    assert_refused((gbv_simulation){.annotators = 0, .noise = fine}, NULL, GBV_USAGE, "no annotator");
    assert_refused((gbv_simulation){.annotators = 2, .noise = fine, .reference_per_class = 1}, NULL, GBV_USAGE, "test");
    assert_refused((gbv_simulation){.annotators = 2, .noise = fine, .per_class = 251}, NULL, GBV_BAD_INPUT,
                   "class 'ant' has 500 rows, 502 are needed");
    assert_refused((gbv_simulation){.annotators = 2, .noise = fine, .per_class = SIZE_MAX}, NULL, GBV_BAD_INPUT,
                   "class 'ant' has 500 rows");
    assert_refused((gbv_simulation){.annotators = 2, .noise = fine, .reference_per_class = 31}, test, GBV_BAD_INPUT,
                   "class 'ant' has 30 rows, 31 are needed for the reference");
    assert_refused((gbv_simulation){.annotators = 2, .noise = fine, .reference_per_class = 1}, train, GBV_BAD_INPUT,
                   "same rows");
    gbv_dataset *narrow = labelled("narrow.npz", 1, "ant|bee"), *numbers = labelled("numbers.npz", 2, "#1|2");
    assert_refused((gbv_simulation){.annotators = 2, .noise = fine}, narrow, GBV_BAD_INPUT, "1 features");
    assert_refused((gbv_simulation){.annotators = 2, .noise = fine}, numbers, GBV_BAD_INPUT, "integer");
    gbv_dataset_free(narrow);
    gbv_dataset_free(numbers);
}

static void tables_of_shares_are_checked(void **state)
{
    (void)state;
    const double noise[] = {0.5};
    const char *const tables[][2] = {{"0,1\n1,0\n", "2 lines; expected 4"},
                                     {"0,1,1,1\n1,0,1\n1,1,0,1\n1,1,1,0\n", "line 2 has 3 cells"},
                                     {"0,1,1,1\n1,0,x,1\n1,1,0,1\n1,1,1,0\n", "line 2, column 3 holds 'x'"},
                                     {"0,1,1,1\n1,0,-1,1\n1,1,0,1\n1,1,1,0\n", "line 2, column 3 holds '-1'"},
                                     {"0,1,1,1\n1,0,inf,1\n1,1,0,1\n1,1,1,0\n", "line 2, column 3 holds 'inf'"},
                                     {"0,1,1,1\n0,5,0,0\n1,1,0,1\n1,1,1,0\n", "line 2 leaves no share"}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        gbv_simulation plan = {.annotators = 1, .noise = noise};
        plan.confusion = write_text_file(folder, "table.csv", tables[i][0]);
        assert_refused(plan, NULL, GBV_BAD_INPUT, tables[i][1]);
    }
    gbv_simulation plan = {.annotators = 1, .noise = noise, .confusion = "/nonexistent"};
    assert_refused(plan, NULL, GBV_BAD_INPUT, "/nonexistent");
}

static void a_failure_takes_back_what_was_written(void **state)
{
    (void)state;
    const double noise[] = {0.5, 0.5};
    char path[700];
    gbv_error error;
    gbv_simulation plan = {.annotators = 2, .noise = noise, .per_class = 5};
    struct rlimit before, tiny;
    getrlimit(RLIMIT_FSIZE, &before);
    tiny = before;
    tiny.rlim_cur = 300; /* no annotator fits */
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tiny);
    snprintf(path, sizeof path, "%s/blocked", folder);
    gbv_status status = gbv_simulate(train, NULL, &plan, path, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, GBV_FAILED);
    assert_holds(error.message, "annotator-0.npz");
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(gbv_simulate(train, NULL, &plan, "/nonexistent/deep", &error), GBV_FAILED);
    assert_ok(gbv_simulate(train, NULL, &plan, path, &error), error);
    assert_int_equal(gbv_simulate(train, NULL, &plan, path, &error), GBV_FAILED);
    assert_holds(error.message, "not empty");
}

static int set_up(void **state)
{
    (void)state;
    gbv_error error;
    folder = test_folder_create();
    for (size_t i = 0; i < ROWS; i++) {
        train_features[i][0] = (float)i;
        train_features[i][1] = (float)i * 0.5f;
        train_labels[i] = (int32_t)(i % CLASSES);
    }
    for (size_t i = 0; i < TEST_ROWS; i++) {
        test_features[i][0] = (uint8_t)i;
        test_labels[i] = (int32_t)(i / 30);
    }
    return gbv_dataset_create("train", gbv_matrix_f32(&train_features[0][0], ROWS, 2), train_labels, names, CLASSES,
                              &train, &error) ||
           gbv_dataset_create("test", gbv_matrix_u8(&test_features[0][0], TEST_ROWS, 2), test_labels, names, CLASSES,
                              &test, &error);
}

static int tear_down(void **state)
{
    (void)state;
    gbv_dataset_free(train);
    gbv_dataset_free(test);
    test_folder_remove(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(annotators_are_balanced_and_share_no_row),
        cmocka_unit_test(labels_go_wrong_at_the_rate_and_evenly),
        cmocka_unit_test(an_exact_count_is_exact),
        cmocka_unit_test(the_next_class_is_the_only_mistake),
        cmocka_unit_test(mistakes_follow_the_shares_of_a_file),
        cmocka_unit_test(reference_and_test_are_disjoint_and_complete),
        cmocka_unit_test(a_seed_fixes_every_byte),
        cmocka_unit_test(annotators_do_not_depend_on_each_other),
        cmocka_unit_test(integer_labels_stay_integers),
        cmocka_unit_test(images_keep_their_axes),
        cmocka_unit_test(plans_that_cannot_be_carried_out_say_why),
        cmocka_unit_test(tables_of_shares_are_checked),
        cmocka_unit_test(a_failure_takes_back_what_was_written),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
