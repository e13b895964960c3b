/* by_labels.c - the methods that compare the labels of items which several sources labelled, or whose class is known:
 * nothing is trained, and the features are not looked at. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "value/method/dawid_skene_kernel.h"
#include "value/method/gold_accuracy_kernel.h"
#include "value/method/peer_agreement_kernel.h"
#include "value/valuation.h"

static const double NORMAL_95 = 1.6448536269514722;

/* Draws as wide as the interval, in opposite pairs (measure/row_draws.h), each source's own: what else the source might
 * have said of other items. Nothing is fitted that could be fitted again. */
static void spread(const char *name, uint64_t seed, const annotator_score *score, const draws *d, double *own)
{
    random_stream stream = random_stream_open(seed, name, RANDOM_ROW_WEIGHTS);
    double deviation = (score->high - score->low) / 2 / NORMAL_95;
    for (size_t r = 0; r < d->replicates; r += 2) {
        double step = deviation * random_normal(&stream);
        own[draws_replicates(d) + r] = score->score + step;
        if (r + 1 < d->replicates)
            own[draws_replicates(d) + r + 1] = score->score - step;
    }
    for (size_t r = 0; r < d->refits; r++)
        own[draws_refits(d) + r] = score->score;
}

/* One score a source, with an interval of its own. */
static void take(const valuation *v, const annotator_score *scores, scoring *by)
{
    for (size_t s = 0; s < v->source_count; s++) {
        double *own = by->scores + s * by->draws.count;
        spread(v->sources->items[s].name, v->options->model.seed, &scores[s], &by->draws, own);
        own[0] = scores[s].score;
        own[draws_ends(&by->draws)] = scores[s].low;
        own[draws_ends(&by->draws) + 1] = scores[s].high;
    }
}

static gbv_status gold_accuracy(const valuation *v, scoring *by, gbv_error *error)
{
    annotator_score *scores = memory_array(v->source_count, sizeof *scores);
    gbv_status status =
        scores ? gold_accuracy_kernel(&v->shared, scores, error) : error_out_of_memory(error, "the scores");
    if (status == GBV_OK)
        take(v, scores, by);
    free(scores);
    return status;
}

static gbv_status peer_agreement(const valuation *v, scoring *by, gbv_error *error)
{
    annotator_score *scores = memory_array(v->source_count, sizeof *scores);
    gbv_status status =
        scores ? peer_agreement_kernel(&v->shared, scores, NULL, error) : error_out_of_memory(error, "the scores");
    if (status == GBV_OK)
        take(v, scores, by);
    free(scores);
    return status;
}

static gbv_status dawid_skene(const valuation *v, scoring *by, gbv_error *error)
{
    annotator_score *scores = memory_array(v->source_count, sizeof *scores);
    dawid_skene_options options = {
        .threads = v->threads, .progress = v->options->model.progress, .context = v->options->model.context};
    gbv_status status = scores ? dawid_skene_kernel(&v->shared, &options, scores, NULL, error)
                               : error_out_of_memory(error, "the scores");
    if (status == GBV_OK)
        take(v, scores, by);
    free(scores);
    return status;
}

extern const method method_gold_accuracy, method_peer_agreement, method_dawid_skene;

const method method_gold_accuracy = {
    .name = "gold-accuracy",
    .summary = "share of the gold items that a source labelled as they are",
    .variants = "",
    .knows_interval = true,
    .needs = METHOD_NEEDS_GOLD,
    .undefined = "it labelled none of the items whose class is known",
    .score = gold_accuracy,
};

const method method_peer_agreement = {
    .name = "peer-agreement",
    .summary = "how often the others say what a source says of the same items",
    .variants = "",
    .knows_interval = true,
    .needs = METHOD_NEEDS_OVERLAP,
    .undefined = "nobody else labelled any of its items",
    .score = peer_agreement,
};

const method method_dawid_skene = {
    .name = "dawid-skene",
    .summary = "expected accuracy of a source by the consensus of all (Dawid and Skene 1979)",
    .variants = "",
    .knows_interval = true,
    .needs = METHOD_NEEDS_OVERLAP,
    .undefined = "nobody else labelled any of its items",
    .score = dawid_skene,
};
