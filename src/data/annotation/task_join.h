/* task_join.h - which item each task is: by its id, by the file it shows, or by its number. */
#ifndef DATA_ANNOTATION_TASK_JOIN_H
#define DATA_ANNOTATION_TASK_JOIN_H

#include "data/annotation/annotation.h"
#include "data/dataset.h"

#define NO_ROW SIZE_MAX

typedef struct task_join {
    size_t *row_of_task;  /* the item's row of the features for each task; NO_ROW: it is no item */
    const char *by;       /* "id", "file" or "row" */
    size_t unmatched;     /* tasks that are no item */
    const char *stranger; /* the first of them */
} task_join;

/* `known` may be NULL: other annotations whose tasks say which file an id shows, where these do not. Fails for names
 * that two items share, and when no task is an item. */
GBV_MUST_CHECK gbv_status task_join_open(const gbv_annotations *annotations, const gbv_annotations *known,
                                         const gbv_dataset *items, const char *join, task_join *out, gbv_error *error);
/* Of a join by row that was not asked for: fails when no task is the first row, for ids that begin at 1 or anywhere
 * else would be joined to the wrong rows. */
GBV_MUST_CHECK gbv_status task_join_check_rows(const gbv_annotations *annotations, const gbv_dataset *items,
                                               const task_join *join, gbv_error *error);
void task_join_close(task_join *join);

/* The task as messages show it: by what it is joined by. */
const char *task_join_name(const task_join *join, const gbv_annotations *annotations, size_t task);

#endif
