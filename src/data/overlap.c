#include "data/overlap.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void overlap_free(overlap *o)
{
    free(o->first);
    free(o->sources);
    free(o->classes);
    free(o->gold);
    *o = (overlap){0};
}

/* Of two labels of a source for an item, which stand side by side, the last stays. */
static void keep_last(overlap *o)
{
    size_t kept = 0;
    for (size_t item = 0; item < o->item_count; item++) {
        size_t begin = o->first[item], end = o->first[item + 1];
        o->first[item] = kept;
        for (size_t i = begin; i < end; i++) {
            kept -= i > begin && o->sources[i] == o->sources[kept - 1];
            o->sources[kept] = o->sources[i];
            o->classes[kept++] = o->classes[i];
        }
    }
    o->first[o->item_count] = o->label_count = kept;
}

static void count_items(overlap *o)
{
    for (size_t item = 0; item < o->item_count; item++) {
        size_t labels = o->first[item + 1] - o->first[item];
        bool shared = labels > 1, gold = labels > 0 && o->gold[item] >= 0;
        o->shared_items += shared;
        o->shared_labels += shared ? labels : 0;
        o->gold_items += gold;
        o->gold_labels += gold ? labels : 0;
    }
}

gbv_status overlap_create(const item_label *labels, size_t label_count, const int32_t *gold, size_t item_count,
                          size_t source_count, size_t class_count, overlap *out, gbv_error *error)
{
    *out = (overlap){.source_count = source_count, .class_count = class_count, .item_count = item_count};
    /* One more than items + 1: the counts stand two places behind, so that filling in moves them to where they belong.
     */
    out->first = item_count < SIZE_MAX - 2 ? memory_zeroed(item_count + 2, sizeof *out->first) : NULL;
    out->sources = memory_array(label_count, sizeof *out->sources);
    out->classes = memory_array(label_count, sizeof *out->classes);
    out->gold = memory_array(item_count, sizeof *out->gold);
    if (!out->first || !out->sources || !out->classes || !out->gold) {
        overlap_free(out);
        return error_out_of_memory(error, "the labels of shared items");
    }
    for (size_t i = 0; i < label_count; i++)
        out->first[labels[i].item + 2]++;
    for (size_t item = 0; item < item_count; item++)
        out->first[item + 2] += out->first[item + 1];
    for (size_t i = 0; i < label_count; i++) {
        size_t place = out->first[labels[i].item + 1]++;
        out->sources[place] = labels[i].source;
        out->classes[place] = labels[i].class_index;
    }
    for (size_t item = 0; item < item_count; item++)
        out->gold[item] = gold ? gold[item] : -1;
    keep_last(out);
    count_items(out);
    return GBV_OK;
}

/* What is being collected. */
typedef struct search {
    const gbv_sources *sources;
    const class_table *classes;
    text_table class_names; /* the table's, then labels that are given to gold items only */
    item_label *labels;
    size_t label_count;
    int32_t *gold;
    size_t item_count, gold_capacity;
} search;

/* The rows of a dataset that several sources share and that says which of them are the same item. */
static bool has_items(const gbv_dataset *dataset)
{
    return dataset->row_source && (dataset->base || dataset->item_names);
}

/* Numbers the items behind those of other datasets. `item_of_row` has an entry per row of the features. */
static bool number_items(search *s, const gbv_dataset *dataset, size_t *item_of_row)
{
    text_table names = {0};
    size_t rows = dataset->features.rows, count = rows;
    for (size_t row = 0; dataset->base && row < rows; row++)
        item_of_row[row] = s->item_count + row;
    for (size_t i = 0; !dataset->base && i < dataset->row_count; i++) {
        size_t row = dataset->row_index ? dataset->row_index[i] : i;
        const char *name = dataset->item_names[row];
        size_t index = text_table_add(&names, name, strlen(name));
        if (index == TEXT_NONE) {
            text_table_free(&names);
            return false;
        }
        item_of_row[row] = s->item_count + index;
    }
    if (!dataset->base)
        count = names.count;
    text_table_free(&names);
    if (!memory_grow(&s->gold, &s->gold_capacity, s->item_count + count, sizeof *s->gold))
        return false;
    for (size_t i = 0; i < count; i++)
        s->gold[s->item_count + i] = -1;
    s->item_count += count;
    return true;
}

/* The class of a label; one that fits no class of the table was given to gold items only and is a class of its own. */
static size_t class_of(search *s, int32_t label)
{
    if (s->classes->class_of_label[label] >= 0)
        return (size_t)s->classes->class_of_label[label];
    const char *text = s->sources->labels[label].text;
    return text_table_add(&s->class_names, text, strlen(text));
}

static bool collect_labels(search *s, const gbv_dataset *dataset, const size_t *item_of_row)
{
    for (size_t i = 0; i < s->sources->count; i++) {
        const source *owner = &s->sources->items[i];
        if (owner->dataset != dataset)
            continue;
        for (size_t j = 0; j < owner->row_count + owner->gold_count; j++) {
            if (owner->labels[j] < 0)
                continue;
            size_t class_index = class_of(s, owner->labels[j]);
            if (class_index >= INT32_MAX)
                return false;
            s->labels[s->label_count++] = (item_label){
                .item = item_of_row[owner->rows[j]], .source = (int32_t)i, .class_index = (int32_t)class_index};
        }
    }
    return true;
}

static bool look_at(search *s, const gbv_dataset *dataset, const gbv_dataset *reference)
{
    size_t *item_of_row = memory_array(dataset->features.rows, sizeof *item_of_row);
    bool done = item_of_row && number_items(s, dataset, item_of_row) && collect_labels(s, dataset, item_of_row);
    if (done && dataset->base && reference && reference->base == dataset->base && reference->labels)
        for (size_t i = 0; i < reference->row_count; i++)
            s->gold[item_of_row[reference->row_index[i]]] = reference->labels[i];
    free(item_of_row);
    return done;
}

gbv_status overlap_find(const gbv_sources *sources, const gbv_dataset *reference, const class_table *classes,
                        overlap *out, gbv_error *error)
{
    search s = {.sources = sources, .classes = classes};
    size_t most = 0;
    bool done = true;
    *out = (overlap){.source_count = sources->count};
    for (size_t i = 0; i < sources->count; i++)
        if (has_items(sources->items[i].dataset))
            most += sources->items[i].row_count + sources->items[i].gold_count;
    if (!(s.labels = memory_array(most, sizeof *s.labels)))
        done = false;
    for (size_t i = 0; i < classes->count && done; i++)
        done = text_table_add(&s.class_names, classes->names[i], strlen(classes->names[i])) != TEXT_NONE;
    for (size_t i = 0; i < sources->dataset_count && done; i++)
        if (has_items(sources->datasets[i]))
            done = look_at(&s, sources->datasets[i], reference);
    gbv_status status = done ? overlap_create(s.labels, s.label_count, s.gold, s.item_count, sources->count,
                                              s.class_names.count, out, error)
                             : error_out_of_memory(error, "the labels of shared items");
    free(s.labels);
    free(s.gold);
    text_table_free(&s.class_names);
    return status;
}
