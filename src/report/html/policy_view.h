/* policy_view.h - what the files of the policy's page share: its entries by operator. */
#ifndef REPORT_HTML_POLICY_VIEW_H
#define REPORT_HTML_POLICY_VIEW_H

#include <gbv/augment.h>

#include "report/html/page.h"

typedef struct policy_row {
    const gbv_operator *op;
    bool coin;
    double probability, prior;    /* of all its augmentors; prior NaN: not known */
    const gbv_policy_entry *best; /* the likeliest of them */
    const gbv_density *density;   /* NULL: none */
    size_t density_index;         /* its place in the policy */
} policy_row;

typedef struct policy_view {
    const gbv_policy *policy;
    policy_row *rows; /* in the order of the entries */
    size_t row_count;
    size_t *places; /* by entry: which of its row's it is */
    size_t *row_of; /* by entry */
    size_t *order;  /* entries, the likeliest first */
    size_t columns; /* the most entries that a row has */
} policy_view;

/* The density over magnitudes and its checks, where there are any. */
void policy_section_density(page *p, const policy_view *v);

#endif
