/* format.h - what every file format gives: one function that recognises its bytes and one that reads them.
 * A new format is one file here and one line in formats.def. */
#ifndef DATA_FORMAT_FORMAT_H
#define DATA_FORMAT_FORMAT_H

#include "base/text_table.h"
#include "data/dataset.h"

/* What a column of names or whole numbers is for. */
typedef enum column_role { COLUMN_LABELS, COLUMN_SOURCES, COLUMN_ITEMS, COLUMN_ROLES } column_role;

/* One value per row that is a name or a whole number: labels, sources, items. */
typedef struct value_column {
    bool present;
    gbv_matrix numbers; /* rows x 1 when the file holds numbers (data != NULL) */
    int32_t *codes;     /* else: an index into `texts` per row, -1 for an empty cell */
    char **texts;
    size_t text_count;
    bool untyped; /* texts of a file that knows no types (CSV): whole numbers among them may be meant as numbers */
} value_column;

/* What one file holds, before labels become classes. Zero-initialised by the caller, freed with table_free. */
typedef struct table {
    gbv_matrix features; /* data NULL: the file has none */
    gbv_image_shape shape;
    struct image_store *images; /* the files behind `features`, which may hold the first rows only; NULL: none */
    value_column labels, sources, items;
    bool items_are_files; /* the column of the items is named so */
    size_t rows;
    char **feature_names;       /* a name per feature, from a header line; NULL: none */
    unsigned char *bad;         /* a 1 for each row that cannot be used; NULL: none; only with skip_bad_rows */
    void *blocks[TABLE_BLOCKS]; /* heap memory behind `features` and the columns' numbers */
} table;

/* Rows left out so far, over all files of a dataset. */
typedef struct rejected_rows {
    size_t count;
    char first[768]; /* what was wrong with the first of them */
} rejected_rows;

/* How the content of a file is to be read. */
typedef struct table_request {
    const char *path;                /* for messages */
    const gbv_read_options *options; /* never NULL */
    bool want_labels_only;           /* second file of FEATURES,LABELS: its one array or column is the labels */
    bool columns_optional;           /* of FEATURES,LABELS: a column asked for may be in the other file */
    bool probabilities;              /* every column is a number, named after a class: there are no labels */
    rejected_rows *rejected;         /* never NULL */
} table_request;

typedef struct format {
    const char *name;
    const char *summary;
    /* NULL, as `read` is, for what is a folder rather than bytes. */
    bool (*recognise)(const unsigned char *bytes, size_t size);
    gbv_status (*read)(const unsigned char *bytes, size_t size, const table_request *request, table *out,
                       gbv_error *error);
} format;

const format *format_at(size_t index); /* NULL past the last */
/* Recognises the content and reads it. */
GBV_MUST_CHECK gbv_status table_read(const unsigned char *bytes, size_t size, const table_request *request, table *out,
                                     gbv_error *error);
void table_free(table *t);
/* Marks a row as bad. Fails when memory is out. */
GBV_MUST_CHECK gbv_status table_mark_bad(table *t, size_t row, gbv_error *error);
value_column *table_column(table *t, column_role role);
/* "label", "source", "item" */
const char *column_role_word(column_role role);
/* The usual names of a column of items; NULL ends them. */
extern const char *const usual_item_names[];
/* True for the usual names whose items are files. */
bool item_name_is_file(const char *column);
void value_column_free(value_column *column);
/* Moves the texts of the table, in their order, into the column. */
void value_column_take_texts(value_column *column, text_table *texts);

/* What the numbers of a row are, for messages. */
static inline const char *table_noun(const table_request *request)
{
    return request->probabilities ? "probabilities" : "features";
}

/* A row cannot be used, for the reason the sentence gives. Fails with it and a remedy; with skip_bad_rows counts and
 * reports it instead and returns GBV_OK: the caller then marks the row as bad. */
GBV_MUST_CHECK gbv_status row_reject(const table_request *request, gbv_error *error, const char *sentence, ...)
    __attribute__((format(printf, 3, 4)));

#endif
