/* crowd.h - small crowds for tests of the methods that compare labels of the same items. */
#ifndef TESTS_VALUE_METHOD_CROWD_H
#define TESTS_VALUE_METHOD_CROWD_H

#include "test_support.h"

#include "base/random.h"
#include "data/overlap.h"

/* A text of items separated by blanks, each a character per source: its class as a digit, '.' for no label; behind a
 * '*' the gold class. "00. 1.1*1": two items, three sources. */
static inline overlap crowd_of(const char *text, size_t sources, size_t classes)
{
    enum { MOST = 400 };
    item_label labels[MOST];
    int32_t gold[MOST];
    size_t count = 0, items = 0;
    overlap o;
    gbv_error error;
    for (size_t s = 0; s < sources; s++) {
        items = 0;
        for (const char *c = text; *c; items++) {
            assert_true(items < MOST && count < MOST);
            if (c[s] != '.')
                labels[count++] = (item_label){.item = items, .source = (int32_t)s, .class_index = c[s] - '0'};
            c += sources;
            gold[items] = *c == '*' ? c[1] - '0' : -1;
            c += *c == '*' ? 2 : 0;
            c += *c == ' ';
        }
    }
    assert_ok(overlap_create(labels, count, gold, items, sources, classes, &o, &error), error);
    return o;
}

/* Sources that are right as often as said, and otherwise say any other class; each labels an item with probability
 * `share`. The gold class is the true one. */
static inline overlap crowd_draw(size_t items, size_t sources, size_t classes, const double *accuracy, double share,
                                 uint64_t seed)
{
    item_label *labels = malloc(items * sources * sizeof *labels);
    int32_t *gold = malloc(items * sizeof *gold);
    random_stream stream = random_stream_open(seed, "crowd", RANDOM_LABEL_NOISE);
    size_t count = 0;
    overlap o;
    gbv_error error;
    for (size_t item = 0; item < items; item++)
        gold[item] = (int32_t)random_below(&stream, classes);
    for (size_t s = 0; s < sources; s++)
        for (size_t item = 0; item < items; item++) {
            if (random_uniform(&stream) >= share)
                continue;
            int32_t said = gold[item];
            if (random_uniform(&stream) >= accuracy[s])
                said = (int32_t)(((size_t)said + 1 + random_below(&stream, classes - 1)) % classes);
            labels[count++] = (item_label){.item = item, .source = (int32_t)s, .class_index = said};
        }
    assert_ok(overlap_create(labels, count, gold, items, sources, classes, &o, &error), error);
    free(labels);
    free(gold);
    return o;
}

#endif
