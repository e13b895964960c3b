/* resamples.h - what else the scores might have been: the joint resamples that intervals, ranks and pairs are read off.
 *
 *     resamples all;
 *     resamples_create(&in, &all, error);
 *     const double *mine = resamples_of(&all, s);   all.count numbers
 *     resamples_free(&all);
 */
#ifndef VALUE_RESAMPLES_H
#define VALUE_RESAMPLES_H

#include "value/certainty.h"

/* What two replicates under opposite draws say: (b - b') / 2s and ((b + b') / 2 - t) / s^2. */
typedef struct mirrored {
    double odd, even;
} mirrored;

typedef struct resamples {
    size_t source_count, count;
    double *joint;          /* source_count x count; the score itself throughout where a source is not `known` */
    double *corrected;      /* source_count */
    double *bias;           /* source_count: of the score, for known sources */
    mirrored *share;        /* source_count: how much of either part the reference's chance amounts to */
    bool *known;            /* source_count: the score is finite and enough replicates are defined */
    double *refit_variance; /* source_count: of the score over the choice of the source's rows; NaN without refits */
} resamples;

GBV_MUST_CHECK gbv_status resamples_create(const certainty_input *in, resamples *all, gbv_error *error);
void resamples_free(resamples *all);

static inline double *resamples_of(const resamples *all, size_t index)
{
    return all->joint + index * all->count;
}

/* The part that the reference rows have in the resamples of a known source: the corrected score and what chance does to
 * it, one way and the other; nothing where a replicate is undefined. `moved` has `count` places. */
void resamples_reference(const certainty_input *in, const resamples *all, size_t index, double *moved);

/* Divisor count - 1; NaN for fewer than two. */
double deviation_of(const double *values, size_t count);
/* The two values that a quantile lies between, and how far it is from the first to the second. */
typedef struct quantile_place {
    double below, above, part;
} quantile_place;

/* Moves the values about; between two of them the quantile is interpolated. */
quantile_place quantile_find(double *values, size_t count, double share);
double quantile_of(double *values, size_t count, double share);
certainty_interval interval_of(double *values, size_t count, double level);

#endif
