#include "value/method/peer_agreement_kernel.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct tally {
    const overlap *o;
    size_t *count; /* classes: labels of the item at hand */
    size_t *met;   /* the classes it has, in the order met */
    size_t met_count;
    size_t *items;  /* sources: shared items */
    double *agreed; /* sources: sum over them of the share of others that agree */
    /* sources x classes, for the chance correction; NULL when it is not asked for */
    double *said;  /* how often the source said the class */
    double *heard; /* sum over its items of the share of others that said the class */
} tally;

/* Time grows with the classes of the item, not with its labels squared: all of a large crowd may label everything. */
static void look_at(tally *t, size_t begin, size_t end)
{
    const overlap *o = t->o;
    double others = (double)(end - begin - 1);
    t->met_count = 0;
    for (size_t i = begin; i < end; i++)
        if (t->count[o->classes[i]]++ == 0)
            t->met[t->met_count++] = (size_t)o->classes[i];
    for (size_t i = begin; i < end; i++) {
        size_t source_index = (size_t)o->sources[i], own = (size_t)o->classes[i], line = source_index * o->class_count;
        t->items[source_index]++;
        t->agreed[source_index] += (double)(t->count[own] - 1) / others;
        if (!t->said)
            continue;
        t->said[line + own]++;
        for (size_t m = 0; m < t->met_count; m++)
            t->heard[line + t->met[m]] += (double)(t->count[t->met[m]] - (t->met[m] == own)) / others;
    }
    for (size_t m = 0; m < t->met_count; m++)
        t->count[t->met[m]] = 0;
}

static double correct(const tally *t, size_t source_index, double agreement)
{
    size_t classes = t->o->class_count, line = source_index * classes;
    double items = (double)t->items[source_index], chance = 0;
    for (size_t c = 0; c < classes; c++)
        chance += t->said[line + c] / items * (t->heard[line + c] / items);
    return 1 - chance > 1e-12 ? (agreement - chance) / (1 - chance) : NAN; /* rounding is no disagreement */
}

gbv_status peer_agreement_kernel(const overlap *o, annotator_score *scores, double *corrected, gbv_error *error)
{
    size_t cells = 0;
    bool fits = !corrected || !__builtin_mul_overflow(o->source_count, o->class_count, &cells);
    tally t = {.o = o,
               .count = memory_zeroed(o->class_count, sizeof *t.count),
               .met = memory_array(o->class_count, sizeof *t.met),
               .items = memory_zeroed(o->source_count, sizeof *t.items),
               .agreed = memory_zeroed(o->source_count, sizeof *t.agreed),
               .said = corrected && fits ? memory_zeroed(cells, sizeof *t.said) : NULL,
               .heard = corrected && fits ? memory_zeroed(cells, sizeof *t.heard) : NULL};
    gbv_status status = GBV_OK;
    if (!t.count || !t.met || !t.items || !t.agreed || (corrected && (!t.said || !t.heard))) {
        status = error_out_of_memory(error, "the agreement of sources");
        goto done;
    }
    for (size_t item = 0; item < o->item_count; item++)
        if (o->first[item + 1] - o->first[item] > 1)
            look_at(&t, o->first[item], o->first[item + 1]);
    for (size_t s = 0; s < o->source_count; s++) {
        scores[s] = annotator_score_of_share(t.agreed[s] / (double)t.items[s], t.items[s]);
        if (corrected)
            corrected[s] = t.items[s] ? correct(&t, s, scores[s].score) : NAN;
    }
done:
    free(t.count);
    free(t.met);
    free(t.items);
    free(t.agreed);
    free(t.said);
    free(t.heard);
    return status;
}
