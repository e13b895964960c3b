/* annotation_notes.c - what joining annotations to items left out, in sentences that the result repeats. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sentence.h"
#include "data/annotation/labelled_rows.h"

static gbv_status note(gbv_sources *sources, const sentence *s, gbv_error *error)
{
    return text_table_add(&sources->notes, s->text, s->length) == TEXT_NONE ? error_out_of_memory(error, "a note")
                                                                            : GBV_OK;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* A count and what it counts, behind a comma when something stands before it. */
static void add_count(sentence *s, size_t start, size_t count, const char *what)
{
    if (count)
        sentence_add(s, "%s%zu %s", s->length > start ? ", " : "", count, what);
}

static gbv_status note_left_out(gbv_sources *sources, const gbv_annotations *a, const labelled_rows *rows,
                                gbv_error *error)
{
    sentence s = {0};
    sentence_add(&s, "%.300s: annotations left out: ", a->path);
    size_t start = s.length;
    add_count(&s, start, a->cancelled, "cancelled or discarded");
    add_count(&s, start, a->empty, "without a label");
    add_count(&s, start, a->drafts, "unfinished");
    add_count(&s, start, a->nobody, "without an annotator");
    add_count(&s, start, rows->unusable, "of items whose row cannot be used");
    return s.length > start ? note(sources, &s, error) : GBV_OK;
}

static void add_strangers(sentence *s, size_t count, const char *first)
{
    if (count == 0)
        return;
    sentence_add(s, "; not among the items: ");
    sentence_quote(s, first);
    if (count > 1)
        sentence_add(s, " and %zu more", count - 1);
}

static const char *join_words(const task_join *join)
{
    return strcmp(join->by, "id") == 0 ? "id" : strcmp(join->by, "file") == 0 ? "file name" : "row";
}

static gbv_status note_join(gbv_sources *sources, const gbv_annotations *a, const task_join *join, gbv_error *error)
{
    sentence s = {0};
    sentence_add(&s, "%.300s: %zu of %zu task%s joined to items by %s", a->path, a->tasks.count - join->unmatched,
                 a->tasks.count, a->tasks.count == 1 ? " was" : "s were", join_words(join));
    add_strangers(&s, join->unmatched, join->stranger);
    return note(sources, &s, error);
}

static gbv_status note_gold(gbv_sources *sources, const gbv_annotations *gold, const task_join *join,
                            const labelled_rows *rows, gbv_error *error)
{
    sentence s = {0};
    sentence_add(&s, "%.300s: %zu item%s a gold label, joined by %s", gold->path, rows->count,
                 rows->count == 1 ? " has" : "s have", join_words(join));
    add_strangers(&s, rows->strange, rows->stranger);
    return note(sources, &s, error);
}

/* Annotators that have no row are no sources. */
static gbv_status note_absent(gbv_sources *sources, const gbv_annotations *a, const labelled_rows *rows,
                              gbv_error *error)
{
    enum { SHOWN = 3 };
    sentence s = {0}, names = {0};
    size_t absent = 0;
    unsigned char *present = memory_zeroed(a->annotators.count, 1);
    if (!present)
        return error_out_of_memory(error, "the annotators");
    for (size_t i = 0; i < rows->count; i++)
        present[rows->list[i].annotator] = 1;
    for (size_t i = 0; i < a->annotators.count; i++)
        if (!present[i] && absent++ < SHOWN) {
            sentence_add(&names, "%s", absent > 1 ? ", " : "");
            sentence_quote(&names, a->annotators.texts[i]);
        }
    free(present);
    sentence_add(&s, "%.300s: %zu annotator%s left with no item and %s no source%s: %s%s", a->path, absent,
                 absent == 1 ? " is" : "s are", absent == 1 ? "is" : "are", plural(absent), names.text,
                 absent > SHOWN ? ", ..." : "");
    return absent ? note(sources, &s, error) : GBV_OK;
}

static gbv_status note_rows(gbv_sources *sources, const gbv_annotations *a, const labelled_rows *rows, gbv_error *error)
{
    sentence doubled = {0}, overlap = {0};
    gbv_status status = GBV_OK;
    sentence_add(&doubled, "%.300s: %zu annotation%s replaced by a later one of the same annotator for the same item",
                 a->path, rows->doubled, rows->doubled == 1 ? " was" : "s were");
    sentence_add(&overlap,
                 "%.300s: %zu annotation%s of gold items %s kept out of the sources (--allow-overlap keeps them "
                 "in)",
                 a->path, rows->overlap, plural(rows->overlap), rows->overlap == 1 ? "is" : "are");
    if (rows->doubled)
        status = note(sources, &doubled, error);
    if (status == GBV_OK && rows->overlap)
        status = note(sources, &overlap, error);
    return status;
}

gbv_status labelled_rows_note(gbv_sources *sources, const gbv_annotations *a, const task_join *join,
                              const labelled_rows *rows, const gbv_annotations *gold, const task_join *gold_join,
                              const labelled_rows *gold_rows, gbv_error *error)
{
    gbv_status status = note_join(sources, a, join, error);
    if (status == GBV_OK && gold)
        status = note_gold(sources, gold, gold_join, gold_rows, error);
    if (status == GBV_OK)
        status = note_left_out(sources, a, rows, error);
    if (status == GBV_OK)
        status = note_rows(sources, a, rows, error);
    if (status == GBV_OK)
        status = note_absent(sources, a, rows, error);
    return status;
}
