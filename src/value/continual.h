/* continual.h - one step of the continual posterior: the weights of before and the scores of a batch give the weights
 * of after. Pure arithmetic; value/store keeps the state. Paper: section 5 (Eq. 6).
 *
 *     of those who delivered, A:  P_t(s) = P_{t-1}(A) w(s) / w(A),  w(s) = p(s)^(1-lambda) P_{t-1}(s)^lambda e^{T/tau}
 *     of the others:              P_t(s) = P_{t-1}(s)
 *
 * With everybody there this is ln P_t = ln p + sum of lambda^(t-i) T_i / tau, but for a constant. A sum of scores would
 * reward those who stay away, because most scores are negative; so the absent keep what they had. A newcomer enters
 * with P_{t-1} = p. All is kept as logarithms, so that no weight is ever lost to underflow.
 */
#ifndef VALUE_CONTINUAL_H
#define VALUE_CONTINUAL_H

#include <stdbool.h>
#include <stddef.h>

/* One source as the ledger knows it. */
typedef struct continual_source {
    bool in;           /* it entered and did not leave */
    double prior;      /* p(s); those who are in add up to one */
    double log_weight; /* ln P(s); likewise */
} continual_source;

/* What the batch says of one source. */
typedef struct continual_delivery {
    size_t source; /* index among the continual sources, each at most once */
    double prior;  /* the batch's own p(s), which adds up to one over the deliveries: what a newcomer enters with */
    double score;  /* T; -INFINITY takes its weight for good, INFINITY everybody else's; NaN counts as absent */
} continual_delivery;

/* Takes a source out: its share and its prior go to the others in proportion. False, changing nothing, when it is not
 * in or nobody else has any share. */
bool continual_leave(continual_source *sources, size_t count, size_t leaver);

/* Lets those of the deliveries in that are not and have a score: each with the batch's prior on the scale of the
 * ledger's, for which those serve who are in and delivered (uniform: one over all who are then in); the others are
 * scaled down. */
void continual_enter(continual_source *sources, size_t count, const continual_delivery *deliveries,
                     size_t delivery_count);

/* Folds the scores in; everybody delivered is in, or has no score. The scores come apart from the deliveries
 * (delivery_count of them), so that resampled ones go through the same step. False, changing nothing, when no delivery
 * with a share has a score above -INFINITY. */
bool continual_fold(continual_source *sources, const continual_delivery *deliveries, size_t delivery_count,
                    const double *scores, double inverse_tau, double forgetting);

#endif
