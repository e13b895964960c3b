/* measure.h - the inside of the measures room: what one measure is, and what they share about labels and probabilities.
 *
 * A new measure is one file that defines `const measure measure_<name>` and one line in measures.def. */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

#include <gbv/measure.h>

struct replicate_task;

/* A pure function of the input, which gbv_measure has checked: the pieces needed are there, shapes agree, labels are in
 * range and class_count is set, numbers are finite. `variant` is the position in info.variants. `row_terms` may be
 * NULL, else holds NaN. */
typedef gbv_status measure_function(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                                    gbv_error *error);

enum { MEASURE_MAXIMAL_PARTS = 4 };

/* A joint form: each model gives `part_count` numbers (at most MEASURE_MAXIMAL_PARTS), and the scores follow from those
 * of all models compared. */
typedef struct joint_form {
    size_t part_count; /* 0: the measure has no joint form */
    gbv_status (*parts)(const gbv_measure_input *input, size_t variant, double *parts, gbv_error *error);
    /* `parts` is models x part_count and finite. */
    void (*combine)(const double *parts, size_t models, double *scores);
} joint_form;

/* All replicates over the rows of the reference at once (replicate.h), for the first so many variants; the others are
 * computed on half-samples, one by one. */
typedef gbv_status replicate_function(const struct replicate_task *task, double *scores, gbv_error *error);

typedef struct replicate_form {
    replicate_function *compute;
    size_t variants;
    bool weighs_rows; /* the scores are those of the draws' row weights, else of their half-samples */
    /* The score tells how many rows there are: a prior wears off with them, say. It has no bias that one could take
     * away, since there is nothing that it tends to in just this way. */
    bool at_these_rows;
} replicate_form;

typedef struct measure {
    gbv_measure_info info;
    measure_function *compute;
    joint_form joint; /* of the variants that info.joint names */
    replicate_form replicates;
    bool takes_targets;        /* real targets may take the place of labels */
    bool checks_probabilities; /* checks each row as measure_check_probabilities does, to read memory once less */
} measure;

/* One computation, once everything asked for is known to be there. */
typedef struct measure_call {
    const measure *m;
    size_t variant;
    gbv_measure_input input; /* as given, with class_count set */
} measure_call;

/* Fails as gbv_measure does, for all that can be told before computing. */
GBV_MUST_CHECK gbv_status measure_prepare(const char *name, const char *variant, const gbv_measure_input *input,
                                          measure_call *call, gbv_error *error);

/* What one model contributes to its score: the score itself, or the parts of a joint variant (then `row_terms` stay
 * NaN). Fails as gbv_measure does. */
size_t measure_part_count(const char *name, const char *variant);
GBV_MUST_CHECK gbv_status measure_parts(const char *name, const char *variant, const gbv_measure_input *input,
                                        double *parts, double *row_terms, gbv_error *error);
/* The scores of all models compared from their parts (models x part count). A model whose parts are NaN has no score
 * and takes no part in the others'. */
GBV_MUST_CHECK gbv_status measure_combine(const char *name, const char *variant, const double *parts, size_t models,
                                          double *scores, gbv_error *error);

/* Fails unless the row is finite, nowhere negative, somewhere positive and of a sum below 1e30. `row` counts from 0. */
gbv_status measure_check_probabilities(const double *values, size_t columns, size_t row, gbv_error *error);

/* The classes that occur, numbered 0..count-1 in increasing order, so that no array grows with absent classes. */
typedef struct present_classes {
    size_t count;
    size_t largest;  /* the largest label */
    size_t *sizes;   /* count: rows of each */
    int32_t *ranks;  /* rows: the number of each row's class */
    int32_t *number; /* class_count: the number of each class, -1 for an absent one */
} present_classes;

GBV_MUST_CHECK gbv_status present_classes_create(const gbv_measure_input *input, present_classes *classes,
                                                 gbv_error *error);
void present_classes_free(present_classes *classes);

/* Which class a column of the probabilities stands for; -1 for none. */
static inline int32_t measure_column_class(const gbv_measure_input *input, size_t column)
{
    if (input->column_class)
        return input->column_class[column];
    return column < input->class_count ? (int32_t)column : -1;
}

/* The first of the largest values. */
size_t measure_argmax(const double *values, size_t count);

/* The mean of the terms, added in order. */
double measure_mean(const double *terms, size_t count);

#endif
