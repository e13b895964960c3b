/* data_support.h - small datasets in memory for the tests of this room. */
#ifndef DATA_SUPPORT_H
#define DATA_SUPPORT_H

#include "test_support.h"

/* A dataset whose rows are labelled as the list says: "cat|dog|cat" is text, "#3|4|3" integers, "" no labels (one row).
 * Its features are zeros. */
static inline gbv_dataset *labelled(const char *name, size_t columns, const char *list)
{
    static const double zeros[1 << 14];
    enum { MOST = 2048 };
    static char *texts[MOST];
    int32_t labels[MOST];
    size_t rows = 0, classes = 0;
    bool integers = *list == '#';
    gbv_error error;
    gbv_dataset *dataset;
    char *copy = strdup(integers ? list + 1 : list), *rest = copy, *text;
    while (*list && (text = strsep(&rest, "|"))) {
        assert_true(rows < MOST);
        size_t c = 0;
        while (c < classes && strcmp(texts[c], text) != 0)
            c++;
        if (c == classes)
            texts[classes++] = text;
        labels[rows++] = integers ? atoi(text) : (int32_t)c;
    }
    size_t used = rows ? rows : 1;
    assert_true(used * columns <= sizeof zeros / sizeof *zeros);
    assert_ok(gbv_dataset_create(name, gbv_matrix_f64(zeros, used, columns), rows ? labels : NULL,
                                 integers ? NULL : (const char *const *)texts, integers ? 0 : classes, &dataset,
                                 &error),
              error);
    free(copy);
    return dataset;
}

static inline void add_labelled(gbv_sources *sources, const char *name, size_t columns, const char *list)
{
    gbv_error error;
    assert_ok(gbv_sources_add_dataset(sources, name, labelled(name, columns, list), &error), error);
}

/* Fails unless the text holds the part. */
static inline void assert_holds(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not hold '%s'", text, part);
}

#endif
