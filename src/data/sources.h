/* sources.h - the inside of gbv_sources, and how their labels become the reference's classes. */
#ifndef DATA_SOURCES_H
#define DATA_SOURCES_H

#include <gbv/data.h>

#include "base/text_table.h"
#include "data/dataset.h"

typedef struct source {
    const char *name;           /* belongs to the collection's `names` */
    const gbv_dataset *dataset; /* shared by the sources of one table; owned by the collection */
    size_t *rows;               /* rows of dataset->features; NULL: all of them in order */
    int32_t *labels;            /* index into the collection's label texts, per row; -1: unlabelled */
    size_t row_count;
    /* Behind them stand as many more rows and labels: what it said of items that have a gold label. Nothing is trained
     * on these, but they tell how often it is right (overlap.h). */
    size_t gold_count;
    /* The dataset is not a sample but what some model thinks of the reference's rows, a column a class: row_count is 0
     * and `labels` has one entry per column, -1 for one without a name. */
    bool probabilities;
} source;

static inline size_t source_label_count(const source *s)
{
    return s->probabilities ? s->dataset->features.columns : s->row_count;
}

struct gbv_sources {
    source *items;
    size_t count, capacity;
    gbv_dataset **datasets;
    size_t dataset_count, dataset_capacity;
    text_table names; /* of the sources, in their order */
    /* Every label of any source, once per (text, kind, mapped). A label need not occur: a class map may have renamed
     * all its rows. */
    struct label_text {
        const char *text; /* belongs to `label_index` */
        label_kind kind;  /* of the dataset it came from; of the text's form when a class map wrote it; LABELS_NONE
                             for the name of a column of probabilities, which is either */
        bool mapped;      /* a class map named it, so it is meant as it stands */
    } * labels;
    size_t label_count, label_capacity;
    text_table label_index; /* the same in the same order, as keys */
    bool from_table;        /* a source column: annotators of one table, rather than vendors' files */
    /* How annotations were added, for the record. */
    struct annotation_record {
        const gbv_dataset *dataset; /* what they became, one of `datasets`; NULL: there are none */
        char *join, *control;       /* as asked for; NULL: not asked for */
        char *gold_path;            /* NULL: no gold items were kept out */
        char gold_sha256[65];
        size_t gold_count;
        bool show_emails, allow_overlap;
    } annotations;
    text_table notes; /* what joining them left out, as sentences */
    char *class_map;  /* path of the class map applied, for the record; NULL: none */
    char class_map_sha256[65];
};

/* How much of everything the collection holds: what to go back to when adding fails. */
typedef struct sources_mark {
    size_t sources, datasets, labels;
    bool from_table;
} sources_mark;

sources_mark sources_take_mark(const gbv_sources *sources);
void sources_go_back(gbv_sources *sources, sources_mark to);

/* One source per source of a dataset that names each row's; takes ownership of it, also when this fails. */
GBV_MUST_CHECK gbv_status sources_deal(gbv_sources *sources, gbv_dataset *dataset, gbv_error *error);

/* The number of a label of the collection, added when new; TEXT_NONE when memory is out. */
size_t sources_label(gbv_sources *sources, const char *text, label_kind kind, bool mapped);

/* The classes that a valuation or training works with: those of the reference first, in its order, then labels that
 * only sources have, in the order met; without a reference all labels, sorted. */
typedef struct class_table {
    char **names;
    size_t count;
    size_t reference_count;
    int32_t *class_of_label; /* for each label of the sources: its class, -1 for one that does not occur */
} class_table;

/* Which class of the table a column of the source's probabilities stands for; -1 for none of the reference's. */
int32_t source_column_class(const source *s, const class_table *table, size_t column);

typedef enum fit_finding {
    FIT_PROBLEM, /* stops the work */
    FIT_WARNING,
    FIT_ONE_CLASS,  /* a warning that has a name */
    FIT_RAW_PIXELS, /* a warning for models of rows: networks take such images */
} fit_finding;

/* Hears every way in which sources and reference do not fit or are odd. `source_index` is SIZE_MAX for what concerns
 * all. */
typedef void fit_callback(void *context, fit_finding finding, size_t source_index, const char *sentence);

/* Compares sources with the reference (NULL: with each other only, for training) and fills the table unless it is
 * NULL; the table is empty when there are problems. Returns the number of problems that stop the work; the first is
 * also written to `error`. Memory that is out counts as a problem, with GBV_FAILED. The callback may be NULL. */
size_t sources_fit(const gbv_dataset *reference, const gbv_sources *sources, class_table *table, fit_callback *callback,
                   void *context, gbv_error *error);
/* The same with a reference whose labels, if it has any, are not looked at: the classes are those of the sources. */
size_t sources_fit_unlabelled(const gbv_dataset *reference, const gbv_sources *sources, class_table *table,
                              fit_callback *callback, void *context, gbv_error *error);
void class_table_free(class_table *table);

#endif
