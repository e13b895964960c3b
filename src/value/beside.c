#include "value/beside.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sentence.h"
#include "value/flags.h"

/* The place of a source among those compared; 1 is best. */
typedef struct place {
    size_t rank;        /* equal scores share the best */
    size_t best, worst; /* that the intervals leave open */
} place;

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* How many of the sorted values are below `limit`, or not above it. */
static size_t count_below(const double *sorted, size_t count, double limit, bool or_equal)
{
    size_t begin = 0, end = count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (sorted[middle] < limit || (or_equal && sorted[middle] == limit))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* An end of a source's interval, never on the wrong side of its score. */
static double low_of(const ranked_scores *r, size_t i)
{
    return r->low ? fmin(r->scores[i], r->low[i]) : r->scores[i]; /* fmin passes over a NaN */
}

static double high_of(const ranked_scores *r, size_t i)
{
    return r->high ? fmax(r->scores[i], r->high[i]) : r->scores[i];
}

/* Places of the sources in `chosen` by one method; `room` holds three numbers for each. */
static void find_places(const ranked_scores *r, const size_t *chosen, size_t count, double *room, place *places)
{
    double *scores = room, *low = room + count, *high = low + count;
    for (size_t i = 0; i < count; i++) {
        scores[i] = r->scores[chosen[i]];
        low[i] = low_of(r, chosen[i]);
        high[i] = high_of(r, chosen[i]);
    }
    qsort(scores, count, sizeof *scores, ascending);
    qsort(low, count, sizeof *low, ascending);
    qsort(high, count, sizeof *high, ascending);
    for (size_t i = 0; i < count; i++)
        places[i] = (place){.rank = 1 + count - count_below(scores, count, r->scores[chosen[i]], true),
                            .best = 1 + count - count_below(low, count, high_of(r, chosen[i]), true),
                            .worst = count - count_below(high, count, low_of(r, chosen[i]), false)};
}

static bool contradict(place a, place b, size_t count)
{
    size_t apart = a.best > b.worst ? a.best - b.worst : b.best > a.worst ? b.best - a.worst : 0;
    return apart > (count > 2) && 4 * apart > count;
}

/* Two ranks of a source that contradict each other; zeros where they do not. */
typedef struct contradiction {
    size_t by_first, by_other, among;
} contradiction;

/* What is worked with. */
typedef struct comparison {
    size_t *chosen; /* sources that both methods score */
    place *by_first, *by_other;
    double *room;
    contradiction *found; /* source x method */
} comparison;

static void compare(const comparison *c, size_t source_count, const ranked_scores *first, const ranked_scores *others,
                    size_t other_count, size_t which)
{
    const ranked_scores *other = &others[which];
    size_t count = 0;
    for (size_t i = 0; i < source_count; i++)
        if (!isnan(first->scores[i]) && !isnan(other->scores[i]))
            c->chosen[count++] = i;
    find_places(first, c->chosen, count, c->room, c->by_first);
    find_places(other, c->chosen, count, c->room, c->by_other);
    for (size_t i = 0; i < count; i++)
        if (contradict(c->by_first[i], c->by_other[i], count))
            c->found[c->chosen[i] * other_count + which] =
                (contradiction){c->by_first[i].rank, c->by_other[i].rank, count};
}

static const char *ending(size_t rank)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    size_t last = rank / 10 % 10 == 1 ? 0 : rank % 10;
    return endings[last < 4 ? last : 0];
}

static bool tell(gbv_source_result *source, const contradiction *found, const ranked_scores *first,
                 const ranked_scores *others, size_t other_count)
{
    sentence s = {0};
    size_t told = 0;
    for (size_t i = 0; i < other_count; i++) {
        const contradiction *one = &found[i];
        if (!one->among)
            continue;
        if (told++ == 0) {
            sentence_add(&s, "source ");
            sentence_quote(&s, source->name);
            sentence_add(&s, " is judged inconsistently: ");
        }
        sentence_add(&s, "%s%s %s%zu%s, %s %zu%s of %zu", told > 1 ? "; " : "", first->method,
                     told > 1 ? "" : "ranks it ", one->by_first, ending(one->by_first), others[i].method, one->by_other,
                     ending(one->by_other), one->among);
    }
    return told == 0 || flag_add(source, FLAG_RANK_DISAGREEMENT, "%s", s.text);
}

gbv_status beside_flag(gbv_source_result *sources, size_t source_count, const ranked_scores *first,
                       const ranked_scores *others, size_t other_count, gbv_error *error)
{
    comparison c = {.chosen = memory_array(source_count, sizeof *c.chosen),
                    .by_first = memory_array(source_count, sizeof *c.by_first),
                    .by_other = memory_array(source_count, sizeof *c.by_other),
                    .room = memory_array(source_count, 3 * sizeof *c.room),
                    .found = memory_zeroed(source_count, other_count * sizeof *c.found)};
    bool done = c.chosen && c.by_first && c.by_other && c.room && c.found;
    for (size_t i = 0; i < other_count && done; i++)
        compare(&c, source_count, first, others, other_count, i);
    for (size_t i = 0; i < source_count && done; i++)
        done = tell(&sources[i], &c.found[i * other_count], first, others, other_count);
    free(c.chosen);
    free(c.by_first);
    free(c.by_other);
    free(c.room);
    free(c.found);
    return done ? GBV_OK : error_out_of_memory(error, "the ranks by other methods");
}
