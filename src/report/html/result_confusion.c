/* result_confusion.c - what each source takes for what, as one matrix at a time. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/html/result_sections.h"

enum { CLASSES_SHOWN = 24 };

/* Of many classes those that are mistaken most, by all sources together; in the order of the reference. */
static size_t choose_classes(const gbv_result *r, size_t chosen[CLASSES_SHOWN], size_t *wrong)
{
    size_t count = r->class_count, width = count + 1, shown = 0;
    if (count <= CLASSES_SHOWN) {
        for (size_t c = 0; c < count; c++)
            chosen[shown++] = c;
        return shown;
    }
    for (size_t i = 0; i < r->source_count; i++)
        for (size_t c = 0; r->sources[i].confusion && c < count; c++)
            for (size_t k = 0; k < width; k++)
                wrong[c] += k != c ? r->sources[i].confusion[c * width + k] : 0;
    for (; shown < CLASSES_SHOWN; shown++) {
        size_t most = 0;
        for (size_t c = 1; c < count; c++)
            most = wrong[c] != SIZE_MAX && (wrong[most] == SIZE_MAX || wrong[c] > wrong[most]) ? c : most;
        wrong[most] = SIZE_MAX;
    }
    shown = 0;
    for (size_t c = 0; c < count; c++)
        if (wrong[c] == SIZE_MAX)
            chosen[shown++] = c;
    return shown;
}

/* The matrix of the chosen classes, all others in its last column. */
static void cut_out(const gbv_result *r, const size_t *confusion, const size_t *chosen, size_t shown, size_t *counts)
{
    size_t width = r->class_count + 1;
    for (size_t i = 0; i < shown; i++) {
        size_t rest = 0;
        for (size_t k = 0; k < width; k++)
            rest += confusion[chosen[i] * width + k];
        for (size_t k = 0; k < shown; k++) {
            counts[i * (shown + 1) + k] = confusion[chosen[i] * width + chosen[k]];
            rest -= counts[i * (shown + 1) + k];
        }
        counts[i * (shown + 1) + shown] = rest;
    }
}

void result_section_confusion(page *p, const result_view *v)
{
    const gbv_result *r = v->result;
    size_t chosen[CLASSES_SHOWN], sources = 0, *wrong = memory_zeroed(r->class_count, sizeof *wrong);
    for (size_t i = 0; i < r->source_count; i++)
        sources += r->sources[i].confusion != NULL;
    if (!sources || !r->class_count) {
        free(wrong);
        return;
    }
    size_t shown = wrong ? choose_classes(r, chosen, wrong) : 0, size = shown * (shown + 1);
    free(wrong);
    size_t *counts = memory_array(sources, size * sizeof *counts);
    const size_t **matrices = memory_array(sources, sizeof *matrices);
    const char **names = memory_array(sources, sizeof *names), *columns[CLASSES_SHOWN + 1];
    if (!shown || !counts || !matrices || !names) {
        page_fail(p);
        goto done;
    }
    for (size_t k = 0; k < shown; k++)
        columns[k] = r->classes[chosen[k]];
    columns[shown] = "others";
    sources = 0;
    for (size_t i = 0; i < r->source_count; i++) {
        const gbv_source_result *s = &r->sources[v->order[i]];
        if (!s->confusion)
            continue;
        names[sources] = s->name;
        matrices[sources] = counts + sources * size;
        cut_out(r, s->confusion, chosen, shown, counts + sources * size);
        sources++;
    }
    page_section(
        p, "confusion", "Confusion",
        "Reference rows by their class and by the class that the model of a source gives them. The tint is the "
        "share of the row; outlined cells are right.");
    page_matrices_add(p, &(page_matrices){.id = "figure-confusion",
                                          .title = "What is taken for what",
                                          .select = "Source",
                                          .names = names,
                                          .count = sources,
                                          .row_axis = "reference",
                                          .column_axis = "model of the source",
                                          .row_names = columns,
                                          .column_names = columns,
                                          .rows = shown,
                                          .columns = shown + 1,
                                          .counts = matrices,
                                          .diagonal = true});
    if (shown < r->class_count)
        page_note(p, "The %zu of %zu classes that are mistaken most.", shown, r->class_count);
done:
    free(counts);
    free(matrices);
    free(names);
}
