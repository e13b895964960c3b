#include "value/method/dawid_skene_kernel.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "compute/dense.h"

/* Between two questions to the callback. */
enum { ITEMS_AT_ONCE = 1 << 15, SOURCES_AT_ONCE = 1 << 8 };

/* Items that are judged together. */
enum { BLOCK = 64 };

/* The labels of shared items, by item and by (source, label). Such pairs are fewer than sources x classes where both
 * are many, and each is a column of a confusion matrix. Sums run over items and labels in one order whatever the
 * threads. */
typedef struct crowd {
    size_t sources, classes, items, labels, pairs;
    double smoothing;
    size_t threads;
    int32_t *class_of;    /* classes: their number in the overlap */
    size_t *item_first;   /* items + 1: where the labels of each begin */
    size_t *label_pair;   /* labels, by item: which pair each is */
    size_t *source_first; /* sources + 1: where the pairs of each begin */
    size_t *pair_first;   /* pairs + 1: where the items of each begin in pair_item */
    size_t *pair_item;    /* labels, by pair: whom the label was given to */
    int32_t *pair_class;  /* pairs: the label */
    double *posterior;    /* items x classes: of the true class */
    double *column;       /* pairs x classes: log pi(true, said) */
    double *frequency, *log_frequency;
    double *scratch; /* threads x BLOCK x classes */
} crowd;

static void crowd_free(crowd *c)
{
    free(c->class_of);
    free(c->item_first);
    free(c->label_pair);
    free(c->source_first);
    free(c->pair_first);
    free(c->pair_item);
    free(c->pair_class);
    free(c->posterior);
    free(c->column);
    free(c->frequency);
    free(c->log_frequency);
    free(c->scratch);
}

void dawid_skene_free(dawid_skene_model *model)
{
    free(model->classes);
    free(model->frequency);
    free(model->confusion);
    *model = (dawid_skene_model){0};
}

static bool is_shared(const overlap *o, size_t item)
{
    return o->first[item + 1] - o->first[item] > 1;
}

/* The labels of shared items as three lists, while the crowd is put together. */
typedef struct label_lists {
    size_t *item;
    int32_t *source, *class_index;
    size_t *order, *before, *places;
} label_lists;

static void label_lists_free(label_lists *l)
{
    free(l->item);
    free(l->source);
    free(l->class_index);
    free(l->order);
    free(l->before);
    free(l->places);
}

/* Classes that shared items have get numbers without gaps. */
static bool number_classes(const overlap *o, crowd *c, int32_t **number)
{
    *number = memory_zeroed(o->class_count, sizeof **number);
    c->class_of = memory_array(o->class_count, sizeof *c->class_of);
    if (!*number || !c->class_of)
        return false;
    for (size_t item = 0; item < o->item_count; item++)
        for (size_t i = o->first[item]; is_shared(o, item) && i < o->first[item + 1]; i++)
            (*number)[o->classes[i]] = 1;
    for (size_t k = 0; k < o->class_count; k++)
        if ((*number)[k]) {
            c->class_of[c->classes] = (int32_t)k;
            (*number)[k] = (int32_t)c->classes++;
        }
    return true;
}

static bool list_labels(const overlap *o, crowd *c, label_lists *l)
{
    size_t most = o->source_count > o->class_count ? o->source_count : o->class_count;
    int32_t *number = NULL;
    size_t at = 0, items = 0;
    *l = (label_lists){.item = memory_array(c->labels, sizeof *l->item),
                       .source = memory_array(c->labels, sizeof *l->source),
                       .class_index = memory_array(c->labels, sizeof *l->class_index),
                       .order = memory_array(c->labels, sizeof *l->order),
                       .before = memory_array(c->labels, sizeof *l->before),
                       .places = memory_array(most + 1, sizeof *l->places)};
    c->item_first = memory_array(c->items + 1, sizeof *c->item_first);
    bool done = number_classes(o, c, &number) && c->item_first && l->item && l->source && l->class_index && l->order &&
                l->before && l->places;
    for (size_t item = 0; done && item < o->item_count; item++) {
        if (!is_shared(o, item))
            continue;
        c->item_first[items] = at;
        for (size_t i = o->first[item]; i < o->first[item + 1]; i++, at++) {
            l->item[at] = items;
            l->source[at] = o->sources[i];
            l->class_index[at] = number[o->classes[i]];
        }
        items++;
    }
    if (done)
        c->item_first[items] = at;
    free(number);
    return done;
}

/* Sorts label numbers by a key, those of equal keys staying in their order. */
static void sort_by(const int32_t *key, size_t key_count, const size_t *from, size_t *to, size_t count, size_t *places)
{
    memset(places, 0, (key_count + 1) * sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[key[i] + 1]++;
    for (size_t k = 1; k < key_count; k++)
        places[k + 1] += places[k];
    for (size_t i = 0; i < count; i++) {
        size_t label = from ? from[i] : i;
        to[places[key[label]]++] = label;
    }
}

/* Finds the pairs among labels sorted by source, label and item. */
static bool find_pairs(crowd *c, const label_lists *l)
{
    c->label_pair = memory_array(c->labels, sizeof *c->label_pair);
    c->pair_item = memory_array(c->labels, sizeof *c->pair_item);
    c->pair_class = memory_array(c->labels, sizeof *c->pair_class);
    c->pair_first = memory_array(c->labels + 1, sizeof *c->pair_first);
    c->source_first = memory_array(c->sources + 1, sizeof *c->source_first);
    if (!c->label_pair || !c->pair_item || !c->pair_class || !c->pair_first || !c->source_first)
        return false;
    size_t next_source = 0;
    for (size_t i = 0; i < c->labels; i++) {
        size_t label = l->order[i], last = i ? l->order[i - 1] : label;
        if (i == 0 || l->source[label] != l->source[last] || l->class_index[label] != l->class_index[last]) {
            while (next_source <= (size_t)l->source[label])
                c->source_first[next_source++] = c->pairs;
            c->pair_class[c->pairs] = l->class_index[label];
            c->pair_first[c->pairs++] = i;
        }
        c->label_pair[label] = c->pairs - 1;
        c->pair_item[i] = l->item[label];
    }
    while (next_source <= c->sources)
        c->source_first[next_source++] = c->pairs;
    c->pair_first[c->pairs] = c->labels;
    return true;
}

static gbv_status crowd_create(const overlap *o, const dawid_skene_options *options, crowd *c, gbv_error *error)
{
    label_lists l;
    size_t threads = options->threads ? options->threads : 1;
    *c = (crowd){.sources = o->source_count,
                 .items = o->shared_items,
                 .labels = o->shared_labels,
                 .smoothing = options->smoothing > 0 ? options->smoothing : DAWID_SKENE_SMOOTHING,
                 .threads = plan_workers(threads, o->shared_items)};
    bool done = list_labels(o, c, &l);
    if (done) {
        sort_by(l.class_index, c->classes, NULL, l.before, c->labels, l.places);
        sort_by(l.source, c->sources, l.before, l.order, c->labels, l.places);
        done = find_pairs(c, &l);
    }
    label_lists_free(&l);
    size_t row = c->classes * sizeof(double); /* fits: there are as many labels */
    if (done) {
        c->posterior = memory_zeroed(c->items, row);
        c->column = memory_array(c->pairs, row);
        c->frequency = memory_array(1, row);
        c->log_frequency = memory_array(1, row);
        c->scratch = memory_array(c->threads * BLOCK, row);
    }
    if (done && c->posterior && c->column && c->frequency && c->log_frequency && c->scratch)
        return GBV_OK;
    crowd_free(c);
    return error_out_of_memory(error, "the labels of a crowd");
}

/* Each item is first what its labels say, in their shares. */
static void start(crowd *c)
{
    for (size_t item = 0; item < c->items; item++) {
        double share = 1 / (double)(c->item_first[item + 1] - c->item_first[item]);
        for (size_t i = c->item_first[item]; i < c->item_first[item + 1]; i++)
            c->posterior[item * c->classes + (size_t)c->pair_class[c->label_pair[i]]] += share;
    }
}

CLONED static void count_frequencies(crowd *c)
{
    memset(c->frequency, 0, c->classes * sizeof *c->frequency);
    for (size_t item = 0; item < c->items; item++)
        for (size_t k = 0; k < c->classes; k++)
            c->frequency[k] += c->posterior[item * c->classes + k];
    for (size_t k = 0; k < c->classes; k++) {
        c->frequency[k] /= (double)c->items;
        c->log_frequency[k] = log(c->frequency[k]);
    }
}

/* The confusion matrix of a source from what its items are thought to be; `totals` gets its items per true class, with
 * what smoothing adds. */
CLONED static void estimate_source(crowd *c, size_t source_index, double *totals)
{
    size_t classes = c->classes, begin = c->source_first[source_index], end = c->source_first[source_index + 1];
    for (size_t k = 0; k < classes; k++)
        totals[k] = c->smoothing * (double)classes;
    for (size_t pair = begin; pair < end; pair++) {
        double *column = c->column + pair * classes;
        memset(column, 0, classes * sizeof *column);
        for (size_t i = c->pair_first[pair]; i < c->pair_first[pair + 1]; i++) {
            const double *posterior = c->posterior + c->pair_item[i] * classes;
            for (size_t k = 0; k < classes; k++)
                column[k] += posterior[k];
        }
        for (size_t k = 0; k < classes; k++)
            totals[k] += column[k];
    }
    for (size_t pair = begin; pair < end; pair++)
        for (size_t k = 0; k < classes; k++)
            c->column[pair * classes + k] = log((c->column[pair * classes + k] + c->smoothing) / totals[k]);
}

/* What items are thought to be from who said what; returns the largest change of a probability. */
CLONED static double judge_block(crowd *c, size_t begin, size_t end, double *next)
{
    size_t classes = c->classes;
    double change = 0;
    for (size_t item = begin; item < end; item++) {
        double *row = next + (item - begin) * classes;
        memcpy(row, c->log_frequency, classes * sizeof *row);
        for (size_t i = c->item_first[item]; i < c->item_first[item + 1]; i++) {
            const double *column = c->column + c->label_pair[i] * classes;
            for (size_t k = 0; k < classes; k++)
                row[k] += column[k];
        }
    }
    dense_softmax_rows(next, end - begin, classes);
    double *posterior = c->posterior + begin * classes;
    for (size_t i = 0; i < (end - begin) * classes; i++) {
        double moved = fabs(next[i] - posterior[i]);
        change = moved > change ? moved : change;
        posterior[i] = next[i];
    }
    return change;
}

static void estimate_sources(crowd *c, size_t begin, size_t end)
{
#pragma omp parallel for num_threads((int)c->threads) if (c->threads > 1) schedule(dynamic, 4)
    for (size_t s = begin; s < end; s++)
        estimate_source(c, s, c->scratch + (size_t)omp_get_thread_num() * BLOCK * c->classes);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static double judge_items(crowd *c, size_t begin, size_t end)
{
    double change = 0;
#pragma omp parallel for num_threads((int)c->threads) if (c->threads > 1) schedule(static) reduction(max : change)
    for (size_t item = begin; item < end; item += BLOCK) {
        double *next = c->scratch + (size_t)omp_get_thread_num() * BLOCK * c->classes;
        change = fmax(change, judge_block(c, item, smaller(end, item + BLOCK), next));
    }
    return change;
}

/* Returns false when the callback asks to stop. */
static bool iterate(crowd *c, const dawid_skene_options *o, dawid_skene_model *told)
{
    count_frequencies(c);
    while (told->iterations < DAWID_SKENE_ITERATIONS && !told->converged) {
        double change = 0;
        for (size_t s = 0; s < c->sources; s += SOURCES_AT_ONCE) {
            if (o->progress && o->progress(o->context, "dawid-skene", told->iterations, DAWID_SKENE_ITERATIONS))
                return false;
            estimate_sources(c, s, smaller(c->sources, s + SOURCES_AT_ONCE));
        }
        for (size_t item = 0; item < c->items; item += ITEMS_AT_ONCE) {
            if (o->progress && o->progress(o->context, "dawid-skene", told->iterations, DAWID_SKENE_ITERATIONS))
                return false;
            change = fmax(change, judge_items(c, item, smaller(c->items, item + ITEMS_AT_ONCE)));
        }
        count_frequencies(c);
        told->iterations++;
        told->converged = change <= DAWID_SKENE_TOLERANCE;
    }
    return true;
}

/* pi(true, said) of what the source never said. */
static double unsaid(const crowd *c, const double *totals, size_t true_class)
{
    return c->smoothing / totals[true_class];
}

static annotator_score score_source(crowd *c, size_t source_index)
{
    double *totals = c->scratch, score = 0;
    size_t begin = c->source_first[source_index], end = c->source_first[source_index + 1];
    estimate_source(c, source_index, totals);
    for (size_t k = 0, pair = begin; k < c->classes; k++) {
        while (pair < end && (size_t)c->pair_class[pair] < k)
            pair++;
        bool said = pair < end && (size_t)c->pair_class[pair] == k;
        score += c->frequency[k] * (said ? exp(c->column[pair * c->classes + k]) : unsaid(c, totals, k));
    }
    return annotator_score_of_share(score, c->pair_first[end] - c->pair_first[begin]);
}

/* Right after score_source, whose totals it needs. */
static void write_confusion(const crowd *c, size_t source_index, double *matrix)
{
    size_t classes = c->classes, begin = c->source_first[source_index], end = c->source_first[source_index + 1];
    for (size_t k = 0; k < classes; k++) {
        for (size_t said = 0; said < classes; said++)
            matrix[k * classes + said] = begin < end ? unsaid(c, c->scratch, k) : NAN;
        for (size_t pair = begin; pair < end; pair++)
            matrix[k * classes + (size_t)c->pair_class[pair]] = exp(c->column[pair * classes + k]);
    }
}

static bool make_room(const crowd *c, dawid_skene_model *model)
{
    size_t cells;
    if (__builtin_mul_overflow(c->sources, c->classes, &cells) || __builtin_mul_overflow(cells, c->classes, &cells))
        return false;
    model->class_count = c->classes;
    model->classes = memory_array(c->classes, sizeof *model->classes);
    model->frequency = memory_array(c->classes, sizeof *model->frequency);
    model->confusion = memory_array(cells, sizeof *model->confusion);
    if (!model->classes || !model->frequency || !model->confusion)
        return false;
    memcpy(model->classes, c->class_of, c->classes * sizeof *model->classes);
    return true;
}

gbv_status dawid_skene_kernel(const overlap *o, const dawid_skene_options *options, annotator_score *scores,
                              dawid_skene_model *model, gbv_error *error)
{
    static const dawid_skene_options defaults;
    crowd c;
    dawid_skene_model told = {0};
    options = options ? options : &defaults;
    if (model)
        *model = told;
    gbv_status status = crowd_create(o, options, &c, error);
    if (status != GBV_OK)
        return status;
    if (model && !make_room(&c, &told)) {
        status = error_out_of_memory(error, "the confusion matrices of a crowd");
        goto done;
    }
    start(&c);
    if (!iterate(&c, options, &told)) {
        status = error_set(error, GBV_INTERRUPTED, "interrupted while comparing the labels of a crowd");
        goto done;
    }
    for (size_t s = 0; s < c.sources; s++) {
        scores[s] = score_source(&c, s);
        if (model)
            write_confusion(&c, s, told.confusion + s * c.classes * c.classes);
    }
    if (model) {
        memcpy(told.frequency, c.frequency, c.classes * sizeof *told.frequency);
        *model = told;
        told = (dawid_skene_model){0};
    }
done:
    dawid_skene_free(&told);
    crowd_free(&c);
    return status;
}
