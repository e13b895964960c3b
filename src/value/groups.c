#include "value/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "value/pairs.h"

static const double FAMILY_ERROR = 0.05;

typedef struct standing {
    double score;
    const char *name; /* decides between equal scores, so that the order in which sources are given does not */
    size_t source;
} standing;

static int best_first(const void *left, const void *right)
{
    const standing *a = left, *b = right;
    int order = (a->score < b->score) - (a->score > b->score);
    return order ? order : strcmp(a->name, b->name);
}

static bool told_apart(const certainty *result, const resamples *all, size_t better, size_t worse, size_t tests,
                       double *differences)
{
    double difference = difference_of(all->corrected[better], all->corrected[worse]);
    double spread = difference_spread(resamples_of(all, better), resamples_of(all, worse), all->count, differences);
    double p = difference_p_value(difference, spread);
    return result->sources[better].refitted && result->sources[worse].refitted && p * (double)tests <= FAMILY_ERROR;
}

static void cut_into_groups(const resamples *all, const standing *order, size_t count, double *differences,
                            certainty *result)
{
    size_t leader = 0;
    for (size_t i = 0; i < count; i++) {
        size_t s = order[i].source;
        if (i == 0 || told_apart(result, all, leader, s, count - 1, differences)) {
            leader = s;
            result->group_count++;
        }
        result->sources[s].group = result->group_count;
    }
}

typedef struct rank_range {
    uint32_t best, worst; /* alike but for ties */
} rank_range;

/* The ranks of the sources in one resample; equal scores share theirs. */
static void rank_once(standing *order, size_t count, size_t resample, size_t resample_count, rank_range *ranges)
{
    qsort(order, count, sizeof *order, best_first);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && order[end].score == order[begin].score;)
            end++;
        for (size_t i = begin; i < end; i++)
            ranges[order[i].source * resample_count + resample] = (rank_range){(uint32_t)begin + 1, (uint32_t)end};
    }
}

static int by_best(const void *left, const void *right)
{
    const rank_range *a = left, *b = right;
    return (a->best > b->best) - (a->best < b->best);
}

static int by_worst(const void *left, const void *right)
{
    const rank_range *a = left, *b = right;
    return (a->worst > b->worst) - (a->worst < b->worst);
}

static void rank_percentiles(const certainty_input *in, const resamples *all, size_t scored, rank_range *ranges,
                             certainty *result)
{
    for (size_t s = 0; s < all->source_count; s++) {
        certainty_source *one = &result->sources[s];
        rank_range *mine = ranges + s * all->count;
        if (isnan(in->scores[s]))
            continue;
        one->rank_best = 1;
        one->rank_worst = scored;
        if (!all->count || (!all->known[s] && isfinite(in->scores[s]))) /* nothing is known of it */
            continue;
        double last = (double)(all->count - 1);
        qsort(mine, all->count, sizeof *mine, by_best);
        one->rank_best = mine[(size_t)floor(last * (1 - in->level) / 2)].best;
        qsort(mine, all->count, sizeof *mine, by_worst);
        one->rank_worst = mine[(size_t)ceil(last * (1 + in->level) / 2)].worst;
    }
}

gbv_status groups_find(const certainty_input *in, const resamples *all, certainty *result, gbv_error *error)
{
    size_t sources = in->source_count, scored = 0, grouped = 0;
    standing *order = memory_array(sources, sizeof *order);
    double *differences = memory_array(all->count, sizeof *differences);
    rank_range *ranges = memory_array(sources, all->count * sizeof *ranges);
    gbv_status status = GBV_OK;
    if (!order || !differences || !ranges) {
        status = error_out_of_memory(error, "the ranks of the sources");
        goto done;
    }
    for (size_t s = 0; s < sources; s++)
        if (all->known[s])
            order[grouped++] = (standing){all->corrected[s], in->names[s], s};
    qsort(order, grouped, sizeof *order, best_first);
    cut_into_groups(all, order, grouped, differences, result);

    for (size_t s = 0; s < sources; s++)
        if (!isnan(in->scores[s]))
            order[scored++] = (standing){0, in->names[s], s};
    for (size_t r = 0; r < all->count; r++) {
        for (size_t i = 0; i < scored; i++)
            order[i].score = resamples_of(all, order[i].source)[r];
        rank_once(order, scored, r, all->count, ranges);
    }
    rank_percentiles(in, all, scored, ranges, result);
done:
    free(order);
    free(differences);
    free(ranges);
    return status;
}
