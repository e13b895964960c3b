/* knn_shapley_kernel.c - distances by a matrix product in single precision; after that only the rows that have the
 * reference row's label are sorted. With T_i = sum over matching j > i of (w_(j-1) - w_j) the recursion gives s_i =
 * m_i w_i - T_i, so all that another row needs to know is how many matching rows are nearer, and all that a matching
 * row needs is its rank, which those numbers give when they are counted. */
#include "value/method/knn_shapley_kernel.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "compute/dense.h"

/* Reference rows are taken in chunks, whose distances fill at most about CHUNK_CELLS; the rows of a chunk are dealt
 * into GROUPS, each of which adds up its own values, so that sums are taken in one order whatever the number of
 * threads. */
enum { GROUPS = 16, MOST_CHUNK = 256, CHUNK_CELLS = 1 << 24 };
/* Training rows are taken in tiles of about TILE_CELLS numbers, so that a product takes milliseconds. */
enum { FEWEST_TILE = 64, MOST_TILE = 4096, TILE_CELLS = 1 << 21 };
enum { BUCKETS_A_MATCH = 2, MOST_BUCKETS = 1 << 16, SHORT_LIST = 4, PASSES = 3, MOST_DIGIT = 11 };

/* Rows first..first+count-1 that belong to one source. */
typedef struct run {
    size_t first, count;
    uint32_t source;
} run;

/* A label and a row that has it. */
typedef struct labelled {
    int32_t label;
    uint32_t row;
} labelled;

/* What one thread values a reference row with. */
typedef struct ranker {
    uint32_t *keys;     /* train_rows: distances as integers in the same order, from 0 */
    uint32_t *buckets;  /* train_rows: of the distance, then how many matching rows are nearer */
    uint32_t *below;    /* MOST_BUCKETS + 1: matching rows in lower buckets */
    uint64_t *matches;  /* train_rows + SHORT_LIST: key and index of the matching rows, sorted */
    uint64_t *unsorted; /* the same */
    uint32_t *gaps;     /* train_rows + 1: rows with so many matching rows nearer */
    double *levels;     /* train_rows + 1: the value of those of them that do not match */
    double *sums;       /* source_count */
    size_t match_count, bucket_count;
    int bits; /* of the largest key */
} ranker;

typedef struct work {
    const knn_problem *problem;
    size_t threads, stride; /* stride: of a row of distances */
    size_t chunk, tile;     /* reference rows, training rows */
    float *halves, *reference_halves;
    float *products;      /* chunk x stride */
    double *weights;      /* train_rows + 1: w_i */
    double *group_values; /* GROUPS x train_rows */
    double *shares;       /* of each source: 1 / its rows */
    run *runs;
    size_t run_count;
    labelled *by_label; /* train_rows: sorted */
    ranker *rankers;    /* one a thread */
    bool stopped;
} work;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Half the squared length of every row. */
static gbv_status measure_rows(const float *rows, size_t count, size_t columns, size_t threads, const char *what,
                               float *halves, gbv_error *error)
{
    size_t bad = SIZE_MAX;
#pragma omp parallel for num_threads((int)threads) reduction(min : bad)
    for (size_t i = 0; i < count; i++) {
        double squares = dense_squares_f32(rows + i * columns, columns);
        halves[i] = (float)(squares / 2);
        if (!(squares < 1e36))
            bad = i < bad ? i : bad;
    }
    if (bad == SIZE_MAX)
        return GBV_OK;
    return error_set(
        error, GBV_BAD_INPUT,
        "row %zu of %s is %g long, which leaves no distances to compare: mend the row or scale the features", bad + 1,
        what, sqrt(dense_squares_f32(rows + bad * columns, columns)));
}

/* Only the calling thread asks, the others see what it was answered. */
static bool interrupted(work *w, size_t done)
{
    const knn_problem *p = w->problem;
    if (omp_get_thread_num() == 0 && p->progress && p->progress(p->context, "knn-shapley", done, p->reference_rows))
        __atomic_store_n(&w->stopped, true, __ATOMIC_RELAXED);
    return __atomic_load_n(&w->stopped, __ATOMIC_RELAXED);
}

static void multiply_tile(const work *w, size_t first_reference, size_t count, size_t first_train)
{
    const knn_problem *p = w->problem;
    size_t rows = smaller(w->tile, p->train_rows - first_train);
    int columns = (int)p->columns, leading = columns ? columns : 1;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)rows, columns, 1,
                p->reference + first_reference * p->columns, leading, p->train + first_train * p->columns, leading, 0,
                w->products + first_train, (int)w->stride);
}

/* Half squared distances as integers in the same order: the bits of floats that are not negative, less those of the
 * smallest. The buckets are equally wide in the distance itself. Returns how many bits the largest key has. */
CLONED static int make_keys(const float *products, const float *halves, float half, size_t count, float bucket_count,
                            uint32_t *keys, uint32_t *buckets)
{
    int32_t smallest = INT32_MAX, largest = 0;
#pragma omp simd reduction(min : smallest) reduction(max : largest)
    for (size_t i = 0; i < count; i++) {
        float distance = (half + halves[i]) - products[i];
        int32_t key;
        memcpy(&key, &distance, sizeof key);
        key = key > 0 ? key : 0;
        keys[i] = (uint32_t)key;
        smallest = key < smallest ? key : smallest;
        largest = key > largest ? key : largest;
    }
    float least, most;
    memcpy(&least, &smallest, sizeof least);
    memcpy(&most, &largest, sizeof most);
    float scale = (bucket_count - 1) / (most - least);
    scale = scale < INFINITY ? scale : 0;
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        float distance;
        memcpy(&distance, &keys[i], sizeof distance);
        buckets[i] = (uint32_t)(int32_t)((distance - least) * scale);
        keys[i] -= (uint32_t)smallest;
    }
    return largest > smallest ? 32 - __builtin_clz((uint32_t)(largest - smallest)) : 1;
}

/* Sorts the matching rows by distance; they come in the order of their indices, which the passes keep where distances
 * are equal. */
static void sort_matches(ranker *r, const labelled *rows)
{
    int width = (r->bits + PASSES - 1) / PASSES;
    uint32_t starts[PASSES][1 << MOST_DIGIT], mask = (UINT32_C(1) << width) - 1;
    for (int pass = 0; pass < PASSES; pass++)
        memset(starts[pass], 0, (mask + 1) * sizeof *starts[pass]);
    uint64_t *from = r->unsorted, *to = r->matches;
    for (size_t i = 0; i < r->match_count; i++) {
        uint32_t key = r->keys[rows[i].row];
        from[i] = (uint64_t)key << 32 | rows[i].row;
        for (int pass = 0; pass < PASSES; pass++)
            starts[pass][key >> pass * width & mask]++;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        uint32_t start = 0, *places = starts[pass];
        for (size_t digit = 0; digit <= mask; digit++) {
            uint32_t count = places[digit];
            places[digit] = start;
            start += count;
        }
        for (size_t i = 0; i < r->match_count; i++)
            to[places[from[i] >> (32 + pass * width) & mask]++] = from[i];
        uint64_t *last = from;
        from = to, to = last;
    }
    for (size_t i = 0; i < SHORT_LIST; i++) /* farther than any row */
        r->matches[r->match_count + i] = UINT64_MAX;
}

static void count_below(ranker *r)
{
    memset(r->below, 0, (r->bucket_count + 1) * sizeof *r->below);
    for (size_t i = 0; i < r->match_count; i++)
        r->below[r->buckets[(uint32_t)r->matches[i]] + 1]++;
    for (size_t b = 0; b < r->bucket_count; b++)
        r->below[b + 1] += r->below[b];
}

/* The first of matches[low..high-1] that is not below `row`, or high. */
static uint32_t search(const uint64_t *matches, uint32_t low, uint32_t high, uint64_t row)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (matches[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Every row's number of nearer matching rows, in place of its bucket, and how many rows have each number. */
static void rank_rows(ranker *r, size_t rows)
{
    const uint32_t *restrict keys = r->keys, *restrict below = r->below;
    const uint64_t *restrict matches = r->matches;
    uint32_t *restrict buckets = r->buckets, *restrict gaps = r->gaps;
    memset(gaps, 0, (r->match_count + 1) * sizeof *gaps);
    for (size_t i = 0; i < rows; i++) {
        uint64_t row = (uint64_t)keys[i] << 32 | i;
        const uint64_t *list = matches + below[buckets[i]];
        /* Those of higher buckets are farther anyway: no branch has to be guessed. */
        uint32_t nearer = below[buckets[i]];
        nearer += list[0] < row;
        nearer += list[1] < row;
        nearer += list[2] < row;
        nearer += list[3] < row;
        if (__builtin_expect(list[SHORT_LIST - 1] < row, false))
            nearer = search(matches, nearer, below[buckets[i] + 1], row);
        buckets[i] = nearer;
        gaps[nearer]++;
    }
}

/* The training rows with this label in the order of their indices. */
static const labelled *rows_with_label(const work *w, int32_t label, size_t *count)
{
    size_t bounds[2];
    for (int end = 0; end < 2; end++) { /* the first row that is not below the label, then that is above it */
        size_t low = 0, high = w->problem->train_rows;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (w->by_label[middle].label < label || (end && w->by_label[middle].label == label))
                low = middle + 1;
            else
                high = middle;
        }
        bounds[end] = low;
    }
    *count = bounds[1] - bounds[0];
    return w->by_label + bounds[0];
}

/* levels[q] = -T of the rows with q matching rows nearer. A matching row comes last of those: it has the rank i that
 * their number and that of all before them add up to, and the value w_i + levels[q + 1] = levels[q] + w_(i-1), of which
 * the second part is added here. */
static void make_levels(const work *w, ranker *r, double *group_values)
{
    const knn_problem *p = w->problem;
    size_t rank = p->train_rows - r->gaps[r->match_count];
    r->levels[r->match_count] = 0;
    for (size_t q = r->match_count; q-- > 0; rank -= r->gaps[q]) {
        uint32_t row = (uint32_t)r->matches[q];
        r->levels[q] = r->levels[q + 1] - (w->weights[rank - 1] - w->weights[rank]);
        group_values[row] += w->weights[rank - 1];
        r->sums[p->source_of_row[row]] += w->weights[rank - 1];
    }
}

/* Gives the rows of a run their levels; returns the sum of these. */
CLONED static double add_levels(const uint32_t *nearer, const double *levels, size_t count, double *values)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++) {
        double level = levels[nearer[i]];
        values[i] += level;
        sum += level;
    }
    return sum;
}

static void value_row(const work *w, ranker *r, size_t reference_row, const float *products, double *group_values,
                      double *by_source)
{
    const knn_problem *p = w->problem;
    const labelled *matching = rows_with_label(w, p->reference_labels[reference_row], &r->match_count);
    memset(r->sums, 0, p->source_count * sizeof *r->sums);
    if (r->match_count) { /* else no row is of use or in the way */
        r->bucket_count = smaller(BUCKETS_A_MATCH * r->match_count, MOST_BUCKETS);
        r->bits = make_keys(products, w->halves, w->reference_halves[reference_row], p->train_rows,
                            (float)r->bucket_count, r->keys, r->buckets);
        sort_matches(r, matching);
        count_below(r);
        rank_rows(r, p->train_rows);
        make_levels(w, r, group_values);
        for (const run *part = w->runs; part < w->runs + w->run_count; part++)
            r->sums[part->source] +=
                add_levels(r->buckets + part->first, r->levels, part->count, group_values + part->first);
    }
    for (size_t source = 0; source < p->source_count; source++)
        by_source[source * p->reference_rows + reference_row] = r->sums[source] * w->shares[source];
}

/* The rows of one chunk: distances, then values; false when the caller wants to stop. */
static bool value_chunk(work *w, size_t first, double *values, double *by_source)
{
    const knn_problem *p = w->problem;
    size_t count = smaller(w->chunk, p->reference_rows - first), tiles = (p->train_rows + w->tile - 1) / w->tile;
    if (interrupted(w, first))
        return false;
#pragma omp parallel for schedule(dynamic) num_threads((int)w->threads)
    for (size_t t = 0; t < tiles; t++)
        if (!interrupted(w, first))
            multiply_tile(w, first, count, t * w->tile);
#pragma omp parallel for schedule(dynamic) num_threads((int)w->threads)
    for (size_t g = 0; g < GROUPS; g++) {
        double *group_values = w->group_values + g * p->train_rows;
        memset(group_values, 0, p->train_rows * sizeof *group_values);
        for (size_t i = g * count / GROUPS; i < (g + 1) * count / GROUPS && !interrupted(w, first); i++)
            value_row(w, &w->rankers[omp_get_thread_num()], first + i, w->products + i * w->stride, group_values,
                      by_source);
    }
#pragma omp parallel for num_threads((int)w->threads)
    for (size_t t = 0; t < tiles; t++)
        for (size_t g = 0; g < GROUPS; g++)
            dense_add_f64(values + t * w->tile, w->group_values + g * p->train_rows + t * w->tile,
                          smaller(w->tile, p->train_rows - t * w->tile));
    return !w->stopped;
}

static void find_runs(const knn_problem *p, run *runs, size_t *run_count, double *shares)
{
    memset(shares, 0, p->source_count * sizeof *shares);
    *run_count = 0;
    for (size_t i = 0; i < p->train_rows; i++) {
        uint32_t source = p->source_of_row[i];
        if (i == 0 || source != runs[*run_count - 1].source)
            runs[(*run_count)++] = (run){.first = i, .source = source};
        runs[*run_count - 1].count++;
        shares[source]++;
    }
    for (size_t s = 0; s < p->source_count; s++)
        shares[s] = shares[s] > 0 ? 1 / shares[s] : NAN;
}

static int compare_labelled(const void *a, const void *b)
{
    const labelled *x = a, *y = b;
    return x->label != y->label ? (x->label > y->label) - (x->label < y->label) : (x->row > y->row) - (x->row < y->row);
}

static void sort_labels(const knn_problem *p, labelled *by_label)
{
    for (size_t i = 0; i < p->train_rows; i++)
        by_label[i] = (labelled){.label = p->train_labels[i], .row = (uint32_t)i};
    qsort(by_label, p->train_rows, sizeof *by_label, compare_labelled);
}

static bool ranker_open(ranker *r, const work *w, arena *memory)
{
    size_t n = w->problem->train_rows;
    r->keys = arena_array(memory, n, sizeof *r->keys);
    r->buckets = arena_array(memory, n, sizeof *r->buckets);
    r->below = arena_array(memory, MOST_BUCKETS + 1, sizeof *r->below);
    r->matches = arena_array(memory, n + SHORT_LIST, sizeof *r->matches);
    r->unsorted = arena_array(memory, n, sizeof *r->unsorted);
    r->gaps = arena_array(memory, n + 1, sizeof *r->gaps);
    r->levels = arena_array(memory, n + 1, sizeof *r->levels);
    r->sums = arena_array(memory, w->problem->source_count, sizeof *r->sums);
    return r->keys && r->buckets && r->below && r->matches && r->unsorted && r->gaps && r->levels && r->sums;
}

static gbv_status work_open(work *w, arena *memory, gbv_error *error)
{
    const knn_problem *p = w->problem;
    size_t n = p->train_rows, k = p->neighbours, fitting = CHUNK_CELLS / n;
    w->stride = n + 16; /* no power of two, whose multiples would share a few lines of the cache */
    w->chunk = fitting < GROUPS ? GROUPS : smaller(fitting, MOST_CHUNK);
    fitting = TILE_CELLS / (p->columns + 1);
    w->tile = fitting < FEWEST_TILE ? FEWEST_TILE : smaller(fitting, MOST_TILE);
    w->halves = arena_array(memory, n, sizeof *w->halves);
    w->reference_halves = arena_array(memory, p->reference_rows, sizeof *w->reference_halves);
    w->products = arena_array(memory, smaller(w->chunk, p->reference_rows) * w->stride, sizeof *w->products);
    w->weights = arena_array(memory, n + 1, sizeof *w->weights);
    w->group_values = arena_array(memory, GROUPS * n, sizeof *w->group_values);
    w->shares = arena_array(memory, p->source_count, sizeof *w->shares);
    w->runs = arena_array(memory, n, sizeof *w->runs);
    w->by_label = arena_array(memory, n, sizeof *w->by_label);
    w->rankers = arena_zeroed(memory, w->threads, sizeof *w->rankers);
    bool opened = w->halves && w->reference_halves && w->products && w->weights && w->group_values && w->shares &&
                  w->runs && w->by_label && w->rankers;
    for (size_t t = 0; opened && t < w->threads; t++)
        opened = ranker_open(&w->rankers[t], w, memory);
    if (!opened)
        return error_out_of_memory(error, "the distances of knn-shapley");
    w->weights[0] = 1 / (double)k; /* as w_1: nothing comes before the nearest row */
    for (size_t i = 1; i <= n; i++)
        w->weights[i] = (double)smaller(k, i) / ((double)k * (double)i);
    sort_labels(p, w->by_label);
    find_runs(p, w->runs, &w->run_count, w->shares);
    gbv_status status = measure_rows(p->train, n, p->columns, w->threads, "the sources", w->halves, error);
    if (status == GBV_OK)
        status = measure_rows(p->reference, p->reference_rows, p->columns, w->threads, "the reference",
                              w->reference_halves, error);
    return status;
}

gbv_status knn_shapley(const knn_problem *problem, double *values, double *by_source, gbv_error *error)
{
    work w = {.problem = problem};
    arena memory = {0};
    if (problem->train_rows < 1 || problem->reference_rows < 1 || problem->neighbours < 1)
        return error_set(error, GBV_USAGE,
                         "knn-shapley was given %zu rows of sources, %zu of the reference and %zu neighbours: it needs "
                         "at least one of each",
                         problem->train_rows, problem->reference_rows, problem->neighbours);
    if (problem->train_rows > INT_MAX - 16 || problem->columns > INT_MAX)
        return error_set(error, GBV_BAD_INPUT,
                         "the sources have %zu rows of %zu numbers: knn-shapley takes up to %d of each, so value fewer "
                         "rows",
                         problem->train_rows, problem->columns, INT_MAX - 16);
    plan kept = plan_begin(problem->threads);
    w.threads = kept.threads;
    gbv_status status = work_open(&w, &memory, error);
    if (status != GBV_OK)
        goto done;
    memset(values, 0, problem->train_rows * sizeof *values);
    for (size_t first = 0; first < problem->reference_rows; first += w.chunk)
        if (!value_chunk(&w, first, values, by_source)) {
            status = error_set(error, GBV_INTERRUPTED, "interrupted while taking Shapley values");
            goto done;
        }
    for (size_t i = 0; i < problem->train_rows; i++)
        values[i] /= (double)problem->reference_rows;
done:
    plan_end(kept);
    arena_free(&memory);
    return status;
}
