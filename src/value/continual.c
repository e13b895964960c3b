#include "value/continual.h"

#include <math.h>

bool continual_leave(continual_source *sources, size_t count, size_t leaver)
{
    double largest = -INFINITY, prior = 0, weight = 0;
    for (size_t s = 0; s < count; s++)
        if (sources[s].in && s != leaver)
            largest = fmax(largest, sources[s].log_weight);
    if (!sources[leaver].in || largest == -INFINITY)
        return false;
    for (size_t s = 0; s < count; s++)
        if (sources[s].in && s != leaver) {
            prior += sources[s].prior;
            weight += exp(sources[s].log_weight - largest);
        }
    for (size_t s = 0; s < count; s++)
        if (sources[s].in) {
            sources[s].prior /= prior;
            sources[s].log_weight -= largest + log(weight);
        }
    sources[leaver] = (continual_source){.log_weight = -INFINITY};
    return true;
}

static bool is_newcomer(const continual_source *sources, const continual_delivery *delivery)
{
    return !sources[delivery->source].in && !isnan(delivery->score);
}

/* What takes the batch's priors to the scale of the ledger's. */
static double prior_scale(const continual_source *sources, size_t count, const continual_delivery *deliveries,
                          size_t delivery_count)
{
    double ledger = 0, batch = 0;
    size_t in = 0;
    for (size_t s = 0; s < count; s++)
        in += sources[s].in;
    for (size_t i = 0; i < delivery_count; i++)
        if (sources[deliveries[i].source].in) {
            ledger += sources[deliveries[i].source].prior;
            batch += deliveries[i].prior;
        }
    if (ledger > 0 && batch > 0)
        return ledger / batch;
    return in ? (double)delivery_count / (double)in
              : 1; /* nobody to go by: one delivery is as much as another source */
}

void continual_enter(continual_source *sources, size_t count, const continual_delivery *deliveries,
                     size_t delivery_count)
{
    double scale = prior_scale(sources, count, deliveries, delivery_count), total = 0;
    for (size_t s = 0; s < count && total == 0; s++)
        total = sources[s].in ? 1 : 0; /* what those who are in add up to */
    for (size_t i = 0; i < delivery_count; i++)
        if (is_newcomer(sources, &deliveries[i])) {
            sources[deliveries[i].source] = (continual_source){.prior = scale * deliveries[i].prior};
            total += scale * deliveries[i].prior;
        }
    if (!(total > 0)) /* newcomers of prior zero, and nobody else */
        total = 1;
    for (size_t s = 0; s < count; s++)
        if (sources[s].in) {
            sources[s].prior /= total;
            sources[s].log_weight -= log(total);
        }
    for (size_t i = 0; i < delivery_count; i++)
        if (is_newcomer(sources, &deliveries[i])) {
            continual_source *s = &sources[deliveries[i].source];
            s->in = true;
            s->prior /= total;
            s->log_weight = log(s->prior);
        }
}

/* ln w(s), with scores counted from `best`, so that nothing overflows. */
static double log_product(const continual_source *source, double score, double best, double inverse_tau,
                          double forgetting)
{
    if (source->log_weight == -INFINITY || score == -INFINITY || (best == INFINITY && score < best))
        return -INFINITY;
    double gain = best == INFINITY || inverse_tau == 0 ? 0 : inverse_tau * (score - best);
    return gain + (forgetting < 1 ? (1 - forgetting) * log(source->prior) + forgetting * source->log_weight
                                  : source->log_weight);
}

bool continual_fold(continual_source *sources, const continual_delivery *deliveries, size_t delivery_count,
                    const double *scores, double inverse_tau, double forgetting)
{
    double best = -INFINITY, largest_before = -INFINITY, largest_after = -INFINITY, before = 0, after = 0;
    for (size_t i = 0; i < delivery_count; i++) {
        const continual_source *s = &sources[deliveries[i].source];
        if (!isnan(scores[i]) && s->log_weight > -INFINITY) {
            best = fmax(best, scores[i]);
            largest_before = fmax(largest_before, s->log_weight);
        }
    }
    if (best == -INFINITY)
        return false;
    for (size_t i = 0; i < delivery_count; i++) {
        continual_source *s = &sources[deliveries[i].source];
        if (isnan(scores[i]))
            continue;
        before += exp(s->log_weight - largest_before);
        s->log_weight = log_product(s, scores[i], best, inverse_tau, forgetting);
        largest_after = fmax(largest_after, s->log_weight);
    }
    for (size_t i = 0; i < delivery_count; i++)
        if (!isnan(scores[i]))
            after += exp(sources[deliveries[i].source].log_weight - largest_after);
    double change = largest_before + log(before) - largest_after - log(after);
    for (size_t i = 0; i < delivery_count; i++)
        if (!isnan(scores[i]))
            sources[deliveries[i].source].log_weight += change;
    return true;
}
