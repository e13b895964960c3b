/* match.h - what a source's label is to the reference: one of its classes, a misspelt one, or something of its own. */
#ifndef DATA_MATCH_H
#define DATA_MATCH_H

#include "base/nearest.h"
#include "data/sources.h"

typedef enum match_kind {
    MATCH_CLASS,      /* a class of the reference, by name */
    MATCH_NEW,        /* nothing like any class: a class that only sources have */
    MATCH_CASE,       /* one class but for case, blanks, '-' and '_' */
    MATCH_SLIP,       /* near a class, but which one it means would be a guess */
    MATCH_OTHER_KIND, /* an integer where the reference has text, or the other way round */
} match_kind;

typedef struct matcher {
    const gbv_dataset *reference;
    text_table classes; /* the reference's, in its order */
    plain_name *plain;  /* the same as people mean them; made when first needed */
} matcher;

/* Fails when memory is out or the reference names a class twice. */
GBV_MUST_CHECK gbv_status matcher_open(const gbv_dataset *reference, matcher *m, gbv_error *error);
/* `class_index` is set for MATCH_CLASS and MATCH_CASE. A label that a class map wrote is never taken for a slip. */
GBV_MUST_CHECK gbv_status matcher_match(matcher *m, const struct label_text *label, match_kind *kind,
                                        size_t *class_index, gbv_error *error);
/* The classes that come nearest to a text; none when memory is out. */
size_t matcher_nearest(matcher *m, const char *text, size_t found[NEAREST_COUNT]);
void matcher_close(matcher *m);

/* True when the label could be either kind: it names a column, or a class map wrote it and it looks like an integer. */
bool label_fits_any_kind(const struct label_text *label);
/* The kind that the form of a text suggests: integers as gbv writes them ("3", "-1", not "03"). */
label_kind label_kind_of_text(const char *text);
/* The order of class names: integers by value, text by bytes. */
int label_compare(label_kind kind, const char *a, const char *b);

#endif
