/* problem.h - one row of the paper's component table: which model is scored (phi) and on what (varphi).
 * A new application is one file here and one line in problems.def. */
#ifndef PROBLEM_PROBLEM_H
#define PROBLEM_PROBLEM_H

#include <gbv/augment.h>

#include "data/sources.h"
#include "nn/model.h"

/* What phi and varphi may look at. Borrowed. */
typedef struct problem_case {
    const sample *reference; /* D*, labelled with classes of the table */
    const gbv_sources *sources;
    const class_table *classes;
    const gbv_model_options *model;
    const gbv_augmentor *augmentors; /* the sources where they are augmentors; NULL otherwise */
} problem_case;

/* The target set D: rows, and what is done to each of them on its way to the model (NULL: nothing). */
typedef struct problem_target {
    const sample *rows;
    const gbv_augmentor *augmentor;
} problem_target;

typedef struct problem {
    const char *name;
    const char *summary;
    /* phi(s, D_s, D*): the model m to be scored. With how->draw > 0 the rows of D_s are drawn anew, with replacement,
     * keyed by the seed, the source's name and the draw. The caller frees the model. */
    gbv_status (*phi)(const problem_case *given, size_t source_index, const refit *how, arena *scratch,
                      gbv_model **model, gbv_error *error);
    /* varphi(s, D_s, D*): the target set D on which T(m, D) is measured. */
    problem_target (*varphi)(const problem_case *given, size_t source_index);
} problem;

const problem *problem_at(size_t index); /* NULL past the last */
const problem *problem_find(const char *name);

/* The rows of one source, its labels as classes, every row of equal weight. Points into `part`. */
sample problem_source_sample(const problem_case *given, size_t source_index, sample_part *part);

/* What most problems are made of: m_s fitted on D_s alone, and D* itself. */
gbv_status problem_fit_on_sample(const problem_case *given, size_t source_index, const refit *how, arena *scratch,
                                 gbv_model **model, gbv_error *error);
problem_target problem_reference(const problem_case *given, size_t source_index);

#endif
