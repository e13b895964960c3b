/* The cache of trained networks: what a model is known by, that a file which is not what was written is no model, that
 * the folder stays within its bound and holds nothing else up, and that a valuation is the same with it. */
#include "value/pictures.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"
#include "value/store/model_cache.h"

static char *key_of(const sample *data, size_t classes, gbv_model_options options, const char *subject, uint32_t draw)
{
    static char key[65];
    gbv_error error;
    options = gbv_model_resolve(&options, data->rows);
    assert_ok(model_cache_key(data, classes, &options, subject, draw, key, &error), error);
    assert_int_equal(strlen(key), 64);
    return key;
}

static void a_key_is_made_of_all_that_matters_and_of_nothing_else(void **state)
{
    (void)state;
    gbv_dataset *all = fashion_read();
    images s = images_of(all, 0, 30, 3);
    const sample *data = images_sample(&s);
    gbv_model_options plain = cnn_options(2), changed;
    char first[65], *folder = test_folder_create();
    strcpy(first, key_of(data, 3, plain, "anna", 0));
    assert_string_equal(key_of(data, 3, plain, "anna", 0), first);
#define SAME(change)                                                                                                   \
    changed = plain, change;                                                                                           \
    assert_string_equal(key_of(data, 3, changed, "anna", 0), first)
    SAME(changed.threads = 7);
    SAME(changed.backend = "auto");
    SAME(changed.backend = backend_find(NULL)->name);
    SAME(changed.cache = "/elsewhere");
    SAME(changed.l2 = 3); /* of other models */
    SAME(changed.optimizer = "adam");
#define OTHER(change)                                                                                                  \
    changed = plain, change;                                                                                           \
    assert_string_not_equal(key_of(data, 3, changed, "anna", 0), first)
    OTHER(changed.seed++);
    OTHER(changed.seed += (uint64_t)1 << 40);
    OTHER(changed.epochs = 3);
    OTHER(changed.model = "resnet18");
    OTHER(changed.learning_rate = 0.5);
    OTHER(changed.held_out = 0.25);
    OTHER(changed.threads_per_model = 2);
    OTHER(changed.backend = "reference");
    OTHER(changed.normalise = "none");
    OTHER(changed.pretrained = write_text_file(folder, "w", "one"));
    char pretrained[65];
    strcpy(pretrained, key_of(data, 3, changed, "anna", 0));
    changed.pretrained = write_text_file(folder, "w", "two");
    assert_string_not_equal(key_of(data, 3, changed, "anna", 0), pretrained);
    assert_string_not_equal(key_of(data, 3, plain, "ben", 0), first);
    assert_string_not_equal(key_of(data, 3, plain, "anna", 1), first);
    assert_string_not_equal(key_of(data, 4, plain, "anna", 0), first);
    s.labels[29] = (s.labels[29] + 1) % 3;
    assert_string_not_equal(key_of(data, 3, plain, "anna", 0), first);
    s.labels[29] = (s.labels[29] + 2) % 3;
    s.rows[3] = s.rows[4]; /* another image */
    assert_string_not_equal(key_of(data, 3, plain, "anna", 0), first);
    test_folder_remove(folder);
    images_free(&s);
    gbv_dataset_free(all);
}

static const char *const KEYS[] = {"0000000000000000000000000000000000000000000000000000000000000000",
                                   "1111111111111111111111111111111111111111111111111111111111111111",
                                   "2222222222222222222222222222222222222222222222222222222222222222"};

/* A network that was never trained, of classes 0 and 7. */
static gbv_model *make_network(void)
{
    gbv_model *model;
    gbv_error error;
    assert_ok(model_create_network(model_kind_find("cnn"), (net_options){.outputs = 2},
                                   (gbv_image_shape){.height = 12, .width = 12, .channels = 1}, "half", &model, &error),
              error);
    net_initialise(model->net, 1, "anna", 0, &model->values);
    model->classes[0] = 0, model->classes[1] = 7;
    return model;
}

static const char *file_of(const char *folder, const char *key)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s.safetensors", folder, key);
    return path;
}

static size_t size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (size_t)about.st_size : 0;
}

static void a_model_comes_back_as_it_was(void **state)
{
    (void)state;
    char *parent = test_folder_create(), folder[600];
    gbv_model *model = make_network();
    snprintf(folder, sizeof folder, "%s/made/on the way", parent);
    assert_null(model_cache_find(folder, KEYS[0]));
    assert_false(model_cache_has(folder, KEYS[0]));
    assert_true(model_cache_keep(folder, 0, KEYS[0], "anna", 30, model));
    assert_true(model_cache_has(folder, KEYS[0]));
    assert_true(!model->history && !model->class_names); /* it is as it was itself */
    gbv_model *found = model_cache_find(folder, KEYS[0]);
    assert_non_null(found);
    assert_same_values(model, found);
    assert_true(found->classes[0] == 0 && found->classes[1] == 7 && !found->class_names && !found->history);
    assert_null(model_cache_find(folder, KEYS[1]));
    gbv_model_free(found);
    gbv_model_free(model);
    test_folder_remove(parent);
}

static void change_byte(const char *path, long at)
{
    FILE *stream = fopen(path, "r+b");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    int byte = fgetc(stream);
    assert_int_equal(fseek(stream, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    fputc(byte ^ 1, stream);
    assert_int_equal(fclose(stream), 0);
}

/* Where a text stands in a file. */
static long find_text(const char *path, const char *text)
{
    mapped_file file;
    gbv_error error;
    assert_ok(mapped_file_open(path, &file, &error), error);
    const char *found = memmem(file.bytes, file.size, text, strlen(text));
    assert_non_null(found);
    long at = (long)(found - (const char *)file.bytes);
    mapped_file_close(&file);
    return at;
}

static void a_damaged_file_is_no_model_and_is_deleted(void **state)
{
    (void)state;
    char *folder = test_folder_create();
    gbv_model *model = make_network();
    for (int damage = 0; damage < 6; damage++) {
        assert_true(model_cache_keep(folder, 0, KEYS[0], "anna", 30, model));
        const char *path = file_of(folder, KEYS[0]);
        size_t size = size_of(path);
        if (damage == 0)
            assert_int_equal(truncate(path, (off_t)size / 2), 0);
        else if (damage == 1)
            assert_int_equal(truncate(path, 0), 0);
        else if (damage == 2)
            change_byte(path, 0); /* the size of the header */
        else if (damage == 3)
            change_byte(path, -40); /* the last bits of a weight: nothing else would tell */
        else if (damage == 4)
            change_byte(path, find_text(path, "7\\\"]")); /* a class: 7 becomes 6 */
        else {                                            /* a sound model that the cache has not written */
            gbv_error error;
            char *names[] = {"0", "y"};
            model->class_names = names;
            assert_ok(gbv_model_write(model, path, &error), error);
            model->class_names = NULL;
        }
        assert_null(model_cache_find(folder, KEYS[0]));
        assert_false(model_cache_has(folder, KEYS[0]));
    }
    gbv_model_free(model);
    test_folder_remove(folder);
}

static void count_entry(void *context, const gbv_cache_entry *entry)
{
    size_t *count = context;
    assert_string_equal(entry->model, "cnn");
    assert_string_equal(entry->subject, "anna");
    assert_int_equal(entry->rows, 30);
    assert_true(entry->bytes > 1000 && entry->used > 0);
    ++*count;
}

static size_t entries(const char *folder)
{
    size_t count = 0;
    gbv_error error;
    assert_ok(gbv_cache_each(folder, count_entry, &count, &error), error);
    return count;
}

static void set_age(const char *path, long seconds)
{
    struct timespec times[2];
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void what_was_not_used_for_longest_goes_first(void **state)
{
    (void)state;
    char *folder = test_folder_create(), part[100], path[700];
    gbv_model *model = make_network();
    gbv_error error;
    size_t removed;
    for (int i = 0; i < 3; i++)
        assert_true(model_cache_keep(folder, 0, KEYS[i], "anna", 30, model));
    size_t size = size_of(file_of(folder, KEYS[0]));
    for (int i = 0; i < 3; i++)
        set_age(file_of(folder, KEYS[i]), 30 - 10 * i);
    gbv_model_free(model_cache_find(folder, KEYS[0])); /* used just now */
    /* What is not the cache's stays; what a killed run has left goes, but not what one is writing. */
    write_text_file(folder, "notes.txt", "mine");
    snprintf(part, sizeof part, "%s.safetensors.17.part", KEYS[0]);
    write_text_file(folder, part, "half");
    snprintf(part, sizeof part, "%s.safetensors.18.part", KEYS[0]);
    set_age(write_text_file(folder, part, "half"), 100000);
    assert_int_equal(entries(folder), 3);
    assert_ok(gbv_cache_trim(folder, 2 * size, &removed, &error), error);
    assert_int_equal(removed, 1);
    assert_true(model_cache_has(folder, KEYS[0]) && model_cache_has(folder, KEYS[2]));
    snprintf(path, sizeof path, "%s/%s.safetensors.17.part", folder, KEYS[0]);
    assert_int_equal(size_of(path), 4);
    snprintf(path, sizeof path, "%s/%s.safetensors.18.part", folder, KEYS[0]);
    assert_int_equal(size_of(path), 0);
    /* Keeping trims, too; a model that is larger than the whole bound does not stay. */
    set_age(file_of(folder, KEYS[2]), 50);
    set_age(file_of(folder, KEYS[0]), 40);
    assert_true(model_cache_keep(folder, 2 * size, KEYS[1], "anna", 30, model));
    assert_true(model_cache_has(folder, KEYS[0]) && model_cache_has(folder, KEYS[1]));
    assert_false(model_cache_has(folder, KEYS[2]));
    assert_true(model_cache_keep(folder, 1, KEYS[1], "anna", 30, model));
    assert_int_equal(entries(folder), 0);
    snprintf(path, sizeof path, "%s/notes.txt", folder);
    assert_int_equal(size_of(path), 4);
    gbv_model_free(model);
    test_folder_remove(folder);
}

static void a_folder_that_cannot_be_made_stops_nothing(void **state)
{
    (void)state;
    char *folder = test_folder_create(), below[700];
    gbv_model *model = make_network();
    snprintf(below, sizeof below, "%s/deeper", write_text_file(folder, "file", "x"));
    assert_false(model_cache_keep(below, 0, KEYS[0], "anna", 30, model));
    assert_null(model_cache_find(below, KEYS[0]));
    assert_true(!model->history && !model->class_names);
    gbv_model_free(model);
    test_folder_remove(folder);
}

static void a_valuation_finds_its_models_again(void **state)
{
    (void)state;
    pictures *p = pictures_create(12);
    gbv_value_options options = pictures_options();
    char cache[600];
    size_t trained, found;
    snprintf(cache, sizeof cache, "%s/cache", p->folder);
    for (int plain = 0; plain < 2; plain++) { /* a model that is found is read out as the trained one is */
        options = pictures_options();
        options.model.backend = plain ? "reference" : NULL;
        options.model.epochs = 1;
        options.model.cache = cache;
        char *first = pictures_value(p->reference, p, &options, &trained, &found);
        assert_true(trained == 3 && found == 0);
        options.model.threads = 2;
        char *second = pictures_value(p->reference, p, &options, &trained, &found);
        assert_true(trained == 0 && found == 3);
        assert_string_equal(first, second);
        options.model.cache = NULL;
        char *without = plain ? NULL : pictures_value(p->reference, p, &options, &trained, &found);
        if (without)
            assert_string_equal(first, without);
        free(without), free(first), free(second);
    }
    options.model.cache = cache;
    options.model.backend = NULL;
    options.measure = "logme,leep";
    options.tau_mode = GBV_TAU_FIXED;
    options.tau = 0.1;
    free(pictures_value(p->reference, p, &options, &trained, &found));
    assert_true(trained == 0 && found == 3);
    options.model.seed++;
    free(pictures_value(p->reference, p, &options, &trained, &found));
    assert_true(trained == 3 && found == 0);
    pictures_free(p);
}

static void networks_are_fitted_again_only_where_that_is_asked_for(void **state)
{
    (void)state;
    pictures *p = pictures_create(12);
    gbv_value_options options = pictures_options();
    char cache[600];
    size_t trained, found;
    snprintf(cache, sizeof cache, "%s/cache", p->folder);
    options.model.cache = cache;
    options.model.epochs = 1;
    options.replicates = 20;
    free(pictures_value(p->reference, p, &options, &trained, &found));
    assert_true(trained == 3 && found == 0);
    options.refits = 2;
    char *first = pictures_value(p->reference, p, &options, &trained, &found);
    assert_true(trained == 6 && found == 3);
    char *second = pictures_value(p->reference, p, &options, &trained, &found);
    assert_true(trained == 0 && found == 9);
    assert_string_equal(first, second);
    assert_non_null(strstr(first, "\"refits\": 2"));
    free(first), free(second);
    pictures_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_made_of_all_that_matters_and_of_nothing_else),
        cmocka_unit_test(a_model_comes_back_as_it_was),
        cmocka_unit_test(a_damaged_file_is_no_model_and_is_deleted),
        cmocka_unit_test(what_was_not_used_for_longest_goes_first),
        cmocka_unit_test(a_folder_that_cannot_be_made_stops_nothing),
        cmocka_unit_test(a_valuation_finds_its_models_again),
        cmocka_unit_test(networks_are_fitted_again_only_where_that_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
