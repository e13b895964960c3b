/* weigh.c - from scores to weights: P(s) in each way of scoring, ranks, how sure they are, and how far the ways
 * agree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "value/agreement.h"
#include "value/beside.h"
#include "value/flags.h"
#include "value/posterior.h"
#include "value/record.h"
#include "value/result.h"
#include "value/sureness.h"
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

/* Why a source has no score in one way, and no reason where it has one: judged by others, it may do without some. */
static gbv_status give_reason(const scoring *from, gbv_score *score, gbv_error *error)
{
    if (!isnan(score->score)) {
        free(score->reason);
        score->reason = NULL;
    } else if (!score->reason && from->method->undefined && !(score->reason = strdup(from->method->undefined)))
        return error_out_of_memory(error, "the result");
    return GBV_OK;
}

/* A source without a score stops the run, or is told to get no weight. */
static gbv_status judge_undefined(const valuation *v, gbv_result *result, gbv_error *error)
{
    for (size_t i = 0; i < result->source_count; i++) {
        gbv_source_result *s = &result->sources[i];
        const gbv_score *score = &result->measures[0].scores[i];
        const char *reason = score->reason ? score->reason : "the measure gives it none";
        if (!isnan(score->score))
            continue;
        if (!v->options->undefined_as_zero)
            return error_set(
                error, GBV_UNDEFINED,
                "source '%s' has no score: %s; leave the source out or give it no weight (--undefined zero)", s->name,
                reason);
        if (!flag_add(s, FLAG_UNDEFINED, "source '%s' has no score and gets no weight: %s", s->name, reason))
            return error_out_of_memory(error, "the result");
    }
    return GBV_OK;
}

static gbv_status take_scores(const scoring *from, gbv_measure_result *by, size_t count, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t i = 0; i < count && status == GBV_OK; i++) {
        double score = by->scores[i].score = from->scores[i * from->draws.count];
        by->scores[i].score_status = isnan(score)         ? GBV_SCORE_UNDEFINED
                                     : score == -INFINITY ? GBV_SCORE_MINUS_INFINITY
                                                          : GBV_SCORE_OK;
        status = give_reason(from, &by->scores[i], error);
    }
    return status;
}

/* `numbers` has room for two per source. */
static gbv_status weigh_by(const scoring *from, gbv_measure_result *by, const double *prior, size_t count,
                           double *numbers, bool *only_prior, gbv_error *error)
{
    gbv_posterior_options how = {.tau_mode = from->tau_mode, .tau = from->tau, .undefined_as_zero = true};
    double *scores = numbers, *posterior = numbers + count;
    for (size_t i = 0; i < count; i++)
        scores[i] = by->scores[i].score;
    gbv_status status = gbv_posterior(scores, prior, count, &how, posterior, only_prior, error);
    for (size_t i = 0; i < count; i++)
        by->scores[i].posterior = status == GBV_OK ? posterior[i] : NAN;
    double inverse = posterior_inverse_tau(from->tau_mode, from->tau, count);
    by->tau_mode = from->tau_mode;
    by->tau = inverse > 0 ? 1 / inverse : INFINITY;
    by->seconds = from->seconds;
    by->effective_sources = NAN;
    if (status != GBV_OK)
        return status;
    by->effective_sources = posterior_summarise(posterior, NULL, count).effective_sources;
    return rank(by->scores, count, error);
}

static gbv_status weigh_all(const valuation *v, gbv_result *result, const double *prior, double *numbers,
                            bool *only_prior, gbv_error *error)
{
    size_t count = result->source_count;
    gbv_status status = GBV_OK;
    for (size_t m = 0; m < result->measure_count && status == GBV_OK; m++)
        status = take_scores(&v->scorings[m], &result->measures[m], count, error);
    if (status == GBV_OK)
        status = judge_undefined(v, result, error);
    for (size_t m = 0; m < result->measure_count && status == GBV_OK; m++) {
        bool ignored;
        status =
            weigh_by(&v->scorings[m], &result->measures[m], prior, count, numbers, m ? &ignored : only_prior, error);
        if (m > 0 &&
            status == GBV_UNDEFINED) /* no source has a score in this way, which is what the result then says */
            status = GBV_OK;
    }
    for (size_t m = 0; m < result->measure_count && status == GBV_OK; m++)
        status = rank_agreement(result->measures[0].scores, result->measures[m].scores, count,
                                &result->measures[m].rank_agreement, error);
    return status;
}

/* The first way's line becomes the source's own. */
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
    result->tau_mode = result->measures[0].tau_mode;
    result->tau = result->measures[0].tau;
}

/* Score, low and high of each source in one way: three lines of `numbers`. */
static ranked_scores gather(const scoring *by, const gbv_result *result, bool first, double *numbers)
{
    size_t count = result->source_count;
    for (size_t s = 0; s < count; s++) {
        const double *own = by->scores + s * by->draws.count;
        numbers[s] = own[0];
        for (size_t end = 0; end < 2; end++)
            numbers[(1 + end) * count + s] =
                first ? result->sources[s].score_interval[end] : own[draws_ends(&by->draws) + end];
    }
    bool known = by->draws.ends || (first && result->certainty.replicates);
    return (ranked_scores){.method = by->method->name,
                           .scores = numbers,
                           .low = known ? numbers + count : NULL,
                           .high = known ? numbers + 2 * count : NULL};
}

/* What methods say that look at labels alone, where they speak of the same sources. */
static gbv_status compare_with_labels(const valuation *v, gbv_result *result, gbv_error *error)
{
    size_t count = result->source_count, other_count = 0;
    if (v->scorings[0].draws.ends)
        return GBV_OK;
    double *numbers = memory_array(v->scoring_count, 3 * count * sizeof *numbers);
    ranked_scores *others = memory_array(v->scoring_count, sizeof *others);
    gbv_status status = numbers && others ? GBV_OK : error_out_of_memory(error, "the ranks");
    if (status == GBV_OK) {
        ranked_scores first = gather(&v->scorings[0], result, true, numbers);
        for (size_t m = 1; m < v->scoring_count; m++)
            if (v->scorings[m].draws.ends)
                others[other_count++] = gather(&v->scorings[m], result, false, numbers + 3 * m * count);
        if (other_count)
            status = beside_flag(result->sources, count, &first, others, other_count, error);
    }
    free(numbers);
    free(others);
    return status;
}

gbv_status weigh_sources(const valuation *v, gbv_result *result, gbv_error *error)
{
    size_t count = result->source_count;
    const scoring *first = &v->scorings[0];
    double *numbers = memory_array(2 * count, sizeof *numbers);
    size_t *rows = memory_array(count, sizeof *rows);
    gbv_status status = GBV_OK;
    bool only_prior = false;
    if (!numbers || !rows)
        status = error_out_of_memory(error, "the posterior");
    if (status != GBV_OK || (status = weigh_all(v, result, v->prior, numbers, &only_prior, error)) != GBV_OK)
        goto done;
    take_over(result, v->prior);
    result->tau_inverse = posterior_inverse_tau(first->tau_mode, first->tau, count);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = result->sources[i].score;
        numbers[count + i] = result->sources[i].posterior;
        rows[i] = result->sources[i].rows;
    }
    posterior_summary summary = posterior_summarise(numbers + count, rows, count);
    result->entropy = summary.entropy;
    result->effective_sources = summary.effective_sources;
    result->effective_rows = summary.effective_rows;
    if (only_prior &&
        !result_warn(result, "no source with a positive prior has a finite score: the weights are the prior"))
        status = error_out_of_memory(error, "the result");
    if (status == GBV_OK && v->options->tau_curve)
        status = record_tau_curve(result, v, numbers, error);
    if (status == GBV_OK)
        status = judge_sureness(v, result, error);
    if (status == GBV_OK)
        status = compare_with_labels(v, result, error);
done:
    free(numbers);
    free(rows);
    return status;
}
