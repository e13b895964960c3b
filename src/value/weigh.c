/* weigh.c - from scores to weights: P(s) by each measure, ranks, and how far the measures agree. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "value/agreement.h"
#include "value/posterior.h"
#include "value/record.h"
#include "value/result.h"
#include "value/valuation.h"

static int by_posterior_downwards(const void *left, const void *right)
{
    double a = (*(gbv_score *const *)left)->posterior, b = (*(gbv_score *const *)right)->posterior;
    return (a < b) - (a > b);
}

static gbv_status rank(gbv_score *scores, size_t count, gbv_error *error)
{
    gbv_score **order = memory_array(count, sizeof *order);
    if (!order)
        return error_out_of_memory(error, "the ranks");
    for (size_t i = 0; i < count; i++)
        order[i] = &scores[i];
    qsort(order, count, sizeof *order, by_posterior_downwards);
    for (size_t i = 0; i < count; i++)
        order[i]->rank = i > 0 && order[i]->posterior == order[i - 1]->posterior ? order[i - 1]->rank : i + 1;
    free(order);
    return GBV_OK;
}

/* `numbers` has room for two per source. */
static gbv_status weigh_by(gbv_measure_result *by, const double *prior, size_t count, const gbv_posterior_options *how,
                           double *numbers, bool *only_prior, gbv_error *error)
{
    double *scores = numbers, *posterior = numbers + count;
    for (size_t i = 0; i < count; i++)
        scores[i] = by->scores[i].score;
    gbv_status status = gbv_posterior(scores, prior, count, how, posterior, only_prior, error);
    for (size_t i = 0; i < count; i++)
        by->scores[i].posterior = status == GBV_OK ? posterior[i] : NAN;
    if (status != GBV_OK)
        return status;
    by->effective_sources = posterior_summarise(posterior, NULL, count).effective_sources;
    return rank(by->scores, count, error);
}

static gbv_status weigh_all(gbv_result *result, const double *prior, const gbv_posterior_options *how, double *numbers,
                            bool *only_prior, gbv_error *error)
{
    size_t count = result->source_count;
    gbv_status status = weigh_by(&result->measures[0], prior, count, how, numbers, only_prior, error);
    gbv_posterior_options others = *how;
    others.undefined_as_zero = true;
    for (size_t m = 1; m < result->measure_count && status == GBV_OK; m++) {
        gbv_measure_result *by = &result->measures[m];
        bool ignored;
        by->effective_sources = NAN;
        status = weigh_by(by, prior, count, &others, numbers, &ignored, error);
        if (status == GBV_UNDEFINED) /* no source has a score by this measure, which is what the result then says */
            status = GBV_OK;
    }
    for (size_t m = 0; m < result->measure_count && result->measure_count > 1 && status == GBV_OK; m++)
        status = rank_agreement(result->measures[0].scores, result->measures[m].scores, count,
                                &result->measures[m].rank_agreement, error);
    return status;
}

/* The first measure's line becomes the source's own. */
static void take_over(gbv_result *result, const double *prior)
{
    size_t count = result->source_count;
    double sum = 0, largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, prior[i]);
    for (size_t i = 0; i < count; i++)
        sum += prior[i] / largest;
    for (size_t i = 0; i < count; i++) {
        gbv_source_result *s = &result->sources[i];
        const gbv_score *by = &result->measures[0].scores[i];
        s->score = by->score;
        s->score_status = by->score_status;
        s->standard_error = by->standard_error;
        s->prior = prior[i] / largest / sum;
        s->posterior = by->posterior;
        s->row_weight = s->rows ? by->posterior / (double)s->rows : NAN;
        s->rank = by->rank;
    }
}

gbv_status weigh_sources(const valuation *v, gbv_result *result, gbv_error *error)
{
    size_t count = result->source_count;
    const gbv_value_options *o = v->options;
    double *prior = memory_array(3 * count, sizeof *prior), *numbers = prior + count;
    size_t *rows = memory_array(count, sizeof *rows);
    gbv_status status = GBV_OK;
    bool only_prior = false;
    if (!prior || !rows) {
        status = error_out_of_memory(error, "the posterior");
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        rows[i] = result->sources[i].rows;
        prior[i] = o->prior_mode == GBV_PRIOR_GIVEN  ? o->prior[i]
                   : o->prior_mode == GBV_PRIOR_ROWS ? (double)rows[i]
                                                     : 1;
    }
    gbv_posterior_options how = {.tau_mode = o->tau_mode, .tau = o->tau, .undefined_as_zero = o->undefined_as_zero};
    if ((status = weigh_all(result, prior, &how, numbers, &only_prior, error)) != GBV_OK)
        goto done;
    take_over(result, prior);
    result->tau_mode = o->tau_mode;
    result->tau_inverse = posterior_inverse_tau(o->tau_mode, o->tau, count);
    result->tau = result->tau_inverse > 0 ? 1 / result->tau_inverse : INFINITY;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = result->sources[i].score;
        numbers[count + i] = result->sources[i].posterior;
    }
    posterior_summary summary = posterior_summarise(numbers + count, rows, count);
    result->entropy = summary.entropy;
    result->effective_sources = summary.effective_sources;
    result->effective_rows = summary.effective_rows;
    if (only_prior &&
        !result_warn(result, "no source with a positive prior has a finite score: the weights are the prior"))
        status = error_out_of_memory(error, "the result");
    if (status == GBV_OK && o->tau_curve)
        status = record_tau_curve(result, numbers, prior, o->undefined_as_zero, error);
done:
    free(prior);
    free(rows);
    return status;
}
