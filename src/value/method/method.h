/* method.h - one way of valuing sources: from the data to a score for each source.
 * Paper: section 6 (the methods compared). A method either scores each m_s by a measure or looks at the data itself; a
 * new one is one file that defines `const method method_<name>` and one line in methods.def. */
#ifndef VALUE_METHOD_METHOD_H
#define VALUE_METHOD_METHOD_H

#include <gbv/value.h>

struct valuation;
struct scoring;

/* What a method that looks at the data needs, so that a wrong combination fails before anything is fitted. */
enum {
    METHOD_NEEDS_REFERENCE = 1, /* some reference, labelled or not */
    METHOD_NEEDS_LABELS = 2,    /* of the reference */
    METHOD_NEEDS_ROWS = 4,      /* of every source: none may be given as probabilities */
    METHOD_NEEDS_OVERLAP = 8,   /* items that several sources label */
    METHOD_NEEDS_GOLD = 16,     /* items that sources label and whose class is known */
};

typedef struct method {
    const char *name;
    const char *summary;  /* one line for people */
    const char *variants; /* '|' between, the first is the default; "" when there is one form; NULL: the measure's */
    const char *measure;  /* by which m_s is scored; "" the one asked for; NULL: `score` looks at the data */
    bool quick_tau;       /* the paper's tau is its default; otherwise 1 */
    bool knows_interval;  /* it gives the ends of an interval itself, and no draws */
    bool joint;           /* a source's score depends on the other sources' data */
    unsigned needs;
    const char *undefined; /* of a method that looks at the data: what is the matter with a source without a score */
    /* Fills by->scores (draws of draw.h for each source); NaN where a source has no score. */
    gbv_status (*score)(const struct valuation *v, struct scoring *by, gbv_error *error);
} method;

const method *method_at(size_t index); /* NULL past the last */
const method *method_find(const char *name);
/* Whether there are enough items of the kinds that it needs; true for a method that needs none. */
bool method_has_items(const method *m, size_t shared_items, size_t gold_items);

#endif
