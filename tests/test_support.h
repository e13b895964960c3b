/* test_support.h - what test programs share: cmocka, comparisons of doubles, golden numbers, a folder of their own. */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gbv/gbv.h>

/* Fails unless |value - expected| <= tolerance * max(1e-300, |expected|), or both are the same infinity. */
static inline void assert_close(double value, double expected, double tolerance)
{
    if (value == expected || fabs(value - expected) <= tolerance * fabs(expected))
        return;
    fail_msg("%.17g is not %.17g within %g (relative error %g)", value, expected, tolerance,
             fabs(value - expected) / fabs(expected));
}

static inline void assert_near(double value, double expected, double absolute)
{
    if (value == expected || fabs(value - expected) <= absolute)
        return;
    fail_msg("%.17g is not %.17g within %g", value, expected, absolute);
}

/* Fails unless the call succeeded; says why it did not. */
#define assert_ok(call, error)                                                                                         \
    do {                                                                                                               \
        if ((call) != GBV_OK)                                                                                          \
            fail_msg("%s: %s", #call, (error).message);                                                                \
    } while (0)

/* The number behind `key` in a file of tests/golden with lines KEY<TAB>VALUE; false when there is none. */
static inline bool golden_number(const char *file, const char *key, double *value)
{
    char path[512], line[512];
    snprintf(path, sizeof path, "%s/%s", GOLDEN, file);
    FILE *stream = fopen(path, "r");
    if (!stream)
        fail_msg("%s is missing", path);
    bool found = false;
    size_t length = strlen(key);
    while (!found && fgets(line, sizeof line, stream))
        if (strncmp(line, key, length) == 0 && line[length] == '\t') {
            *value = strtod(line + length + 1, NULL);
            found = true;
        }
    fclose(stream);
    return found;
}

/* A new folder for one test program, and its removal with everything in it. */
static inline char *test_folder_create(void)
{
    char template[512];
    const char *base = getenv("TMPDIR");
    snprintf(template, sizeof template, "%s/gbv-test-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(template))
        fail_msg("no folder %s could be made", template);
    return strdup(template);
}

static inline void test_folder_remove(char *folder)
{
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        fail_msg("%s could not be removed", folder);
    free(folder);
}

/* The same as set-up and tear-down of a group: the folder is what *state points to. */
static inline int test_folder_open(void **state)
{
    *state = test_folder_create();
    return 0;
}

static inline int test_folder_close(void **state)
{
    test_folder_remove(*state);
    return 0;
}

/* Fails unless the message holds every part; a NULL ends them. */
static inline void assert_holds_parts(const char *message, va_list parts)
{
    for (const char *part; (part = va_arg(parts, const char *));)
        if (!strstr(message, part))
            fail_msg("'%s' does not hold '%s'", message, part);
}

static inline const char *write_text_file(const char *folder, const char *name, const char *text)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "w");
    if (!stream || fputs(text, stream) < 0 || fclose(stream) != 0)
        fail_msg("%s could not be written", path);
    return path;
}

#endif
