/* part.h - one part of a dataset: a file, or one of features and one of labels, or a folder of images; read, and every
 * row checked. Most datasets have one. */
#ifndef DATA_PART_H
#define DATA_PART_H

#include "data/format/format.h"

typedef struct part {
    const char *name;    /* for messages about both files */
    table table;         /* what the files hold together; rows that cannot be used are marked bad */
    table labels;        /* keeps alive what `table` took from the file of labels */
    mapped_file file[2]; /* features, labels */
    char sha256[2][65];
    table_request request[2];
    size_t column_file[COLUMN_ROLES];
} part;

/* `labels` may be NULL; with `probabilities` every column is a class and there are no labels. The paths must outlive
 * the part. Freed with part_close, also after a failure. */
GBV_MUST_CHECK gbv_status part_read(const char *features, const char *labels, const gbv_read_options *options,
                                    bool probabilities, rejected_rows *rejected, part *p, gbv_error *error);
void part_close(part *p);

/* Several parts as one table, row after row; the features are copied into one block, of their type when all have the
 * same, else f64. Parts are closed on the way. */
GBV_MUST_CHECK gbv_status parts_join(part *parts, size_t count, table *joined, gbv_error *error);

#endif
