/* labelled_rows.h - joined annotations on their way to sources, and what is told about them. */
#ifndef DATA_ANNOTATION_LABELLED_ROWS_H
#define DATA_ANNOTATION_LABELLED_ROWS_H

#include "data/annotation/task_join.h"
#include "data/sources.h"

/* One label of one item, as it will be used. */
typedef struct labelled_row {
    size_t row;   /* of the items' features */
    size_t order; /* in the file */
    int64_t time;
    int32_t annotator, label;
} labelled_row;

typedef struct labelled_rows {
    labelled_row *list;
    size_t count;
    size_t unusable;      /* annotations of items whose row cannot be used */
    size_t strange;       /* annotations of tasks that are no items */
    const char *stranger; /* the first such task */
    size_t doubled;       /* replaced by a later one of the same person */
    size_t overlap;       /* of items with a gold label: behind the others and not counted among them */
} labelled_rows;

/* Notes how annotations and gold labels (`gold` NULL: none) were joined, what was left out and who is no source. */
GBV_MUST_CHECK gbv_status labelled_rows_note(gbv_sources *sources, const gbv_annotations *a, const task_join *join,
                                             const labelled_rows *rows, const gbv_annotations *gold,
                                             const task_join *gold_join, const labelled_rows *gold_rows,
                                             gbv_error *error);

#endif
