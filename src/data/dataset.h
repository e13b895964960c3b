/* dataset.h - the inside of gbv_dataset: features as given, labels as class indices, where it all came from. */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include <gbv/data.h>

#include "base/file.h"

typedef enum label_kind { LABELS_NONE, LABELS_INTEGER, LABELS_TEXT } label_kind;

typedef struct dataset_input {
    char *path;      /* as given */
    char sha256[65]; /* "" for a dataset made in memory */
    size_t rows;     /* rows of features in the file; 0 for a file of labels only */
} dataset_input;

/* Heap memory that a reader may need at most. */
enum { TABLE_BLOCKS = 5 };

struct gbv_dataset {
    char *name;          /* the argument as given, for messages */
    gbv_matrix features; /* every row of the file */
    gbv_image_shape shape;
    struct image_store *images; /* the files behind `features`, of which memory may hold the first rows only; NULL: the
                                   rows are no files, and all in memory. A view borrows those of its base */
    gbv_matrix unread;          /* `features` without data: what is shown of them when some are missing */
    size_t row_count;           /* usable rows */
    size_t *row_index;          /* which row of `features` each usable row is; NULL: the same */
    label_kind kind;
    int32_t *labels;    /* a class index per usable row; NULL when unlabelled */
    char **class_names; /* sorted: integers by value, text by bytes; integers as decimal text */
    size_t class_count;
    char **column_names; /* of the features, or the classes of probabilities; NULL: not known */
    int32_t *row_source; /* a source index per usable row, from the source column; NULL: none was asked for */
    char **source_names; /* in the order met */
    size_t source_count;
    char **item_names;    /* what each row of `features` shows, NULL for a bad row; NULL: no names */
    bool items_are_files; /* the names are those of files */
    char *label_column, *source_column, *item_column; /* as asked for, for the record; NULL: not asked for */
    bool skip_bad_rows, wants_items;
    size_t resize, crop;
    gbv_color color;
    dataset_input *inputs; /* of each part: the features' file, then that of the labels when it is another one */
    size_t input_count, input_capacity;
    mapped_file file;           /* behind `features` when they are used in place */
    void *blocks[TABLE_BLOCKS]; /* heap memory behind `features`, freed with the dataset */
    gbv_dataset *base;          /* of a view: the dataset whose features it shows; NULL: they are its own */
    size_t views;               /* how many views of this one there are: the last to be freed frees it */
};

/* What a model thinks of the rows of another dataset: every column of the one file is a class, named by a CSV's header.
 * Of the options only skip_bad_rows and its callback count. */
GBV_MUST_CHECK gbv_status dataset_read_probabilities(const char *path, const gbv_read_options *options,
                                                     gbv_dataset **dataset, gbv_error *error);

/* A dataset without rows over the features of another, which lives as long as its views do. `path` and what follows
 * describe the file that the view comes from. */
GBV_MUST_CHECK gbv_status dataset_create_view(gbv_dataset *base, const char *path, const char *sha256, size_t rows,
                                              gbv_dataset **view, gbv_error *error);

/* The same bytes hold features of both. */
bool dataset_share_a_file(const gbv_dataset *a, const gbv_dataset *b);

#endif
