/* pactran.h - what the Dirichlet and the gamma form of PACTran (Ding et al. 2022) share: a share of each row for each
 * source class, and the counts of target classes that those shares add up to, each fitted to the other in turn.
 *
 *     a_y  = n_y / N + 1e-10;   q = p;   ten times:   A_yz = a_y + sum over rows i with label y of q_iz
 *     ln q_iz = ln(p_iz + 1e-10) + psi(A_{y_i} z) [- psi(sum_y A_yz) in the Dirichlet form] + constant of the row
 * Classes without rows are left out of y. */
#ifndef MEASURE_PACTRAN_H
#define MEASURE_PACTRAN_H

#include "measure/measure.h"

typedef struct pactran {
    size_t rows, columns;
    present_classes classes;
    double *prior;      /* classes: a */
    double *logarithms; /* rows x columns: ln(p + 1e-10) */
    double *shares;     /* rows x columns: q */
    double *counts;     /* classes x columns: A, of the shares before the last */
    double *totals;     /* columns: A summed over the classes */
    double *terms;      /* classes x columns: what a row of the class adds to its logarithms */
} pactran;

/* Fitted; `dirichlet` tells which form. Close it also after a failure. */
GBV_MUST_CHECK gbv_status pactran_open(const gbv_measure_input *input, bool dirichlet, pactran *p, gbv_error *error);
void pactran_close(pactran *p);

/* sum_iz q (ln q - ln p). */
double pactran_divergence(const pactran *p);
double pactran_log_gamma(double x);

#endif
