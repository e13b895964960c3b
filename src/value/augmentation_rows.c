/* augmentation_rows.c - which images an augmentor is scored on. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "data/dataset.h"
#include "value/augmentation.h"

typedef struct share {
    size_t class_index, size, wanted;
    double rest;
} share;

static int larger_rest_first(const void *left, const void *right)
{
    const share *a = left, *b = right;
    if (a->rest != b->rest)
        return a->rest < b->rest ? 1 : -1;
    if (a->size != b->size)
        return a->size < b->size ? 1 : -1;
    return a->class_index < b->class_index ? -1 : 1;
}

/* How many of each class: one each while there are enough, the others in proportion, remainders to the largest. Leaves
 * the classes in another order. */
static void share_out(share *shares, size_t classes, size_t subset)
{
    size_t total = 0, present = 0, given = 0;
    for (size_t c = 0; c < classes; c++) {
        total += shares[c].size;
        present += shares[c].size > 0;
    }
    for (size_t c = 0; c < classes; c++) {
        double exact = (double)subset * (double)shares[c].size / (double)total;
        shares[c].wanted = present <= subset && exact < 1 ? shares[c].size > 0 : (size_t)exact;
        shares[c].rest = exact - (double)shares[c].wanted;
        given += shares[c].wanted;
    }
    qsort(shares, classes, sizeof *shares, larger_rest_first);
    for (size_t c = 0; given < subset; c = (c + 1) % classes)
        if (shares[c].wanted < shares[c].size) {
            shares[c].wanted++;
            given++;
        }
    for (size_t c = classes; given > subset; c = c > 1 ? c - 1 : classes) /* small classes got too much */
        if (shares[c - 1].wanted > 1) {
            shares[c - 1].wanted--;
            given--;
        }
}

/* Marks the rows of a class that the seed chooses. */
static void draw_rows(const gbv_dataset *images, const share *s, uint64_t seed, size_t *members, bool *chosen)
{
    char subject[64];
    size_t count = 0;
    for (size_t i = 0; i < images->row_count; i++)
        if ((size_t)images->labels[i] == s->class_index)
            members[count++] = i;
    snprintf(subject, sizeof subject, "subset %zu", s->class_index);
    random_stream stream = random_stream_open(seed, subject, RANDOM_SPLIT);
    random_shuffle(&stream, members, count);
    for (size_t i = 0; i < s->wanted; i++)
        chosen[members[i]] = true;
}

static gbv_status choose_subset(const augmentation *a, size_t subset, bool *chosen, gbv_error *error)
{
    const gbv_dataset *images = a->images;
    share *shares = memory_zeroed(images->class_count, sizeof *shares);
    size_t *members = memory_array(images->row_count, sizeof *members);
    gbv_status status = shares && members ? GBV_OK : error_out_of_memory(error, "the images of a subset");
    for (size_t c = 0; c < images->class_count && status == GBV_OK; c++)
        shares[c].class_index = c;
    for (size_t i = 0; i < images->row_count && status == GBV_OK; i++)
        shares[images->labels[i]].size++;
    if (status == GBV_OK)
        share_out(shares, images->class_count, subset);
    for (size_t c = 0; c < images->class_count && status == GBV_OK; c++)
        draw_rows(images, &shares[c], a->options->seed, members, chosen);
    free(shares);
    free(members);
    return status;
}

gbv_status augmentation_choose_rows(augmentation *a, gbv_error *error)
{
    const gbv_dataset *images = a->images;
    size_t subset = a->options->subset, total = images->row_count;
    bool whole = subset == 0 || subset >= total;
    bool *chosen = memory_zeroed(total, sizeof *chosen);
    a->count = whole ? total : subset;
    a->rows = memory_array(a->count, sizeof *a->rows);
    a->numbers = memory_array(a->count, sizeof *a->numbers);
    a->labels = memory_array(a->count, sizeof *a->labels);
    a->class_sizes = memory_zeroed(images->class_count, sizeof *a->class_sizes);
    gbv_status status = chosen && a->rows && a->numbers && a->labels && a->class_sizes
                            ? GBV_OK
                            : error_out_of_memory(error, "the images that are scored");
    if (status == GBV_OK && !whole)
        status = choose_subset(a, subset, chosen, error);
    for (size_t i = 0, n = 0; i < total && status == GBV_OK; i++)
        if (whole || chosen[i]) {
            a->rows[n] = images->row_index ? images->row_index[i] : i;
            a->numbers[n] = i;
            a->labels[n] = images->labels[i];
            a->classes_scored += a->class_sizes[images->labels[i]]++ == 0;
            n++;
        }
    free(chosen);
    if (status == GBV_OK && a->classes_scored < 2)
        status = error_set(error, GBV_BAD_INPUT,
                           whole ? "%s: all %zu images are of one class ('%s'); an augmentor is scored by how well the "
                                   "model tells classes apart: give images of two classes or more"
                                 : "%s: a subset of %zu holds one class only ('%s'): give a larger --subset",
                           images->name, a->count, images->class_names[a->labels[0]]);
    return status;
}
