#include "value/correlation.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static bool is_constant(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0])
            return false;
    return true;
}

/* The mean, and the largest distance of a value from it. */
static double centre(const double *values, size_t count, double *reach)
{
    double mean = 0;
    for (size_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    *reach = 0;
    for (size_t i = 0; i < count; i++)
        *reach = fmax(*reach, fabs(values[i] - mean));
    return mean;
}

double correlation_pearson(const double *first, const double *other, size_t count)
{
    if (is_constant(first, count) || is_constant(other, count))
        return NAN;
    double reach_first, reach_other, mean_first = centre(first, count, &reach_first),
                                     mean_other = centre(other, count, &reach_other);
    double products = 0, squares_first = 0, squares_other = 0;
    for (size_t i = 0; i < count; i++) {
        /* Distances from -1 to 1, because weights may be so small that their squares are zero. */
        double a = (first[i] - mean_first) / reach_first, b = (other[i] - mean_other) / reach_other;
        products += a * b;
        squares_first += a * a;
        squares_other += b * b;
    }
    return fmax(-1, fmin(1, products / sqrt(squares_first * squares_other)));
}

typedef struct number_pair {
    double first, other;
} number_pair;

static int order_of(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_first_then_other(const void *left, const void *right)
{
    const number_pair *a = left, *b = right;
    int order = order_of(a->first, b->first);
    return order ? order : order_of(a->other, b->other);
}

static double pairs_among(size_t count)
{
    return (double)count * ((double)count - 1) / 2;
}

/* How many pairs are alike in what is asked for; those that are stand together. */
static double count_ties(const number_pair *pairs, size_t count, bool in_first, bool in_other)
{
    double ties = 0;
    for (size_t begin = 0, end; begin < count; begin = end) {
        const number_pair *one = &pairs[begin];
        for (end = begin + 1; end < count && (!in_first || pairs[end].first == one->first) &&
                              (!in_other || pairs[end].other == one->other);)
            end++;
        ties += pairs_among(end - begin);
    }
    return ties;
}

/* Sorts by the other number and returns how many pairs stood the wrong way round (Knight, 1966). */
static double sort_by_other(number_pair *pairs, number_pair *room, size_t count)
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

/* Ranks from 1 on in place of the values; `order` has room for `count`. */
static void rank_values(const double *values, size_t count, number_pair *order, double *ranks)
{
    for (size_t i = 0; i < count; i++)
        order[i] = (number_pair){values[i], (double)i};
    qsort(order, count, sizeof *order, by_first_then_other);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && order[end].first == order[begin].first;)
            end++;
        for (size_t i = begin; i < end; i++)
            ranks[(size_t)order[i].other] = (double)(begin + 1 + end) / 2;
    }
}

gbv_status correlation_spearman(const double *first, const double *other, size_t count, double *correlation,
                                gbv_error *error)
{
    number_pair *order = memory_array(count, sizeof *order);
    double *ranks = memory_array(count, 2 * sizeof *ranks);
    gbv_status status = order && ranks ? GBV_OK : error_out_of_memory(error, "the ranks");
    if (status == GBV_OK) {
        rank_values(first, count, order, ranks);
        rank_values(other, count, order, ranks + count);
        *correlation = correlation_pearson(ranks, ranks + count, count);
    }
    free(order);
    free(ranks);
    return status;
}

gbv_status correlation_kendall(const double *first, const double *other, size_t count, double *correlation,
                               gbv_error *error)
{
    number_pair *pairs = memory_array(count, 2 * sizeof *pairs);
    *correlation = NAN;
    if (!pairs)
        return error_out_of_memory(error, "the agreement of two orders");
    for (size_t i = 0; i < count; i++)
        pairs[i] = (number_pair){first[i], other[i]};
    qsort(pairs, count, sizeof *pairs, by_first_then_other);
    double all = pairs_among(count), ties_first = count_ties(pairs, count, true, false),
           ties_both = count_ties(pairs, count, true, true), swaps = sort_by_other(pairs, pairs + count, count),
           ties_other = count_ties(pairs, count, false, true);
    if (ties_first < all && ties_other < all)
        *correlation =
            (all - ties_first - ties_other + ties_both - 2 * swaps) / sqrt((all - ties_first) * (all - ties_other));
    free(pairs);
    return GBV_OK;
}
