/* logme_evidence.h - the evidence of a Bayesian linear regression whose Gram matrix was made tridiagonal. */
#ifndef MEASURE_LOGME_EVIDENCE_H
#define MEASURE_LOGME_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include <gbv/status.h>

typedef enum logme_form {
    LOGME_CORRECTED, /* the log-determinant counts the zero eigenvalues */
    LOGME_CODE,      /* the authors' program: it leaves them out */
    LOGME_ICML,      /* the first published form: stops earlier, guards inside the evidence */
} logme_form;

/* G = Q T Q' with G = X'X, or XX' for fewer rows than columns ("dual"). */
typedef struct logme_spectrum {
    size_t rows, columns;   /* N and D of the features */
    size_t order;           /* of G */
    bool dual;              /* G = XX' */
    double *diagonal;       /* order: of T */
    double *off_diagonal;   /* order, the last is not used */
    size_t dropped;         /* how many eigenvalues the authors' program takes for zero; LOGME_CODE only */
    size_t target_count;    /* how many y */
    double *projections;    /* order x target_count, column after column: Q'X'y, or Q'y when dual */
    double *squares;        /* target_count: y'y */
    double smallest_lambda; /* set by logme_evidence: the smallest alpha / beta it met */
} logme_spectrum;

/* evidences[i] = the maximal log evidence of target i per row. Not for features that are zero everywhere. */
GBV_MUST_CHECK gbv_status logme_evidence(logme_spectrum *spectrum, logme_form form, double *evidences,
                                         gbv_error *error);

/* True when every eigenvalue of T is above the bound. */
bool logme_eigenvalues_above(const logme_spectrum *spectrum, double bound);

#endif
