/* pactran_dirichlet.c - PACTran with a Dirichlet prior (Ding et al. 2022): minus a PAC-Bayesian bound on the loss of a
 * classifier that reads the target class off the source class, whose class table is drawn from a Dirichlet
 * distribution around the frequencies of the labels.
 *
 *     bound = -1/(N C) (sum_z [ln G(sum_y a_y) - sum_y ln G(a_y) - ln G(sum_y A_yz) + sum_y ln G(A_yz)]
 *                       - sum_iz q_iz (ln q_iz - ln p_iz))                             G: gamma function, rest:
 * pactran.h
 */
#include "measure/pactran.h"

static gbv_status pactran_dirichlet(const gbv_measure_input *input, size_t variant, double *score, double *row_terms,
                                    gbv_error *error)
{
    (void)variant;
    (void)row_terms;
    pactran p;
    gbv_status status = pactran_open(input, true, &p, error);
    if (status == GBV_OK) {
        size_t classes = p.classes.count;
        double prior_sum = 0, prior_term = 0, sum = 0;
        for (size_t y = 0; y < classes; y++) {
            prior_sum += p.prior[y];
            prior_term -= pactran_log_gamma(p.prior[y]);
        }
        prior_term += pactran_log_gamma(prior_sum);
        for (size_t z = 0; z < p.columns; z++) {
            double column = prior_term - pactran_log_gamma(p.totals[z]);
            for (size_t y = 0; y < classes; y++)
                column += pactran_log_gamma(p.counts[y * p.columns + z]);
            sum += column;
        }
        *score = (sum - p.divergence) / ((double)p.rows * (double)classes);
    }
    pactran_close(&p);
    return status;
}

const measure measure_pactran_dirichlet = {
    .info = {.name = "pactran-dirichlet",
             .summary = "PAC-Bayesian bound for a table from the model's classes to the labels, Dirichlet prior",
             .variants = "",
             .needs = GBV_NEEDS_LABELS | GBV_NEEDS_PROBABILITIES,
             .cost = "10·(N·Z + C·Z)",
             .blind_to = "which class is called what: a model that always mixes up two names scores as well",
             .resampled = GBV_HALF_SAMPLES},
    .compute = pactran_dirichlet,
    .replicates = {.at_these_rows = true},
};
