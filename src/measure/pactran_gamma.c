/* pactran_gamma.c - PACTran with gamma priors (Ding et al. 2022): as pactran_dirichlet.c, but each cell of the class
 * table has its own gamma distribution (rate 1), and the rows are normalised where they are used.
 *
 *     bound = 1 + 1/(N C) (sum_yz [ln G(a_y) - ln G(A_yz)] + sum_i [sum_z q_iz (ln q_iz - ln p_iz) + ln l_i - 1])
 *     l_i   = sum_z p_iz sum_y A_yz                                                 G: gamma function, rest: pactran.h
 */
#include "measure/pactran.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "compute/dense.h"

static gbv_status pactran_gamma(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                                gbv_error *error)
{
    (void)variant;
    (void)row_terms;
    pactran p;
    double *buffer = NULL;
    gbv_status status = pactran_open(input, false, &p, error);
    if (status != GBV_OK)
        goto done;
    if (!(buffer = memory_array(p.columns, sizeof *buffer))) {
        status = error_out_of_memory(error, "a row of probabilities");
        goto done;
    }
    double sum = p.divergence;
    for (size_t y = 0; y < p.classes.count; y++) {
        double prior_term = pactran_log_gamma(p.prior[y]);
        for (size_t z = 0; z < p.columns; z++)
            sum += prior_term - pactran_log_gamma(p.counts[y * p.columns + z]);
    }
    for (size_t i = 0; i < p.rows; i++)
        sum += log(dense_dot_f64(matrix_row(&input->probabilities, i, buffer), p.totals, p.columns)) - 1;
    *score = -1 - sum / ((double)p.rows * (double)p.classes.count);
done:
    free(buffer);
    pactran_close(&p);
    return status;
}

const measure measure_pactran_gamma = {
    .info = {.name = "pactran-gamma",
             .summary = "PAC-Bayesian bound for a table from the model's classes to the labels, gamma priors",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_PROBABILITIES,
             .cost = "10·(N·Z + C·Z)",
             .blind_to = "which class is called what: a model that always mixes up two names scores as well",
             .resampled = GBV_HALF_SAMPLES},
    .compute = pactran_gamma,
    .replicates = {.at_these_rows = true},
};
