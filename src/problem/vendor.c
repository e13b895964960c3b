/* vendor.c - the general case (paper, section 3): each vendor sends rows of its own; the model of its sample is scored
 * on the reference. */
#include "problem/problem.h"

extern const problem problem_vendor;
const problem problem_vendor = {
    .name = "vendor",
    .summary = "anyone who sends rows of their own; a model of each one's sample is scored on the reference",
    .phi = problem_fit_on_sample,
    .varphi = problem_reference,
};
