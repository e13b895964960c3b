/* fit.h - the inside of sources_fit: what is known so far, shared by the checks of shapes (fit.c) and of labels
 * (fit_labels.c). */
#ifndef DATA_FIT_H
#define DATA_FIT_H

#include "base/sentence.h"
#include "data/match.h"
#include "data/sources.h"

/* What a label turned out to be, worked out once. */
typedef struct verdict {
    bool known;
    match_kind kind;
    int32_t class_index; /* in the table; -1 while it has none */
    bool looked_up;      /* the nearest classes are known */
    size_t nearest_count;
    size_t nearest[NEAREST_COUNT];
} verdict;

typedef struct fit {
    const gbv_dataset *reference; /* whose classes the sources' labels are to be; NULL: there are none */
    const gbv_dataset *rows;      /* whose rows the sources' are to look like: the reference, labelled or not */
    const gbv_sources *sources;
    fit_callback *callback;
    void *context;
    gbv_error error; /* the first problem */
    size_t problems;
    matcher match;
    text_table classes; /* the reference's, then those that only sources have */
    verdict *verdicts;  /* one per label */
    label_kind kind;    /* of the reference, or without one of the first source that has a kind */
    size_t kind_source; /* which source that was */
    size_t nearest_left;
    /* The source being looked at. */
    size_t *rows_of;  /* rows per label */
    int32_t *met;     /* its labels in the order met */
    size_t met_count; /* how many */
    size_t *seen_in;  /* per class: the last source that used it, + 1 */
} fit;

void fit_tell(fit *f, fit_finding finding, size_t source_index, const sentence *s);
/* Starts a sentence: source 'name' (file). */
sentence fit_about(const fit *f, size_t index);

/* The labels of a source: are they the reference's classes, misspelt ones, or its own? */
GBV_MUST_CHECK gbv_status fit_check_labels(fit *f, size_t index);
/* The same for the columns of a source that is given as probabilities. */
GBV_MUST_CHECK gbv_status fit_check_columns(fit *f, size_t index);

#endif
