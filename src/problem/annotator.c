/* annotator.c - annotator evaluation (paper, section 4.2): each annotator labels items with the reference's classes;
 * the model of its labels is scored on the reference. */
#include "problem/problem.h"

extern const problem problem_annotator;
const problem problem_annotator = {
    .name = "annotator",
    .summary = "people who label items of one table; a model of each one's labels is scored on the reference",
    .phi = problem_fit_on_sample,
    .varphi = problem_reference,
};
