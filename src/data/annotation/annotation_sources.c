/* annotation_sources.c - joined annotations become views of the items: one with a source per annotator, one of the
 * items that have a gold label. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sentence.h"
#include "data/annotation/labelled_rows.h"
#include "data/label_classes.h"
#include "data/sources.h"

static const gbv_annotation_options defaults;

static int by_annotator_row_and_order(const void *left, const void *right)
{
    const labelled_row *a = left, *b = right;
    if (a->annotator != b->annotator)
        return a->annotator < b->annotator ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Marks the rows that can be used; the caller frees the list. */
static unsigned char *usable_rows(const gbv_dataset *items)
{
    unsigned char *usable = memory_zeroed(items->features.rows, 1);
    for (size_t i = 0; usable && i < items->row_count; i++)
        usable[items->row_index ? items->row_index[i] : i] = 1;
    return usable;
}

/* The annotations whose task is an item, sorted by annotator and item. For gold everybody is one annotator, and of a
 * file that marks its ground truth only that counts. */
static gbv_status collect(const gbv_annotations *a, const gbv_dataset *items, const task_join *join, bool gold,
                          labelled_rows *out, gbv_error *error)
{
    unsigned char *usable = usable_rows(items);
    *out = (labelled_rows){.list = memory_array(a->count, sizeof *out->list)};
    if (!usable || !out->list) {
        free(usable);
        return error_out_of_memory(error, "the annotations");
    }
    for (size_t i = 0; i < a->count; i++) {
        const annotation *one = &a->list[i];
        size_t row = join->row_of_task[one->task];
        if ((gold && a->marks_gold && !one->gold) || (!gold && one->annotator < 0))
            continue;
        if (row == NO_ROW) {
            if (out->strange++ == 0)
                out->stranger = task_join_name(join, a, (size_t)one->task);
        } else if (usable[row])
            out->list[out->count++] = (labelled_row){
                .row = row, .order = i, .time = one->time, .annotator = gold ? 0 : one->annotator, .label = one->label};
        else
            out->unusable++;
    }
    free(usable);
    qsort(out->list, out->count, sizeof *out->list, by_annotator_row_and_order);
    return GBV_OK;
}

/* Of a person's labels for an item the last stays: by time when both have one, else by their order in the file. */
static void keep_last(labelled_rows *rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        labelled_row *next = &rows->list[i], *last = kept ? &rows->list[kept - 1] : NULL;
        if (!last || last->annotator != next->annotator || last->row != next->row)
            rows->list[kept++] = *next;
        else {
            rows->doubled++;
            if (last->time == ANNOTATION_NO_TIME || next->time == ANNOTATION_NO_TIME || next->time >= last->time)
                *last = *next;
        }
    }
    rows->count = kept;
}

/* Gold labels of an item must agree; they are then one. */
static gbv_status keep_agreed(const gbv_annotations *gold, const gbv_dataset *items, labelled_rows *rows,
                              gbv_error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const labelled_row *next = &rows->list[i], *last = kept ? &rows->list[kept - 1] : NULL;
        if (last && last->row == next->row && last->label != next->label) {
            sentence s = {0};
            sentence_add(&s, "%.300s: the item ", gold->path);
            sentence_quote(&s, items->item_names ? items->item_names[next->row]
                                                 : gold->tasks.texts[gold->list[next->order].task]);
            sentence_add(&s, " has two gold labels, ");
            sentence_quote(&s, gold->labels.texts[last->label]);
            sentence_add(&s, " and ");
            sentence_quote(&s, gold->labels.texts[next->label]);
            sentence_add(&s, ": keep one");
            return error_set(error, GBV_BAD_INPUT, "%s", s.text);
        }
        if (!last || last->row != next->row)
            rows->list[kept++] = *next;
    }
    rows->count = kept;
    return GBV_OK;
}

static gbv_status find_gold(const gbv_annotations *gold, const gbv_annotations *annotations, const gbv_dataset *items,
                            const char *join_word, task_join *join, labelled_rows *rows, gbv_error *error)
{
    *rows = (labelled_rows){0};
    if (gold->marks_gold && gold->gold_count == 0)
        return error_set(
            error, GBV_BAD_INPUT,
            "%s: marks none of its annotations as ground truth: mark some in Label Studio and export again, "
            "or give the gold labels as a table with task and label",
            gold->path);
    gbv_status status = task_join_open(gold, annotations, items, join_word, join, error);
    if (status == GBV_OK)
        status = collect(gold, items, join, true, rows, error);
    if (status == GBV_OK)
        status = keep_agreed(gold, items, rows, error);
    if (status == GBV_OK && rows->count == 0)
        status = error_set(error, GBV_BAD_INPUT, "%s: no item of %s that can be used has a gold label", gold->path,
                           items->name);
    return status;
}

/* The labels as a table without types has them: as numbers when those used are all whole. */
static gbv_status label_column(const gbv_annotations *a, const labelled_rows *rows, value_column *column,
                               gbv_error *error)
{
    bool whole = true;
    *column = (value_column){.present = true, .untyped = true};
    column->codes = memory_array(rows->count, sizeof *column->codes);
    column->texts = memory_zeroed(a->labels.count, sizeof *column->texts);
    if (!column->codes || !column->texts)
        return error_out_of_memory(error, "the labels");
    for (size_t i = 0; i < rows->count; i++) {
        column->codes[i] = rows->list[i].label;
        whole = whole && annotation_whole_number(a->labels.texts[rows->list[i].label]) > 0;
    }
    for (; column->text_count < a->labels.count; column->text_count++) {
        const char *text = a->labels.texts[column->text_count];
        size_t length = whole ? annotation_whole_number(text) : 0;
        if (!(column->texts[column->text_count] = strndup(text, length ? length : strlen(text))))
            return error_out_of_memory(error, "the labels");
    }
    return GBV_OK;
}

/* A dataset of the rows with their labels, and with the annotators as sources unless it is gold. */
static gbv_status make_view(gbv_dataset *items, const gbv_annotations *a, const labelled_rows *rows, bool gold,
                            gbv_dataset **view, gbv_error *error)
{
    value_column labels = {0}, who = {.present = true, .texts = a->annotators.texts, .text_count = a->annotators.count};
    gbv_status status = dataset_create_view(items, a->path, a->sha256, a->count, view, error);
    if (status != GBV_OK)
        return status;
    gbv_dataset *made = *view;
    made->row_count = rows->count;
    size_t *row_index = memory_array(rows->count, sizeof *row_index);
    if (!(who.codes = memory_array(rows->count, sizeof *who.codes)) || !row_index) {
        status = error_out_of_memory(error, "the annotations");
        goto done;
    }
    for (size_t i = 0; i < rows->count; i++) {
        who.codes[i] = rows->list[i].annotator;
        row_index[i] = rows->list[i].row;
    }
    /* The columns have a value per annotation, not per row of the file: the rows are told last. */
    if ((status = label_column(a, rows, &labels, error)) == GBV_OK)
        status = dataset_set_classes(made, &labels, error);
    if (status == GBV_OK && !gold)
        status = dataset_set_sources(made, &who, error);
    made->row_index = row_index;
    row_index = NULL;
done:
    free(row_index);
    free(who.codes);
    value_column_free(&labels);
    if (status != GBV_OK) {
        gbv_dataset_free(made);
        *view = NULL;
    }
    return status;
}

gbv_status gbv_dataset_from_gold(gbv_dataset *items, const gbv_annotations *gold, const gbv_annotations *annotations,
                                 const gbv_annotation_options *options, gbv_dataset **reference, gbv_error *error)
{
    task_join join = {0};
    labelled_rows rows;
    *reference = NULL;
    gbv_status status = find_gold(gold, annotations, items, options ? options->join : NULL, &join, &rows, error);
    if (status == GBV_OK)
        status = make_view(items, gold, &rows, true, reference, error);
    free(rows.list);
    task_join_close(&join);
    return status;
}

/* Moves what was said of items with a gold label behind the other rows. */
static gbv_status set_gold_apart(const gbv_dataset *items, const labelled_rows *gold, labelled_rows *rows,
                                 gbv_error *error)
{
    size_t kept = 0;
    unsigned char *is_gold = memory_zeroed(items->features.rows, 1);
    labelled_row *apart = memory_array(rows->count, sizeof *apart);
    if (!is_gold || !apart) {
        free(is_gold);
        free(apart);
        return error_out_of_memory(error, "the gold items");
    }
    for (size_t i = 0; i < gold->count; i++)
        is_gold[gold->list[i].row] = 1;
    for (size_t i = 0; i < rows->count; i++)
        if (is_gold[rows->list[i].row])
            apart[rows->overlap++] = rows->list[i];
        else
            rows->list[kept++] = rows->list[i];
    memcpy(rows->list + kept, apart, rows->overlap * sizeof *apart);
    rows->count = kept;
    free(is_gold);
    free(apart);
    return GBV_OK;
}

/* The collection's label for what was said of a gold item, numbers as those of the view are. */
static size_t gold_label(gbv_sources *sources, const gbv_dataset *view, const char *text)
{
    char decimal[INTEGER_TEXT];
    if (view->kind != LABELS_INTEGER || !annotation_whole_number(text))
        return sources_label(sources, text, LABELS_TEXT, false);
    snprintf(decimal, sizeof decimal, "%" PRId64, (int64_t)strtoll(text, NULL, 10));
    return sources_label(sources, decimal, LABELS_INTEGER, false);
}

/* Gives the sources what they said of gold items; annotators who said nothing else are no sources. Whoever gave the
 * gold label itself is not judged by it. */
static gbv_status keep_gold_answers(gbv_sources *sources, const gbv_annotations *a, const labelled_rows *rows,
                                    const gbv_dataset *view, gbv_error *error)
{
    const labelled_row *list = rows->list + rows->count;
    for (size_t begin = 0, end; begin < rows->overlap; begin = end) {
        const char *name = a->annotators.texts[list[begin].annotator];
        size_t index = text_table_find(&sources->names, name, strlen(name));
        for (end = begin + 1; end < rows->overlap && list[end].annotator == list[begin].annotator;)
            end++;
        if (index == TEXT_NONE || sources->items[index].dataset != view)
            continue;
        source *owner = &sources->items[index];
        size_t capacity = owner->row_count, count = capacity + (end - begin), label_capacity = capacity;
        if (!memory_grow(&owner->rows, &capacity, count, sizeof *owner->rows) ||
            !memory_grow(&owner->labels, &label_capacity, count, sizeof *owner->labels))
            return error_out_of_memory(error, "the annotations of gold items");
        for (size_t i = begin; i < end; i++) {
            if (a->list[list[i].order].gold)
                continue;
            size_t label = gold_label(sources, view, a->labels.texts[list[i].label]);
            if (label == TEXT_NONE)
                return error_out_of_memory(error, "class names");
            size_t place = owner->row_count + owner->gold_count++;
            owner->rows[place] = list[i].row;
            owner->labels[place] = (int32_t)label;
        }
    }
    return GBV_OK;
}

static bool copy_text(char **copy, const char *text)
{
    return !text || (*copy = strdup(text));
}

static gbv_status remember(struct annotation_record *record, const gbv_annotations *gold,
                           const gbv_annotation_options *o, gbv_error *error)
{
    record->show_emails = o->show_emails;
    record->allow_overlap = o->allow_overlap;
    if (gold) {
        memcpy(record->gold_sha256, gold->sha256, sizeof record->gold_sha256);
        record->gold_count = gold->count;
    }
    return copy_text(&record->join, o->join) && copy_text(&record->control, o->control) &&
                   (!gold || copy_text(&record->gold_path, gold->path))
               ? GBV_OK
               : error_out_of_memory(error, "the annotations");
}

static void forget(struct annotation_record *record)
{
    free(record->join);
    free(record->control);
    free(record->gold_path);
    *record = (struct annotation_record){0};
}

static gbv_status check(const gbv_sources *sources, const gbv_annotations *a, const gbv_annotation_options *o,
                        gbv_error *error)
{
    if (sources->annotations.dataset)
        return error_set(error, GBV_USAGE, "%s: the sources have annotations already: put all into one file", a->path);
    if (a->without_annotators)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: no column says who gave each label: name it worker or annotator (without one the table "
                         "serves as --gold)",
                         a->path);
    if (a->without_controls && o->control)
        return error_set(error, GBV_USAGE, "%s: is a table of labels and has no controls: leave out --control",
                         a->path);
    return GBV_OK;
}

gbv_status gbv_sources_add_annotations(gbv_sources *sources, const gbv_annotations *annotations, gbv_dataset *items,
                                       const gbv_annotations *gold, const gbv_annotation_options *options,
                                       gbv_error *error)
{
    const gbv_annotation_options *o = options ? options : &defaults;
    task_join join = {0}, gold_join = {0};
    labelled_rows rows = {0}, gold_rows = {0};
    gbv_dataset *view = NULL;
    size_t notes = sources->notes.count;
    sources_mark before = sources_take_mark(sources);
    gbv_status status = check(sources, annotations, o, error);
    if (status != GBV_OK)
        return status;
    if (gold)
        status = find_gold(gold, annotations, items, o->join, &gold_join, &gold_rows, error);
    if (status == GBV_OK)
        status = task_join_open(annotations, NULL, items, o->join, &join, error);
    if (status == GBV_OK && (!o->join || strcmp(o->join, "auto") == 0))
        status = task_join_check_rows(annotations, items, &join, error);
    if (status == GBV_OK)
        status = collect(annotations, items, &join, false, &rows, error);
    if (status != GBV_OK)
        goto done;
    keep_last(&rows);
    if (gold && !o->allow_overlap)
        status = set_gold_apart(items, &gold_rows, &rows, error);
    if (status == GBV_OK && rows.count == 0)
        status = rows.overlap ? error_set(error, GBV_BAD_INPUT,
                                          "%s: every annotated item has a gold label, so that no row is left to learn "
                                          "from: give fewer gold labels, or use --allow-overlap",
                                          annotations->path)
                              : error_set(error, GBV_BAD_INPUT, "%s: no annotated item of %s can be used",
                                          annotations->path, items->name);
    if (status == GBV_OK)
        status = labelled_rows_note(sources, annotations, &join, &rows, gold, &gold_join, &gold_rows, error);
    if (status == GBV_OK)
        status = remember(&sources->annotations, gold, o, error);
    if (status == GBV_OK)
        status = make_view(items, annotations, &rows, false, &view, error);
    if (status == GBV_OK)
        status = sources_deal(sources, view, error);
    if (status == GBV_OK)
        status = keep_gold_answers(sources, annotations, &rows, view, error);
done:
    if (status == GBV_OK) {
        sources->annotations.dataset = view;
    } else {
        sources_go_back(sources, before);
        forget(&sources->annotations);
        text_table_truncate(&sources->notes, notes);
    }
    free(rows.list);
    free(gold_rows.list);
    task_join_close(&join);
    task_join_close(&gold_join);
    return status;
}
