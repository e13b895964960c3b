#include "value/agreement.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct score_pair {
    double first, other;
} score_pair;

static int order_of(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_first_then_other(const void *left, const void *right)
{
    const score_pair *a = left, *b = right;
    int order = order_of(a->first, b->first);
    return order ? order : order_of(a->other, b->other);
}

static double pairs_among(size_t count)
{
    return (double)count * ((double)count - 1) / 2;
}

/* How many pairs are alike in what is asked for; those that are stand together. */
static double count_ties(const score_pair *pairs, size_t count, bool in_first, bool in_other)
{
    double ties = 0;
    for (size_t begin = 0, end; begin < count; begin = end) {
        const score_pair *one = &pairs[begin];
        for (end = begin + 1; end < count && (!in_first || pairs[end].first == one->first) &&
                              (!in_other || pairs[end].other == one->other);)
            end++;
        ties += pairs_among(end - begin);
    }
    return ties;
}

/* Sorts by the other score and returns how many pairs stood the wrong way round (Knight, 1966). */
static double sort_by_other(score_pair *pairs, score_pair *room, size_t count)
{
    size_t half = count / 2, left = 0, right = half;
    if (count < 2)
        return 0;
    double swaps = sort_by_other(pairs, room, half) + sort_by_other(pairs + half, room, count - half);
    for (size_t i = 0; i < count; i++)
        if (right == count || (left < half && pairs[left].other <= pairs[right].other)) {
            room[i] = pairs[left++];
        } else {
            swaps += (double)(half - left);
            room[i] = pairs[right++];
        }
    memcpy(pairs, room, count * sizeof *pairs);
    return swaps;
}

gbv_status rank_agreement(const gbv_score *first, const gbv_score *other, size_t count, double *agreement,
                          gbv_error *error)
{
    size_t used = 0;
    score_pair *pairs = memory_array(count, 2 * sizeof *pairs);
    *agreement = NAN;
    if (!pairs)
        return error_out_of_memory(error, "the agreement of measures");
    for (size_t i = 0; i < count; i++)
        if (!isnan(first[i].score) && !isnan(other[i].score))
            pairs[used++] = (score_pair){first[i].score, other[i].score};
    qsort(pairs, used, sizeof *pairs, by_first_then_other);
    double all = pairs_among(used), ties_first = count_ties(pairs, used, true, false),
           ties_both = count_ties(pairs, used, true, true), swaps = sort_by_other(pairs, pairs + count, used),
           ties_other = count_ties(pairs, used, false, true);
    if (ties_first < all && ties_other < all)
        *agreement =
            (all - ties_first - ties_other + ties_both - 2 * swaps) / sqrt((all - ties_first) * (all - ties_other));
    free(pairs);
    return GBV_OK;
}
