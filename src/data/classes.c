/* classes.c - class maps: a CSV that says which class each label means, applied to the sources' rows or written for
 * people to fill in. */
#include "data/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_text.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/sentence.h"
#include "data/match.h"
#include "data/small_csv.h"

#define LEAVE_OUT "-" /* the class that leaves rows out */

/* A class map while it is applied. A line is known by "source number:label", or ":label" for every source. */
typedef struct class_map {
    const char *path;
    small_csv csv;
    size_t label_column, class_column, source_column; /* SIZE_MAX: there is none */
    text_table keys;
    size_t *record_of; /* per key: its record */
    size_t *target;    /* per key: the label that its rows get; TEXT_NONE: they are left out */
    bool *hit;         /* per key: some row has this label */
    bool any_source;   /* some line names a source */
    /* The key that serves each label, worked out once per source. */
    size_t *key_of;     /* TEXT_NONE: the label stays */
    size_t *worked_out; /* for which source, + 1 */
    char *buffer;       /* where keys are put together */
} class_map;

static void map_free(class_map *map)
{
    small_csv_free(&map->csv);
    text_table_free(&map->keys);
    free(map->record_of);
    free(map->target);
    free(map->hit);
    free(map->key_of);
    free(map->worked_out);
    free(map->buffer);
}

/* `source_index` SIZE_MAX: every source. */
static const char *make_key(class_map *map, size_t source_index, const char *label)
{
    char *end = map->buffer;
    if (source_index != SIZE_MAX)
        end += sprintf(end, "%zu", source_index);
    *end++ = ':';
    strcpy(end, label);
    return map->buffer;
}

static gbv_status find_columns(class_map *map, gbv_error *error)
{
    struct {
        const char *name;
        size_t *column;
    } wanted[] = {{"label", &map->label_column}, {"class", &map->class_column}, {"source", &map->source_column}};
    for (size_t i = 0; i < 3; i++) {
        *wanted[i].column = SIZE_MAX;
        for (size_t j = 0; j < map->csv.records[0].count && *wanted[i].column == SIZE_MAX; j++)
            if (strcmp(small_csv_cell(&map->csv, 0, j), wanted[i].name) == 0)
                *wanted[i].column = j;
        if (*wanted[i].column == SIZE_MAX && i < 2)
            return error_set(error, GBV_BAD_INPUT,
                             "%s: line %zu has no column '%s'; expected a header with label,class and optionally "
                             "source: write a class map with `gbv classes`",
                             map->path, map->csv.records[0].line, wanted[i].name);
    }
    return GBV_OK;
}

static gbv_status check_class_given(const class_map *map, size_t record, gbv_error *error)
{
    const char *class_name = small_csv_cell(&map->csv, record, map->class_column);
    if (class_name[strspn(class_name, " \t")])
        return GBV_OK;
    sentence label = {0};
    sentence_quote(&label, small_csv_cell(&map->csv, record, map->label_column));
    return error_set(error, GBV_BAD_INPUT,
                     "%s: line %zu: label %s has no class: fill in the class, repeat the label to keep it, "
                     "or write - to leave its rows out",
                     map->path, map->csv.records[record].line, label.text);
}

/* Enters one line. Lines for sources that are not there are passed over: a map may serve several runs. */
static gbv_status add_line(class_map *map, const gbv_sources *sources, size_t record, gbv_error *error)
{
    gbv_status status = check_class_given(map, record, error);
    if (status != GBV_OK)
        return status;
    const char *label = small_csv_cell(&map->csv, record, map->label_column);
    const char *name = map->source_column == SIZE_MAX ? "" : small_csv_cell(&map->csv, record, map->source_column);
    size_t source_index = *name ? text_table_find(&sources->names, name, strlen(name)) : SIZE_MAX;
    if (*name && source_index == TEXT_NONE)
        return GBV_OK;
    map->any_source = map->any_source || *name;
    const char *key = make_key(map, source_index, label);
    size_t before = map->keys.count, index = text_table_add(&map->keys, key, strlen(key));
    if (index == TEXT_NONE)
        return error_out_of_memory(error, "a class map");
    if (index == before) {
        map->record_of[index] = record;
        return GBV_OK;
    }
    const char *class_name = small_csv_cell(&map->csv, record, map->class_column);
    const char *other = small_csv_cell(&map->csv, map->record_of[index], map->class_column);
    if (strcmp(class_name, other) == 0)
        return GBV_OK;
    sentence s = {0};
    sentence_add(&s, "%s: line %zu gives label ", map->path, map->csv.records[record].line);
    sentence_quote(&s, label);
    sentence_add(&s, " the class ");
    sentence_quote(&s, class_name);
    sentence_add(&s, ", line %zu gives it ", map->csv.records[map->record_of[index]].line);
    sentence_quote(&s, other);
    sentence_add(&s, ": keep one of the two lines");
    return error_set(error, GBV_BAD_INPUT, "%s", s.text);
}

static gbv_status map_read(class_map *map, const gbv_sources *sources, gbv_error *error)
{
    gbv_status status = small_csv_read(map->path, &map->csv, error);
    if (status != GBV_OK || (status = find_columns(map, error)) != GBV_OK)
        return status;
    size_t lines = map->csv.record_count, longest = 0;
    for (size_t i = 0; i < map->csv.cell_count; i++)
        if (strlen(map->csv.cells[i]) > longest)
            longest = strlen(map->csv.cells[i]);
    for (size_t i = 0; i < sources->label_count; i++)
        if (strlen(sources->labels[i].text) > longest)
            longest = strlen(sources->labels[i].text);
    map->buffer = memory_array(longest + 32, 1);
    map->record_of = memory_array(lines, sizeof *map->record_of);
    map->target = memory_array(lines, sizeof *map->target);
    map->hit = memory_zeroed(lines, sizeof *map->hit);
    map->key_of = memory_array(sources->label_count, sizeof *map->key_of);
    map->worked_out = memory_zeroed(sources->label_count, sizeof *map->worked_out);
    if (!map->buffer || !map->record_of || !map->target || !map->hit || !map->key_of || !map->worked_out)
        return error_out_of_memory(error, "a class map");
    for (size_t i = 1; i < lines && status == GBV_OK; i++)
        status = add_line(map, sources, i, error);
    return status;
}

/* The line that serves a label of a source: its own before the general one. */
static size_t find_line(class_map *map, const gbv_sources *sources, size_t source_index, int32_t label)
{
    size_t stamp = map->any_source ? source_index + 1 : 1;
    if (map->worked_out[label] != stamp) {
        const char *text = sources->labels[label].text, *key = make_key(map, source_index, text);
        map->worked_out[label] = stamp;
        map->key_of[label] = map->any_source ? text_table_find(&map->keys, key, strlen(key)) : TEXT_NONE;
        if (map->key_of[label] == TEXT_NONE) {
            key = make_key(map, SIZE_MAX, text);
            map->key_of[label] = text_table_find(&map->keys, key, strlen(key));
        }
    }
    return map->key_of[label];
}

static bool leaves_out(const class_map *map, size_t key)
{
    return strcmp(small_csv_cell(&map->csv, map->record_of[key], map->class_column), LEAVE_OUT) == 0;
}

/* Everything that can fail, before any row is changed: which lines serve, the labels they give, lists of rows for
 * sources that lose some. */
static gbv_status map_prepare(class_map *map, gbv_sources *sources, gbv_error *error)
{
    bool any = false;
    for (size_t i = 0; i < sources->count; i++) {
        source *s = &sources->items[i];
        bool shrinks = false;
        for (size_t j = 0; j < s->row_count + s->gold_count; j++) {
            size_t key = s->labels[j] < 0 ? TEXT_NONE : find_line(map, sources, i, s->labels[j]);
            if (key == TEXT_NONE)
                continue;
            any = map->hit[key] = true;
            shrinks = shrinks || leaves_out(map, key);
        }
        if (!shrinks || s->rows)
            continue;
        if (!(s->rows = memory_array(s->row_count, sizeof *s->rows)))
            return error_out_of_memory(error, "the rows of a source");
        for (size_t j = 0; j < s->row_count; j++)
            s->rows[j] = j;
    }
    if (!any)
        return error_set(error, GBV_BAD_INPUT,
                         "%s: none of its %zu labels occurs in any source: write a class map for these sources with "
                         "`gbv classes`",
                         map->path, map->csv.record_count - 1);
    for (size_t key = 0; key < map->keys.count; key++) {
        const char *text = small_csv_cell(&map->csv, map->record_of[key], map->class_column);
        map->target[key] = TEXT_NONE;
        if (!map->hit[key] || leaves_out(map, key))
            continue;
        map->target[key] = sources_label(sources, text, label_kind_of_text(text), true);
        if (map->target[key] == TEXT_NONE)
            return error_out_of_memory(error, "class names");
    }
    return GBV_OK;
}

static void map_apply(class_map *map, gbv_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        source *s = &sources->items[i];
        size_t kept = 0, kept_rows = 0;
        for (size_t j = 0; j < s->row_count + s->gold_count; j++) {
            size_t key = s->labels[j] < 0 ? TEXT_NONE : find_line(map, sources, i, s->labels[j]);
            if (key != TEXT_NONE && map->target[key] == TEXT_NONE)
                continue;
            if (s->rows)
                s->rows[kept] = s->rows[j];
            s->labels[kept++] = key == TEXT_NONE ? s->labels[j] : (int32_t)map->target[key];
            kept_rows += j < s->row_count;
        }
        s->row_count = kept_rows;
        s->gold_count = kept - kept_rows;
    }
}

gbv_status gbv_sources_map_classes(gbv_sources *sources, const char *map_path, gbv_error *error)
{
    class_map map = {.path = map_path};
    char *record = strdup(map_path);
    gbv_status status = record ? map_read(&map, sources, error) : error_out_of_memory(error, "a path");
    if (status == GBV_OK)
        status = map_prepare(&map, sources, error);
    if (status == GBV_OK) {
        map_apply(&map, sources);
        free(sources->class_map);
        sources->class_map = record;
        record = NULL;
        memcpy(sources->class_map_sha256, map.csv.sha256, sizeof sources->class_map_sha256);
    }
    free(record);
    map_free(&map);
    return status;
}

/* One line of a class map to be written: a label, whatever sources it is in. */
typedef struct map_entry {
    const struct label_text *label;
    size_t rows, sources;
    size_t last_source; /* + 1: so that each source counts once */
} map_entry;

static int compare_entries(const void *a, const void *b)
{
    const struct label_text *first = ((const map_entry *)a)->label, *second = ((const map_entry *)b)->label;
    if (first->kind != second->kind)
        return first->kind < second->kind ? -1 : 1;
    return label_compare(first->kind, first->text, second->text);
}

/* The distinct labels that occur, sorted; the caller frees the list. */
static gbv_status collect_entries(const gbv_sources *sources, map_entry **entries, size_t *count, gbv_error *error)
{
    gbv_status status = GBV_OK;
    text_table keys = {0}; /* kind and text: whether a class map named the label makes no difference here */
    size_t *entry_of = memory_array(sources->label_count, sizeof *entry_of);
    *entries = memory_zeroed(sources->label_count, sizeof **entries);
    if (!entry_of || !*entries) {
        status = error_out_of_memory(error, "class names");
        goto done;
    }
    for (size_t i = 0; i < sources->label_count; i++) {
        char *key = NULL;
        int length = asprintf(&key, "%d%s", (int)sources->labels[i].kind, sources->labels[i].text);
        entry_of[i] = length < 0 ? TEXT_NONE : text_table_add(&keys, key, (size_t)length);
        if (length >= 0)
            free(key);
        if (entry_of[i] == TEXT_NONE) {
            status = error_out_of_memory(error, "class names");
            goto done;
        }
    }
    for (size_t i = 0; i < sources->count; i++)
        for (size_t j = 0; j < sources->items[i].row_count; j++) {
            int32_t label = sources->items[i].labels[j];
            if (label < 0)
                continue;
            map_entry *entry = &(*entries)[entry_of[label]];
            entry->label = &sources->labels[label];
            entry->rows++;
            entry->sources += entry->last_source != i + 1;
            entry->last_source = i + 1;
        }
    for (size_t i = 0; i < keys.count; i++)
        if ((*entries)[i].rows)
            (*entries)[(*count)++] = (*entries)[i];
    qsort(*entries, *count, sizeof **entries, compare_entries);
done:
    text_table_free(&keys);
    free(entry_of);
    return status;
}

/* The class to propose for a label, "" where it would be a guess, and what to say about it. */
static gbv_status propose(matcher *m, const struct label_text *label, const char **class_name, sentence *note,
                          gbv_error *error)
{
    match_kind kind;
    size_t class_index, found[NEAREST_COUNT], count;
    gbv_status status = matcher_match(m, label, &kind, &class_index, error);
    if (status != GBV_OK)
        return status;
    *class_name = "";
    switch (kind) {
    case MATCH_CLASS:
        *class_name = label->text;
        break;
    case MATCH_CASE:
        *class_name = m->classes.texts[class_index];
        sentence_add(note, "differs in case or blanks (or - and _)");
        break;
    case MATCH_SLIP:
        sentence_add(note, "nearest: ");
        count = matcher_nearest(m, label->text, found);
        for (size_t i = 0; i < count; i++) {
            sentence_add(note, "%s", i ? ", " : "");
            sentence_quote(note, m->classes.texts[found[i]]);
        }
        break;
    case MATCH_OTHER_KIND:
        sentence_add(note, "the label is %s and the reference's classes are %s: say which class it means",
                     label->kind == LABELS_INTEGER ? "an integer" : "text",
                     label->kind == LABELS_INTEGER ? "text" : "integers");
        break;
    case MATCH_NEW:
        if (m->reference)
            sentence_add(note, "not a class of the reference: repeat the label to keep it, write - to drop it");
        else
            *class_name = label->text;
        break;
    }
    return GBV_OK;
}

gbv_status gbv_classes_write(const gbv_dataset *reference, const gbv_sources *sources, const char *path,
                             gbv_error *error)
{
    matcher m;
    map_entry *entries = NULL;
    size_t count = 0;
    output_file output = {0};
    gbv_status status = matcher_open(reference, &m, error);
    if (status != GBV_OK)
        return status;
    if ((status = collect_entries(sources, &entries, &count, error)) != GBV_OK)
        goto done;
    if (count == 0) {
        status = error_set(error, GBV_BAD_INPUT, "no source has any label: there are no classes to map");
        goto done;
    }
    if ((status = output_open(path, &output, error)) != GBV_OK)
        goto done;
    fputs("label,class,rows,sources,note\n", output.stream);
    for (size_t i = 0; i < count && status == GBV_OK; i++) {
        sentence note = {0};
        const char *class_name;
        if ((status = propose(&m, entries[i].label, &class_name, &note, error)) != GBV_OK)
            break;
        csv_text_write(output.stream, entries[i].label->text);
        fputc(',', output.stream);
        if (*class_name)
            csv_text_write(output.stream, class_name);
        fprintf(output.stream, ",%zu,%zu,", entries[i].rows, entries[i].sources);
        if (note.length)
            csv_text_write(output.stream, note.text);
        fputc('\n', output.stream);
    }
    if (status == GBV_OK)
        status = output_commit(&output, error);
    else
        output_abandon(&output);
done:
    matcher_close(&m);
    free(entries);
    return status;
}
