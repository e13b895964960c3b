/* pactran.h - what the Dirichlet and the gamma form of PACTran (Ding et al. 2022) share: a share of each row for each
 * source class, and the counts of target classes that those shares add up to, each fitted to the other in turn.
 *
 *     a_y  = n_y / N + 1e-10;   q = p;   ten times:   A_yz = a_y + sum over rows i with label y of q_iz
 *     ln q_iz = ln(p_iz + 1e-10) + t_{y_i} z + constant of the row
 *     t_yz = psi(A_yz) [- psi(sum_y A_yz) in the Dirichlet form]
 * Classes without rows are left out of y. The shares q are never stored: a row has q_iz = (p_iz + 1e-10) e^(t - m) /
 * s_i with m_y the largest t of its class and s_i what makes it add up to one, and only sums over the rows of a class
 * are needed. So a round is one pass over p with powers of e of the table only, and sum_iz q_iz (ln q_iz - ln p_iz) =
 * sum_yz t_yz (sum_i q_iz) - sum_i (m + ln s_i) */
#ifndef MEASURE_PACTRAN_H
#define MEASURE_PACTRAN_H

#include "measure/measure.h"

typedef struct pactran {
    size_t rows, columns;
    present_classes classes;
    double *prior;     /* classes: a */
    double *guarded;   /* rows x columns, class after class: p + 1e-10 */
    double *counts;    /* classes x columns: A, of the shares before the last */
    double *totals;    /* columns: A summed over the classes */
    double *terms;     /* classes x columns: t */
    double *shares;    /* classes x columns: sum over the rows of the class of q */
    double *weights;   /* columns: e^(t - m) of one class */
    double *row_sums;  /* rows of the largest class: s */
    double divergence; /* sum_iz q (ln q - ln p) */
} pactran;

/* Fitted; `dirichlet` tells which form. Close it also after a failure. */
GBV_MUST_CHECK gbv_status pactran_open(const gbv_measure_input *input, bool dirichlet, pactran *p, gbv_error *error);
void pactran_close(pactran *p);

double pactran_log_gamma(double x);

#endif
