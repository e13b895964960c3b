#include "value/sureness.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "measure/replicate.h"
#include "value/certainty.h"

static const double LEVEL = 0.9;

static void take_source(const certainty_source *from, gbv_source_result *s)
{
    s->score_corrected = from->corrected;
    s->score_interval_model[0] = from->model.low;
    s->score_interval_model[1] = from->model.high;
    s->score_interval[0] = from->source.low;
    s->score_interval[1] = from->source.high;
    s->posterior_interval[0] = from->posterior.low;
    s->posterior_interval[1] = from->posterior.high;
    s->rank_interval[0] = from->rank_best;
    s->rank_interval[1] = from->rank_worst;
    s->p_best = from->p_best;
    if (isfinite(from->deviation))
        s->standard_error = from->deviation;
}

static gbv_status take_pairs(const certainty *c, bool by_labels, gbv_result *result, gbv_error *error)
{
    gbv_certainty *out = &result->certainty;
    size_t told = 0;
    for (size_t i = 0; i < c->pair_count; i++)
        told += !c->pairs[i].distinguishable;
    out->pairs = memory_zeroed(told, sizeof *out->pairs);
    out->group = c->group_count ? memory_zeroed(c->source_count, sizeof *out->group) : NULL;
    if (!out->pairs || (c->group_count && !out->group))
        return error_out_of_memory(error, "the pairs of sources");
    for (size_t i = 0; i < c->pair_count; i++) {
        const certainty_pair *p = &c->pairs[i];
        bool in_order = p->difference >= 0;
        if (!p->distinguishable)
            out->pairs[out->pair_count++] = (gbv_pair){.first = in_order ? p->first : p->second,
                                                       .second = in_order ? p->second : p->first,
                                                       .difference = fabs(p->difference),
                                                       .standard_error = p->deviation,
                                                       /* without refits it is not known what they leave open, and
                                                          methods by labels count other items */
                                                       .rows_needed = out->refits && !by_labels ? p->rows_needed : NAN};
    }
    out->group_count = c->group_count;
    for (size_t i = 0; out->group && i < c->source_count; i++)
        out->group[i] = c->sources[i].group;
    return GBV_OK;
}

/* Replicates and refits of each source, side by side, as certainty.h wants them. */
static void gather(const scoring *by, size_t count, double *scores, double *replicates, double *refits)
{
    const draws *d = &by->draws;
    for (size_t s = 0; s < count; s++) {
        const double *own = by->scores + s * d->count;
        scores[s] = own[0];
        for (size_t r = 0; r < d->replicates; r++)
            replicates[s * d->replicates + r] = own[draws_replicates(d) + r];
        for (size_t r = 0; r < d->refits; r++)
            refits[s * d->refits + r] = own[draws_refits(d) + r];
    }
}

gbv_status judge_sureness(const valuation *v, gbv_result *result, gbv_error *error)
{
    const scoring *by = &v->scorings[0];
    size_t count = result->source_count, drawn = 1 + by->draws.replicates + by->draws.refits;
    if (!by->draws.replicates)
        return GBV_OK;
    double *numbers = memory_array(count, drawn * sizeof *numbers);
    const char **names = memory_array(count, sizeof *names);
    certainty c = {0};
    gbv_status status = numbers && names ? GBV_OK : error_out_of_memory(error, "the intervals");
    if (status != GBV_OK)
        goto done;
    double *replicates = numbers + count, *refits = replicates + count * by->draws.replicates;
    gather(by, count, numbers, replicates, refits);
    for (size_t s = 0; s < count; s++)
        names[s] = result->sources[s].name;
    replicate_kind kind = {.step = 1}; /* methods that look at the data take half-samples */
    if (by->info)
        kind = measure_replicate_kind(by->info->name, scoring_variant(by));
    certainty_input in = {.source_count = count,
                          .names = names,
                          .scores = numbers,
                          .replicates = replicates,
                          .replicate_count = by->draws.replicates,
                          .step = kind.step,
                          .at_these_rows = kind.at_these_rows,
                          .refits = refits,
                          .refit_count = by->draws.refits,
                          .prior = v->prior,
                          .posterior = {.tau_mode = by->tau_mode, .tau = by->tau, .undefined_as_zero = true},
                          .reference_rows = result->reference_rows,
                          .level = LEVEL,
                          .keep_resamples = v->options->keep_resamples,
                          .seed = v->options->model.seed};
    if ((status = certainty_compute(&in, &c, error)) != GBV_OK)
        goto done;
    bool known = false, refitted = false;
    for (size_t s = 0; s < count; s++) {
        known |= isfinite(c.sources[s].deviation);
        refitted |= c.sources[s].refitted;
    }
    result->certainty = (gbv_certainty){.replicates = by->draws.replicates,
                                        .refits = refitted ? by->draws.refits : 0,
                                        .level = LEVEL,
                                        .resamples = c.resamples,
                                        .resample_count = c.resample_count};
    c.resamples = NULL; /* the result's now */
    for (size_t s = 0; s < count; s++) {
        take_source(&c.sources[s], &result->sources[s]);
        if (!known) /* scores that nobody knows the spread of decide nothing */
            result->sources[s].p_best = NAN;
        if (by->draws.ends)
            for (int end = 0; end < 2; end++)
                result->sources[s].score_interval[end] =
                    by->scores[s * by->draws.count + draws_ends(&by->draws) + (size_t)end];
    }
    for (size_t s = 0; s < count; s++)
        result->measures[0].scores[s].standard_error = result->sources[s].standard_error;
    status = take_pairs(&c, by->method->knows_interval, result, error);
done:
    certainty_free(&c);
    free(numbers);
    free(names);
    return status;
}
