/* dawid_skene_kernel.h - the accuracy of sources when nobody knows the true classes (Dawid and Skene 1979).
 * Every source has a confusion matrix pi(true, said), every item a distribution over its true class. Expectation
 * maximisation starts from the shares of the labels and alternates between both. A source's score is its expected
 * accuracy sum_c p(c) pi(c, c), p(c) being how frequent the classes are. Like every consensus it takes a crowd that is
 * wrong together for right.
 *
 *     dawid_skene_model model;
 *     status = dawid_skene_kernel(&overlap, &(dawid_skene_options){.threads = 2}, scores, &model, error);
 *     dawid_skene_free(&model);
 */
#ifndef VALUE_METHOD_DAWID_SKENE_KERNEL_H
#define VALUE_METHOD_DAWID_SKENE_KERNEL_H

#include "data/overlap.h"
#include "value/method/annotator_score.h"

#define DAWID_SKENE_SMOOTHING 0.01 /* so that one slip is not taken for a proof */
#define DAWID_SKENE_TOLERANCE 1e-8 /* the largest change of an item's probability that ends the iteration */
enum { DAWID_SKENE_ITERATIONS = 100 /* at most */ };

/* A zeroed struct or NULL is the default. */
typedef struct dawid_skene_options {
    double smoothing;                /* labels that every cell of a confusion matrix has beforehand; 0: the one above */
    size_t threads;                  /* 0 is one; the result does not depend on it */
    gbv_progress_callback *progress; /* asked from the calling thread; may be NULL */
    void *context;
} dawid_skene_options;

/* What was learned. Classes that nobody gave to a shared item are left out. */
typedef struct dawid_skene_model {
    size_t class_count;
    int32_t *classes;  /* class_count: the number of each in the overlap, increasing */
    double *frequency; /* class_count: p(c) */
    double *confusion; /* sources x classes (true) x classes (said); NaN for a source without a shared item */
    size_t iterations;
    bool converged;
} dawid_skene_model;

/* Only items with two labels or more count: of another the label itself would be the consensus. A class that no item
 * of a source has adds p(c) divided by the number of classes to its score.
 * scores: one per source, NaN for a source that shares no item; the interval is that of as many items whose class is
 * known, and thus narrow where the crowd is small. `model` may be NULL; the caller frees it. GBV_INTERRUPTED when the
 * callback answers true. */
GBV_MUST_CHECK gbv_status dawid_skene_kernel(const overlap *o, const dawid_skene_options *options,
                                             annotator_score *scores, dawid_skene_model *model, gbv_error *error);
void dawid_skene_free(dawid_skene_model *model);

#endif
