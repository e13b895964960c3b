/* overlap.h - which sources labelled the same items, and as what.
 * Two rows show the same item when they are the same row of the annotated items, or when one table names the same item
 * for both. Features are never compared, nor are names in different files, which may number their rows alike.
 *
 *     overlap o;
 *     status = overlap_find(sources, reference, &classes, &o, error);
 *     if (o.shared_items > 0) ...      several sources labelled the same item
 *     if (o.gold_items > 0) ...        sources labelled items whose class is known
 *     overlap_free(&o);
 */
#ifndef DATA_OVERLAP_H
#define DATA_OVERLAP_H

#include "data/sources.h"

/* The labels of item i are those from first[i] to first[i + 1]. What sources said of gold items counts, although they
 * do not train on it. */
typedef struct overlap {
    size_t source_count;
    size_t class_count; /* the class table's, then one for each other label that was given to gold items only */
    size_t item_count;  /* some may have no label */
    size_t label_count;
    size_t *first;    /* item_count + 1 */
    int32_t *sources; /* label_count: who gave the label; increasing, so that each source occurs once an item */
    int32_t *classes; /* label_count: the label */
    int32_t *gold;    /* item_count: the item's trusted class; -1: none */
    size_t shared_items, shared_labels; /* items with two labels or more, and these labels */
    size_t gold_items, gold_labels;     /* items with a trusted class and a label, and these labels */
} overlap;

/* Somebody's label of an item. */
typedef struct item_label {
    size_t item;
    int32_t source, class_index;
} item_label;

/* The labels of the sources on the items they share; empty where no dataset says which rows are the same item.
 * `classes` are those of sources_fit. Trusted classes come from a reference of gold labels for the same items; it may
 * be NULL. */
GBV_MUST_CHECK gbv_status overlap_find(const gbv_sources *sources, const gbv_dataset *reference,
                                       const class_table *classes, overlap *out, gbv_error *error);
/* The same from a list, which is sorted by source; of a source's labels for an item the last stays. `gold` (NULL: none)
 * has a class or -1 for each item. */
GBV_MUST_CHECK gbv_status overlap_create(const item_label *labels, size_t label_count, const int32_t *gold,
                                         size_t item_count, size_t source_count, size_t class_count, overlap *out,
                                         gbv_error *error);
void overlap_free(overlap *o);

#endif
