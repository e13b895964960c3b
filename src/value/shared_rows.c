#include "value/shared_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sentence.h"
#include "value/result.h"

/* A row that more sources have than this is counted for neighbours and with the first of them only: that links all of
 * them, and the work stays linear. */
enum { PAIRED = 8, WARNINGS = 5, NAMED = 4 };

typedef struct row_holder {
    uint64_t hash;
    size_t source;
} row_holder;

typedef struct shared {
    size_t first, second; /* sources */
    size_t rows;
} shared;

typedef struct shared_list {
    shared *items;
    size_t count, capacity;
    bool full; /* memory is out */
} shared_list;

gbv_status shared_rows_hash(const valuation *v, size_t source_index, arena *scratch, gbv_error *error)
{
    row_hashes *out = &v->row_hashes[source_index];
    sample_part part;
    sample rows = problem_source_sample(&v->given, source_index, &part);
    if (v->sources->items[source_index].probabilities)
        return GBV_OK;
    /* The class goes where one more feature would. */
    double *row = arena_array(scratch, rows.columns + 1, sizeof *row);
    int32_t *classes = arena_array(scratch, rows.rows, sizeof *classes);
    if (!row || !classes || !(out->rows = memory_array(rows.rows, sizeof *out->rows)))
        return error_out_of_memory(error, "the hashes of a source");
    sample_labels(&rows, classes, NULL);
    for (size_t i = 0; i < rows.rows; i++) {
        sample_part_row_f64(&part, i, row);
        row[rows.columns] = classes[i];
        out->rows[i] = hash_numbers(row, rows.columns + 1);
    }
    out->count = rows.rows;
    return sample_check(&rows, error);
}

static int by_hash_and_source(const void *left, const void *right)
{
    const row_holder *a = left, *b = right;
    return a->hash != b->hash ? (a->hash < b->hash ? -1 : 1) : (a->source > b->source) - (a->source < b->source);
}

static int by_pair(const void *left, const void *right)
{
    const shared *a = left, *b = right;
    return a->first != b->first ? (a->first < b->first ? -1 : 1) : (a->second > b->second) - (a->second < b->second);
}

static void note(shared_list *list, const shared *a, const shared *b)
{
    if (list->full || !memory_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        list->full = true;
    else
        list->items[list->count++] = (shared){a->first, b->first, a->rows < b->rows ? a->rows : b->rows};
}

/* The holders of one row: `held` is room for a source and how often it has the row, one for each. */
static void note_row(const row_holder *holders, size_t count, shared *held, shared_list *list)
{
    size_t sources = 0;
    for (size_t i = 0; i < count; i++)
        if (sources && held[sources - 1].first == holders[i].source)
            held[sources - 1].rows++;
        else
            held[sources++] = (shared){.first = holders[i].source, .rows = 1};
    for (size_t j = 1; j < sources; j++)
        for (size_t i = 0; i < j; i++)
            if (sources <= PAIRED || i == 0 || i == j - 1)
                note(list, &held[i], &held[j]);
            else
                i = j - 2; /* on to the neighbour */
}

/* The same pair once, with its rows added up. */
static void add_up(shared_list *list)
{
    size_t kept = 0;
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, by_pair);
    for (size_t i = 0; i < list->count; i++)
        if (kept && by_pair(&list->items[kept - 1], &list->items[i]) == 0)
            list->items[kept - 1].rows += list->items[i].rows;
        else
            list->items[kept++] = list->items[i];
    list->count = kept;
}

static gbv_status find_shared(const valuation *v, shared_list *list, gbv_error *error)
{
    size_t total = 0;
    for (size_t s = 0; s < v->source_count; s++)
        total += v->row_hashes[s].count;
    row_holder *holders = memory_array(total, sizeof *holders);
    shared *held = memory_array(total, sizeof *held);
    for (size_t s = 0, k = 0; holders && s < v->source_count; s++)
        for (size_t i = 0; i < v->row_hashes[s].count; i++)
            holders[k++] = (row_holder){v->row_hashes[s].rows[i], s};
    list->full = !holders || !held;
    if (!list->full) {
        qsort(holders, total, sizeof *holders, by_hash_and_source);
        for (size_t first = 0, end; first < total; first = end) {
            for (end = first + 1; end < total && holders[end].hash == holders[first].hash;)
                end++;
            if (holders[end - 1].source != holders[first].source)
                note_row(holders + first, end - first, held, list);
        }
        add_up(list);
    }
    free(holders);
    free(held);
    return list->full ? error_out_of_memory(error, "the rows that sources share") : GBV_OK;
}

static size_t root_of(size_t *parent, size_t s)
{
    while (parent[s] != s)
        s = parent[s] = parent[parent[s]];
    return s;
}

static size_t fewer_rows(const gbv_result *result, const shared *pair)
{
    size_t a = result->sources[pair->first].rows, b = result->sources[pair->second].rows;
    return a < b ? a : b;
}

/* Sources that share rows with one another are named together, by the first of them. */
static bool warn_of_group(gbv_result *result, size_t *parent, size_t root, const shared *most)
{
    sentence names = {0};
    size_t members = 0, named = 0;
    for (size_t s = 0; s < result->source_count; s++)
        members += root_of(parent, s) == root;
    for (size_t s = 0; s < result->source_count; s++)
        if (root_of(parent, s) == root && (members <= NAMED || named < NAMED - 1)) {
            named++;
            sentence_add(&names, "%s%s", named == 1 ? "" : named == members ? " and " : ", ", result->sources[s].name);
        }
    if (named < members)
        sentence_add(&names, " and %zu more", members - named);
    return result_warn(result,
                       "sources %s share %s%zu of %zu rows: a row in two sources is paid for and weighed twice, unless "
                       "both were asked to label it",
                       names.text, members > 2 ? "up to " : "", most->rows, fewer_rows(result, most));
}

gbv_status shared_rows_warn(const valuation *v, gbv_result *result, gbv_error *error)
{
    size_t count = result->source_count, groups = 0;
    if (strcmp(result->problem, "annotator") == 0)
        return GBV_OK;
    shared_list list = {0};
    size_t *parent = memory_array(count, sizeof *parent);
    const shared **most = memory_zeroed(count, sizeof *most); /* by root: the pair with the largest share */
    gbv_status status =
        parent && most ? find_shared(v, &list, error) : error_out_of_memory(error, "the rows that sources share");
    for (size_t s = 0; parent && s < count; s++)
        parent[s] = s;
    for (int pass = 0; pass < 2 && status == GBV_OK; pass++)
        for (size_t i = 0; i < list.count; i++) {
            const shared *pair = &list.items[i];
            double fewer = (double)fewer_rows(result, pair);
            if (!((double)pair->rows > .2 * fewer))
                continue;
            size_t a = root_of(parent, pair->first), b = root_of(parent, pair->second);
            if (pass == 0)
                parent[a < b ? b : a] = a < b ? a : b;
            else if (!most[a] ||
                     (double)pair->rows / fewer > (double)most[a]->rows / (double)fewer_rows(result, most[a]))
                most[a] = pair;
        }
    for (size_t s = 0; s < count && status == GBV_OK; s++)
        if (most[s] && groups++ < WARNINGS && !warn_of_group(result, parent, s, most[s]))
            status = error_out_of_memory(error, "the result");
    if (status == GBV_OK && groups > WARNINGS &&
        !result_warn(result, "%zu further groups of sources share rows", groups - WARNINGS))
        status = error_out_of_memory(error, "the result");
    free(parent);
    free(most);
    free(list.items);
    return status;
}
