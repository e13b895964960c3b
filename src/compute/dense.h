/* dense.h - dense linear algebra for measures and small models: BLAS and LAPACK by their own names, and the few row
 * operations they lack. Row-major unless said otherwise. */
#ifndef COMPUTE_DENSE_H
#define COMPUTE_DENSE_H

#include "base/cloned.h"

#include <stddef.h>

#include <cblas.h>

/* LAPACK's Fortran entry points (column-major), called directly so that no second BLAS is pulled in by LAPACKE. */
void dsytrd_(const char *uplo, const int *n, double *a, const int *lda, double *d, double *e, double *tau, double *work,
             const int *lwork, int *info);
void dormtr_(const char *side, const char *uplo, const char *trans, const int *m, const int *n, const double *a,
             const int *lda, const double *tau, double *c, const int *ldc, double *work, const int *lwork, int *info);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int *lwork,
             int *info);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dtrtri_(const char *uplo, const char *diag, const int *n, double *a, const int *lda, int *info);
void dpstrf_(const char *uplo, const int *n, double *a, const int *lda, int *pivots, int *rank, const double *tolerance,
             double *work, int *info);
void spotrf_(const char *uplo, const int *n, float *a, const int *lda, int *info);
void spotri_(const char *uplo, const int *n, float *a, const int *lda, int *info);

/* ln sum_j exp(v_j) of each row, stable; NaN where there is one. A row's result depends on no other row. */
void dense_log_sum_exp_rows(const double *values, size_t rows, size_t columns, double *out);

/* sums[j] += values[j]. */
void dense_add_f64(double *sums, const double *values, size_t count);
void dense_add_f32(double *sums, const float *values, size_t count);

/* sum_j a[j] b[j], in double precision. */
double dense_dot_f64(const double *a, const double *b, size_t count);
/* sum_j a[j]^2, in double precision. */
double dense_squares_f32(const float *a, size_t count);

/* sum_j weights[j] ln values[j] of values that are not negative; a weight of zero counts nothing whatever the value. */
double dense_weighted_logarithms(const double *weights, const double *values, size_t count);

/* Each row of logits becomes probabilities in place. */
void dense_softmax_rows(double *logits, size_t rows, size_t columns);

#endif
