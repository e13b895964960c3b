/* sources.h - the inside of gbv_sources, and how their labels become the reference's classes. */
#ifndef DATA_SOURCES_H
#define DATA_SOURCES_H

#include <gbv/data.h>

#include "data/dataset.h"

typedef struct source {
    char *name;
    const gbv_dataset *dataset; /* shared by the sources of one table; owned by the collection */
    size_t *rows;               /* rows of dataset->features; NULL: all of them in order */
    int32_t *labels;            /* index into the collection's label texts, per row; -1: unlabelled */
    size_t row_count;
} source;

struct gbv_sources {
    source *items;
    size_t count, capacity;
    gbv_dataset **datasets;
    size_t dataset_count, dataset_capacity;
    /* Every label text of any source, once; `kind` is that of the dataset it came from. */
    struct label_text {
        char *text;
        label_kind kind;
        bool mapped; /* a class map named it, so it is meant as it stands */
    } * labels;
    size_t label_count, label_capacity;
    bool from_table; /* a source column: annotators of one table, rather than vendors' files */
    char *class_map; /* path of the class map applied, for the record; NULL: none */
};

/* The classes that a valuation or training works with: those of the reference first, in its order, then labels that
 * only sources have, in the order met. */
typedef struct class_table {
    char **names;
    size_t count;
    size_t reference_count;
    int32_t *class_of_label; /* for each label text of the sources: its class */
} class_table;

/* Hears every way in which sources and reference do not fit (`warning` false) or are odd (`warning` true).
 * `source_index` is SIZE_MAX for what concerns all. */
typedef void fit_callback(void *context, bool warning, size_t source_index, const char *sentence);

/* Compares sources with the reference (NULL: with each other only, for training) and fills the table unless it is
 * NULL. Returns the number of problems that stop the work; the first is also written to `error`. */
size_t sources_fit(const gbv_dataset *reference, const gbv_sources *sources, class_table *table, fit_callback *callback,
                   void *context, gbv_error *error);
void class_table_free(class_table *table);

#endif
