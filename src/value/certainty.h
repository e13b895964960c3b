/* certainty.h - how sure the scores, weights and ranks of the sources are, from scores that were computed again.
 *
 * Two things are left to chance: which reference rows there are, and which rows each source gave.
 * - `replicates` score each model on changed reference rows, the same changes for every source, two by two: replicates
 *   2k and 2k + 1 under opposite changes (measure/row_draws.h). With s the step of the changes and t the score,
 *   o = (b - b') / 2s is what chance does to the score and e = ((b + b') / 2 - t) / s^2 is its bias. So t is corrected
 * to c = t - mean e, and c + o and c - o are what else it might have been. But where a score hardly depends on what
 * chance does in first order, as that of a source that knows nothing, it varies as squares of normal numbers do: o then
 * has twice the variance of e, and c has that of e. The variance of o less that of e is right in both cases and in
 *   between; it is never taken for less than that of e.
 * - `refits` score, on the reference as it is, models fitted on resampled rows of the source. Their deviations from
 *   their mean, one drawn for each replicate, are added to make the joint resamples.
 * So an interval is of one of two things: of the model at hand were there no end of reference rows (`model`), or of the
 * source, were other rows drawn from it (`source`). Whatever compares sources is about the latter.
 *
 *     certainty_input in = {.source_count = 5, .names = names, .scores = t, .replicate_count = 200, ...};
 *     certainty c;
 *     if (certainty_compute(&in, &c, &error) == GBV_OK)
 *         printf("%g to %g\n", c.sources[0].source.low, c.sources[0].source.high);
 *     certainty_free(&c);
 */
#ifndef VALUE_CERTAINTY_H
#define VALUE_CERTAINTY_H

#include <gbv/value.h>

/* Above so many sources there are groups instead of pairs. */
enum { CERTAINTY_PAIRED_SOURCES = 200 };

/* Everything is borrowed for the call. */
typedef struct certainty_input {
    size_t source_count;
    const char *const *names; /* distinct; they key the random choices, so nobody's depend on who else is there */
    const double *scores;     /* t of each source; NaN where undefined */
    const double *replicates; /* source_count x replicate_count; NaN where undefined */
    size_t replicate_count;   /* an odd one out is not used; fewer than four say nothing */
    double step;              /* of the replicates' draws */
    bool at_these_rows;       /* the score depends on how many reference rows there are by its definition (logme): the
                                 intervals are about references of this size, and nothing is corrected */
    const double *refits;     /* source_count x refit_count; NaN where undefined or where a source has none */
    size_t refit_count;       /* 0: the intervals cover the choice of reference rows only */
    const double *prior;      /* one per source, not necessarily summing to one; NULL: uniform */
    gbv_posterior_options posterior; /* tau; an undefined score always gets no weight here */
    size_t reference_rows;
    double level;        /* of the intervals: 0.9 */
    bool keep_resamples; /* the joint ones, for the caller */
    uint64_t seed;
} certainty_input;

typedef struct certainty_interval {
    double low, high; /* NaN when there is none */
} certainty_interval;

typedef struct certainty_source {
    double corrected;          /* score without its bias; the score itself when there is no interval */
    certainty_interval model;  /* of the score: this model, any reference rows. NaN when fewer than two pairs or less
                                  than 95 % of the pairs of replicates are defined, or the score is not finite */
    certainty_interval source; /* of the score: this source, other rows from it too; equals `model` unless refitted */
    bool refitted;             /* at least two, and half, of its refits are defined */
    double deviation;          /* standard deviation of the joint resamples; NaN without interval */
    certainty_interval posterior; /* of P(s); NaN without interval */
    size_t rank_best,
        rank_worst; /* the ranks (1 is best) that hold for all sources at once; 0 for an undefined score */
    double p_best;  /* share of joint resamples in which the source is the best, ties split: adds up to one over the
                       sources with a score. NaN for an undefined score and without replicates */
    size_t group;   /* 1 is best, 0 none: an undefined score, or the sources are few enough for pairs */
} certainty_source;

/* Two sources with finite scores. */
typedef struct certainty_pair {
    size_t first, second; /* in the order given, first < second */
    double difference;    /* of the corrected scores, first minus second */
    double deviation;     /* of the difference over the joint resamples; NaN when either has no interval */
    double p_value;       /* two-sided, Holm's correction over all pairs; 1 when it cannot be judged */
    bool distinguishable; /* p_value <= 5 %, and both sources are refitted */
    double rows_needed;   /* reference rows that would tell them apart four times out of five; INFINITY when no number
                             will do: the sources' own rows leave the difference open. NaN when that cannot be judged,
                             or when they are told apart */
} certainty_pair;

typedef struct certainty {
    size_t source_count;
    certainty_source *sources; /* in the order given */
    certainty_pair *pairs;     /* sorted by (first, second); NULL above CERTAINTY_PAIRED_SOURCES */
    size_t pair_count;
    /* Above CERTAINTY_PAIRED_SOURCES: the sources in the order of their corrected scores, cut into groups. The first of
     * a group is the best; those that follow belong to it until one can be told from that first (Bonferroni at 5 % over
     * the sources), which begins the next. */
    size_t group_count;
    double *resamples;     /* source_count x resample_count, when they are to be kept; NULL otherwise */
    size_t resample_count; /* the replicates, without an odd one out */
    bool refitted; /* every source with a score is; else no more than the choice of reference rows is covered somewhere,
                      and the result should say so */
} certainty;

/* Fails with GBV_USAGE when there are no sources, the level is not between 0 and 1 or the prior or tau will not do,
 * GBV_FAILED when memory is out. The answer for a source does not depend on the order of the sources; p_best, ranks and
 * posterior depend on which others there are, as they must. */
GBV_MUST_CHECK gbv_status certainty_compute(const certainty_input *in, certainty *result, gbv_error *error);
void certainty_free(certainty *result); /* what certainty_compute put there; a zeroed one is legal */

#endif
