/* file_support.h - files made for one test, what reading them gives, and the sentence when it fails. */
#ifndef FILE_SUPPORT_H
#define FILE_SUPPORT_H

#include "test_support.h"

#define FILES GOLDEN "/../data/files/"

static char *test_folder;

static inline int open_test_folder(void **state)
{
    (void)state;
    test_folder = test_folder_create();
    return 0;
}

static inline int close_test_folder(void **state)
{
    (void)state;
    test_folder_remove(test_folder);
    return 0;
}

/* Writes a file into the test's folder. One of eight path buffers is returned, so that a few may be used at a time. */
static inline const char *write_file(const char *name, const void *bytes, size_t size)
{
    static char paths[8][700];
    static size_t turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
    FILE *stream = fopen(path, "wb");
    if (!stream || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0)
        fail_msg("%s could not be written", path);
    return path;
}

static inline const char *write_text(const char *name, const char *text)
{
    return write_file(name, text, strlen(text));
}

static inline const char *both(const char *features, const char *labels)
{
    static char argument[1500];
    snprintf(argument, sizeof argument, "%s,%s", features, labels);
    return argument;
}

static inline void *slurp(const char *path, size_t *size)
{
    FILE *stream = fopen(path, "rb");
    if (!stream)
        fail_msg("%s is missing", path);
    unsigned char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, stream);
    fclose(stream);
    return bytes;
}

static inline gbv_dataset *read_dataset(const char *argument, const gbv_read_options *options)
{
    gbv_error error = {0};
    gbv_dataset *dataset = NULL;
    assert_ok(gbv_dataset_read(argument, options, &dataset, &error), error);
    return dataset;
}

static inline gbv_dataset *read_features(const char *argument)
{
    return read_dataset(argument, &(gbv_read_options){.features_only = true});
}

/* Fails unless reading fails as bad input with a sentence that holds every part (a NULL ends them). */
static inline void assert_refused(const char *argument, const gbv_read_options *options, ...)
{
    gbv_error error = {0};
    gbv_dataset *dataset = NULL;
    gbv_status status = gbv_dataset_read(argument, options, &dataset, &error);
    if (status == GBV_OK)
        fail_msg("%s was read", argument);
    if (status != GBV_BAD_INPUT || dataset)
        fail_msg("%s: status %d: %s", argument, status, error.message);
    va_list parts;
    va_start(parts, options);
    assert_holds_parts(error.message, parts);
    va_end(parts);
}

/* Sentences about bad rows, one a line. */
typedef struct heard {
    size_t count;
    char text[4000];
} heard;

static inline void hear(void *context, const char *sentence)
{
    heard *h = context;
    h->count++;
    size_t used = strlen(h->text);
    snprintf(h->text + used, sizeof h->text - used, "%s\n", sentence);
}

#define RUN_WITH_FOLDER(tests) cmocka_run_group_tests(tests, open_test_folder, close_test_folder)

#endif
