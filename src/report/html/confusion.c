#include "report/html/confusion.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

enum { CLASSES_SHOWN = 24 };

/* Of many classes those that are mistaken most, in all matrices together; in their order. */
static size_t choose_classes(const confusions *c, size_t chosen[CLASSES_SHOWN], size_t *wrong)
{
    size_t count = c->class_count, shown = 0;
    if (count <= CLASSES_SHOWN) {
        for (size_t i = 0; i < count; i++)
            chosen[shown++] = i;
        return shown;
    }
    for (size_t m = 0; m < c->count; m++)
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < c->columns; k++)
                wrong[i] += k != i ? c->matrices[m][i * c->columns + k] : 0;
    for (; shown < CLASSES_SHOWN; shown++) {
        size_t most = 0;
        for (size_t i = 1; i < count; i++)
            most = wrong[i] != SIZE_MAX && (wrong[most] == SIZE_MAX || wrong[i] > wrong[most]) ? i : most;
        wrong[most] = SIZE_MAX;
    }
    shown = 0;
    for (size_t i = 0; i < count; i++)
        if (wrong[i] == SIZE_MAX)
            chosen[shown++] = i;
    return shown;
}

/* The matrix of the chosen classes, all others in its last column where it has one more. */
static void cut_out(const confusions *c, const size_t *matrix, const size_t *chosen, size_t shown, size_t width,
                    size_t *counts)
{
    for (size_t i = 0; i < shown; i++) {
        size_t rest = 0;
        for (size_t k = 0; k < c->columns; k++)
            rest += matrix[chosen[i] * c->columns + k];
        for (size_t k = 0; k < shown; k++) {
            counts[i * width + k] = matrix[chosen[i] * c->columns + chosen[k]];
            rest -= counts[i * width + k];
        }
        if (width > shown)
            counts[i * width + shown] = rest;
    }
}

void page_confusions(page *p, const confusions *c)
{
    if (!c->class_count || !c->count)
        return;
    size_t chosen[CLASSES_SHOWN], *wrong = memory_zeroed(c->class_count, sizeof *wrong);
    size_t shown = wrong ? choose_classes(c, chosen, wrong) : 0, width = shown + (shown < c->columns),
           size = shown * width;
    size_t *counts = memory_array(c->count, size * sizeof *counts);
    const size_t **matrices = memory_array(c->count, sizeof *matrices);
    const char *columns[CLASSES_SHOWN + 1];
    free(wrong);
    if (!shown || !counts || !matrices) {
        page_fail(p);
        goto done;
    }
    for (size_t k = 0; k < shown; k++)
        columns[k] = c->classes[chosen[k]];
    columns[shown] = "others";
    for (size_t m = 0; m < c->count; m++) {
        matrices[m] = counts + m * size;
        cut_out(c, c->matrices[m], chosen, shown, width, counts + m * size);
    }
    page_matrices_add(p, &(page_matrices){.id = "figure-confusion",
                                          .title = "What is taken for what",
                                          .select = c->select,
                                          .names = c->names,
                                          .count = c->count,
                                          .row_axis = c->row_axis,
                                          .column_axis = c->column_axis,
                                          .row_names = columns,
                                          .column_names = columns,
                                          .rows = shown,
                                          .columns = width,
                                          .counts = matrices,
                                          .diagonal = true});
    if (shown < c->class_count)
        page_note(p, "The %zu of %zu classes that are mistaken most.", shown, c->class_count);
done:
    free(counts);
    free(matrices);
}
