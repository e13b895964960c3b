/* discriminant.h - linear discriminant analysis with Gaussian classes of one covariance: the probability of each class
 * for each row. SFDA and ETran share it.
 *
 *     p(c | x) = softmax_c( x'B m_c - m_c'B m_c / 2 + ln pi_c ),   m_c class means, pi_c = n_c / N
 *
 * B is the inverse of the regularised within-class scatter, or the identity (nearest mean). */
#ifndef MEASURE_DISCRIMINANT_H
#define MEASURE_DISCRIMINANT_H

#include "measure/feature_space.h"

typedef enum discriminant_fit {
    DISCRIMINANT_FITTED,
    DISCRIMINANT_CONSTANT, /* all rows are the same: nothing was fitted */
} discriminant_fit;

/* Set `space`; set `pull` and `others` to look at w x + (1 - w) o_c instead of each row x; the rest starts at zero. */
typedef struct discriminant {
    const feature_space *space;
    const double *pull;   /* rows: w, or NULL */
    const double *others; /* classes x columns: o_c */
    double shrinkage;     /* 0: found from the scatter by discriminant_fit_scatter, else kept */
    double *means;        /* classes x columns */
    double *directions;   /* classes x columns: B m_c */
    double *offsets;      /* classes */
    double *matrix;       /* columns x columns, lower triangle: the scatter, then its factor */
    double *logits;       /* block_rows x classes */
} discriminant;

GBV_MUST_CHECK gbv_status discriminant_fit_nearest(discriminant *d, gbv_error *error);

/* S = (1 - shrinkage) W + shrinkage (tr W / D) I, W the within-class scatter. Fails with GBV_UNDEFINED when W is zero
 * although the rows differ. */
GBV_MUST_CHECK gbv_status discriminant_fit_scatter(discriminant *d, discriminant_fit *fit, gbv_error *error);

/* The probabilities of `count` rows from `first` on, count x classes; overwritten by the next call. */
double *discriminant_probabilities(const discriminant *d, size_t first, size_t count);

/* The mean probability of each row's own class, in the order of the rows; `row_terms` may be NULL. */
double discriminant_score(const discriminant *d, double *row_terms);

/* What rows that are all the same give: the share of the largest class. */
double discriminant_largest_share(const feature_space *space);

void discriminant_free(discriminant *d);

#endif
